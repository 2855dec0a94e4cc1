"""Forty-five days of 200 people of known strength, and of some who cheat.

The leaderboard at the end is compared with the strengths. A season has its own seed,
so its games are the same every time.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

import pytest

from bot.model.ratings.values import rating_of_level
from bot.services.ratings import RatingBook
from bot.storage import open_storage
from tests.bot.services.ratings.league import (
    START,
    Evening,
    League,
    account_made,
    leaderboard,
    level,
    person,
    rank_of,
    rating_of,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.model.ratings.values import BoardEntry

# Ten thousand games, played once for all tests: minutes on a busy machine.
pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

PEOPLE = 200
DAYS = 45
GAMES_A_DAY = 0.9  # that a person begins; each has about twice as many
MEAN, SPREAD = 1500.0, 250.0
DRAWS = 0.1

# Some of the people stop early or hardly ever play, and do not belong on the leaderboard.
GONE = range(180, 190)
SELDOM = range(190, 200)

# Cheats need no strong player behind their accounts: the puppets resign.
YOUNG_ARMY, ONE_PUPPET, FOUR_PUPPETS, PARROT, HURRY, SIX_PUPPETS = (
    person(1000 + n) for n in range(6)
)
CHEATS = (YOUNG_ARMY, ONE_PUPPET, FOUR_PUPPETS, PARROT, HURRY, SIX_PUPPETS)
FRESH_PUPPETS = [person(3000 + n) for n in range(6)]
OLD_PUPPETS = [person(2000 + n) for n in range(5)]
YOUNG_PUPPETS = [account_made(START + timedelta(days=DAYS - 3, seconds=n)) for n in range(8)]


@dataclass
class Season:
    """How strong each person is, and what the leaderboard says in the end."""

    rng: random.Random = field(default_factory=lambda: random.Random(45))
    strengths: dict[int, float] = field(default_factory=dict)
    played: dict[int, int] = field(default_factory=dict)
    entries: list[BoardEntry] = field(default_factory=list)

    def prepare(self) -> None:
        for number in range(PEOPLE):
            self.strengths[person(number)] = self.rng.gauss(MEAN, SPREAD)

    def winner(self, first: float, second: float) -> int | None:
        """Return the winning side of a game between two strengths."""
        expected = 1 / (1 + 10 ** ((second - first) / 400))
        throw = self.rng.random()
        if throw < expected - DRAWS / 2:
            return 0
        return None if throw < expected + DRAWS / 2 else 1

    def day(self, league: League, number: int) -> None:
        for player in range(PEOPLE):
            share = GAMES_A_DAY
            if player in GONE:
                share = 3.0 if number < 10 else 0.0
            if player in SELDOM:
                share = 0.1
            while share > 0:
                if self.rng.random() < share:
                    league.wait(seconds=60)
                    self.game(league, player)
                share -= 1

    def game(self, league: League, player: int) -> None:
        own = self.strengths[person(player)]
        if self.rng.random() < 0.2:
            number = self.rng.randrange(3, 9)
            winner = self.winner(own, rating_of_level(number, "standard").value)
            league.end(person(player), level(number), winner)
            return
        other = self.rng.choice([n for n in range(PEOPLE - 20) if n != player])
        winner = self.winner(own, self.strengths[person(other)])
        league.end(person(player), person(other), winner)

    def cheat(self, league: League, number: int) -> None:
        """Everybody who cheats does so as often as they like: twelve games a day."""
        for round_ in range(12):
            league.wait(seconds=30)
            league.end(ONE_PUPPET, OLD_PUPPETS[4], 0)
            league.end(FOUR_PUPPETS, OLD_PUPPETS[round_ % 4], 0)
            league.end(PARROT, level(1 + round_ % 6), 0, moves=tuple(range(30)))
            league.end(HURRY, OLD_PUPPETS[round_ % 5], 0, moves=(40, 36))
            league.end(SIX_PUPPETS, FRESH_PUPPETS[round_ % 6], 0)
            if number >= DAYS - 3:
                league.end(YOUNG_ARMY, YOUNG_PUPPETS[round_ % 8], 0)


@pytest.fixture(scope="module")
def season_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("season")


@pytest.fixture
async def season(season_folder: Path) -> AsyncIterator[tuple[Season, RatingBook]]:
    """The season after its last day; played once, opened again for each test."""
    season = Season()
    season.prepare()
    path = season_folder / "season.sqlite3"
    played = season_folder / "played"
    is_new = not played.exists()
    if is_new:
        # An interrupted season must not be taken for a finished one.
        path.unlink(missing_ok=True)
    async with open_storage(f"sqlite+aiosqlite:///{path}") as database:
        evening = Evening(database)
        for number in range(DAYS if is_new else 0):
            evening.now = START + timedelta(days=number)
            await evening.play(partial(season.day, number=number))
            await evening.play(partial(season.cheat, number=number))
        played.touch()
        evening.now = START + timedelta(days=DAYS)
        season.entries = await whole_board(evening.book)
        yield season, evening.book


async def whole_board(book: RatingBook) -> list[BoardEntry]:
    page = await leaderboard(book, "standard", limit=50)
    entries = list(page.entries)
    while page.after is not None:
        page = await leaderboard(book, "standard", after=page.after, limit=50)
        entries += page.entries
    return entries


def ranks(values: list[float]) -> list[int]:
    order = sorted(range(len(values)), key=lambda place: values[place])
    found = [0] * len(values)
    for rank, place in enumerate(order):
        found[place] = rank
    return found


def spearman(first: list[float], second: list[float]) -> float:
    """Return how much two orders agree, from -1 to 1; there are no ties here."""
    count = len(first)
    pairs = zip(ranks(first), ranks(second), strict=True)
    return 1 - 6 * sum((a - b) ** 2 for a, b in pairs) / (count * (count**2 - 1))


async def test_the_leaderboard_orders_people_by_strength(
    season: tuple[Season, RatingBook],
) -> None:
    """As well as ratings with an error of 60 points can.

    Strengths that spread by 250 then correlate with the ratings at
    250 / sqrt(250² + 60²) = 0.97, and so do the orders. A board with a tenth of its
    people at random places would reach about 0.9.
    """
    played, _ = season
    strengths = [played.strengths[entry.player_id] for entry in played.entries]
    values = [entry.rating.value for entry in played.entries]

    assert spearman(strengths, values) > 0.93
    best = sorted(played.strengths.values(), reverse=True)[:20]
    assert all(strength >= best[-1] - 60 for strength in strengths[:5])


async def test_ratings_lie_where_their_deviations_say(season: tuple[Season, RatingBook]) -> None:
    """Nineteen out of twenty are within two deviations.

    A shift common to all is removed: only the levels hold the scale in place.
    """
    played, _ = season
    errors = [
        (entry.rating.value - played.strengths[entry.player_id]) / entry.rating.deviation
        for entry in played.entries
    ]
    shift = sum(errors) / len(errors)

    assert abs(shift) < 0.5
    assert sum(abs(error - shift) < 2 for error in errors) > 0.88 * len(errors)


async def test_players_with_enough_games_are_on_it(season: tuple[Season, RatingBook]) -> None:
    played, _ = season
    listed = {entry.player_id for entry in played.entries}
    regulars = {person(number) for number in range(PEOPLE - 20)}

    assert len(regulars - listed) <= 0.03 * len(regulars)


async def test_players_who_left_or_hardly_play_are_not(season: tuple[Season, RatingBook]) -> None:
    played, book = season
    listed = {entry.player_id for entry in played.entries}

    for number in (*GONE, *SELDOM):
        player_id = person(number)
        standing = await rank_of(book, player_id, "standard")
        assert (player_id in listed) == (standing.why_not is None)
    assert not listed & {person(number) for number in GONE}
    assert len(listed & {person(number) for number in SELDOM}) <= 2


async def test_cheats_and_their_puppets_are_not(season: tuple[Season, RatingBook]) -> None:
    played, book = season
    listed = {entry.player_id for entry in played.entries}

    assert not listed & {*CHEATS, *OLD_PUPPETS, *YOUNG_PUPPETS, *FRESH_PUPPETS}
    games = {cheat: (await rating_of(book, cheat, "standard")).games for cheat in CHEATS}
    assert games[YOUNG_ARMY] == games[HURRY] == 0
    assert games[PARROT] == 1
    assert games[ONE_PUPPET] <= 2 * DAYS  # of 540
    assert games[FOUR_PUPPETS] <= 8 * DAYS
    assert games[SIX_PUPPETS] > 300  # a rule about opponents keeps this one out
