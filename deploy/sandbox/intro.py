"""What a newcomer to the page sees first: what the bot is, and what to press."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final

from PIL import Image

from .model import JSON

PICTURE_PATH: Final = "/sandbox/intro.png"
OTHER: Final = "{other}"
"""A placeholder for another person: for their id in an option, for their name in a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A large button that runs a slash command.

    `then` is the line below its answer, for commands that concern the other person. If an
    option is `OTHER`, the line has buttons to become that person here or in a second window.
    """

    label: str
    command: str
    options: JSON = field(default_factory=dict)
    then: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intro:
    """The bot at a glance, as described by the program that starts the sandbox.

    `picture` is a PNG; `groups` maps titles of groups to names of commands. Commands in no group
    are listed under "More".
    """

    title: str
    sentence: str
    picture: bytes
    picture_text: str
    actions: Sequence[Action] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def json(self) -> JSON:
        """The introduction as JSON for the page; the picture has an address of its own."""
        with Image.open(io.BytesIO(self.picture)) as picture:
            width, height = picture.size
        return {
            "title": self.title,
            "sentence": self.sentence,
            "picture": {"url": PICTURE_PATH, "width": width, "height": height},
            "picture_text": self.picture_text,
            "actions": [asdict(each) for each in self.actions],
            "groups": [
                {"title": title, "commands": list(names)} for title, names in self.groups.items()
            ],
        }
