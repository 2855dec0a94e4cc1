"""What malicious people send, made up from random numbers."""

from __future__ import annotations

import json
import random
import re
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from deploy.sandbox.components import walk
from deploy.sandbox.errors import HandError
from deploy.sandbox.inputs import CHOSEN_AS, Resolved, command_head, owners_for
from deploy.sandbox.interactions import Interaction, InteractionKind
from deploy.sandbox.model import Channel, Message, Upload
from engine import VARIANTS
from tests.cogs.table import JSON, Table
from tests.faults.custom_ids import made_for, matches_named

SUB_COMMAND, STRING, INTEGER, BOOLEAN, USER, FILE = 1, 3, 4, 5, 6, 11
SLASH, ON_USER = 1, 2
BUTTON, TEXT_MENU = 2, 3

KEPT = 400

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
MENUS = ("wish", "rule", "open", "explore-whose", "explore-opponents")
PLAYED = ("cell:", "board:", "swap:", "agree:", "undo:", "again:", "rematch:", "hinted:")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Something that somebody sends; `part` is the component that they use in `message`, if any."""

    kind: InteractionKind
    user: int
    channel: int
    data: JSON
    message: int | None = None
    part: JSON | None = None
    about: int | None = None
    """The match that is asked about, if there is only one."""

    @property
    def name(self) -> str:
        """The command or component used, for people to read."""
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
        return resolved.add_upload(Upload(field="files[0]", filename=name, data=data))

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
        # Surrogates are not text: they come over the wire only as JSON escapes.
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
        """Leave out the messages of `_on_wall`, unless they were edited since."""
        return [each for each in messages if each.id not in self.walls or each.edited_at]

    def press(self, user: int) -> Act:
        """Use a button or menu that is shown somewhere, no matter for whom."""
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
        is_menu = custom_id.startswith(MENUS) != (rng.random() < 0.02)
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
        """Post a message of the bot with this button or menu, and use it there."""
        rng, channel = self.rng, self.place(user)
        if part["type"] == BUTTON:
            shown = {"type": BUTTON, "style": 2, "label": "?", "custom_id": part["custom_id"]}
        else:
            options = part.get("options") or [{"label": "?", "value": self._choice() or "0"}]
            shown = {"type": part["type"], "custom_id": part["custom_id"]}
            shown |= {"options": options} if part["type"] == TEXT_MENU else {}
        body = {"flags": 1 << 15, "components": [{"type": 1, "components": [shown]}]}
        messages = self.table.sandbox.messages
        wall = messages.post(
            channel=channel,
            author_id=self.world.bot_id,
            form=messages.form(body),
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
        """Send an act to the bot, with the used component as it was when it was seen."""
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
