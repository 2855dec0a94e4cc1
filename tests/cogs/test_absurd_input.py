"""All input from outside is answered, however absurd: nothing hangs or stays silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest

from cogs.settings.choices import Pick
from deploy.sandbox import Sandbox
from deploy.sandbox.inputs import command_head, owners_for
from deploy.sandbox.interactions import Interaction, InteractionKind
from tests.cogs.table import JSON, Table, mistakes_in, running_bot, settings_for
from tests.cogs.test_ratings import fill

SUB_COMMAND, STRING, INTEGER, BOOLEAN, USER, CHANNEL, FILE = 1, 3, 4, 5, 6, 7, 11
LONGEST = 6000
"""Discord's limit for an option, in characters."""

AT_ONCE = 20
WITHIN_S = 30.0

TEXTS = (
    "",
    " ",
    "\N{NO-BREAK SPACE}",
    "x" * LONGEST,
    "9" * LONGEST,
    "1" * 4301,  # more digits than Python reads
    "٣٣",
    "²",
    "nan",
    "-1",
    "1e999",
    "{0} {given!r} %s",
    "`**_~||" * 500,
    "goal=five" + " " * (LONGEST - 9),
    "goal=five," * (LONGEST // 10),
    "depth=99999999999999999999",
    "map=" + "1" * (LONGEST - 4),
    "a=b," * (LONGEST // 4),
    "{" + " " * (LONGEST - 2) + "}",
    "[" * LONGEST,
    '[X "' + "W" * 900 + '"] 55 *',
    f'[X "{"*" * 1000}"] [O "{"_" * 1000}"] [Result "1-0"] [End "{"`" * 1000}"] 1. 55 1-0',
    f'[Event "{"*" * 1000}"] [Variant "goal=five,won_board=open"] 1. 55 *',
    "\ud83d\ude00" * 10,
    "</play:1>",
)
LONGEST_RULES = (
    "depth=3,drawn_board=both,goal=five,no_return=yes,opening=pie+no_centre,sending=hypermap,"
    "tiebreak=most,won_board=forced"
)
NUMBERS = (0, -1, 1, 2**31, 2**53 - 1, 2**53, -(2**53))
FORGED_NUMBERS = (2**63, -(2**63) - 1, 10**400)
"""Discord sends no such numbers."""


@pytest.fixture
async def table(sandbox: Sandbox, tmp_path: Path) -> AsyncIterator[Table]:
    """A bot whose host is Ann, who sends it all of this."""
    here = sandbox.world.channel_called("general").guild_id
    async with running_bot(settings_for(sandbox, tmp_path, admin_guild=here)) as bot:
        yield Table(sandbox, bot)
    assert mistakes_in(sandbox) == []


def leaves(command: JSON) -> Iterator[tuple[list[str], list[JSON]]]:
    """Yield every command that can be used, as the names of its steps, with its options."""
    options = command.get("options") or []
    subs = [each for each in options if each["type"] == SUB_COMMAND]
    for sub in subs:
        yield [command["name"], sub["name"]], sub.get("options") or []
    if not subs:
        yield [command["name"]], options


def usual(option: JSON) -> Any:
    """Return a value that an option takes."""
    if option.get("choices"):
        return option["choices"][0]["value"]
    return {STRING: "55", INTEGER: option.get("min_value", 1), BOOLEAN: True}.get(option["type"])


class Forger:
    """Sends the bot what no Discord client lets anybody send."""

    def __init__(self, table: Table) -> None:
        self.world, self.table = table.sandbox.world, table
        self.channel = self.world.channel(table.channel)
        self.world.limits.answer_seconds = WITHIN_S
        self.commands = [each for some in self.world.commands.values() for each in some.values()]

    def use(
        self, kind: InteractionKind, steps: list[str], options: list[JSON], resolved: JSON
    ) -> Interaction:
        command = next(each for each in self.commands if each["name"] == steps[0])
        data = command_head(command)
        for step in reversed(steps[1:]):
            options = [{"type": SUB_COMMAND, "name": step, "options": options}]
        owners = owners_for(self.world, self.table.ann, self.channel, [0, 1])
        data |= {"options": options, "resolved": resolved}
        return self.table.sandbox.interactions.begin(
            kind, self.table.ann, self.channel, data, owners=owners
        )


async def answered(waiting: list[tuple[str, Interaction]]) -> list[str]:
    """Return what was not answered, and what the bot itself called broken."""
    silent = []
    for name, each in waiting:
        try:
            await asyncio.wait_for(each.settled(), WITHIN_S)
        except Exception as error:
            silent.append(f"{name}: {type(error).__name__}")
            continue
        if each.message is not None and "Something broke" in str(each.callback):
            silent.append(f"{name}: broken")
    return silent


def is_in_range(option: JSON, value: Any) -> bool:
    """Return whether Discord would take a value for an option without choices."""
    if option["type"] == STRING:
        low, high = option.get("min_length", 0), option.get("max_length", LONGEST)
        return bool(low <= len(value) <= high)
    return bool(option.get("min_value", value) <= value <= option.get("max_value", value))


def every_use(
    forger: Forger, values: dict[int, tuple[Any, ...]], *, in_range: bool
) -> Iterator[tuple[str, Any]]:
    """Yield every command with each of its options in turn given each of these values."""
    for command in forger.commands:
        for steps, options in leaves(command):
            for option in options:
                for value in values.get(option["type"], ()):
                    if option.get("choices") or (in_range and not is_in_range(option, value)):
                        continue
                    given = [
                        {"type": each["type"], "name": each["name"], "value": usual(each)}
                        for each in options
                        if each.get("required") and each is not option
                    ]
                    given.append({"type": option["type"], "name": option["name"], "value": value})
                    yield f"/{' '.join(steps)} {option['name']}:{value!r:.30}", (steps, given)


@pytest.mark.parametrize("kind", ["what Discord takes", "forged"])
async def test_every_option_of_every_command_is_answered(table: Table, kind: str):
    await table.start()
    forger = Forger(table)
    values: dict[int, tuple[Any, ...]] = {STRING: (*TEXTS, LONGEST_RULES), INTEGER: NUMBERS}
    if kind == "forged":
        values = {
            INTEGER: (*FORGED_NUMBERS, "text", 1.5, None),
            STRING: (5,),
            USER: ("0", "9" * 25),
            FILE: ("0", "9" * 25),
        }
    found: list[str] = []
    waiting = []
    for name, (steps, given) in every_use(forger, values, in_range=kind != "forged"):
        waiting.append((name, forger.use(InteractionKind.COMMAND, steps, given, {})))
        if len(waiting) == AT_ONCE:
            found += await answered(waiting)
            waiting = []
    found += await answered(waiting)

    assert found == []


async def test_every_completion_is_answered(table: Table):
    await table.start()
    forger = Forger(table)
    found: list[str] = []
    for name, (steps, given) in every_use(forger, {STRING: TEXTS, INTEGER: TEXTS}, in_range=False):
        command = next(each for each in forger.commands if each["name"] == steps[0])
        options = next(options for path, options in leaves(command) if path == steps)
        if next(each for each in options if each["name"] == given[-1]["name"]).get("autocomplete"):
            given[-1]["focused"] = True
            asked = forger.use(InteractionKind.AUTOCOMPLETE, steps, given, {})
            found += await answered([(name, asked)])

    assert found == []


EXPLORER_MENUS = ("explore-whose", "explore-opponents")
EXPLORER = (
    *(f"explore:{key}:ma:999" for key in ("standard", "chess", "random-four", "99")),
    *(
        f"{kind}:standard:sp:{line}"
        for kind in ("explore", "explore-games", "explore-engine", *EXPLORER_MENUS)
        for line in ("", "040000", "040" * 12)
    ),
)
NUMBERS_IN_IDS = ("0", "1", "9" * 18)
SMALL = ("0", "9999")
PEOPLE = ("0", "zzzzzzzzzzzzz", "1")
KEYS = (
    "f", "m", ">nan", "<nan/1/1", ">inf/1/1", ">1e999/1/1", "<-1e999/1/1", ">1.0/1/" + "9" * 30,
    ">1.0/" + "9" * 30 + "/1", "<1.0/5/9223372036854775807", ">1.0/5/999999999", ">//", "<-/-/-",
)  # fmt: skip


def forged_runs() -> Iterator[str]:
    """Yield those of puzzle runs."""
    for run, puzzle in zip(NUMBERS_IN_IDS, cycle(("zzzzzzz7", "22222222"))):
        yield from (f"run:{run}:{puzzle}:9", f"run-cell:{run}:{puzzle}:99:99")
        yield from (f"run-skip:{run}:{puzzle}:0", f"run-end:{run}")
        yield from (f"race-join:{run}", f"race-start:{run}")
    for kind, owner in product(("storm", "race"), ("0", "z" * 13)):
        yield from (f"run-top:{kind}:{period}:{owner}:9999" for period in "wla")
    yield from ("run-new:storm", "run-new:streak", "race-new")


def forged_ids() -> Iterator[str]:
    """Yield custom ids of every kind of button, at the edges of what they may hold."""
    for match, ply in product(NUMBERS_IN_IDS, SMALL):
        for revision, cell in product(SMALL, ("0", "999")):
            yield f"cell:{match}:{ply}:{revision}:{cell}"
        yield from (f"{kind}:{match}:{ply}" for kind in ("back", "resign", "swap", "undo"))
        yield from (f"board:{match}:{ply}:{path}" for path in ("1", "99"))
        yield f"hinted:{match}:{ply}:0:999"
        yield from (f"review-at:0:{match}:{ply}:{key}" for key in ("next", "summary"))
    for match in NUMBERS_IN_IDS:
        for kind in (
            "bump", "again", "rematch", "here", "accept", "decline", "withdraw", "review", "replay",
            "export", "share:result", "share:review", "share:replay", "really-resign",
            "bring", "hint",
        ):  # fmt: skip
            yield f"{kind}:{match}"
        yield from (f"agree:{agreement}:{match}" for agreement in range(1, 7))
        yield from (
            f"{kind}:{match}:{who}" for kind in ("mute", "unmute") for who in NUMBERS_IN_IDS
        )
    yield from (f"games:{page}" for page in SMALL)
    yield from (f"my-offer:{offer}:{page}" for offer, page in product(NUMBERS_IN_IDS, SMALL))
    yield from ("lesson:1:0", "lesson:9:9", "lesson-cell:1:0", "lesson-cell:9:99")
    for puzzle, theme in product(("zzzzzzz7", "22222222"), ("-", "9", "daily-1", "x" * 20)):
        wanted = f"standard:n:{theme}"
        yield from (f"puzzle:{puzzle}:{wanted}:9", f"puzzle-cell:{puzzle}:{wanted}:99:99")
        yield from (f"puzzle-hint:{puzzle}:{wanted}:0:1", f"puzzle-line:{puzzle}:{wanted}:00")
        yield from (
            f"puzzle-next:{wanted}",
            f"puzzle-next:99:h:{theme}",
            f"puzzle-next:-:e:{theme}",
        )
    yield from map(":".join, product(("daily", "daily-answer", "daily-share"), ("0", "999999")))
    yield from EXPLORER
    yield from forged_runs()
    yield from (f"lesson-play:{level}" for level in (1, 10))
    for where, key in product(("sai", "gwt", "sAt"), KEYS):
        yield f"lb:{where}:0:standard:{key}"
    yield f"lb:sai:1:{'x' * 20}:f"
    for page, who, against in product("cghs", PEOPLE, PEOPLE):
        yield f"pf:{page}:0:{who}:-:{against}"
    yield f"pf:c:0:1:{'x' * 20}:0"
    for who, go in product(PEOPLE, ("f", ">zzzzzzzzzzzzz", "<0")):
        yield f"hi:{who}:0:{'x' * 20}:wrc:{go}"
    yield from (f"{kind}:1:{user}" for kind in ("mute", "unmute") for user in NUMBERS_IN_IDS)
    for match in NUMBERS_IN_IDS:
        yield from (f"admin:{kind}:{match}" for kind in ("annul", "really-annul", "redraw"))
        yield from (f"admin:ban:{kind}:{match}" for kind in ("user", "server"))
    yield from ("admin:cancel", "admin:drain:0", "admin:drain:1", "admin:resume")
    yield from ("privacy:get", "privacy:delete", "privacy:keep", "privacy:really-delete")
    # Ids that no button takes.
    yield from (
        "lb:none:<0",
        "pf:c:-1:-1:-:-1",
        "cell:",
        "cell:1:0:0:-1",
        "?" * 100,
        "hi:none:newer",
    )


MENUS = (
    *(f"{each}:standard:ea:040" for each in EXPLORER_MENUS),
    *(
        f"wish:{each}"
        for each in ("theme", "marks", "language", "notices", "text_board", "named_games")
    ),
    *(f"rule:{each}" for each in ("variant_key", "clock", "threads", "language", "theme")),
    "rule:daily_hour",
    "open-game",
    "nothing",
)


async def test_every_button_is_answered_whatever_its_custom_id_holds(table: Table):
    await table.start()
    await fill(table)
    every = list(dict.fromkeys(forged_ids()))
    found: list[str] = []
    for custom_id in every:
        button = {"type": 2, "style": 2, "label": "?", "custom_id": custom_id}
        message_id = table.post(button).id
        pressed = await table.sandbox.people.press(table.ann, message_id, custom_id)
        found += await answered([(custom_id, pressed)])

    assert found == []
    matched = {each for custom_id in every for each in table.bot.templates if each.match(custom_id)}
    left_out = {each.pattern for each in set(table.bot.templates) - matched}
    assert all(each.startswith(("wish", "rule", "open-game")) for each in left_out)


async def test_every_menu_is_answered_whatever_is_chosen(table: Table):
    found: list[str] = []
    picks = [f"rule:{each}" for each in Pick]
    for custom_id, value in product((*MENUS, *picks), ("x" * 100, "-1", "9" * 100, "nan", None)):
        option = {"label": "?", "value": value or "0"}
        menu = {"type": 3, "custom_id": custom_id, "options": [option], "min_values": 0}
        message_id = table.post(menu).id
        values = [] if value is None else [value]
        chosen = await table.sandbox.people.select(table.ann, message_id, custom_id, values)
        found += await answered([(f"{custom_id} {value}", chosen)])

    assert found == []
