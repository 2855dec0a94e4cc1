"""Sample values of every designed image and animation, the same on every run."""

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.render.evaluation_graph import (
    EvaluationPicture,
    NoteKind,
    PlyNote,
    draw_evaluation_graph,
)
from bot.render.leaderboard import LeaderboardPicture, LeaderboardRow, draw_leaderboard
from bot.render.picture import BoardPicture
from bot.render.profile_card import ProfilePicture, draw_profile
from bot.render.rating_graph import RatingPicture, RatingPoint, draw_rating_graph
from bot.render.record_rows import Record, Result
from bot.render.replay import draw_replay
from bot.render.result_card import RatingStep, ResultPicture, draw_result, draw_result_strip
from bot.render.theme import DARK, Theme
from bot.render.versus_card import VersusPicture, draw_versus
from engine import O, Position, X

Drawing = Callable[[Theme], bytes]

_NAMES = ("Anna", "Bartholomew Featherstonehaugh-Cholmondeley III")
_START = datetime(2026, 5, 1, 12, tzinfo=UTC)


def leaderboard_sample(theme: Theme = DARK) -> LeaderboardPicture:
    """Return a page with names of every kind, and a viewer far below it."""
    names = (
        *_NAMES,
        "\u5c71\u7530\u592a\u90ce",
        "\u0429\u0443\u043a\u0430 \u2b50",
        "Zoë",
        "Computer, level 7",
        "x",
        "\U0001d40a\U0001d430\U0001d41a\U0001d426\U0001d41e A.",
        "Lucía Fernández",
        "\U0001f600 Ole",
    )
    trends = (12, -8, 0, 31, None, -120, 4, -2, 7, 15)
    rows = tuple(
        LeaderboardRow(
            rank=place + 1,
            name=name,
            rating=1950 - 37 * place,
            is_provisional=place in (3, 8),
            wins=50 - 4 * place,
            draws=place,
            losses=3 * place,
            trend=trends[place],
        )
        for place, name in enumerate(names)
    )
    return LeaderboardPicture(
        "Standard",
        rows,
        subtitle="This server · last 30 days · page 1 of 124",
        viewer=LeaderboardRow(
            rank=1234,
            name="Maria-Magdalena",
            rating=1501.2,
            is_provisional=True,
            wins=6,
            losses=5,
            trend=-14,
        ),
        theme=theme,
    )


def rating_points() -> tuple[RatingPoint, ...]:
    """Return half a year of a rating that becomes certain, rises and falls."""
    return tuple(
        RatingPoint(
            at=_START + timedelta(days=2 * game + game % 3 / 2),
            rating=1500 + 2 * game + 60 * math.sin(game / 11) + 16 * math.sin(7 * game),
            deviation=max(45.0, 300 * math.exp(-game / 8)),
        )
        for game in range(90)
    )


def profile_sample(theme: Theme = DARK) -> ProfilePicture:
    """Return the profile of somebody who has played a lot."""
    won, drawn, lost = Result.WON, Result.DRAWN, Result.LOST
    points = rating_points()
    return ProfilePicture(
        "Anna Sørensen",
        points[-1].rating,
        subtitle="Standard · 12th of 310 in this server",
        is_provisional=True,
        best=1771.4,
        history=points,
        sides=(
            Record(label="as X", wins=61, draws=12, losses=31),
            Record(label="as O", wins=44, draws=15, losses=52),
        ),
        records=(
            Record(label="Standard", wins=88, draws=20, losses=70),
            Record(label="Won-Board Play", wins=12, draws=2, losses=9),
            Record(label="Strategic, Mapping", wins=5, draws=5, losses=4),
        ),
        streak=3,
        best_streak=11,
        form=(won, lost, lost, drawn, won, lost, drawn, won, won, won),
        levels=(True,) * 5 + (False, True, False, False, False),
        achievements=("First win", "Ten in a row", "Beat level 7", "Every variant", "Marathon"),
        theme=theme,
    )


def versus_sample(theme: Theme = DARK) -> VersusPicture:
    """Return two who have met often."""
    won, drawn, lost = Result.WON, Result.DRAWN, Result.LOST
    return VersusPicture(
        _NAMES,
        Record(label="", wins=12, draws=3, losses=8),
        subtitle="23 games",
        ratings=("1749?", "1688"),
        sides=(
            Record(label="as X", wins=8, draws=1, losses=3),
            Record(label="as O", wins=4, draws=2, losses=5),
        ),
        records=(
            Record(label="Standard", wins=9, draws=2, losses=8),
            Record(label="Won-Board Play", wins=3, draws=1),
        ),
        games=(won, lost, lost, drawn, won, lost, drawn, won, won, won) * 2,
        theme=theme,
    )


def evaluation_sample(theme: Theme = DARK) -> EvaluationPicture:
    """Return a game that turns twice."""
    course = [
        0.52 + 0.36 * math.sin(ply / 7) + ply / 300 + 0.03 * math.sin(9 * ply) for ply in range(57)
    ]
    chances = (*(min(0.97, max(0.04, chance)) for chance in course), 1.0)
    notes = (
        PlyNote(ply=19, side=X, kind=NoteKind.MISTAKE, move="44", better="41", loss=0.12),
        PlyNote(ply=36, side=O, kind=NoteKind.BLUNDER, move="73", better="12", loss=0.36),
        PlyNote(ply=43, side=X, kind=NoteKind.INACCURACY, move="91", loss=0.07),
        PlyNote(ply=52, side=O, kind=NoteKind.BLUNDER, move="55", better="59", loss=0.41),
    )
    return EvaluationPicture(
        chances,
        names=_NAMES,
        title="Anna wins: three boards in a row",
        subtitle="Standard · game 1432 · 57 moves",
        notes=notes,
        accuracies=(0.874, 0.71),
        winner=X,
        theme=theme,
    )


def result_sample(picture: BoardPicture, theme: Theme = DARK) -> ResultPicture:
    """Return the card of a match that ended as in a picture."""
    change = {None: 2, X: 12, O: -14}[picture.victor]
    return ResultPicture(
        picture.position,
        names=_NAMES,
        subtitle=f"Standard · {picture.position.ply} moves · rated",
        winner=picture.victor,
        steps=(
            RatingStep(before=1512.3, after=1512.3 + change),
            RatingStep(before=1711, after=1711 - 2 * change, is_provisional=True),
        ),
        theme=theme,
    )


def evaluations_of(positions: list[Position]) -> list[float]:
    """Return made-up chances of X in each position."""
    last = max(1, len(positions) - 1)
    return [
        min(0.98, max(0.02, 0.5 + 0.45 * math.sin(ply / 6) * ply / last))
        for ply in range(len(positions))
    ]


def card_samples(boards: dict[str, BoardPicture]) -> dict[str, Drawing]:
    """Return how to draw every designed image, under its name."""
    return {
        "leaderboard": lambda theme: draw_leaderboard(leaderboard_sample(theme)),
        "leaderboard-empty": lambda theme: draw_leaderboard(
            LeaderboardPicture("Tic-Tac-Ku", (), subtitle="Everywhere", theme=theme)
        ),
        "profile": lambda theme: draw_profile(profile_sample(theme)),
        "profile-new": lambda theme: draw_profile(ProfilePicture("Ole", theme=theme)),
        "versus": lambda theme: draw_versus(versus_sample(theme)),
        "versus-new": lambda theme: draw_versus(
            VersusPicture(("Ole", "Anna"), Record(label=""), theme=theme)
        ),
        "rating": lambda theme: draw_rating_graph(
            RatingPicture("Anna", rating_points(), subtitle="Standard", theme=theme)
        ),
        "evaluation": lambda theme: draw_evaluation_graph(evaluation_sample(theme)),
        **{
            f"result-{name}": partial(_draw_result, boards[name])
            for name in ("x-wins", "draw", "resigned", "single-won", "strategic-wins")
        },
        **{
            f"result-strip-{name}": partial(_draw_strip, boards[name])
            for name in ("x-wins", "draw")
        },
    }


def replay_samples(games: dict[str, list[Position]]) -> dict[str, Drawing]:
    """Return how to draw the animation of some games, under its name."""
    return {f"replay-{name}": partial(_draw_replay, game) for name, game in games.items()}


def _draw_result(board: BoardPicture, theme: Theme) -> bytes:
    return draw_result(result_sample(board, theme))


def _draw_strip(board: BoardPicture, theme: Theme) -> bytes:
    return draw_result_strip(result_sample(board, theme))


def _draw_replay(game: list[Position], theme: Theme) -> bytes:
    return draw_replay(game, _NAMES, theme, evaluations=evaluations_of(game))
