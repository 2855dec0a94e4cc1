"""The sandbox's answers, checked against Discord's own description of them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator, Registry

from deploy.sandbox import People, Sandbox, World
from deploy.sandbox.traffic import LoggedRequest
from tests.openapi import find_description
from tests.sandbox.conftest import Http, Start, answer_to
from tests.sandbox.sample_bot import SampleBot
from tests.waiting import until

DESCRIPTION = find_description()
pytestmark = pytest.mark.skipif(DESCRIPTION is None, reason="Discord's description is not here")


class Answers:
    """Discord's description, ready to judge answers."""

    def __init__(self, path: Path) -> None:
        self._document: dict[str, Any] = json.loads(path.read_text())
        self._registry = Registry([("urn:discord", self._document)])

    def mistakes(self, entry: LoggedRequest) -> str | None:
        """Return what is wrong with an answer, None if nothing is."""
        template = entry.route.replace("/{token}", "/{webhook_token}").replace(
            "{emoji}", "{emoji_name}"
        )
        if template.startswith("/interactions"):
            template = template.replace("webhook_token", "interaction_token")
        operation = self._document["paths"][template][entry.method.lower()]
        responses = operation["responses"]
        described = responses.get(str(entry.status))
        if described is None:
            key = f"{str(entry.status)[0]}XX"
            described = responses.get(key)
        if described is None:
            return f"{entry.method} {template}: no answer {entry.status}: {sorted(responses)}"
        described = self._resolve(described)
        content = described.get("content", {}).get("application/json")
        if content is None:
            return None if entry.answer is None else f"{entry.method} {template}: no body expected"
        answer = entry.answer
        if entry.status >= 400:
            # The description gives nested errors numbers; Discord has always sent names.
            answer = {key: value for key, value in answer.items() if key != "errors"}
        schema = json.dumps(content["schema"])
        found = list(self._validator(schema).iter_errors(answer))
        if not found:
            return None
        deepest = max(found, key=lambda error: len(error.instance_path))
        return f"{entry.method} {template} {entry.status}: {deepest.instance_path} {deepest}"

    def _resolve(self, described: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in described:
            node: Any = self._document
            for step in described["$ref"].removeprefix("#/").split("/"):
                node = node[step]
            described = node
        return described

    @cache  # noqa: B019 - one description lives as long as the test run
    def _validator(self, schema: str) -> Draft202012Validator:
        anchored = json.loads(schema.replace('"#/', '"urn:discord#/'))
        return Draft202012Validator(anchored, registry=self._registry)


async def test_every_answer_is_as_discord_describes_it(
    start: Start, sandbox: Sandbox, world: World, http: Http
):
    await start(SampleBot())
    ann, games = world.person("Ann").id, world.channel_called("games")
    app = f"/applications/{world.application_id}"
    await _play(sandbox.people, ann, games.id)
    guild = f"/guilds/{games.guild_id}"
    sent = await http("POST", f"/channels/{games.id}/messages", {"content": "x"})
    message = f"/channels/{games.id}/messages/{sent.body['id']}"
    thread = await http("POST", f"{message}/threads", {"name": "talk"})
    await http("PUT", f"{message}/reactions/%F0%9F%91%8D/@me")
    for path in (
        "/users/@me", "/applications/@me", "/gateway/bot", "/gateway", f"/users/{ann}",
        f"{app}/commands", f"{app}/emojis", f"{app}/entitlements", "/users/@me/guilds",
        guild, f"{guild}/channels", f"{guild}/roles", f"{guild}/members/{ann}",
        f"{guild}/threads/active", f"/channels/{games.id}", message,
        f"/channels/{games.id}/messages", f"/channels/{games.id}/threads/archived/public",
        f"/channels/{thread.body['id']}", f"/channels/{thread.body['id']}/thread-members",
        f"{message}/reactions/%F0%9F%91%8D", "/channels/1", f"{app}/commands/1",
    ):  # fmt: skip
        await http("GET", path)
    await http("POST", f"/channels/{games.id}/messages", {"content": "x" * 3000})
    await http("PATCH", f"/channels/{thread.body['id']}", {"archived": True})
    await http("POST", f"/channels/{games.id}/typing")
    await http("DELETE", message)

    assert DESCRIPTION is not None
    answers = Answers(DESCRIPTION)
    assert len(sandbox.requests) > 40
    assert "\n".join(found for each in sandbox.requests if (found := answers.mistakes(each))) == ""


async def _play(people: People, ann: int, games: int) -> None:
    """Use everything that the sample bot can do."""
    shown = await answer_to(people.slash(ann, games, "play"))
    await (await people.press(ann, shown.id, "count:3")).wait()
    message_id = (await answer_to(people.slash(ann, games, "controls"))).id
    await (await people.press(ann, message_id, "slow")).settled()
    await (await people.select(ann, message_id, "fruit", ["Pear"])).wait()
    opened = await people.press(ann, message_id, "note")
    await opened.wait()
    await (await people.submit_modal(ann, opened, {"text": "x", "kind": ["Bad"]})).wait()
    await people.autocomplete(ann, games, "variant", {"name": "m"}, "name")
    await (await people.slash(ann, games, "think")).settled()
    await (await people.slash(ann, games, "talk")).wait()
    direct = await people.open_direct(ann)
    await until(lambda: people.visible_messages(ann, direct.id))
