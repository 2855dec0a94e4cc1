"""Checks what the bot sends against Discord's own OpenAPI description, where that is at hand.

The description is Discord's and not part of this project. `DISCORD_OPENAPI`
names the file; without it the tests look in a folder beside the checkout, and
skip if it is not there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

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
        # The description knows snowflakes as text only; Discord's reference takes whole numbers
        # too, and its own examples of uploads number the files so, as discord.py does.
        schemas = self._document["components"]["schemas"]
        schemas["SnowflakeType"] = {"anyOf": [schemas["SnowflakeType"], {"type": "integer"}]}
        resource = Resource.from_contents(self._document, default_specification=DRAFT202012)
        self._registry: Registry[Any] = Registry().with_resource("urn:discord", resource)
        self._validator_class = extend(
            Draft202012Validator, {"oneOf": self._one_of, "$ref": self._reference}
        )
        self._right: set[tuple[str, str]] = set()
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
        pointer = "/".join(
            part.replace("~", "~0").replace("/", "~1")
            for part in (
                "paths", template, method.lower(), "requestBody", "content", "application/json"
            )
        )  # fmt: skip
        mistake = self._mistake(f"urn:discord#/{pointer}/schema", json.dumps(body))
        return None if mistake is None else f"{method} {path}: {mistake}"

    # Each bot of a test run sends the same commands, and many the same boards.
    @cache  # noqa: B019  # one description lives as long as the test run
    def _mistake(self, reference: str, text: str) -> str | None:
        error = best_match(self._validator(reference).iter_errors(json.loads(text)))
        return None if error is None else f"{error.json_path}: {error.message}"

    @cache  # noqa: B019  # see above
    def _validator(self, reference: str) -> Validator:
        validator: Validator = self._validator_class({"$ref": reference}, registry=self._registry)
        return validator

    def _one_of(
        self, validator: Any, branches: list[Any], instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        """Judge as ever, by those branches alone that a look at the kind does not rule out.

        Without it each button is tried as every other component first, at several depths.
        """
        possible = [each for each in branches if self._may_hold(each, instance)]
        judge = Draft202012Validator.VALIDATORS["oneOf"]
        yield from judge(validator, possible or branches, instance, schema)

    def _reference(
        self, validator: Any, reference: str, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        """Judge as ever, but what was right once, such as a button, never again."""
        key = reference, json.dumps(instance)
        if key in self._right:
            return
        judge = Draft202012Validator.VALIDATORS["$ref"]
        errors = list(judge(validator, reference, instance, schema))
        if not errors:
            self._right.add(key)
        yield from errors

    def _may_hold(self, branch: Any, instance: Any) -> bool:
        """Return whether `instance` may be what `branch` describes, judging by its kind."""
        if "const" in branch:
            return bool(branch["const"] == instance)
        if branch == {"type": "null"}:
            return instance is None
        name = branch.get("$ref", "").removeprefix("#/components/schemas/")
        kind = self._document["components"]["schemas"].get(name, {}).get("properties", {})
        kinds = kind.get("type", {}).get("enum")
        if kinds is None or not isinstance(instance, dict) or "type" not in instance:
            return True
        return instance["type"] in kinds

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
    """Return what Discord's description says against requests of (method, path, body).

    Nothing, where the description is not at hand.
    """
    path = find_description()
    if path is None:
        return []
    judge = judge_from(path)
    found = [judge.mistakes(*request) for request in requests]
    return [mistake for mistake in found if mistake is not None]
