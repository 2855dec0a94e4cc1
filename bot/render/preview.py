"""Sample pictures of every situation, from games played by the rules."""

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

from bot.render.board import draw_board
from bot.render.card import CardPicture
from bot.render.graphs import (
    EvaluationPicture,
    PlyNote,
    RatingPicture,
    RatingPoint,
    draw_evaluation_graph,
    draw_rating_graph,
)
from bot.render.leaderboard import LeaderboardPicture, LeaderboardRow, draw_leaderboard
from bot.render.picture import Advice, BoardPicture, CellNote
from bot.render.player_cards import (
    PlayerResult,
    ProfilePicture,
    Record,
    VersusPicture,
    draw_profile,
    draw_statistics,
    draw_versus,
)
from bot.render.replay import Replay, draw_replay
from bot.render.result_card import RatingStep, ResultPicture, draw_result, draw_result_strip
from bot.render.theme import THEMES, Theme
from engine import (
    VARIANTS,
    Game,
    Judgement,
    O,
    Opening,
    Ply,
    Position,
    Rules,
    X,
    load_variant,
    parse_move,
)

Drawing = Callable[[Theme], bytes]
PictureT = TypeVar("PictureT", bound=BoardPicture | CardPicture | Replay)

_TWO_NAMES = ("Anna", "Bartholomew Featherstonehaugh-Cholmondeley III")
_START = datetime(2026, 5, 1, 12, tzinfo=UTC)


def leaderboard_sample() -> LeaderboardPicture:
    """Return a page with names of every kind, and a viewer far below it."""
    names = (
        *_TWO_NAMES,
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
    )


def new_server_sample() -> LeaderboardPicture:
    """Return the leaderboard of a server where three people have begun to play."""
    rows = (
        LeaderboardRow(rank=1, name="Anna", rating=1631, is_provisional=True, wins=6, losses=2),
        LeaderboardRow(rank=2, name="Ole", rating=1500, placement="4/5", wins=2, losses=2),
        LeaderboardRow(rank=3, name="Sven", rating=1200, placement="1/5", draws=1, is_viewer=True),
    )
    subtitle = "This server · All time · 3 players"
    return LeaderboardPicture("Standard", rows, subtitle=subtitle)


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


def profile_sample() -> ProfilePicture:
    """Return the profile of somebody who has played a lot."""
    won, drawn, lost = PlayerResult.WON, PlayerResult.DRAWN, PlayerResult.LOST
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
    )


def versus_sample() -> VersusPicture:
    """Return two players who have met often."""
    won, drawn, lost = PlayerResult.WON, PlayerResult.DRAWN, PlayerResult.LOST
    return VersusPicture(
        _TWO_NAMES,
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
    )


def evaluation_sample() -> EvaluationPicture:
    """Return a game that turns twice."""
    course = [
        0.52 + 0.36 * math.sin(ply / 7) + ply / 300 + 0.03 * math.sin(9 * ply) for ply in range(57)
    ]
    chances = (*(min(0.97, max(0.04, chance)) for chance in course), 1.0)
    notes = (
        PlyNote(ply=19, side=X, kind=Judgement.MISTAKE, move="44", better="41", loss=0.12),
        PlyNote(ply=36, side=O, kind=Judgement.BLUNDER, move="73", better="12", loss=0.36),
        PlyNote(ply=43, side=X, kind=Judgement.INACCURACY, move="91", loss=0.07),
        PlyNote(ply=52, side=O, kind=Judgement.BLUNDER, move="55", better="59", loss=0.41),
    )
    return EvaluationPicture(
        chances,
        names=_TWO_NAMES,
        title="Anna wins: three boards in a row",
        subtitle="Standard · game 1432 · 57 moves",
        notes=notes,
        accuracies=(0.874, 0.71),
        winner=X,
    )


def result_sample(picture: BoardPicture) -> ResultPicture:
    """Return the card of a match that ended as in a picture."""
    change = {None: 2, X: 12, O: -14}[picture.victor]
    return ResultPicture(
        picture.position,
        names=_TWO_NAMES,
        subtitle=f"Standard · {picture.position.ply} moves · rated",
        winner=picture.victor,
        steps=(
            RatingStep(before=1512.3, after=1512.3 + change),
            RatingStep(before=1711, after=1711 - 2 * change, said="placement game 3 of 5"),
        ),
    )


def evaluations_of(positions: list[Position]) -> list[float]:
    """Return made-up chances of X in each position."""
    last = max(1, len(positions) - 1)
    return [
        min(0.98, max(0.02, 0.5 + 0.45 * math.sin(ply / 6) * ply / last))
        for ply in range(len(positions))
    ]


_NAMES = ("Anna", "Computer, level 3")

# Whole games in the notation of the engine; pictures show a beginning of one.
_X_WINS = (
    "18 84 44 43 35 51 16 66 61 17 73 39 91 19 92 25 54 45 55 56 63 32 22 24 47 77 76 62 26 68 87"
    " 71 13 33 31 15 58 83 36 65 52 28 89 93 34 41 11 12 21 14 49 99 98 88 82 23 79"
)
_O_WINS = (
    "88 85 51 11 13 37 75 59 91 18 83 36 68 87 74 41 15 58 84 48 81 17 76 61 14 49 93 33 39 92"
    " 28 82 22 25 56 69 98 86 65 57 62 23 38 89 99 94 47 19 95 27 45 35"
)
_DRAWN = (
    "47 74 49 98 84 48 87 79 96 69 94 43 36 66 63 34 42 23 37 76 64 45 58 81 12 25 59 97 73 33"
    " 38 86 61 11 14 41 13 39 95 57 75 55 53 32 27 77 71 18 88 82 24 44 46 62 21 15 56 67 72 83 31"
    " 19 68 35 65"
)
_PLAYED_ON = (
    "29 91 15 53 37 77 71 14 42 21 16 61 11 19 98 83 35 56 62 28 89 96 66 68 82 22 23 33 36 67 79"
    " 95 59 99"
)
_FIVE = (
    "71 12 24 44 47 74 42 29 92 22 28 82 27 76 69 99 98 81 11 15 59 95 54 46 62 21 16 65 55 51 18"
    " 83 38 87 75 56 61 13 37 79 91 17 73 39 93 33 36 63 35 52 23 34 45 53 32 25 57 72 26 67"
)

# The codes of openings that do not begin with an empty board.
_CODES = {Opening.RANDOM_FOUR: "12345", Opening.SYMMETRIC: "1"}

_LONG_NAMES = (
    "Bartholomew Featherstonehaugh-Cholmondeley III",
    "\U0001f389 \U0001d4d0\U0001d4f7\U0001d4f7\U0001d4ea Zażółć Щука \U0001f389",
)
_FOREIGN_NAMES = ("\u5c71\u7530\u592a\u90ce", "\U0001f984\U0001f308")


def position_after(variant_key: str, moves: str, ply: Ply | None = None) -> Position:
    """Return the position after the first `ply` of some moves, or after all."""
    rules = load_variant(variant_key).rules
    return Game.replay(rules, [parse_move(move, rules) for move in moves.split()[:ply]]).position


def played_out(rules: Rules, step: int) -> list[Position]:
    """Return every position of a whole game; another `step` gives another game."""
    positions = [Position.initial(rules, _CODES.get(rules.opening))]
    while moves := positions[-1].legal_moves:
        ply = positions[-1].ply
        positions.append(positions[-1].after(moves[(step * (ply + 1) ** 2 + ply) % len(moves)]))
    return positions


@cache
def sample_pictures() -> Mapping[str, BoardPicture]:
    """Return a picture of every situation under its name, in the default theme."""
    return {**_nine_samples(), **_strategic_samples(), **_variant_samples()}


def _sample(rules: str, step: int, ply: Ply | None = None) -> BoardPicture:
    """Return a picture of a position of a played out game, of its end by default."""
    positions = played_out(Rules.parse(rules), step)
    return BoardPicture(positions[-1 if ply is None else ply], names=_NAMES)


def _nine_samples() -> dict[str, BoardPicture]:

    def sample(moves: str, ply: Ply | None = None, variant: str = "standard") -> BoardPicture:
        return BoardPicture(position_after(variant, moves, ply), names=_NAMES)

    choice = sample(_O_WINS, 40)
    forced, late = sample(_O_WINS, 15), sample(_O_WINS, 36)
    return {
        "start": sample("", 0),
        "second-move": sample(_X_WINS, 1),
        "forced": forced,
        "middle": late,
        "hints": replace(forced, notes=_hints(forced.position)),
        "hints-in-several-boards": replace(choice, notes=_hints(choice.position)),
        "reviewed": replace(late, notes=_reviewed(sample(_O_WINS, 35).position, late.position)),
        "choice": choice,
        "choice-selected": replace(choice, selected=choice.position.playable_boards[3:4]),
        "late": sample(_DRAWN, 57),
        "x-wins": sample(_X_WINS),
        "o-wins": sample(_O_WINS),
        "draw": sample(_DRAWN),
        "resigned": replace(
            sample(_O_WINS, 36), is_over=True, winner=O, status="Anna resigned: O wins"
        ),
        "played-on-won-board": sample(_PLAYED_ON, variant="won-board"),
        "five-boards": sample(_FIVE, variant="tic-tac-ku"),
        "long-names": replace(sample(_X_WINS, 22), names=_LONG_NAMES),
        "clocks": replace(sample(_X_WINS, 22), clocks=("4:32", "0:09")),
        "clocks-long-names": replace(
            sample(_X_WINS, 23), names=_LONG_NAMES, clocks=("1:02:11", "58:40")
        ),
        "clocks-days": replace(sample(_O_WINS, 40), clocks=("3 days", "36 hr")),
        "clocks-stopped": replace(
            sample(_O_WINS, 36),
            is_over=True,
            winner=O,
            clocks=("0:00", "1:07"),
            status="Anna ran out of time: O wins",
        ),
        "foreign-names": replace(sample(_X_WINS, 23), names=_FOREIGN_NAMES),
        "more-boards": _sample("majority", 2),
        "drawn-for-both": _sample("tactical", 68, 60),
        "won-with-drawn": _sample("tactical", 2),
        "single": _sample("depth=1", 2, 4),
        "single-clocks": replace(_sample("depth=1", 2, 4), clocks=("1:00", "0:41")),
        "single-won": _sample("depth=1", 5),
    }


def _hints(position: Position) -> tuple[CellNote, ...]:
    moves = position.legal_moves
    found = zip((moves[0], moves[-1], moves[len(moves) // 2]), (100, 58, 9), strict=True)
    return tuple(
        CellNote(move, Advice.GOOD if place else Advice.BEST, label=(f"{place + 1}", f"{chance}%"))
        for place, (move, chance) in enumerate(found)
    )


def _reviewed(before: Position, after: Position) -> tuple[CellNote, ...]:
    assert after.last_move is not None
    better = next(move for move in before.legal_moves if move != after.last_move)
    return (
        CellNote(after.last_move, Advice.PLAYED, label=("??",)),
        CellNote(better, Advice.BEST, mark=before.side),
    )


def _strategic_samples() -> dict[str, BoardPicture]:
    choice = _sample("sttt-hypermap", 4, 448)
    board = choice.position.playable_boards[20]
    path = divmod(board, 9)
    return {
        "strategic-start": _sample("sttt-map", 1, 0),
        "strategic-choice": choice,
        "strategic-hints": replace(choice, notes=_hints(choice.position)),
        "strategic-selected": replace(choice, selected=path[:1]),
        "strategic-both-selected": replace(choice, selected=path),
        "strategic-board-free": _sample("sttt-map", 2, 378),
        "strategic-reviewed": replace(
            _sample("sttt-map", 2, 378),
            notes=_reviewed(
                _sample("sttt-map", 2, 377).position, _sample("sttt-map", 2, 378).position
            ),
        ),
        "strategic-wins": _sample("sttt-hypermap", 7),
        "strategic-draw": _sample("sttt-map", 5),
        "strategic-more-boards": _sample("depth=3,map=85,sending=map,tiebreak=most", 3),
        "strategic-clocks": replace(
            _sample("sttt-hypermap", 4, 449), names=_LONG_NAMES, clocks=("0:09", "60:00")
        ),
        "strategic-five": _sample("depth=3,drawn_board=both,goal=five,sending=hypermap", 1),
        "strategic-played-on": _sample(
            "depth=3,drawn_board=both,sending=map,won_board=forced", 8, 560
        ),
        "strategic-open": _sample("depth=3,won_board=open", 5, 520),
        "strategic-resigned": replace(
            _sample("sttt-tactical", 3, 300), is_over=True, winner=O, status="Anna resigned: O wins"
        ),
    }


def _variant_samples() -> dict[str, BoardPicture]:
    """Return a picture of every named variant, late in a game."""
    games = {
        key: played_out(variant.rules, step)
        for step, (key, variant) in enumerate(VARIANTS.items(), start=3)
    }
    return {
        f"variant-{key}": BoardPicture(positions[len(positions) * 3 // 4], names=_NAMES)
        for key, positions in games.items()
    }


def sample_games() -> dict[str, list[Position]]:
    """Return the positions of whole games under their names."""
    rules = load_variant("standard").rules
    moves = [parse_move(move, rules) for move in _X_WINS.split()]
    won = list(accumulate(moves, Position.after, initial=Position.initial(rules)))
    open_rules = load_variant("open-board").rules
    return {
        "x-wins": won,
        # The longest of some games; none of nine boards can be longer than 81 moves.
        "longest": max((played_out(open_rules, step) for step in range(1, 30)), key=len),
        "single": played_out(Rules.parse("depth=1"), 5),
        "strategic": played_out(load_variant("sttt-map").rules, 2),
    }


def designed_samples() -> dict[str, Drawing]:
    """Return how to draw every designed image, under its name."""
    boards = sample_pictures()
    results = {
        f"{kind}-{name}": _in_theme(draw, result_sample(boards[name]))
        for kind, draw, names in (
            ("result", draw_result, ("x-wins", "draw", "resigned", "single-won", "strategic-wins")),
            ("result-strip", draw_result_strip, ("x-wins", "draw")),
        )
        for name in names
    }
    nobody = LeaderboardPicture("Tic-Tac-Ku", (), subtitle="Everywhere")
    wins = replace(new_server_sample(), is_of_wins=True)
    strangers = VersusPicture(("Ole", "Anna"), Record(label=""))
    return {
        "leaderboard": _in_theme(draw_leaderboard, leaderboard_sample()),
        "leaderboard-empty": _in_theme(draw_leaderboard, nobody),
        "leaderboard-new": _in_theme(draw_leaderboard, new_server_sample()),
        "leaderboard-wins": _in_theme(draw_leaderboard, wins),
        "profile": _in_theme(draw_profile, profile_sample()),
        "profile-new": _in_theme(draw_profile, ProfilePicture("Ole")),
        "statistics": _in_theme(draw_statistics, profile_sample()),
        "versus": _in_theme(draw_versus, versus_sample()),
        "versus-new": _in_theme(draw_versus, strangers),
        "rating": _in_theme(
            draw_rating_graph, RatingPicture("Anna", rating_points(), subtitle="Standard")
        ),
        "evaluation": _in_theme(draw_evaluation_graph, evaluation_sample()),
        **results,
    }


def animated_samples() -> dict[str, Drawing]:
    """Return how to draw every animation, under its name."""
    return {
        f"replay-{name}": _in_theme(
            draw_replay, Replay(game, names=_TWO_NAMES, evaluations=evaluations_of(game))
        )
        for name, game in sample_games().items()
    }


def _in_theme(draw: Callable[[PictureT], bytes], picture: PictureT) -> Drawing:
    return lambda theme: draw(replace(picture, theme=theme))


def write_previews(directory: Path) -> list[Path]:
    """Write every sample in every theme into `directory`, made if it is missing.

    Returns:
        The files written, one PNG each, or a GIF for an animation.
    """
    directory.mkdir(parents=True, exist_ok=True)
    boards = {name: _in_theme(draw_board, each) for name, each in sample_pictures().items()}
    written = []
    for theme in THEMES.values():
        for drawings, ending in (
            ({**boards, **designed_samples()}, "png"),
            (animated_samples(), "gif"),
        ):
            for name, draw in drawings.items():
                path = directory / f"{theme.key}-{name}.{ending}"
                path.write_bytes(draw(theme))
                written.append(path)
    return written
