"""What must hold once all faults are over and everything has settled by itself."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import discord
from sqlalchemy import Connection, text

from bot.storage.checking import check
from cogs.play.layout import Stage
from cogs.play.showing import drawn
from deploy.sandbox import Interaction, InteractionState
from deploy.sandbox.components import walk
from deploy.sandbox.model import Message
from deploy.sandbox.news import Event
from deploy.sandbox.traffic import LoggedRequest
from tests.faults.log_lines import Lines
from tests.faults.world import Company, live_buttons

if TYPE_CHECKING:
    from bot.model.match import Match

DEFERRED_MESSAGE = 5
EXPIRED = 50027
ON_ITS_WAY_S = 0.5
MOVING = re.compile(r"(?:cell|board|swap|undo|back|resign):(\d+):(\d+)")
"""Buttons of a board that can be played on: the match, and a ply or revision."""

PLACED = re.compile(r"placement game \d+")
"""The number follows from the times of games, so a jump of the clock changes it."""

ANNOUNCED = re.compile(r"(?:begun|result)\.(\d+)")
"""The nonce of a message that announces a match; others in the feed may name one as well."""

CLOCKS = re.compile(r"Time left: .*?\. ")
"""A picture shows the time left at the moment it was drawn."""

STAMP = re.compile(r"<t:(\d+)")
SHORT_ABSENCES = """
    SELECT COALESCE(SUM(ended_at - began_at), 0) FROM downtime WHERE ended_at - began_at < 3600000
"""
"""How far a deadline of days may have moved without being drawn again, in milliseconds."""

SHOWN = re.compile(r"cell:(\d+):(\d+):(\d+):")
LEFT = ("news", "outbox")
"""Tables of what is still to be told or sent: empty when all is calm."""


@dataclass(slots=True)
class Judge:
    """Watches a company from the beginning, and checks everything when asked to.

    Attributes:
        lines: The bot's and the library's complaints.
        shown: The newest revision of each match that anybody has seen.
        named: How many messages each nonce has become.
        past: What each message of a match has shown, and when.
        excused: Acts that nobody has to answer.
        cut: Acts that the bot was kept from finishing: it may not know the messages that they
            posted or pressed. A press there is answered, and mends it.
        lost: Nonces of messages that arrived without the bot being told: they may stay longer.
        unknown: Messages that the bot was never told about.
    """

    people: Company
    lines: Lines
    shown: dict[int, int] = field(default_factory=dict)
    named: Counter[tuple[int, Any]] = field(default_factory=Counter)
    past: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    excused: set[int] = field(default_factory=set)
    unknown: set[int] = field(default_factory=set)
    cut: set[int] = field(default_factory=set)
    lost: set[Any] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.people.world.news.watchers.append(self._note)

    def _note(self, event: Event) -> None:
        if event.kind not in ("message_create", "message_update"):
            return
        message_id, components = int(event.data["id"]), json.dumps(event.data["components"])
        for match_id, _ply, revision in SHOWN.findall(components):
            number = int(match_id)
            self.shown[number] = max(int(revision), self.shown.get(number, 0))
        revisions = {each[2] for each in SHOWN.findall(components)}
        if revisions or message_id in self.past:
            what = f"revision {'/'.join(revisions)}" if revisions else "no cells"
            self.past[message_id].append(f"{datetime.now(UTC):%M:%S.%f}: {what}")
        nonce = event.data.get("nonce")
        if event.kind == "message_create" and nonce is not None:
            self.named[int(event.data["channel_id"]), nonce] += 1

    async def look(self) -> list[str]:
        """Return what is wrong now, as sentences."""
        found = await self.people.settle()
        self.lost |= {
            each.body.get("nonce")
            for each in self.people.sandbox.requests
            if each.fault is not None and each.fault.after and isinstance(each.body, dict)
        } - {None}
        if not found and (seen := await self._found()):
            # The bot's clock calls people at any moment: a message on its way is not wrong.
            await asyncio.sleep(ON_ITS_WAY_S)
            found = await self.people.settle()
            found += [] if found else [each for each in await self._found() if each in seen]
        requests = self.people.sandbox.requests
        found += [
            f"unanswered: {each.kind.name} {each.data.get('custom_id') or each.data.get('name')}"
            for each in self.people.acts
            if each.id not in self.excused and not self._is_answered(each)
        ]
        self.excused.clear()
        found += [f"log: {each}" for each in map(_complaint, self.lines.lines) if each]
        self.people.acts.clear()
        self.lines.lines.clear()
        requests.clear()
        return found

    async def _found(self) -> list[str]:
        bot = self.people.bot
        found = list(await bot.matches.database.read(_check))
        matches = {each: await bot.matches.load(each) for each in await self.people.numbers()}
        for number, revision in self.shown.items():
            stored = matches[number].revision if number in matches else -1
            if stored < revision:
                found.append(f"match {number}: revision {revision} was shown, {stored} is stored")
        found += [f"sent {count} times: {key}" for key, count in self.named.items() if count > 1]
        boards = self._boards()
        for number, match in matches.items():
            found += [f"match {number}: {each}" async for each in self._of_board(match, boards)]
        found += await self._notices(matches)
        found += await self._announcements(matches)
        return found

    def _messages(self) -> Iterator[Message]:
        """Yield the bot's messages that are not shown to one person only."""
        for messages in self.people.world.messages.values():
            for message in messages.values():
                if message.author_id == self.people.world.bot_id and message.visible_to is None:
                    yield message

    def _boards(self) -> dict[int, list[Message]]:
        """Return the messages that can be played on, by match."""
        boards = defaultdict(list)
        for message in self._messages():
            found = (MOVING.match(each) for each in live_buttons(message))
            for number in {int(each[1]) for each in found if each}:
                boards[number].append(message)
        return boards

    async def _of_board(self, match: Match, boards: dict[int, list[Message]]) -> Any:
        """Yield what is wrong with the boards of a match."""
        live, world = boards.get(match.id, []), self.people.world
        place = (match.channel_id or 0, match.message_id or 0)
        shown = world.messages.get(place[0], {}).get(place[1])
        strays = [each for each in live if (each.channel_id, each.id) != place]
        for each in strays:
            if match.is_between_people and world.channels[each.channel_id].guild_id is None:
                continue  # the player's own board, in a DM
            if self._is_unknown(each):
                self.unknown.add(each.id)
                continue
            story = self._story(each.id, place[1])
            yield f"a board can be played on in {each.id}, its place is {place}; {story}"
        if match.level_to_move is not None:
            yield "waits for the computer"
        if shown is None:
            yield f"its board is not there: {place}"
            return
        parts = [part for part in walk(shown.components) if part["type"] == 2]
        if any(each.get("custom_id", "").startswith(("back", "really-resign")) for each in parts):
            for name in live_buttons(shown):  # somebody is choosing
                found = MOVING.match(name)
                if found and not name.startswith("undo") and int(found[2]) != match.ply:
                    yield f"it is at ply {match.ply}, its board offers {name}"
            return
        view, _files = await drawn(self.people.bot, match, Stage())
        wanted, there = _gist(view.to_components()), _gist(shown.components)
        if not await self._agree(match, wanted, there):
            missing = [each for each in wanted if each not in there]
            extra = [each for each in there if each not in wanted]
            yield f"its board at {place} shows {extra} instead of {missing}"

    def _story(self, *messages: int) -> str:
        """Return what messages have shown, and the presses on them since the last look."""
        pressed = [
            f"{discord.utils.snowflake_time(each.id):%M:%S.%f}: {each.data.get('custom_id')} "
            f"({each.state.name}{', cut' if each.id in self.cut else ''})"
            for each in self.people.acts
            if each.source is not None and each.source.id in messages
        ]
        told = (f"{each} showed {self.past[each][-6:]}" for each in messages)
        return f"{', '.join(told)}; pressed: {pressed}"

    async def _agree(self, match: Match, wanted: list[str], there: list[str]) -> bool:
        """Return whether a board shows what it should.

        A deadline of days may be later than shown, by the bot's absences of less than an hour:
        boards are not redrawn for those, and nobody loses by it.
        """
        texts = ["\n".join(each) for each in (wanted, there)]
        if wanted == there or match.clock.per_move is None:
            return wanted == there
        due, shown = (list(map(int, STAMP.findall(each))) for each in texts)
        unseen = await self.people.bot.matches.database.read(_short_absences)
        later = [one - other for one, other in zip(due, shown, strict=False)]
        alike = STAMP.sub("", texts[0]) == STAMP.sub("", texts[1])
        return alike and all(0 <= each <= unseen / 1000 + 1 for each in later)

    def _is_unknown(self, message: Message) -> bool:
        """Return whether Discord never told the bot what a message is now."""
        about = message.interaction_metadata or {}
        act = self.people.sandbox.interactions.find(int(about.get("id", 0)))
        pressed = [each for each in self.people.acts if each.source is message]
        acts = pressed if act is None else [act, *pressed]
        # Pressed while being moved, answered after the pointer, the bot killed before storing it.
        if any(each.id in self.cut or self._is_lost(each) for each in acts):
            self.unknown.add(message.id)
        return message.id in self.unknown

    def _is_lost(self, act: Interaction) -> bool:
        """Return whether Discord carried out the answer to an act without confirming it."""
        return any(
            act.token in each.path and each.fault is not None and each.fault.after
            for each in self.people.sandbox.requests
            if each.method == "POST"
        )

    async def _notices(self, matches: dict[int, Match]) -> list[str]:
        """Return what is wrong with the messages that call people to their games."""
        standing = Counter[tuple[int, int]]()
        for message in self._messages():
            for name in live_buttons(message):
                if name.startswith("mute:"):
                    number, user = map(int, name.split(":")[1:])
                    standing[number, user] += message.nonce not in self.lost
        standing = +standing
        noted = set(await self.people.bot.matches.database.read(_notices))
        found = [f"called {count} times: {key}" for key, count in standing.items() if count > 1]
        found += [f"a notice that nobody knows of: {key}" for key in standing.keys() - noted]
        if not self.lost:
            found += [f"a notice that is not there: {key}" for key in noted - standing.keys()]
        for number, user in standing:
            if matches[number].is_over:
                found.append(f"match {number} is over and {user} is called to it")
        return found

    async def _announcements(self, matches: dict[int, Match]) -> list[str]:
        """Return what is wrong with what a server reads of its games."""
        feed = self.people.world.channel_called("games").id
        told: defaultdict[int, list[Message]] = defaultdict(list)
        for message in self._messages():
            found = ANNOUNCED.fullmatch(str(message.nonce))
            if found and message.channel_id == feed:
                told[int(found[1])].append(message)
        wrong = []
        for number, match in matches.items():
            if not match.is_between_people or match.guild_id is None:
                continue
            results = ["export:" in json.dumps(each.components) for each in told[number]]
            if results != [match.is_over]:
                wrong.append(f"match {number} (over: {match.is_over}) is announced as {results}")
        return wrong

    def _is_answered(self, act: Interaction) -> bool:
        """Return whether an act was answered, or Discord is to blame if it was not."""
        is_promised = (
            act.state is InteractionState.DEFERRED
            and (act.callback or {}).get("type") == DEFERRED_MESSAGE
        )
        if act.callback is not None and not is_promised:
            return True
        return any(
            act.token in each.path and (each.fault is not None or _is_too_late(each))
            for each in self.people.sandbox.requests
        )


def _is_too_late(request: LoggedRequest) -> bool:
    """Whether Discord no longer takes an answer: fifteen minutes after a press, by its clock."""
    return request.status == 401 and request.answer["code"] == EXPIRED


def _gist(components: Any) -> list[str]:
    """Return the texts and buttons of a message, without Discord's numbering."""
    parts = []
    for part in walk(components):
        if part["type"] == 10:
            parts.append(PLACED.sub("placement game", part["content"]))
        elif part["type"] == 2:
            state = "off" if part.get("disabled") else "on"
            parts.append(f"{part.get('label')} {part.get('custom_id')} {state}")
        elif part["type"] == 12:
            words = (each.get("description") or "" for each in part["items"])
            parts += [PLACED.sub("placement game", CLOCKS.sub("", each)) for each in words]
    return parts


def _complaint(line: dict[str, Any]) -> str:
    """Return a line of the log that must not be there, with its traceback; else nothing."""
    event = str(line["event"])
    if event in ("answer lost",) or event.startswith("Attempting a reconnect"):
        return ""
    return ", ".join(f"{key}={value}" for key, value in line.items())


def _check(connection: Connection) -> list[str]:
    left = [
        f"{name} is not empty: {[tuple(each) for each in rows]}"
        for name in LEFT
        if (rows := connection.execute(text(f"SELECT * FROM {name}")).all())
    ]
    # The program that uses another database checks a copy of it.
    return [*(check(connection) if connection.dialect.name == "sqlite" else ()), *left]


def _short_absences(connection: Connection) -> int:
    return int(connection.execute(text(SHORT_ABSENCES)).scalar_one())


def _notices(connection: Connection) -> list[tuple[int, int]]:
    found = connection.execute(text("SELECT match_id, player_id FROM notice"))
    return [(match_id, player_id) for match_id, player_id in found]
