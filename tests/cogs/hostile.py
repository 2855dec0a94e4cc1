"""Hostile input: whatever people or forged clients send, from a seed.

    python -m tests.cogs.hostile --seed 1 --acts 2000

runs the real bot against the sandbox, over real WebSocket and HTTP. Each act is a command, a
completion, a press, a choice in a menu or a dialog, in any place and by anybody: legal, absurd,
forged, replayed, or meant for somebody else. After each batch everybody must have been answered,
nothing may have broken, and `Watch` compares every row that was written with who was acting. The
next seed begins a new world after `WORLD` acts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import structlog
from sqlalchemy import Connection, text
from structlog.testing import capture_logs

from bot import clock
from bot.storage.schema import metadata
from deploy.sandbox import Sandbox, running_sandbox
from deploy.sandbox.components import walk
from deploy.sandbox.errors import HandError
from deploy.sandbox.forms import read_message_form
from deploy.sandbox.inputs import CHOSEN_AS, Resolved, command_head, owners_for
from deploy.sandbox.interactions import Interaction, InteractionKind
from deploy.sandbox.model import Channel, Message, Upload
from engine import VARIANTS
from tests.cogs.table import JSON, PATIENCE_S, Board, Table, mistakes_in, running_bot, settings_for

SUB_COMMAND, STRING, INTEGER, BOOLEAN, USER, FILE = 1, 3, 4, 5, 6, 11
SLASH, ON_USER = 1, 2
BUTTON, TEXT_MENU = 2, 3

WORLD = 2000
"""After so many acts a new world begins, so that a failure can be run again from its seed."""

AT_ONCE = 12
ANSWERED_WITHIN_S = 30.0
"""A tenth of it once the bot believes to have answered everybody."""

DEFERRED = 5
KEPT = 400

ODD_NAMES = (
    "**_~||`@everyone",
    "\N{RIGHT-TO-LEFT OVERRIDE}yrollaM </play:1>",
)
ALPHABETS = (
    "0123456789",
    "-+.,:;/|=<>[](){}*_~`'\"\\%$#@! ",
    "abcdefxyzXO",
    "\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}\N{RIGHT-TO-LEFT OVERRIDE}"
    "\N{ZERO WIDTH JOINER}\t\n\0\x1b",
    "٣²Ⅷ①৪𝟗",
    "\N{COMBINING ACUTE ACCENT}\N{COMBINING ENCLOSING CIRCLE BACKSLASH}\N{GRINNING FACE}ßİﬁЖ漢",
    "\ud800\udfff",
)
TEXTS = (
    *VARIANTS,
    *("goal=five", "won_board=open,goal=five", "depth=3,sending=hypermap", "map=map34", "depth=9"),
    *("3d", "36h", "5+3", "1+0", "0+0", "none", "99999d", "5+-3", "1e9+1", "\u221e"),
    *("55", "5", "551", "55 59 98", "1. 55 59 2. 98", "51837", "99999", "nan", "inf", "", " "),
    '[Variant "standard"] 55 59 98 *',
    '[X "Ann"] [O "Ben"] [Result "1-0"] [End "resigned"] 1. 55 1-0',
    '[Variant "goal=five"] [Result "1/2-1/2"] 1. 11 1/2-1/2',
    "{0} {given!r} %s %(a)s",
    "'; DROP TABLE match; --",
    "</play:1> <@1> @everyone ||x|| ```",
)
NUMBERS = (0, -1, 1, 2, 10, 11, 99, 2**31, 2**53, -(2**53))
PLAYED = ("cell:", "board:", "swap:", "agree:", "undo:", "again:", "rematch:", "hinted:")
NUMBERED = ("match_id", "challenge_id", "ply", "revision")
FORGED: tuple[Any, ...] = (
    2**63,
    10**400,
    -(2**63) - 1,
    "text",
    1.5,
    None,
    True,
    [],
    {"a": 1},
    "\0",
)
BOOKS = ("screen", "outbox", "news", "notice", "announcement", "setting", "downtime", "unreached")
"""Tables that say what has been shown or is to be told; whoever sees a board may change that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something that somebody sends; `part` is what they use in `message`, if it is there."""

    kind: InteractionKind
    user: int
    channel: int
    data: JSON
    message: int | None = None
    part: JSON | None = None
    about: int | None = None
    """The match that is asked about, if it is one only."""

    @property
    def name(self) -> str:
        """What is used, for people to read."""
        return str(self.data.get("name") or str(self.data.get("custom_id")).split(":")[0])


class Hands:
    """Makes up what the people of a world send, from random numbers."""

    def __init__(self, table: Table, rng: random.Random) -> None:
        self.table, self.rng, self.world = table, rng, table.sandbox.world
        self.commands = [each for some in self.world.commands.values() for each in some.values()]
        self.sent: deque[Act] = deque(maxlen=KEPT)
        self.seen: deque[tuple[int, int, JSON]] = deque(maxlen=KEPT)
        self.matches: list[int] = [1]
        self.secrets: dict[int, set[int]] = {}
        self.players: dict[int, set[int]] = {}
        self.walls: set[int] = set()

    def act(self, user: int) -> Act:
        """Return what `user` does next."""
        rng = self.rng
        makers = {
            self.play: 25,
            self.command: 25,
            self.completion: 8,
            self.press: 20,
            self.forge: 17,
            self.replay: 4,
            self.dialog: 1,
        }
        make = rng.choices(list(makers), weights=list(makers.values()))[0]
        act = make(user)
        self.sent.append(act)
        return act

    def place(self, user: int) -> Channel:
        """Return a place that `user` can be in."""
        there = [each for each in self.world.channels.values() if self.world.can_see(user, each)]
        return self.rng.choice(there)

    # Commands

    def command(self, user: int) -> Act:
        """Use a command with any options."""
        channel, command = self.place(user), self.rng.choice(self.commands)
        resolved, data = Resolved(self.world, channel), command_head(command)
        if command["type"] != SLASH:
            target = self.somebody()
            resolved.add_user(target)
            data |= {"target_id": str(target), "resolved": resolved.body}
            return Act(kind=InteractionKind.COMMAND, user=user, channel=channel.id, data=data)
        data["options"], wanted = self.options(command.get("options") or [], resolved)
        data["resolved"] = resolved.body if self.rng.random() > 0.02 else {}
        return Act(
            kind=InteractionKind.COMMAND,
            user=user,
            channel=channel.id,
            data=data,
            about=one_of(wanted),
        )

    def completion(self, user: int) -> Act:
        """Ask for the completion of an option."""
        slash = [each for each in self.commands if "autocomplete" in json.dumps(each)]
        channel, command = self.place(user), self.rng.choice(slash)
        resolved, data = Resolved(self.world, channel), command_head(command)
        options = command.get("options") or []
        data["options"], _wanted = self.options(options, resolved)
        completed = [each for each in options if each.get("autocomplete")]
        if completed:
            option = self.rng.choice(completed)
            others = [each for each in data["options"] if each["name"] != option["name"]]
            typed = str(self.value(option | {"autocomplete": False}, resolved))
            focused = {"type": option["type"], "name": option["name"], "value": typed}
            data["options"] = [*others, focused | {"focused": True}]
        data["resolved"] = resolved.body
        return Act(kind=InteractionKind.AUTOCOMPLETE, user=user, channel=channel.id, data=data)

    def options(self, options: list[JSON], resolved: Resolved) -> tuple[list[JSON], list[int]]:
        """Return options as they are sent, and which matches they may name."""
        rng = self.rng
        subs = [each for each in options if each["type"] == SUB_COMMAND]
        if subs:
            sub = rng.choice(subs)
            given, wanted = self.options(sub.get("options") or [], resolved)
            return [{"type": SUB_COMMAND, "name": sub["name"], "options": given}], wanted
        given = [
            {"type": each["type"], "name": each["name"], "value": self.value(each, resolved)}
            for each in options
            if each.get("required") or rng.random() < 0.3
        ]
        rng.shuffle(given)
        named = [each["value"] for each in given if each["name"] in ("game", "number")]
        if rng.random() < 0.01:
            given.append({"type": STRING, "name": self.text(32), "value": self.text()})
        return given, [each for each in named if isinstance(each, int)]

    def value(self, option: JSON, resolved: Resolved) -> Any:
        """Return a value for an option: mostly one that Discord lets through."""
        if self.rng.random() < 0.03:
            return self.rng.choice(FORGED)
        if option.get("choices"):
            return self.rng.choice(option["choices"])["value"]
        makers = {USER: self._user, FILE: self._file, INTEGER: self._integer}
        if option["type"] == BOOLEAN:
            return self.rng.random() < 0.5
        return makers.get(option["type"], self._typed)(option, resolved)

    def _typed(self, option: JSON, _resolved: Resolved) -> str:
        if option["name"] == "variant" and self.rng.random() < 0.6:
            return self.rng.choice(list(VARIANTS))
        return self.text(option.get("max_length", 6000))

    def _user(self, _option: JSON, resolved: Resolved) -> str:
        user = self.somebody()
        resolved.add_user(user)
        return str(user)

    def _integer(self, option: JSON, _resolved: Resolved) -> int:
        low, high, number = option.get("min_value"), option.get("max_value"), self.number()
        return number if low is None else max(low, min(number, high or number))

    def _file(self, _option: JSON, resolved: Resolved) -> str:
        rng, name = self.rng, self.text(40) or "a"
        data = self.text(20_000).encode("utf-8", "replace")
        if rng.random() < 0.3:
            data = rng.randbytes(rng.randrange(3000))
        kind = rng.choice(("text/plain", "image/png"))
        upload = Upload(field="files[0]", filename=name, data=data, content_type=kind)
        return resolved.add_upload(upload)

    def number(self) -> int:
        """Return a number, mostly that of a match or challenge."""
        rng = self.rng
        return rng.choice(self.matches) if rng.random() < 0.75 else rng.choice(NUMBERS)

    def somebody(self) -> int:
        """Return anybody's number, a bot's as well."""
        return self.rng.choice(list(self.world.users))

    def text(self, longest: int = 6000) -> str:
        """Return a text: sensible, absurd, or a sensible one with mistakes in it."""
        rng = self.rng
        known = rng.choice(TEXTS)
        style = rng.random()
        if style < 0.5:
            return known[:longest]
        if style < 0.8:
            letters = list(known or "x")
            for _ in range(rng.randint(1, 4)):
                letters[rng.randrange(len(letters))] = rng.choice(("", *rng.choice(ALPHABETS)))
                letters.insert(rng.randrange(len(letters) + 1), rng.choice(rng.choice(ALPHABETS)))
        else:
            alphabet = rng.choice(ALPHABETS)
            length = rng.choice((1, 2, 5, 25, 100, 1000, longest))
            letters = rng.choices(alphabet, k=min(length, longest))
        # Surrogates are no text: what comes over the wire has none but in JSON's escapes.
        return (
            "".join(letters)[:longest].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )

    # Buttons and menus

    def play(self, user: int) -> Act:
        """Use what `user` may use, so that there are games to be meddled with."""
        offered = []
        for channel_id, messages in self.world.messages.items():
            for message in self._standing(list(messages.values())[-60:])[-8:]:
                if self.world.sees_message(user, message):
                    parts = [each for each in walk(message.components) if "custom_id" in each]
                    offered += [(channel_id, message.id, each) for each in parts]
        mine = [
            each
            for each in offered
            if not each[2].get("disabled")
            and each[2]["custom_id"].startswith(PLAYED)
            and any(
                user in self.players.get(int(match), ())
                for match in matches_named(self.table.bot.templates, each[2]["custom_id"])
            )
        ]
        offers = [each for each in offered if each[2]["custom_id"].startswith("accept:")]
        if not mine or (offers and self.rng.random() < 0.1):
            mine = offers
        return self._used(user, *self.rng.choice(mine)) if mine else self.command(user)

    def _standing(self, messages: list[Message]) -> list[Message]:
        """Leave out what was put there to be pressed, unless it has become something else."""
        return [each for each in messages if each.id not in self.walls or each.edited_at]

    def press(self, user: int) -> Act:
        """Use a button or menu that stands somewhere, whoever it is for."""
        self._look()
        if not self.seen:
            return self.forge(user)
        recent = list(self.seen)[-60:] if self.rng.random() < 0.7 else list(self.seen)
        channel_id, message_id, part = self.rng.choice(recent)
        if part["custom_id"] == "privacy:really-delete" and self.rng.random() < 0.8:
            return self.play(user)
        if not self.world.can_see(user, self.world.channels[channel_id]):
            return self._on_wall(user, part)
        return self._used(user, channel_id, message_id, part)

    def forge(self, user: int) -> Act:
        """Use a button or menu that nobody has sent."""
        rng = self.rng
        custom_id = made_for(rng, rng.choice(self.table.bot.templates).pattern, self.number)
        if rng.random() < 0.15:
            place = rng.randrange(len(custom_id) + 1)
            noise = rng.choice(rng.choice(ALPHABETS[:-1]))
            custom_id = custom_id[:place] + noise + custom_id[place + rng.randint(0, 1) :]
        custom_id = custom_id[:100] or "x"
        is_menu = custom_id.startswith(("wish", "rule", "open")) != (rng.random() < 0.02)
        kind = rng.choice((TEXT_MENU, TEXT_MENU, *CHOSEN_AS)) if is_menu else BUTTON
        return self._on_wall(user, {"type": int(kind), "custom_id": custom_id})

    def replay(self, user: int) -> Act:
        """Send again what was sent before, as it was or as somebody else."""
        if not self.sent:
            return self.command(user)
        old = self.rng.choice(self.sent)
        there = self.world.channels[old.channel]
        stands = old.message is None or old.message in self.world.messages[old.channel]
        if not stands or not self.world.can_see(user, there):
            return self.command(user)
        return replace(old, user=user)

    def dialog(self, user: int) -> Act:
        """Send a dialog that the bot never opened."""
        rng = self.rng
        made = made_for(rng, rng.choice(self.table.bot.templates).pattern, self.number)
        field_ = {"type": 4, "custom_id": self.text(100), "value": self.text(4000)}
        components = [{"type": 1, "components": [field_]}] if rng.random() < 0.7 else []
        data = {"custom_id": rng.choice((made, self.text(100))), "components": components}
        channel = self.place(user).id
        return Act(kind=InteractionKind.MODAL, user=user, channel=channel, data=data)

    def _on_wall(self, user: int, part: JSON) -> Act:
        """Use a part of a message that is put there for it, by the bot's own hand."""
        rng, channel = self.rng, self.place(user)
        if part["type"] == BUTTON:
            shown = {"type": BUTTON, "style": 2, "label": "?", "custom_id": part["custom_id"]}
        else:
            options = part.get("options") or [{"label": "?", "value": self._choice() or "0"}]
            shown = {"type": part["type"], "custom_id": part["custom_id"]}
            shown |= {"options": options} if part["type"] == TEXT_MENU else {}
        body = {"flags": 1 << 15, "components": [{"type": 1, "components": [shown]}]}
        form = read_message_form(body, [], upload_bytes=self.world.limits.upload_bytes)
        wall = self.table.sandbox.messages.post(
            channel=channel,
            author_id=self.world.bot_id,
            form=form,
            visible_to=user if rng.random() < 0.3 else None,
        )
        self.walls.add(wall.id)
        act = self._used(user, channel.id, wall.id, shown)
        if rng.random() < 0.01:
            act.data["custom_id"] = self.text(100)  # not what the message has
        if rng.random() < 0.01:
            act.data["component_type"] = rng.choice((BUTTON, TEXT_MENU, 5, 99))
        return act

    def _used(self, user: int, channel_id: int, message_id: int, part: JSON) -> Act:
        kind, custom_id = part["type"], part["custom_id"]
        data: JSON = {"component_type": kind, "custom_id": custom_id, "id": part.get("id", 1)}
        wanted = [int(each) for each in matches_named(self.table.bot.templates, custom_id)]
        if kind == TEXT_MENU:
            offered = [each["value"] for each in part.get("options", [])]
            known = self.rng.random() < 0.6 and offered
            chosen = [self.rng.choice(offered) if known else self._choice()]
            if custom_id == "open-game":
                wanted += [int(each) for each in chosen if re.fullmatch(r"[0-9]{1,18}", each)]
            data["values"] = [] if self.rng.random() < 0.03 else chosen
        elif kind in CHOSEN_AS:
            data |= self._entities(kind, channel_id)
        return Act(
            kind=InteractionKind.COMPONENT,
            user=user,
            channel=channel_id,
            data=data,
            message=message_id,
            part=part,
            about=one_of(wanted),
        )

    def _choice(self) -> str:
        rng = self.rng
        if rng.random() < 0.5:
            return str(self.number())[:100]
        return self.text(100)

    def _entities(self, kind: int, channel_id: int) -> JSON:
        """Return what is chosen in a menu of people, roles or channels."""
        rng, resolved = self.rng, Resolved(self.world, self.world.channels[channel_id])
        pool = [*self.world.users, *self.world.channels, *self.world.guilds]
        pool += [role for guild in self.world.guilds.values() for role in guild.roles]
        values: list[str] = []
        for value in rng.sample(pool, rng.randint(0, 3)):
            try:
                resolved.add_chosen({"type": kind}, [str(value)])
            except HandError:
                if rng.random() > 0.1:
                    continue
            values.append(str(value))
        if rng.random() < 0.03:
            values.append(self.text(100))
        return {"values": values, "resolved": resolved.body}

    def _look(self) -> None:
        """Note the buttons and menus of the newest messages, private ones as well."""
        for channel_id in self.rng.sample(list(self.world.channels), 2):
            messages = self.world.messages[channel_id]
            for message in self._standing(list(messages.values())[-60:])[-8:]:
                message_id = message.id
                parts = [each for each in walk(message.components) if "custom_id" in each]
                if message.author_id == self.world.bot_id and parts:
                    for part in self.rng.sample(parts, min(4, len(parts))):
                        self.seen.append((channel_id, message_id, part))

    def begin(self, act: Act) -> Interaction:
        """Send an act to the bot; what was used stands there as it did when it was seen."""
        world, channel, source = self.world, self.world.channels[act.channel], None
        if act.message is not None and act.part is not None:
            row = {"type": 1, "components": [act.part]}
            source = world.messages[channel.id].get(act.message) or Message(
                id=act.message, channel_id=channel.id, author_id=world.bot_id, flags=1 << 15
            )
            if act.part not in walk(source.components):
                source = replace(source, components=[row])
        owners = owners_for(world, act.user, channel, [0, 1])
        begin = self.table.sandbox.interactions.begin
        return begin(act.kind, act.user, channel, act.data, source=source, owners=owners)


def one_of(numbers: list[int]) -> int | None:
    """Return the number if they are all the same."""
    return numbers[0] if len(set(numbers)) == 1 else None


@cache
def _parsed(pattern: str) -> Any:
    return _parser.parse(pattern)


def made_for(rng: random.Random, pattern: str, number: Callable[[], int]) -> str:
    """Return a text that a custom id's template takes; known numbers where one is meant.

    Examples:
        >>> made_for(random.Random(1), "cell:(?P<match_id>[0-9]{1,18}):x{2}", lambda: 7)
        'cell:7:xx'
    """
    parsed = _parsed(pattern)
    known = {group for name, group in parsed.state.groupdict.items() if name in NUMBERED}
    return _made(rng, parsed, known, number)


def _made(rng: random.Random, parsed: Any, known: set[int], number: Callable[[], int]) -> str:
    text = ""
    for kind, value in parsed:
        match kind:
            case sre.LITERAL:
                text += chr(value)
            case sre.RANGE:
                text += chr(rng.randint(*value))
            case sre.CATEGORY:
                text += rng.choice("٣" if rng.random() < 0.05 else "0123456789")
            case sre.IN:
                text += _made(rng, [rng.choice(value)], known, number)
            case sre.BRANCH:
                text += _made(rng, rng.choice(value[1]), known, number)
            case sre.MAX_REPEAT:
                low, high, inner = value
                times = rng.choice((low, low, high, rng.randint(low, high)))
                text += _made(rng, list(inner) * times, known, number)
            case sre.SUBPATTERN if value[0] in known and rng.random() < 0.8:
                text += str(abs(number()))
            case sre.SUBPATTERN:
                text += _made(rng, value[3], known, number)
    return text


def matches_named(templates: list[re.Pattern[str]], custom_id: str) -> list[str]:
    """Return the numbers of matches in a custom id."""
    found = [each.fullmatch(custom_id) for each in templates]
    return [each["match_id"] for each in found if each and "match_id" in each.groupdict()]


def _as_json(row: str, columns: list[str]) -> str:
    return f"json_object({', '.join(f'{each!r}, {row}.{each}' for each in columns)})"


class Watch:
    """Knows every row that was written since it last looked, and what may be written by whom."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.seats: dict[tuple[int, int], int | None] = {}
        """Who has each side of each match, None for the computer."""
        self.people: dict[int, set[int]] = defaultdict(set)
        """Who has ever played in a match."""
        self.challenged: dict[int, set[int | None]] = defaultdict(set)
        """Who has made a challenge, who was asked, and who has taken it."""

    async def begin(self) -> None:
        """Have the database write down what changes in it."""

        def job(connection: Connection) -> None:
            connection.execute(text("CREATE TABLE audit (name TEXT, was TEXT, becomes TEXT)"))
            for name, columns in (
                (each.name, each.columns.keys()) for each in metadata.sorted_tables
            ):
                for event in ("INSERT", "UPDATE", "DELETE"):
                    was, becomes = (_as_json(row, columns) for row in ("OLD", "NEW"))
                    was, becomes = (
                        "NULL" if event == "INSERT" else was,
                        "NULL" if event == "DELETE" else becomes,
                    )
                    connection.execute(
                        text(
                            f"CREATE TRIGGER audit_{event}_{name} AFTER {event} ON {name} BEGIN "
                            f"INSERT INTO audit VALUES ('{name}', {was}, {becomes}); END"
                        )
                    )

        await self.table.bot.ratings.database.write(job)

    async def forbidden(self, actors: set[int]) -> list[str]:
        """Return what was written since the last time that none of `actors` may write."""

        def job(connection: Connection) -> list[Any]:
            rows = list(
                connection.execute(text("SELECT name, was, becomes FROM audit ORDER BY rowid"))
            )
            connection.execute(text("DELETE FROM audit"))
            return rows

        changes = [
            (name, json.loads(was or "{}"), json.loads(becomes or "{}"))
            for name, was, becomes in await self.table.bot.ratings.database.write(job)
        ]
        for name, was, becomes in changes:
            if name == "seat":
                self.people[(was or becomes)["match_id"]] |= {
                    each["player_id"] for each in (was, becomes) if each.get("player_id")
                }
        found = []
        for name, was, becomes in changes:
            may = getattr(self, f"_may_{name}", None)
            if name not in BOOKS and not (may or partial(self._may_own))(actors, was, becomes):
                found.append(f"{name}: {was} -> {becomes}")
            if name == "seat" and becomes:
                self.seats[becomes["match_id"], becomes["side"]] = becomes["player_id"]
        return found

    def _may_own(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Own rows: settings, blocks, vacations."""
        row = was or becomes
        return row["player_id"] in actors or (not becomes and row.get("other_id") in actors)

    def _may_player(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Whom somebody names is remembered, if they were not."""
        return not was or was["id"] in actors

    def _plays(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return bool(self.people[(was or becomes)["match_id"]] & actors)

    _may_seat = _may_move = _may_rated_match = _plays

    def _may_review(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return not was or self._plays(actors, was, becomes)

    def _may_match(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        row = was or becomes
        if was and becomes and {key for key in was if was[key] != becomes[key]} <= {"remind_at"}:
            return True
        if becomes.get("end_reason") == "time" and was["deadline_at"] < time.time() * 1000:
            return True
        if was and becomes and becomes["ply"] == was["ply"] + 1:
            mover = self.seats[was["id"], was["to_move"]]
            if mover is not None and mover not in actors:
                return False
        return bool(self.people[row["id"]] & actors)

    def _may_event(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        row = was or becomes
        doer = self.seats[row["match_id"], row["side"]]
        return doer is None or doer in actors

    def _may_challenge(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        if becomes.get("status") == "expired" and was["expires_at"] < time.time() * 1000:
            return True
        row = was or becomes
        people = self.challenged[row["id"]]
        people |= {row["challenger_id"], row["opponent_id"]}
        anyone = was and was["opponent_id"] is None and was["status"] == "open"
        if anyone and becomes.get("taker_id") in actors:
            people.add(becomes["taker_id"])
        return bool(people & actors)

    def _may_guild_setting(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        row = was or becomes
        return (
            row["key"] == "called"
            or self.table.sandbox.world.guilds[row["guild_id"]].owner_id in actors
        )

    def _may_rating(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        player = (was or becomes)["player_id"]
        return any(
            {player} | actors <= each or (player in each and each & actors)
            for each in self.people.values()
        )

    _may_guild_player = _may_rating

    def _may_rating_change(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return self._plays(actors, was, becomes)

    def _may_erasure(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return True


@dataclass(slots=True)
class Faults:
    """What has gone wrong in a batch, from the logs."""

    lines: list[JSON] = field(default_factory=list)

    def note(self, _logger: object, method: str, line: Any) -> Any:
        """Keep what is worth a look, with the traceback of what is being handled."""
        if method in ("error", "exception", "critical") or line["event"] == "answer lost":
            if line.get("exc_info"):
                line = line | {"traceback": traceback.format_exc()}
            self.lines.append(dict(line))
        raise structlog.DropEvent

    def emit(self, record: logging.LogRecord) -> None:
        """Keep errors of the libraries."""
        trace = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info else ""
        self.lines.append({"event": record.getMessage(), "traceback": trace})


@contextmanager
def noted() -> Iterator[Faults]:
    """Note errors of the bot and its libraries inside."""
    faults, handler = Faults(), logging.Handler(logging.ERROR)
    handler.emit = faults.emit  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with capture_logs(processors=[faults.note]):
            yield faults
    finally:
        logging.getLogger().removeHandler(handler)


async def prepare(table: Table) -> None:
    """Let people have games, challenges and settings of all kinds, in several places."""
    world, people = table.sandbox.world, table.sandbox.people
    ann, ben, cleo = (each.id for each in world.people)
    sandbox = world.guilds[world.channels[table.channel].guild_id or 0]
    mallory, trudy = (world.add_user(name, username=f"u{n}") for n, name in enumerate(ODD_NAMES))
    mallory.has_installed = True
    rivals = world.add_guild(
        world.snowflakes.next(), "Rivals", [trudy, mallory, world.person("ben")]
    )
    for each in (mallory, trudy):
        world.add_member(sandbox, each)
    world.add_channel(Channel(id=world.snowflakes.next(), guild_id=rivals.id, name="general"))
    people.invite_bot(rivals)
    for person in (ann, mallory.id, trudy.id):
        await people.open_direct(person)
    people.open_direct_with(ann, mallory.id)
    people.open_direct_with(mallory.id, ben)
    people.start_thread(cleo, table.channel, "A thread")
    for person, language in ((ben, "de"), (trudy.id, "ru")):
        people.set_person(person, locale=language)
    world.limits.direct_openings = (10**6, 60.0)
    world.limits.late_edits_per_hour = 10**6
    own = next(
        each.id for each in world.channels.values() if each.recipient_ids == [ann, world.bot_id]
    )
    for channel, user, name, options in (
        (own, ann, "play", {"level": 1, "variant": "pie"}),
        (own, ann, "play", {"level": 1}),
        (own, ann, "resign", {}),
        (table.channel, ben, "play", {"level": 2, "first": "computer"}),
        (table.channel, ann, "challenge", {"player": ben, "clock": "3d"}),
        (table.channel, cleo, "challenge", {"player": ben}),
        (table.channel, ben, "challenge", {}),
        (table.channel, ann, "challenge", {"player": cleo, "rated": False}),
        (table.channel, ben, "block", {"player": trudy.id}),
        (table.channel, ann, "server", {"clock": "3d"}),
        (table.channel, ben, "settings", {}),
    ):
        await table.command(name, user=user, channel=channel, **options)
    for user in (ben, cleo):
        standing = [Board(each) for each in table.seen(user)]
        board = next(each for each in standing if each.starting("accept"))
        await table.press(board, board.starting("accept")[0], user=user)


@dataclass(slots=True)
class Report:
    """What came of a run: how many acts of each kind, and what went wrong."""

    seconds: float = 0.0
    acts: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    """Of commands by their names, of buttons and menus by the kind in their custom ids."""
    found: list[str] = field(default_factory=list)


async def play_world(table: Table, seed: int, acts: int, report: Report) -> None:
    """Let people act in a world; what goes wrong is noted with its seed and batch."""
    rng = random.Random(seed)
    hands, watch = Hands(table, rng), Watch(table)
    await watch.begin()
    await prepare(table)
    users = [each.id for each in table.sandbox.world.people]
    assert await watch.forbidden(set(users)) == []
    await _look_around(table, hands, watch)
    done = 0
    with noted() as faults:
        while done < acts:
            actors = rng.sample(users, 1 if rng.random() < 0.8 else 2)
            batch = [hands.act(rng.choice(actors)) for _ in range(rng.randint(1, AT_ONCE))]
            if rng.random() < 0.2:
                batch += [rng.choice(batch)] * rng.randint(1, 3)  # pressed again and again
            sent = [(each, hands.begin(each)) for each in batch]
            judged = [_judged(table, *each) for each in sent]
            wrong = [each for each in await asyncio.gather(*judged) if each]
            wrong += [_leak(each, now, hands.secrets, set(actors)) for each, now in sent]
            wrong = [each for each in wrong if each]
            await _settle(table)
            by_id = {each.id: act for act, each in sent}
            wrong += [_told(line, by_id) for line in faults.lines]
            faults.lines.clear()
            wrong += [f"forbidden: {each}" for each in await watch.forbidden(set(actors))]
            wrong += _host_acts(table)
            done += len(batch)
            report.acts.update(each.kind.name.lower() for each in batch)
            report.used.update(each.name for each in batch)
            if wrong:
                acts_done = [f"of {each}" for each in batch]
                report.found.append("\n  ".join([f"seed {seed}, act {done}:", *wrong, *acts_done]))
            await _look_around(table, hands, watch)


def _host_acts(table: Table) -> list[str]:
    """Return what only the host could have done, who is none of those who act."""
    bot = table.bot
    found: dict[str, object] = {"bans": bot.hosting.bans}
    found |= {"maintenance": bot.hosting.maintenance}
    found |= {"paused": bot.is_paused, "stop": bot.stop_asked.is_set()}
    return [f"forbidden: {name} {value}" for name, value in found.items() if value]


def _told(line: JSON, by_id: dict[int, Act]) -> str:
    """Return a line of the log with the act that it is about."""
    act = by_id.get(line.get("interaction", 0))
    known = ", ".join(f"{key}={value}" for key, value in line.items() if key != "traceback")
    return f"{known}\n  after {act}\n{line.get('traceback', '')}"


async def _judged(table: Table, act: Act, interaction: Interaction) -> str | None:
    """Return what is wrong with how an act was answered."""
    answered = asyncio.create_task(_answer_to(interaction))
    for _ in range(10):
        done, _late = await asyncio.wait({answered}, timeout=ANSWERED_WITHIN_S / 10)
        if done or table.bot.idle.is_set():
            break
    if not answered.done():
        answered.cancel()
        return f"unanswered: {act}"
    return None


def _leak(act: Act, given: Interaction, secrets: dict[int, set[int]], actors: set[int]) -> str:
    """Return what an answer tells about a private match to people who do not play in it."""
    others = {match for match, people in secrets.items() if not people & actors}
    shown, answer = given.message, (given.callback or {}).get("data") or {}
    named = {choice["value"] for choice in answer.get("choices", [])}
    is_new = shown is not None and shown.id != act.message
    if (act.about in others and is_new and shown is not None and shown.attachments) or (
        named & others
    ):
        return f"told what is private: {act}"
    return ""


async def _answer_to(interaction: Interaction) -> None:
    if (await interaction.wait())["type"] == DEFERRED:
        await interaction.settled()


async def _settle(table: Table) -> None:
    bot = table.bot
    async with asyncio.timeout(60):
        await asyncio.sleep(0)
        await bot.idle.wait()
        await bot.replies.settled()
        await bot.publisher.settled()


async def _look_around(table: Table, hands: Hands, watch: Watch) -> None:
    """Note the numbers of matches, the newest and the first, and which are their players' own."""

    def job(connection: Connection) -> tuple[int, list[int]]:
        newest = connection.execute(text("SELECT coalesce(max(id), 1) FROM match")).scalar_one()
        private = connection.execute(text("SELECT id FROM match WHERE guild_id IS NULL")).scalars()
        return newest, list(private)

    newest, private = await table.bot.ratings.database.read(job)
    hands.matches = [*range(1, 9), *range(max(1, newest - 30), newest + 3)]
    hands.secrets = {match: watch.people[match] for match in private}
    hands.players = watch.people


async def run(seed: int, acts: int, report: Report) -> None:
    """Run acts, in a new world after each `WORLD` of them."""
    began = time.monotonic()
    for part in range(-(-acts // WORLD)):
        with tempfile.TemporaryDirectory() as folder:
            async with running_sandbox() as sandbox:
                sandbox.world.limits.answer_seconds = PATIENCE_S
                here = sandbox.world.channel_called("general").guild_id
                settings = settings_for(
                    sandbox, Path(folder), computer_seconds=0.05, admin_guild=here
                )
                async with running_bot(settings) as bot:
                    bot.owner_id = 1  # somebody else
                    count = min(WORLD, acts - part * WORLD)
                    await play_world(Table(sandbox, bot), seed + part, count, report)
                report.found += mistakes_in(sandbox) + _loud(sandbox)
        report.seconds = time.monotonic() - began


def _loud(sandbox: Sandbox) -> list[str]:
    """Return messages of the bot that may mention everybody, or whatever a name in them says."""
    bodies = [each.body for each in sandbox.requests if isinstance(each.body, dict)]
    messages = [each.get("data") if "data" in each else each for each in bodies]
    return [
        f"loud: {each}"
        for each in messages
        if isinstance(each, dict) and (each.get("allowed_mentions") or {}).get("parse")
    ]


def main() -> None:
    """Run from the command line; end with 1 if anything was found."""
    parser = argparse.ArgumentParser(description="Send the bot hostile input in a sandbox.")
    parser.add_argument("--seed", type=int, default=1, help="of the first world; default: 1")
    parser.add_argument("--acts", type=int, default=WORLD, help=f"default: {WORLD}, a world's")
    given = parser.parse_args()
    for part in ("REPLY_WITHIN_S", "BEGIN_WITHIN_S", "SEND_WITHIN_S"):
        setattr(clock, part, PATIENCE_S)
    report = Report()
    asyncio.run(run(given.seed, given.acts, report))
    sys.stdout.write("\n\n".join([*report.found, ""]))
    total = report.acts.total()
    sys.stdout.write(
        f"{total} acts from seed {given.seed} ({dict(report.acts)}): {len(report.found)} findings; "
        f"{total / report.seconds:.0f} acts a second\n"
    )
    sys.exit(bool(report.found))


if __name__ == "__main__":
    main()
