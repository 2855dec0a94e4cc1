"""What is known of a player, as the profile picture wants it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.ratings import Profile, RatingChange
from bot.ratings import Record as Tally
from bot.render import (
    ProfilePicture,
    RatingPoint,
    Record,
    Result,
    describe_profile,
    draw_profile,
)
from engine import VARIANTS, O, X, load_variant

RESULTS = {"won": Result.WON, "drawn": Result.DRAWN, "lost": Result.LOST}


def profile(name: str, found: Profile, points: Sequence[RatingChange]) -> tuple[bytes, str]:
    """Draw a player's profile; return the picture and its words."""
    main = found.ratings[0] if found.ratings else None
    won = found.streak is not None and found.streak.result == "won"
    picture = ProfilePicture(
        name,
        None if main is None else main.rating.value,
        subtitle="" if main is None else load_variant(main.pool).name,
        is_provisional=main is not None and main.is_provisional,
        history=tuple(
            RatingPoint(
                at=point.changed_at, rating=point.after.value, deviation=point.after.deviation
            )
            for point in points
        ),
        sides=(
            _record("as X", found.records.by_side[X]),
            _record("as O", found.records.by_side[O]),
        ),
        records=tuple(_record(_label(key), each) for key, each in found.records.by_variant.items()),
        streak=found.streak.length if won and found.streak is not None else 0,
        best_streak=0 if found.longest_won is None else found.longest_won.length,
        form=tuple(RESULTS[each] for each in found.form),
        achievements=tuple(each.name for each in found.achievements),
    )
    return draw_profile(picture), describe_profile(picture)


def _record(label: str, tally: Tally) -> Record:
    return Record(label=label, wins=tally.won, draws=tally.drawn, losses=tally.lost)


def _label(key: str) -> str:
    return VARIANTS[key].name if key in VARIANTS else key
