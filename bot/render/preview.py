"""Sample pictures of every situation, from games played by the rules."""

from dataclasses import replace
from pathlib import Path

from bot.render.board import draw_board
from bot.render.picture import BoardPicture
from bot.render.samples import Drawing, card_samples, replay_samples
from bot.render.theme import THEMES
from engine import VARIANTS, Game, O, Opening, Position, Rules, load_variant, parse_move

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

# What an opening needs that does not begin with an empty board.
_CODES = {Opening.RANDOM_FOUR: "12345", Opening.SYMMETRIC: "1"}

_LONG_NAMES = (
    "Bartholomew Featherstonehaugh-Cholmondeley III",
    "\U0001f389 \U0001d4d0\U0001d4f7\U0001d4f7\U0001d4ea Zażółć Щука \U0001f389",
)
_FOREIGN_NAMES = ("\u5c71\u7530\u592a\u90ce", "\U0001f984\U0001f308")


def position_after(variant_key: str, moves: str, ply: int | None = None) -> Position:
    """Return the position after the first `ply` of some moves, or after all."""
    rules = load_variant(variant_key).rules
    return Game.replay(rules, [parse_move(move, rules) for move in moves.split()[:ply]]).position


def played_out(rules: Rules, step: int) -> list[Position]:
    """Return every position of a whole game; another step is another game."""
    positions = [Position.initial(rules, _CODES.get(rules.opening))]
    while moves := positions[-1].legal_moves:
        ply = positions[-1].ply
        positions.append(positions[-1].after(moves[(step * (ply + 1) ** 2 + ply) % len(moves)]))
    return positions


def sample_pictures() -> dict[str, BoardPicture]:
    """Return a picture of every situation under its name, in the default theme."""
    return {**_single_samples(), **_nine_samples(), **_strategic_samples(), **_variant_samples()}


def _sample(rules: str, step: int, ply: int | None = None) -> BoardPicture:
    """Return a picture of a position of a played out game, of its end by default."""
    positions = played_out(Rules.parse(rules), step)
    return BoardPicture(positions[-1 if ply is None else ply], names=_NAMES)


def _single_samples() -> dict[str, BoardPicture]:
    """Return pictures of the game of one board."""
    return {"single": _sample("depth=1", 2, 4), "single-won": _sample("depth=1", 5)}


def _nine_samples() -> dict[str, BoardPicture]:
    """Return pictures of games of nine boards."""

    def sample(moves: str, ply: int | None = None, variant: str = "standard") -> BoardPicture:
        return BoardPicture(position_after(variant, moves, ply), names=_NAMES)

    choice = sample(_O_WINS, 40)
    return {
        "start": sample("", 0),
        "second-move": sample(_X_WINS, 1),
        "forced": sample(_O_WINS, 15),
        "middle": sample(_O_WINS, 36),
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
        "foreign-names": replace(sample(_X_WINS, 23), names=_FOREIGN_NAMES),
        "more-boards": _sample("majority", 2),
        "drawn-for-both": _sample("tactical", 68, 60),
        "won-with-drawn": _sample("tactical", 2),
    }


def _strategic_samples() -> dict[str, BoardPicture]:
    """Return pictures of games of 81 boards."""
    choice = _sample("sttt-hypermap", 4, 448)
    board = choice.position.playable_boards[20]
    path = divmod(board, 9)
    return {
        "strategic-start": _sample("sttt-map", 1, 0),
        "strategic-choice": choice,
        "strategic-selected": replace(choice, selected=path[:1]),
        "strategic-both-selected": replace(choice, selected=path),
        "strategic-board-free": _sample("sttt-map", 2, 378),
        "strategic-wins": _sample("sttt-hypermap", 7),
        "strategic-draw": _sample("sttt-map", 5),
        "strategic-more-boards": _sample("depth=3,map=85,sending=map,tiebreak=most", 3),
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
    samples = {}
    for step, (key, variant) in enumerate(VARIANTS.items(), start=3):
        positions = played_out(variant.rules, step)
        samples[f"variant-{key}"] = BoardPicture(positions[len(positions) * 3 // 4], names=_NAMES)
    return samples


def sample_games() -> dict[str, list[Position]]:
    """Return the positions of whole games under their names."""
    rules = load_variant("standard").rules
    won = [Position.initial(rules)]
    for move in _X_WINS.split():
        won.append(won[-1].after(parse_move(move, rules)))
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
    return card_samples(sample_pictures())


def animated_samples() -> dict[str, Drawing]:
    """Return how to draw every animation, under its name."""
    return replay_samples(sample_games())


def write_previews(directory: Path) -> list[Path]:
    """Write every sample in every theme into `directory`, made if it is missing.

    Returns:
        The files written, one PNG each, or a GIF for an animation.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for theme in THEMES.values():
        for name, picture in sample_pictures().items():
            path = directory / f"{theme.key}-{name}.png"
            path.write_bytes(draw_board(replace(picture, theme=theme)))
            written.append(path)
        for drawings, ending in ((designed_samples(), "png"), (animated_samples(), "gif")):
            for name, draw in drawings.items():
                path = directory / f"{theme.key}-{name}.{ending}"
                path.write_bytes(draw(theme))
                written.append(path)
    return written
