"""The check of requests by Discord's own description: it knows the routes, and their bodies."""

from __future__ import annotations

from typing import Any

import pytest

from tests.openapi import find_description, judge_from

DESCRIPTION = find_description()
pytestmark = pytest.mark.skipif(DESCRIPTION is None, reason="Discord's description is not here")

MENU = {
    "type": 3,
    "custom_id": "m",
    "options": [{"label": "A", "value": "a", "default": True}],
}
PANEL = {"flags": 1 << 15, "components": [{"type": 1, "components": [MENU]}]}


def judged(method: str, path: str, body: Any) -> str | None:
    assert DESCRIPTION is not None
    return judge_from(DESCRIPTION).mistakes(method, path, body)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/channels/1/messages/2/threads", {"name": "Game 5"}),
        ("POST", "/channels/1/threads", {"name": "Game 5", "type": 11}),
        ("PATCH", "/channels/1", {"archived": True, "locked": True}),
        ("PUT", "/channels/1/thread-members/2", None),
        ("POST", "/users/@me/channels", {"recipient_id": "5"}),
        ("PUT", "/channels/1/messages/2/reactions/\N{PARTY POPPER}/@me", None),
        ("DELETE", "/channels/1/messages/2/reactions/\N{PARTY POPPER}/@me", None),
        ("PATCH", "/channels/1/messages/2", PANEL),
        ("POST", "/channels/1/messages", PANEL),
        ("PATCH", "/webhooks/1/token/messages/@original", PANEL),
        ("DELETE", "/channels/1/messages/2", None),
    ],
)
def test_what_is_right_passes(method: str, path: str, body: Any) -> None:
    assert judged(method, path, body) is None


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/channels/1/messages/2/threads", {"name": "x" * 101}),
        ("POST", "/channels/1/messages/2/threads", {"auto_archive_duration": 60}),
        ("POST", "/channels/1/threads", {"name": "Game 5", "type": 99}),
        ("PUT", "/channels/1/thread-members/2", {"user": "2"}),
        ("POST", "/users/@me/channels", {"recipient_id": "Ann"}),
        ("PUT", "/channels/1/messages/2/reactions/\N{PARTY POPPER}/@me", {"emoji": "x"}),
        ("PATCH", "/channels/1/messages/2", {"content": 5}),
        ("PATCH", "/channels/1/messages/2", {"components": [{"type": 99}]}),
        ("POST", "/channels/1/messages", {"content": "x" * 4001}),
        ("POST", "/channels/1/talks", {"name": "x"}),
        ("PUT", "/channels/1/messages", {"content": "x"}),
    ],
)
def test_what_is_wrong_is_found(method: str, path: str, body: Any) -> None:
    assert judged(method, path, body) is not None
