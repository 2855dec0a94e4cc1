"""What the bot needs in many servers, computed: `python -m deploy.scale deploy/SCALE.md`.

Nobody has run it in 25,000 servers. What is known is what a click costs, and Discord's limits. What
people do is assumed, and each assumption is an option. Without a file the page is printed.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.client import START_SECONDS
from bot.services.analysis import REVIEW_SECONDS
from bot.storage.postgresql import CONNECTIONS
from engine import LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

SIZES: Final = (2_500, 25_000, 150_000)
LARGE: Final = 150_000
"""From here on Discord has a say in how many shards there are ("Sharding for Large Bots")."""

DAY_S: Final = 86_400
SHARD_MOST: Final = 2_500
"""How many servers Discord allows per shard."""


@dataclass(frozen=True, slots=True)
class Given:
    """A number used in the computation, what it is and in which unit, and its source."""

    value: float
    what: str
    source: str = ""


_COSTS: Final = "`python -m tests.costs`"
_LOAD: Final = "`python -m bot load --games 15 --think 1.5 --seconds 60 {}`"
_ONCE: Final = "measured once, with {}"
_GUILD: Final = "`python -m bot load --servers 1000`"

MEASURED: Final = {
    "answers": Given(1, "requests that answer a click", _COSTS),
    "others": Given(0, "other requests for a click", _COSTS),
    "picture_kb": Given(16, "KB of pictures for a click", _COSTS),
    "transactions_people": Given(1.8, "transactions for a click between two people", _COSTS),
    "transactions_computer": Given(2.9, "transactions for one against the computer", _COSTS),
    "rows_people": Given(3.7, "rows written for a click between two people", _COSTS),
    "rows_computer": Given(5.8, "rows written for one against the computer", _COSTS),
    "game_kb": Given(1.5, "KB of a game in a file of SQLite", _COSTS),
    "game_postgresql_kb": Given(6.1, "KB of a game on PostgreSQL", _COSTS),
    "click_ms": Given(9, "ms of a core for a click between people", _LOAD.format("--people 1")),
    "reply_ms": Given(
        19, "ms of a core for a click that a level from 1 to 9 answers",
        _LOAD.format("--people 0 --levels 1,2,3,4,5,6,7,8,9"),
    ),
    "process_mb": Given(360, "MB of a busy process", "README.md: an hour of games and pictures"),
    "guild_kb": Given(5, "KB of memory for each server", _GUILD),
    "guild_ms": Given(0.4, "ms of a core for each server at the start", _GUILD),
    "tasks": Given(
        270, "searches a second that one scheduler hands out", _ONCE.format("distributed 2026.8")
    ),
}  # fmt: skip

LIMITS: Final = {
    "identify_s": Given(5, "s for one shard to be let in", "Discord: Gateway, Max Concurrency"),
    "starts": Given(1_000, "shards let in a day", "Discord: Gateway, Session Start Limit"),
    "requests": Given(50, "requests a second, answers aside", "Discord: Rate Limits, Global"),
    "call_requests": Given(2, "requests to call a player: sent, and deleted", "`cogs/notices`"),
    "start_s": Given(START_SECONDS, "s in which a process has to be let in", "`bot/client.py`"),
    "long_s": Given(
        LEVELS[-1].seconds, "s of a core for a reply of level 10", "`engine/search/levels.py`"
    ),
    "review_s": Given(REVIEW_SECONDS, "s of a core for a review", "`bot/services/analysis.py`"),
    "most_mb": Given(1200, "MB that a process may take", "`MemoryMax` of the unit for systemd"),
    "connections": Given(
        CONNECTIONS + 2, "connections of a process to PostgreSQL",
        "`bot/storage/postgresql.py`: for games, to hold shards, to listen",
    ),
    "most_connections": Given(97, "connections that PostgreSQL takes", "its default, 3 reserved"),
}  # fmt: skip

ASSUMED: Final = {
    "games_per_server": Given(1, "games a day in a server"),
    "computer_share": Given(0.7, "share of games against the computer"),
    "level_10_share": Given(0.1, "share of these against level 10"),
    "clicks_people": Given(70, "clicks in a game between people", f"69 at random: {_COSTS}"),
    "clicks_computer": Given(25, "clicks in one against the computer", f"21 at random: {_COSTS}"),
    "other_clicks": Given(5, "commands and menus beside each game"),
    "reviews_per_game": Given(0.1, "reviews of a game"),
    "slow_turns": Given(0.2, "share of turns between people that end with a call"),
    "peak": Given(4, "the busiest minutes, as a multiple of the average"),
    "servers_per_shard": Given(1_000, "servers a shard", "what `GET /gateway/bot` recommends"),
    "max_concurrency": Given(16, "shards let in at once from 150,000 servers on; below it 1"),
    "shard_multiple": Given(16, "what shards are a multiple of from 150,000 servers on"),
    "core_share": Given(0.5, "share of a core that clicks may take of a process"),
    "commit_ms": Given(
        5,
        "ms of a transaction on PostgreSQL, with its fsync",
        "0.7 with `pgbench -N -c 1` where fdatasync takes 0.1 ms; a disk over a network needs more",
    ),
    "core_month": Given(10, "price a month of a core with 4 GB"),
}
"""What people do, and what depends on machines and on what Discord grants; each is an option."""

ALL: Final = MEASURED | LIMITS | ASSUMED


class Plan:
    """What the bot needs in `servers` servers in its busiest minutes; `ROWS` describes it."""

    def __init__(self, servers: int, given: Mapping[str, float]) -> None:
        x = given
        is_large = servers >= LARGE
        self.servers = servers

        games_s = servers * x["games_per_server"] / DAY_S * x["peak"]
        people = (1 - x["computer_share"]) * x["clicks_people"]
        computer = x["computer_share"] * x["clicks_computer"]
        level_10 = computer * x["level_10_share"]
        others = people + x["other_clicks"]  # cost what a click between people does
        clicks = others + computer
        self.games = servers * x["games_per_server"]
        self.clicks_s = games_s * clicks
        quick_ms = (computer - level_10) * x["reply_ms"]
        self.click_cores = games_s * (quick_ms + (others + level_10) * x["click_ms"]) / 1000
        self.searches_s = games_s * (level_10 + x["reviews_per_game"])
        long_s = level_10 * x["long_s"] + x["reviews_per_game"] * x["review_s"]
        self.search_cores = games_s * long_s

        multiple = int(x["shard_multiple"]) if is_large else 1
        shards = math.ceil(servers / min(x["servers_per_shard"], SHARD_MOST))
        self.shards = math.ceil(shards / multiple) * multiple
        by_memory = servers * x["guild_kb"] / 1000 / (x["most_mb"] - x["process_mb"])
        self.processes = math.ceil(max(by_memory, self.click_cores / x["core_share"]))
        self.process_mb = x["process_mb"] + servers / self.processes * x["guild_kb"] / 1000
        self.reading_s = servers / self.processes * x["guild_ms"] / 1000

        at_once = x["max_concurrency"] if is_large else 1
        self.start_s, self.restart_s, self.first_s = (
            math.ceil(count / at_once) * x["identify_s"]
            for count in (self.shards, math.ceil(self.shards / self.processes), self.processes)
        )
        starts = max(2 * x["starts"], servers // 1000 * 5) if is_large else x["starts"]
        self.restarts = starts // self.shards

        self.transactions_s, self.rows_s = (
            games_s * (others * x[f"{each}_people"] + computer * x[f"{each}_computer"])
            for each in ("transactions", "rows")
        )
        self.writing = self.transactions_s * x["commit_ms"] / 1000
        self.turn_ms = self.processes * x["commit_ms"]
        self.grows_gb = self.games * 365 * x["game_postgresql_kb"] / 1e6
        self.connections = self.processes * x["connections"]

        calls = people * x["slow_turns"] * x["call_requests"]
        self.answers_s = self.clicks_s * x["answers"]
        self.requests_s = games_s * calls + self.clicks_s * x["others"]
        self.mbit_s = self.clicks_s * x["picture_kb"] * 8 / 1000

        self.cores = self.processes + math.ceil(self.search_cores) + 2 * (self.processes > 1)
        self.price = self.cores * x["core_month"]


def whole(number: float) -> str:
    """Write a number without a fraction, such as 150,000."""
    return f"{number:,.0f}"


def short(number: float) -> str:
    """Write a number with at least two digits: 0.034, 3.8, 302."""
    return whole(number) if number >= 10 else f"{number:.2g}"


def duration(seconds: float) -> str:
    """Write a length of time: 50 s, 12.5 min."""
    return f"{seconds / 60:.1f} min" if seconds >= 120 else f"{seconds:.0f} s"


ROWS: Final[tuple[tuple[str, str, Callable[[float], str], str], ...]] = (
    ("**People**", "", whole, ""),
    ("games a day", "games", whole, "{games_per_server} in a server"),
    ("clicks and commands a second", "clicks_s", short,
     "{peak} times the average, as all that follows"),
    ("**Gateway**", "", whole, ""),
    ("shards", "shards", whole,
     "one for {servers_per_shard} servers; from 150,000 on a multiple of {shard_multiple}"),
    ("start of all", "start_s", duration,
     "one shard in {identify_s} s; from 150,000 on {max_concurrency}"),
    ("restart of one process", "restart_s", duration, "only its servers wait"),
    ("restarts of all a day", "restarts", whole, "{starts} shards a day; from 150,000 on 2,000"),
    ("**Bot**", "", whole, ""),
    ("cores for clicks", "click_cores", short,
     "{click_ms} ms a click, {reply_ms} with a reply of the levels 1 to 9"),
    ("processes (`SHARDS`)", "processes", whole,
     "{core_share} of a core for clicks, {most_mb} MB of memory at most"),
    ("memory of each, MB", "process_mb", whole,
     "{process_mb}, and {guild_kb} KB for each of its servers"),
    ("reading its servers at the start", "reading_s", duration, "{guild_ms} ms a server"),
    ("**Database**", "", whole, ""),
    ("transactions a second", "transactions_s", short,
     "{transactions_people} or {transactions_computer} a click, if none are stored together"),
    ("rows written a second", "rows_s", short, "{rows_people} or {rows_computer} a click"),
    ("longest wait to store, ms", "turn_ms", whole, "a turn of {commit_ms} ms for each process"),
    ("growth in a year, GB", "grows_gb", short,
     "{game_postgresql_kb} KB a game on PostgreSQL; {game_kb} in a file of SQLite"),
    ("connections", "connections", whole, "{connections} a process on PostgreSQL"),
    ("**Requests to Discord**", "", whole, ""),
    ("answers a second", "answers_s", short, "{answers} a click, outside Discord's limit"),
    ("others a second", "requests_s", short, "of {requests}; to call players who have not moved"),
    ("pictures, Mbit/s", "mbit_s", short, "{picture_kb} KB a click"),
    ("**Long searches**", "", whole, ""),
    ("begun in a second", "searches_s", short, "replies of level 10, and reviews"),
    ("cores (`SEARCH_URL`)", "search_cores", short, "{long_s} s a reply, {review_s} s a review"),
    ("**Cost**", "", whole, ""),
    ("cores", "cores", whole, "processes, long searches, 2 for PostgreSQL"),
    ("price a month", "price", whole, "{core_month} a core with 4 GB"),
)  # fmt: skip
"""The rows of the table: a name, an attribute of `Plan`, its format, what it is made of."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """A limited resource.

    Attributes:
        used: The attribute of `Plan` that says how much of it is needed.
        most: How much there is: a number, or the name of one that is given.
        name: What happens when more is needed, in a few words.
        words: The consequences, and what to do.
    """

    used: str
    most: float | str
    name: str
    words: str

    def is_exceeded(self, servers: int, given: Mapping[str, float]) -> bool:
        """Return whether `servers` servers need more of it than there is."""
        most = given[self.most] if isinstance(self.most, str) else self.most
        return bool(getattr(Plan(servers, given), self.used) > most)

    def reached_at(self, given: Mapping[str, float], above: int = 1_000) -> float:
        """Return at how many servers it runs out, to two digits; inf if not up to ten million."""
        servers = above
        while servers < 10_000_000:
            step: int = 10 ** (len(str(servers)) - 2)
            servers += step
            if self.is_exceeded(servers, given):
                return servers
        return math.inf


CEILINGS: Final = (
    Ceiling(
        "processes", 1, "one process is full",
        "Clicks wait for each other, and some are refused in words. Move to PostgreSQL "
        "(`python -m bot move`) and divide the shards among processes (`SHARDS`), as in "
        "[compose-cluster.yaml](README.md#several-processes-postgresql-workers).",
    ),
    Ceiling(
        "search_cores", 2, "long searches fill two cores",
        "Level 10 has less time and plays worse, reviews wait. Give them workers (`SEARCH_URL`).",
    ),
    Ceiling(
        "start_s", 300, "a start of all takes five minutes",
        "Discord lets in a shard in five seconds. Restart one process after the other: then only "
        "its servers wait.",
    ),
    Ceiling(
        "requests_s", "requests", "Discord takes no more requests",
        "Players who have not moved are called late. Clicks do not notice: their answers are not "
        "counted. Ask Discord for a higher limit (dis.gd/rate-limit).",
    ),
    Ceiling(
        "servers", LARGE - 1, "Discord has a say in the number of shards",
        "It names a number of which yours has to be a multiple, and refuses others (4010): change "
        "every `SHARDS` at once. It lets in several shards at the same time from then on.",
    ),
    Ceiling(
        "writing", 1, "writers stand in line",
        "On PostgreSQL one transaction runs at a time. Changes that wait are stored together, up "
        "to 256: none is lost or refused, but clicks take longer. A quick fsync helps.",
    ),
    Ceiling(
        "connections", "most_connections", "PostgreSQL has no connection left",
        "The last process does not start. Raise `max_connections`.",
    ),
    Ceiling(
        "first_s", "start_s", "too many processes start at once",
        "The last one is not let in within 90 seconds, ends with status 75, and its supervisor "
        "starts it again.",
    ),
    Ceiling(
        "searches_s", "tasks", "the scheduler is full",
        "Start another one, with workers of its own, for half of the processes.",
    ),
)  # fmt: skip


def what_breaks(servers: int, given: Mapping[str, float]) -> Iterator[str]:
    """Yield which ceilings `servers` servers exceed, and which come next."""
    past = [each for each in CEILINGS if each.is_exceeded(servers, given)]
    if past:
        yield f"Past: {'; '.join(each.name for each in past)}."
    else:
        yield "One process on one machine does it, with a file of SQLite."
    ahead = [(each.reached_at(given, servers), each.name) for each in CEILINGS if each not in past]
    coming = [f"{name} (from {whole(at)} on)" for at, name in sorted(ahead) if at < math.inf]
    yield f"Next: {'; '.join(coming[:3])}."


def page(given: Mapping[str, float], sizes: Iterable[int] = SIZES) -> str:
    """Return the page, in Markdown."""
    plans = [Plan(each, given) for each in sizes]
    written = {key: f"{value:,g}" for key, value in given.items()}
    lines = [
        "# In many servers\n",
        "Nobody has run this bot in 25,000 servers. This is computed from what a click costs, from",
        "Discord's limits, and from what people are assumed to do; all of that stands",
        "[below](#measured) with its source. Compute it with your own numbers:\n",
        "```sh",
        ".venv/bin/python -m deploy.scale --servers 8000 --games-per-server 3",
        "```\n",
        f"| servers | {' | '.join(whole(each.servers) for each in plans)} | |",
        f"|---|{'--:|' * len(plans)}---|",
    ]
    for name, attribute, write, note in ROWS:
        cells = [write(getattr(each, attribute)) if attribute else "" for each in plans]
        lines.append(f"| {' | '.join([name, *cells, note.format(**written)])} |")
    lines.append("\n## What breaks next\n")
    for plan in plans:
        words = " ".join(what_breaks(plan.servers, given))
        lines.append(f"**{whole(plan.servers)} servers.** {words}\n")
    lines.append("What that means, in the order in which it comes:\n")
    reached = [(each.reached_at(given), each.name, each.words) for each in CEILINGS]
    lines += [
        f"- **{whole(at)} servers: {name}.** {words}"
        for at, name, words in sorted(reached)
        if at < math.inf
    ]
    for title, numbers in (("Measured", MEASURED), ("Limits", LIMITS), ("Assumed", ASSUMED)):
        lines += [f"\n## {title}\n", "| number | what | source |", "|--:|---|---|"]
        for key, each in numbers.items():
            named = f"`{option_of(key)}`" if numbers is ASSUMED else ""
            source = "; ".join(filter(None, [named, each.source]))
            lines.append(f"| {written[key]} | {each.what} | {source} |")
    lines += [
        "\nWhat is counted for a click is the same on every machine. Times are processor times on",
        "two cores of an AMD EPYC, which others used as well. Not in it: backups, which read every",
        "row, servers much busier than others, and how fast PostgreSQL's disk is.\n",
    ]
    return "\n".join(lines)


def option_of(key: str) -> str:
    """Return the option that overrides an assumption."""
    return f"--{key.replace('_', '-')}"


def main(arguments: list[str] | None = None) -> None:
    """Write the page, or print it."""
    parser = argparse.ArgumentParser(prog="python -m deploy.scale", description=__doc__)
    parser.add_argument(
        "file", type=Path, nargs="?", metavar="FILE", help="for example deploy/SCALE.md"
    )
    parser.add_argument("--servers", type=int, nargs="+", default=SIZES, metavar="N")
    for key, each in ASSUMED.items():
        text = f"{each.what}; {each.value:,g}"
        parser.add_argument(option_of(key), type=float, default=each.value, metavar="N", help=text)
    options = vars(parser.parse_args(arguments))
    given = {key: float(options.get(key, each.value)) for key, each in ALL.items()}
    text = page(given, options["servers"])
    if options["file"] is None:
        sys.stdout.write(text)
    else:
        options["file"].write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
