"""Whole matches as scripts: what people did, and below it what was answered, told and stored.

Lines that begin with ">" are run one after the other; the results of each are below it.
`python -m tests.bot.services.recording --regenerate` rewrites the results of all scripts; review
the difference. A line below a command begins with

    =  what was answered, or ! why not
    *  a step that others were told of, for whom it is news, and who has nothing more to do
    +  a row that was stored, - one that was deleted, ~ one that was changed

Instants are counted from the beginning. A second passes before each command and between the
moves of one.
"""

from __future__ import annotations

import asyncio
import random
import re
import shlex
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import structlog

from engine import MARKS, Rules, parse_move
from tests.bot.services import stored
from tests.bot.services.adapter import BY_ID, START, Services, fast_folder
from tests.bot.services.views import (
    ChallengeView,
    MatchView,
    RefusedError,
    Round,
    Told,
    is_computer,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from datetime import datetime

    from tests.bot.services.stored import Key, Rows

FOLDER: Final = Path(__file__).parent / "recorded"
SECOND: Final = timedelta(seconds=1)
MOVES_A_LINE: Final = 6

Answer: TypeAlias = MatchView | ChallengeView | Round | str

_UNITS: Final = {
    "s": SECOND,
    "m": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}
_SAYINGS: Final = {
    "resigns": "resign",
    "offers-draw": "offer_draw",
    "accepts-draw": "accept_draw",
    "declines-draw": "decline_draw",
    "asks-takeback": "ask_takeback",
    "accepts-takeback": "accept_takeback",
    "declines-takeback": "decline_takeback",
    "claims-time": "claim_time",
}
_PEOPLE: Final = {"player_id", "challenger_id", "opponent_id", "taker_id", "other_id"}


async def tell(text: str) -> str:
    """Run a script, and return it with its results.

    At the end the bot is restarted: everything must still be there.
    """
    with fast_folder() as folder:
        services = Services(f"sqlite+aiosqlite:///{folder}/matches.sqlite3")
        await services.start()
        teller = Teller(services)
        lines: list[str] = []
        for line in text.splitlines():
            if line.startswith("> "):
                lines += [line, *[f"  {each}" async for each in teller.come_of(line[2:])]]
            elif not line.startswith("  "):
                lines.append(line)
        seen = {number: await services.load(number) for number in await services.read_anew()}
        await services.restart()
        assert await services.read_anew() == seen
        await services.stop()
        assert stored.check(services.url) == []
    return "\n".join(lines) + "\n"


class Teller:
    """Carries out commands; `do_plays` is "> Anna plays 1 55"."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.rows: Rows = {table: {} for table in stored.TABLES}

    async def come_of(self, command: str) -> AsyncIterator[str]:
        """Run a command and yield the lines that go below it."""
        services = self.services
        services.told.clear()
        services.throw(command)
        services.clock.now += SECOND
        command, _colon, rest = command.partition(": ")
        who, verb, *words = shlex.split(command)
        how = dict(word.split("=", 1) for word in words if "=" in word)
        given = [word for word in words if "=" not in word] + ([rest] if rest else [])
        try:
            if verb in _SAYINGS:
                answer = await services.say(_SAYINGS[verb], who, int(given[0]))
            else:
                answer = await getattr(self, f"do_{verb.replace('-', '_')}")(who, *given, **how)
            yield f"= {_answered(answer)}"
        except RefusedError as refused:
            yield f"! {refused.kind}"
        for told in services.told:
            yield _told(told)
        before, self.rows = self.rows, stored.read(services.url)
        for line in _stored(before, self.rows):
            yield line

    # Beginning.

    async def do_starts(self, who: str, rated: str = "", **how: str) -> Answer:
        return await self.services.start_match(who, rated=bool(rated), **_numbers(how))

    async def do_imports(self, who: str, record: str, *, side: str, level: str) -> Answer:
        return await self.services.start_from_record(who, record, side=int(side), level=int(level))

    async def do_challenges(self, who: str, opponent: str, rated: str = "", **how: str) -> Answer:
        other = None if opponent == "anyone" else opponent
        return await self.services.challenge(who, other, rated=bool(rated), **_numbers(how))

    async def do_accepts(self, who: str, number: str) -> Answer:
        return await self.services.accept(who, int(number))

    async def do_declines(self, who: str, number: str) -> Answer:
        return await self.services.answer("decline", who, int(number))

    async def do_withdraws(self, who: str, number: str) -> Answer:
        return await self.services.answer("withdraw", who, int(number))

    async def do_rematches(self, who: str, number: str) -> Answer:
        return await self.services.rematch(who, int(number))

    async def do_blocks(self, who: str, other: str) -> Answer:
        closed = await self.services.block(who, other)
        return f"closed {_list(closed)}"

    async def do_unblocks(self, who: str, other: str) -> Answer:
        await self.services.unblock(who, other)
        return "done"

    # On the board.

    async def do_plays(
        self,
        who: str,
        number: str,
        move: str,
        *,
        ply: str | None = None,
        revision: str | None = None,
        late: str = "0s",
    ) -> Answer:
        match = await self.services.load(int(number))
        return await self.services.play(
            who,
            match.number,
            parse_move(move, Rules.parse(match.rules)),
            ply=len(match.moves) if ply is None else int(ply),
            revision=match.revision if revision is None else int(revision),
            late=_span(late),
        )

    async def do_play(self, _they: str, number: str, *moves: str) -> Answer:
        """Play moves, each by the side to move."""
        match = await self.services.load(int(number))
        for move in moves:
            mover = match.mover
            assert mover is not None
            self.services.clock.now += SECOND
            match = await self.services.play(
                mover,
                match.number,
                parse_move(move, Rules.parse(match.rules)),
                ply=len(match.moves),
            )
        return match

    async def do_play_on(
        self, _they: str, number: str, *, most: str = "1000", seed: str = "1"
    ) -> Answer:
        """Let everybody play at random, the computer too."""
        match, rng = await self.services.load(int(number)), random.Random(int(seed))
        for _ in range(int(most)):
            mover, legal = match.mover, match.position.legal_moves
            if mover is None:
                break
            self.services.clock.now += SECOND
            cell = legal[int(rng.random() * len(legal))]
            if is_computer(mover):
                self.services.computer.cell = cell
                match = await self.services.reply(match.number)
            else:
                match = await self.services.play(mover, match.number, cell, ply=len(match.moves))
        return match

    async def do_swaps(self, who: str, number: str, *, ply: str = "1") -> Answer:
        return await self.services.swap(who, int(number), ply=int(ply))

    async def do_replies(
        self, _computer: str, number: str, move: str, *, score: str = "0.6"
    ) -> Answer:
        match = await self.services.load(int(number))
        self.services.computer.cell = parse_move(move, Rules.parse(match.rules))
        self.services.computer.score = float(score)
        return await self.services.reply(match.number)

    async def do_replies_late(self, who: str, number: str, move: str, verb: str) -> Answer:
        """Let the computer think, and a person do something meanwhile."""
        computer = self.services.computer
        computer.go_on.clear()
        computer.begun.clear()
        replying = asyncio.create_task(self.do_replies(who, number, move))
        await asyncio.to_thread(computer.begun.wait)
        if verb == "undoes":
            await self.do_undoes("Anna", number)
        else:
            await self.services.say(_SAYINGS[verb], "Anna", int(number))
        computer.go_on.set()
        return await replying

    async def do_undoes(self, who: str, number: str, *, revision: str | None = None) -> Answer:
        return await self.services.undo(
            who, int(number), None if revision is None else int(revision)
        )

    async def do_moves(self, _board: str, number: str, *, channel: str, message: str) -> Answer:
        return await self.services.place(int(number), channel=int(channel), message=int(message))

    # Time.

    async def do_passes(self, _time: str, span: str) -> Answer:
        """Let time pass while the bot runs."""
        self.services.clock.now += _span(span)
        await self.services.note_running()
        return f"it is {_instant(self.services.clock.now)}"

    async def do_works(self, _bot: str) -> Answer:
        """Let the bot do what is due."""
        return await self.services.work()

    async def do_restarts(self, _bot: str, *, away: str = "0s") -> Answer:
        await self.services.restart(away=_span(away))
        return f"it is {_instant(self.services.clock.now)}"

    async def do_crashes(self, _bot: str, *, away: str) -> Answer:
        await self.services.restart(away=_span(away), crash=True)
        return f"it is {_instant(self.services.clock.now)}"

    async def do_goes_away(self, who: str, span: str) -> Answer:
        until = await self.services.set_vacation(who, self.services.clock.now + _span(span))
        return f"away until {_instant(until)}"

    async def do_comes_back(self, who: str) -> Answer:
        until = await self.services.set_vacation(who, None)
        return f"away until {_instant(until)}"

    async def do_wants(self, who: str, way: str) -> Answer:
        await self.services.want_notices(who, way)
        return "done"


# How results are written.


def _answered(answer: Answer) -> str:
    if isinstance(answer, MatchView):
        return _match(answer)
    if isinstance(answer, ChallengeView):
        other = answer.opponent or "anyone"
        return f"challenge {answer.number} of {answer.challenger} to {other}: {answer.status}"
    if isinstance(answer, Round):
        settled = [each.number for each in answer.settled]
        expired = [each.number for each in answer.expired]
        reminded = [f"{who} of {number} ({way})" for number, who, way in answer.reminded]
        return f"settled {_list(settled)}; expired {_list(expired)}; reminded {_list(reminded)}"
    return answer


def _match(match: MatchView) -> str:
    words = [f"match {match.number}, revision {match.revision}, ply {len(match.moves)}"]
    if match.ended is not None:
        reason, winner = match.ended
        won = "drawn" if winner is None else f"won by {_at(match, winner)}"
        return f"{words[0]}: {won} ({reason})"
    side = len(match.moves) % 2
    words.append(f"{_at(match, side)} to move")
    if match.deadline is not None:
        words.append(f"until {_instant(match.deadline)}")
    if match.draw_offered_by is not None:
        words.append(f"draw offered by {match.draw_offered_by}")
    if match.takeback_asked_by is not None:
        words.append(f"takeback asked for by {match.takeback_asked_by}")
    return f"{words[0]}: {', '.join(words[1:])}"


def _at(match: MatchView, side: int) -> str:
    return f"{match.seats[side]} ({MARKS[side]})"


def _told(told: Told) -> str:
    was = "begins" if told.before is None else f"{told.before.revision} to {told.after.revision}"
    by = "the clock" if told.by is None and told.before is not None else told.by
    news = [f"{kind} for {who}" for who, kind in told.news]
    line = f"* match {told.after.number} {was}{f' by {by}' if by else ''}: news {_list(news)}"
    return f"{line}; done with {_list(told.done)}"


def _stored(before: Rows, after: Rows) -> Iterator[str]:
    """Tell which rows are new, gone or different."""
    for table in stored.TABLES:
        was, now = before[table], after[table]
        gone = [key for key in was if key not in now]
        new = [key for key in now if key not in was]
        if table == "move":
            yield from _moves("-", gone, was)
            yield from _moves("+", new, now)
            continue
        yield from (f"- {table} {_key(table, key)}" for key in gone)
        yield from (f"+ {table} {_row(table, key, now[key])}" for key in new)
        for key in now:
            if key in was and was[key] != now[key]:
                changes = (
                    f"{column} {_value(column, old)} > {_value(column, now[key][column])}"
                    for column, old in was[key].items()
                    if old != now[key][column]
                )
                yield f"~ {table} {_key(table, key)}: {', '.join(changes)}"


def _moves(sign: str, keys: list[Key], rows: dict[Key, dict[str, Any]]) -> Iterator[str]:
    """Yield moves, several on a line: cells, and when they were played."""
    for first in range(0, len(keys), MOVES_A_LINE):
        portion = keys[first : first + MOVES_A_LINE]
        told = (
            f"{rows[key]['cell']} at {_value('_at', rows[key]['played_at'])}" for key in portion
        )
        yield f"{sign} move {_key('move', portion[0])}: {', '.join(told)}"


def _row(table: str, key: Key, row: dict[str, Any]) -> str:
    values = (f"{name} {_value(name, value)}" for name, value in row.items() if value is not None)
    return f"{_key(table, key)}: {', '.join(values)}".removesuffix(": ")


def _key(table: str, key: Key) -> str:
    names = stored.TABLES[table][0]
    name = "player_id" if table == "player" else names[0]
    told = (_value(each, value) for each, value in zip((name, *names[1:]), key, strict=True))
    return ".".join(told)


def _value(column: str, value: Any) -> str:
    if value is None:
        return "none"
    if column in _PEOPLE:
        return BY_ID[value]
    if column.endswith("_at") or column in ("until", "listed_until"):
        return _span_told(timedelta(milliseconds=value - stored.milliseconds(START)))
    if column in ("left_x", "left_o"):
        return _span_told(timedelta(milliseconds=value))
    if column.startswith("volatility"):
        return f"{value:.6f}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _instant(instant: datetime | None) -> str:
    return "nothing" if instant is None else _span_told(instant - START)


def _span_told(span: timedelta) -> str:
    return str(span).replace(" days, ", "d ").replace(" day, ", "d ").removesuffix("000")


def _list(values: Any) -> str:
    return ", ".join(map(str, values)) or "nothing"


def _span(text: str) -> timedelta:
    """Read "36h", "1d12h" or "2.5s"."""
    found = re.findall(r"([\d.]+)([smhd])", text)
    assert "".join(number + unit for number, unit in found) == text
    return sum((float(number) * _UNITS[unit] for number, unit in found), timedelta())


def _numbers(how: dict[str, str]) -> dict[str, Any]:
    """Return options with numbers where numbers are meant."""
    words = ("rules", "clock", "first", "code")
    return {key: value if key in words else int(value) for key, value in how.items()}


async def _regenerate() -> None:
    for script in sorted(FOLDER.glob("*.txt")):
        script.write_text(await tell(script.read_text()))


if __name__ == "__main__":
    if sys.argv[1:] != ["--regenerate"]:
        sys.exit("usage: python -m tests.bot.services.recording --regenerate")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    asyncio.run(_regenerate())
