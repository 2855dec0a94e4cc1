"""Checks what the bot sends against Discord's own OpenAPI description, if available.

The description is Discord's and not part of this project. `DISCORD_OPENAPI`
names the file; without it the tests look in a folder beside the checkout, and
skip if it is not there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jsonschema_rs import Draft202012Validator, Registry

REPOSITORY = Path(__file__).resolve().parents[1]
PLACES = (
    Path(os.environ.get("DISCORD_OPENAPI", "/nonexistent")),
    REPOSITORY.parent / "shared" / "discord" / "openapi.json",
)


def find_description() -> Path | None:
    """Return the file with the description, None where there is none."""
    return next((path for path in PLACES if path.is_file()), None)


class OpenApi:
    """Discord's description, ready to judge request bodies."""

    def __init__(self, path: Path) -> None:
        self._document: dict[str, Any] = json.loads(path.read_text())
        # The description has snowflakes as strings only; Discord's reference allows integers too,
        # and numbers files that way in its own examples of uploads, as discord.py does.
        schemas = self._document["components"]["schemas"]
        schemas["SnowflakeType"] = {"anyOf": [schemas["SnowflakeType"], {"type": "integer"}]}
        self._registry = Registry([("urn:discord", self._document)])
        # Templates with fewer variables first, so that @original and @me win over {id}.
        self._templates: list[tuple[str, re.Pattern[str]]] = [
            (template, re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(template))))
            for template in sorted(self._document["paths"], key=lambda path: str(path).count("{"))
        ]

    def mistakes(self, method: str, path: str, body: Any) -> str | None:
        """Return what is wrong with `body` as sent to `path`, None if nothing is.

        Args:
            method: The HTTP method.
            path: The path below the API's base, without the query.
            body: The JSON body, or the `payload_json` of a form.
        """
        template = self._template(path)
        if template is None:
            return f"{method} {path}: Discord has no such route"
        operation = self._document["paths"][template].get(method.lower())
        if operation is None:
            return f"{method} {path}: Discord does not take this method here"
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return None if body in (None, {}) else f"{method} {path}: Discord takes no body here"
        path_in_file = ("paths", template, method.lower(), "requestBody", "content")
        schema = "/".join(
            part.replace("~", "~0").replace("/", "~1")
            for part in (*path_in_file, "application/json", "schema")
        )
        found = list(self._validator(schema).iter_errors(body))
        return None if not found else f"{method} {path}: {found[0].instance_path} {found[0]}"

    @cache  # noqa: B019  # one description lives as long as the test run
    def _validator(self, schema: str) -> Draft202012Validator:
        reference = f"urn:discord#/{quote(schema, safe='/~')}"
        return Draft202012Validator({"$ref": reference}, registry=self._registry)

    def _template(self, path: str) -> str | None:
        for template, pattern in self._templates:
            if pattern.fullmatch(path):
                return template
        return None


@cache
def judge_from(path: Path) -> OpenApi:
    """Return the description in a file; it is large, and read once in a test run."""
    return OpenApi(path)


def mistakes(requests: Iterable[tuple[str, str, Any]]) -> list[str]:
    """Return what is wrong with requests of (method, path, body), by Discord's description.

    Nothing, if the description is not available.
    """
    path = find_description()
    if path is None:
        return []
    judge = judge_from(path)
    found = [judge.mistakes(*request) for request in requests]
    return [mistake for mistake in found if mistake is not None]
