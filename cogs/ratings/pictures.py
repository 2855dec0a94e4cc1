"""The data of players, prepared for pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.language import _, mark_of, pgettext, told
from bot.model.ratings.pools import is_provisional, placement_games
from bot.model.ratings.profile import Between, Profile
from bot.model.ratings.profile import Record as Tally
from bot.model.ratings.values import BoardEntry, BoardKind, BoardView, PlayerRating, RatingChange
from bot.render import (
    LeaderboardPicture,
    LeaderboardRow,
    PlayerResult,
    ProfilePicture,
    RatingPicture,
    RatingPoint,
    Record,
    Theme,
    VersusPicture,
    describe_leaderboard,
    describe_profile,
    describe_rating_graph,
    describe_versus,
    draw_leaderboard,
    draw_profile,
    draw_rating_graph,
    draw_statistics,
    draw_versus,
)
from bot.render.graphs import UNPLACED
from cogs.ratings import texts
from engine import LEVELS, O, X, load_variant

if TYPE_CHECKING:
    from cogs.ratings.pages import BoardState

Drawn = tuple[bytes, str]


def board(state: BoardState, found: BoardView, viewer: str, theme: Theme) -> Drawn:
    """Draw a page of a leaderboard for somebody; return the picture and its alt text."""
    own = None if found.own.entry is None else _row(found.own.entry)
    is_of_wins = state.kind is BoardKind.WINS
    picture = LeaderboardPicture(
        told(load_variant(state.pool).name),
        tuple(
            replace(_row(entry), is_viewer=own is not None and entry.rank == own.rank)
            for entry in found.page.entries
        ),
        subtitle=texts.board_subtitle(state, found),
        viewer=None if own is None else replace(own, name=viewer),
        empty=texts.nobody_yet(state),
        is_of_wins=is_of_wins,
        theme=theme,
    )
    return draw_leaderboard(picture), describe_leaderboard(picture)


def profile(
    name: str,
    found: Profile,
    rating: PlayerRating | None,
    points: Sequence[RatingChange],
    theme: Theme,
    *,
    statistics: bool = False,
) -> Drawn:
    """Draw a player's profile or its second page; return the picture and its alt text."""
    won = found.streak is not None and found.streak.result == "won"
    beaten = {level for level, record in found.records.by_level.items() if record.won}
    best = None if rating is None else rating.best
    is_sure = best is not None
    points = shown_points(points)
    if best is None:
        # Until the rating is certain the best is the highest point of the graph.
        best = max((point.after.value for point in points), default=None)
    picture = ProfilePicture(
        name,
        None if rating is None else rating.rating.value,
        subtitle=_rating_of(rating),
        is_provisional=rating is not None and rating.is_provisional,
        placement="" if rating is None else _placement(rating),
        best=best,
        is_best_provisional=not is_sure,
        history=_points(points),
        sides=_sides(found.records.by_side),
        records=_variants(found.records.by_variant.items()),
        streak=found.streak.length if won and found.streak is not None else 0,
        best_streak=found.longest_won,
        form=tuple(map(PlayerResult, found.form)),
        levels=tuple(level.number in beaten for level in LEVELS),
        achievements=tuple(told(each.name) for each in reversed(found.achievements)),
        theme=theme,
    )
    draw = draw_statistics if statistics else draw_profile
    return draw(picture), describe_profile(picture)


def graph(
    name: str, rating: PlayerRating | None, points: Sequence[RatingChange], theme: Theme
) -> Drawn:
    """Draw a rating over time; return the picture and its alt text."""
    picture = RatingPicture(
        name,
        _points(shown_points(points)),
        empty="" if rating is None or rating.is_placed else _(UNPLACED),
        subtitle=_rating_of(rating),
        is_provisional=rating is not None and rating.is_provisional,
        theme=theme,
    )
    return draw_rating_graph(picture), describe_rating_graph(picture)


def versus(
    names: tuple[str, str],
    ratings: tuple[PlayerRating | None, PlayerRating | None],
    found: Between,
    theme: Theme,
) -> Drawn:
    """Draw how two people did against each other; return the picture and its alt text."""
    records = found.records
    picture = VersusPicture(
        names,
        _record("", records.total),
        subtitle=texts.games_between(records.total.played),
        ratings=(_shown(ratings[0]), _shown(ratings[1])),
        sides=_sides(records.by_side),
        records=_variants(records.by_variant.items()),
        games=tuple(map(PlayerResult, found.form)),
        theme=theme,
    )
    return draw_versus(picture), describe_versus(picture)


def _row(entry: BoardEntry) -> LeaderboardRow:
    return LeaderboardRow(
        rank=entry.rank,
        name=entry.name,
        rating=entry.rating.value,
        is_provisional=is_provisional(entry.rating),
        placement=_placement(entry),
        wins=entry.won,
        draws=entry.drawn,
        losses=entry.lost,
        trend=entry.trend,
    )


def shown_points(points: Sequence[RatingChange]) -> tuple[RatingChange, ...]:
    """Return the points to show: not those of the placement, which jump too much."""
    return tuple(point for point in points if point.is_placed)


def _placement(player: PlayerRating | BoardEntry) -> str:
    """Return how far a player's placement is, such as "3/5"; empty once it is over."""
    if player.is_placed or not player.games:
        return ""
    return f"{player.games}/{placement_games(player.games)}"


def _rating_of(rating: PlayerRating | None) -> str:
    return "" if rating is None else told(load_variant(rating.pool).name)


def _shown(rating: PlayerRating | None) -> str:
    return "" if rating is None else f"{told(rating.words)} · {_rating_of(rating)}"


def _points(points: Sequence[RatingChange]) -> tuple[RatingPoint, ...]:
    return tuple(
        RatingPoint(at=point.changed_at, rating=point.after.value, deviation=point.after.deviation)
        for point in points
    )


def _sides(records: tuple[Tally, Tally]) -> tuple[Record, Record]:
    words = pgettext("games played with a mark", "as {mark}")
    x, o = (_record(words.format(mark=mark_of(side)), records[side]) for side in (X, O))
    return x, o


def _variants(records: Iterable[tuple[str, Tally]]) -> tuple[Record, ...]:
    return tuple(_record(told(load_variant(key).name), each) for key, each in records)


def _record(label: str, tally: Tally) -> Record:
    return Record(label=label, wins=tally.won, draws=tally.drawn, losses=tally.lost)
