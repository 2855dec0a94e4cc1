"""Which games count, in which pool, and who is on a leaderboard: policy, all pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.model.ratings import glicko
from engine import VARIANTS, Cell, Side, variant_of
from engine.errors import Sentence, say

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bot.model.ratings.glicko import Rating
    from engine import Rules

PLACEMENT_GAMES: Final = 5
PLACED_DEVIATION: Final = 240.0
PROVISIONAL_DEVIATION: Final = 110.0
LEAST_GAMES: Final = 10
LEAST_OPPONENTS: Final = 5
ACTIVE_WITHIN: Final = timedelta(days=30)
LEAST_TELLING_SHARE: Final = 0.5

MOST_GAMES_OF_A_PAIR: Final = 2
PAIR_WITHIN: Final = timedelta(days=1)
MOST_MOVES_OF_A_NON_GAME: Final = 2
LEAST_ACCOUNT_AGE: Final = timedelta(days=7)
OPENING_PLIES: Final = 20
REMEMBERED_GAMES: Final = 2

# Discord's numbers hold the milliseconds since this instant above their lowest 22 bits.
_DISCORD_EPOCH: Final = datetime(2015, 1, 1, tzinfo=UTC)
_DISCORD_SHIFT: Final = 22


class Reason(StrEnum):
    """Why a rated game does not count. Stored as text: add members, never rename."""

    CUSTOM_RULES = "custom_rules"
    BOTH_SEATS = "both_seats"
    YOUNG_ACCOUNT = "young_account"
    TOO_SHORT = "too_short"
    SAME_PAIR = "same_pair"
    REPEATED = "repeated"
    BEGUN_ANEW = "begun_anew"

    @property
    def sentence(self) -> Sentence:
        """What to tell the players."""
        words, count = _SENTENCES[self]
        return words.format(count=count)


# Numbers are worded so that no plural form depends on them: limits may change.
_SENTENCES: Final = {
    Reason.CUSTOM_RULES: (
        say("This game is not rated: only named variants are."),
        0,
    ),
    Reason.BOTH_SEATS: (say("This game is not rated: one player had both seats."), 0),
    Reason.YOUNG_ACCOUNT: (
        say(
            "This game is not rated: a Discord account has to be {count} days old to play "
            "rated games."
        ),
        LEAST_ACCOUNT_AGE.days,
    ),
    Reason.BEGUN_ANEW: (
        say(
            "This game is not rated: after deleting their data, players can't play "
            "rated games for {count} days."
        ),
        LEAST_ACCOUNT_AGE.days,
    ),
    Reason.TOO_SHORT: (
        say("This game is not rated: it ended within its first {count} moves."),
        MOST_MOVES_OF_A_NON_GAME,
    ),
    Reason.SAME_PAIR: (
        say(
            "This game is not rated: the two of you have had {count} rated games in the "
            "last 24 hours."
        ),
        MOST_GAMES_OF_A_PAIR,
    ),
    Reason.REPEATED: (
        say(
            "This game is not rated: it repeats one of your last {count} rated games "
            "against the computer."
        ),
        REMEMBERED_GAMES,
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PastGame:
    """A rated game against the computer, as far as another could repeat it.

    Attributes:
        opening: Its beginning, as `opening_of` writes it.
        winner: The side that has won; None for a draw.
    """

    opening: str
    winner: Side | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedGame:
    """What the policy has to know about a game that was meant to be rated.

    Attributes:
        rules: What it was played by.
        people: The players' numbers: two, or one against the computer.
        started_at: When.
        moves_played: How many moves the players have made, without a drawn opening.
        opening: Its beginning, as `opening_of` writes it.
        winner: The side that has won; None for a draw.
        pair_games: How many games of these two have counted in the last day; 0
            against the computer.
        begun_anew: Whether one of them has had their data deleted within `LEAST_ACCOUNT_AGE` before
            it: otherwise that would undo every limit here, and any bad rating.
        past: The player's last rated games against the computer, counted or not;
            none between two people.
    """

    rules: Rules
    people: tuple[int, ...]
    started_at: datetime
    moves_played: int
    opening: str
    winner: Side | None
    pair_games: int = 0
    begun_anew: bool = False
    past: Sequence[PastGame] = ()


def pool_of(rules: Rules) -> str | None:
    """Return the pool that games of these rules are rated in; None for custom rules.

    The pool is the key of the variant. It depends on the rules, not on how they were
    asked for: options that amount to a named variant are that variant.
    """
    key = variant_of(rules).key
    return key if key in VARIANTS else None


def account_made_at(user_id: int) -> datetime:
    """Return when an account of Discord was made; its number holds the date."""
    return _DISCORD_EPOCH + timedelta(milliseconds=user_id >> _DISCORD_SHIFT)


def is_old_enough(user_id: int, when: datetime) -> bool:
    """Return whether an account may play rated games that start at `when`."""
    return when - account_made_at(user_id) >= LEAST_ACCOUNT_AGE


def opening_of(moves: Sequence[Cell]) -> str:
    """Return the beginning of a game as text that is the same for the same moves only."""
    return " ".join(map(str, moves[:OPENING_PLIES]))


def why_not_before(rules: Rules, people: Iterable[int], when: datetime) -> Reason | None:
    """Return why a game that starts at `when` cannot be rated, as far as is known then."""
    people = tuple(people)
    if pool_of(rules) is None:
        return Reason.CUSTOM_RULES
    if len(set(people)) < len(people):
        return Reason.BOTH_SEATS
    if not all(is_old_enough(user_id, when) for user_id in people):
        return Reason.YOUNG_ACCOUNT
    return None


def why_not(game: FinishedGame) -> Reason | None:
    """Return why a game does not count; None if it does."""
    before = why_not_before(game.rules, game.people, game.started_at)
    if before is not None:
        return before
    if game.begun_anew:
        return Reason.BEGUN_ANEW
    if game.moves_played <= MOST_MOVES_OF_A_NON_GAME:
        return Reason.TOO_SHORT
    if game.pair_games >= MOST_GAMES_OF_A_PAIR:
        return Reason.SAME_PAIR
    this = PastGame(opening=game.opening, winner=game.winner)
    if this in game.past[:REMEMBERED_GAMES]:
        return Reason.REPEATED
    return None


def is_provisional(rating: Rating) -> bool:
    """Return whether a rating, grown to this moment, is to be shown with a question mark."""
    return rating.deviation >= PROVISIONAL_DEVIATION


def is_placed(rating: Rating, games: int) -> bool:
    """Return whether a new player's rating can be shown after this many games."""
    return games >= PLACEMENT_GAMES and rating.deviation < PLACED_DEVIATION


def placement_games(games: int) -> int:
    """Return how many games a placement takes that is not over after `games`."""
    return max(PLACEMENT_GAMES, games + 1)


def careful(rating: Rating) -> float:
    """Return the rating that a player has at least, with 97.5 % certainty.

    A server's leaderboard is ordered by this: a few lucky games take nobody to the top.
    """
    return rating.value - 2 * rating.deviation


def wins_place(won: int, lost: int) -> float:
    """Return what a board of wins is ordered by: wins, and with equal wins fewer losses."""
    return won - lost / 1_000_000


def is_telling(opponents_of_opponent: int | None) -> bool:
    """Return whether a game is evidence for a place on the leaderboard.

    Accounts that were made to lose have played hardly anybody else. None is the computer.
    """
    return opponents_of_opponent is None or opponents_of_opponent >= LEAST_OPPONENTS


def listed_until(
    rating: Rating, *, games: int, opponents: int, telling: int, last_game_at: datetime
) -> datetime | None:
    """Return until when a player stays on the leaderboard without playing; None if not at all.

    `rating` is as it was after the last game; opponents are different people and levels.
    """
    if games < LEAST_GAMES or opponents < LEAST_OPPONENTS:
        return None
    if telling < LEAST_TELLING_SHARE * games:
        return None
    if rating.deviation > PROVISIONAL_DEVIATION:
        return None
    sure_for = glicko.time_until(rating, PROVISIONAL_DEVIATION)
    return last_game_at + min(ACTIVE_WITHIN, sure_for)


def why_not_listed(
    rating: Rating,
    *,
    games: int,
    opponents: int,
    telling: int,
    last_game_at: datetime,
    now: datetime,
) -> Sentence | None:
    """Return what a player has to do to be on the leaderboard; None if they are on it."""
    if games < LEAST_GAMES or opponents < LEAST_OPPONENTS:
        return progress(games, opponents)
    if telling < LEAST_TELLING_SHARE * games:
        return say(
            "Too many of the games were against people who have hardly played anybody else: "
            "play others, or the computer."
        )
    if now - last_game_at >= ACTIVE_WITHIN:
        words = say("The last rated game was more than {days} days ago.")
        return words.format(days=ACTIVE_WITHIN.days)
    until = listed_until(
        rating, games=games, opponents=opponents, telling=telling, last_game_at=last_game_at
    )
    if until is None or until <= now:
        return say("The rating is not certain enough yet: a few more rated games will do.")
    return None


def progress(games: int, opponents: int) -> Sentence:
    """Say how far somebody is who has not played enough for the leaderboard."""
    return say(
        "So far {games} of {needed} rated games, {opponents} of {different} opponents.",
        games=min(games, LEAST_GAMES),
        needed=LEAST_GAMES,
        opponents=min(opponents, LEAST_OPPONENTS),
        different=LEAST_OPPONENTS,
    )
