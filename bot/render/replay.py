"""A game as an animation: a frame for each move, the last one held."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Final

from PIL import Image

from bot.language import _, mark_of, ngettext
from bot.render.board import board_field
from bot.render.card import Area, Card
from bot.render.describe import one_line, status_line, writable_side
from bot.render.layout import NORMAL, SINGLE
from bot.render.masks import writable_text
from bot.render.nine_boards import draw_nine, draw_single
from bot.render.picture import BoardPicture
from bot.render.theme import DARK, Theme, mix
from bot.render.tiles import Highlight, TileSheet
from engine import O, Ply, Position, Side, X

# About two thirds of a still picture: an animation is watched, not clicked on.
_NINE: Final = replace(
    NORMAL,
    cell=42,
    line=3,
    frame=8,
    gap=9,
    border=6,
    thin_border=3,
    radius=7,
    badge=30,
    badge_label=19,
    badge_shift=(9, 9),
    label=0,
    note=0,
)
_ONE: Final = replace(SINGLE, cell=142, label=0)
_FIELD: Final = _NINE.field
_MARGIN: Final = 14
_BAR, _BAR_GAP = 38, 12
_PLATE, _STATUS, _PROGRESS = 44, 40, 18
_TOP: Final = _MARGIN + _PLATE + _STATUS + 8
_HEIGHT: Final = _TOP + _FIELD + _PROGRESS + _MARGIN
_NAME_SIZES: Final = (23, 21, 20)

MOST_FRAMES: Final = 100
"""Of more positions than this, some are skipped: nobody watches for a minute."""

_DEEP_COLOURS: Final = 128
_FRAME_MS, _FAST_MS, _FIRST_MS, _LAST_MS = 450, 250, 900, 4000


@dataclass(frozen=True, slots=True)
class Replay:
    """Everything that an animation shows.

    Attributes:
        positions: All positions of the game in order, from the start or the one that
            the opening gave.
        evaluations: The chances of X in each position, 0 to 1; no bar without them.
        status: The line of the last frame; found from the position by default.
        names, is_over, winner: As in `BoardPicture`.
    """

    positions: Sequence[Position]
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    evaluations: Sequence[float] | None = None
    status: str | None = None
    is_over: bool = False
    winner: Side | None = None
    theme: Theme = DARK


def draw_replay(replay: Replay) -> bytes:
    """Return a game as an animated GIF: at most 2 MB, some 0.5 s for 81 moves.

    It is slow enough to belong in a thread.

    Raises:
        ValueError: If there are no positions, or not one evaluation for each.
    """
    positions, evaluations = replay.positions, replay.evaluations
    if not positions:
        raise ValueError("a replay needs at least one position")
    if evaluations is not None and len(evaluations) != len(positions):
        raise ValueError(f"{len(evaluations)} evaluations for {len(positions)} positions")
    film = _Film(replay)
    frames, durations = zip(*film.frames(), strict=True)
    for frame in frames:
        frame.putpalette(film.card.palette.flat())
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=list(durations),
        loop=0,
        disposal=1,
        optimize=True,  # only changes are stored
    )
    return buffer.getvalue()


def describe_replay(replay: Replay) -> str:
    """Return the animation in words; the last position has its own description."""
    first, last = replay.positions[0], replay.positions[-1]
    names = ", ".join(f"{mark_of(side)}: {one_line(replay.names[side], 60)}" for side in (X, O))
    end = one_line(replay.status or status_line(last), 200)
    count = last.ply - first.ply
    said = ngettext(
        "Replay of {count} move. {names}. {end}.", "Replay of {count} moves. {names}. {end}.", count
    )
    return said.format(count=count, names=names, end=end)


def shown_plies(count: int, most: int = MOST_FRAMES) -> list[Ply]:
    """Return which of `count` positions are shown, the first and the last among them.

    Examples:
        >>> shown_plies(4, 10), shown_plies(10, 4)
        ([0, 1, 2, 3], [0, 3, 6, 9])
    """
    if count <= most:
        return list(range(count))
    last = count - 1
    return sorted({round(last * step / (most - 1)) for step in range(most)})


class _Film:
    """The frames of one animation; what never changes is drawn once."""

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.plies = shown_plies(len(replay.positions))
        self._left = _MARGIN + (_BAR + _BAR_GAP) * (replay.evaluations is not None)
        self.card = Card(replay.theme, _HEIGHT, width=self._left + _FIELD + _MARGIN)
        self._nine = TileSheet(replay.theme, _NINE, self.card.palette)
        self._one = TileSheet(replay.theme, _ONE, self.card.palette)
        self._empty = self.card.image

    @cached_property
    def _deep_colours(self) -> Image.Image:
        """The colours of all frames of a strategic game, so that none of them flickers."""
        positions, theme = self.replay.positions, self.replay.theme
        last = len(positions) - 1
        samples = Image.new("RGB", (_FIELD, 4 * _FIELD))
        for place, ply in enumerate((last // 3, last // 2, max(0, last - 1), last)):
            sample = _reduced(BoardPicture(positions[ply], theme=theme))
            samples.paste(sample, (0, place * _FIELD))
        return samples.quantize(_DEEP_COLOURS, dither=Image.Dither.NONE)

    def frames(self) -> Iterator[tuple[Image.Image, int]]:
        """Yield the frames in the card's palette, and how long each is shown."""
        usual = _FRAME_MS if len(self.plies) <= 60 else _FAST_MS
        for place, ply in enumerate(self.plies):
            is_last = place == len(self.plies) - 1
            duration = _LAST_MS if is_last else _FIRST_MS if place == 0 else usual
            yield self._frame(ply, is_last=is_last), duration

    def _frame(self, ply: Ply, *, is_last: bool) -> Image.Image:
        replay, card, theme = self.replay, self.card, self.replay.theme
        card.image = self._empty.copy()
        position = replay.positions[ply]
        picture = BoardPicture(
            position,
            names=replay.names,
            status=replay.status if is_last else None,
            is_over=is_last and replay.is_over,
            winner=replay.winner if is_last else None,
            theme=theme,
        )
        for side in (X, O):
            self._draw_plate(picture, side)
        self._draw_status(picture)
        self._draw_board(picture)
        if replay.evaluations is not None:
            self._draw_bar(replay.evaluations[ply])
        # How far the game has gone.
        share = ply / max(1, len(replay.positions) - 1)
        width, top = card.size[0] - 2 * _MARGIN, _TOP + _FIELD + _PROGRESS - 8
        card.block((_MARGIN, top, width, 6), mix(theme.canvas, theme.text, 0.16), 0)
        card.block((_MARGIN, top, round(width * share), 6), theme.muted, 0)
        return card.image

    def _draw_plate(self, picture: BoardPicture, side: Side) -> None:
        """Draw a player's mark and name, filled once that side has won."""
        card, theme = self.card, picture.theme
        width = (card.size[0] - 2 * _MARGIN - 8) // 2
        left = _MARGIN + side * (width + 8)
        has_won = picture.is_decided and picture.victor == side
        is_active = not picture.is_decided and picture.position.side == side
        ground, ink = (theme.solids[side], theme.ink) if has_won else (theme.surface, theme.muted)
        area = (left, _MARGIN, width, _PLATE)
        if is_active:
            card.block(area, theme.marks[side], 12)
            area = (left + 4, _MARGIN + 4, width - 8, _PLATE - 8)
            ground, ink = mix(theme.surface, theme.marks[side], theme.target_share), theme.text
        card.block(area, ground, 12 - 4 * is_active)
        card.mark(side, (left + 6, _MARGIN + 5), 34, ink if has_won else theme.marks[side])
        name = writable_side(picture.names, side)
        card.write(name, (left + 44, _MARGIN, width - 54, _PLATE), ink, _NAME_SIZES)

    def _draw_status(self, picture: BoardPicture) -> None:
        """Write whose move it is, or how the game ended, and the number of the move."""
        card, theme = self.card, picture.theme
        area: Area = (_MARGIN, _MARGIN + _PLATE + 3, card.size[0] - 2 * _MARGIN, _STATUS)
        ply = str(picture.position.ply)
        card.write(ply, area, theme.muted, (22,), "r")
        room = (*area[:2], area[2] - 50, area[3])
        line = _("{side} to move").format(side=mark_of(picture.position.side))
        if picture.is_decided or picture.status is not None:
            line = picture.status or status_line(picture.position)
        card.write(writable_text(line, fallback=""), room, theme.text, (24, 22, 20))

    def _draw_board(self, picture: BoardPicture) -> None:
        position, image = picture.position, self.card.image
        origin = (self._left, _TOP)
        if position.rules.depth == 3:
            few = _reduced(picture).quantize(palette=self._deep_colours, dither=Image.Dither.NONE)
            self.card.picture(few, origin)
        elif position.rules.depth == 2:
            draw_nine(image, self._nine, origin, picture)
        else:
            shift = (_FIELD - _ONE.panel) // 2
            place = (origin[0] + shift, origin[1] + shift)
            draw_single(image, self._one, place, picture, Highlight.CHOICE)

    def _draw_bar(self, chance: float) -> None:
        """Draw the chances as a bar: X from below, O from above, with the leader's in percent."""
        card, theme = self.card, self.replay.theme
        share = min(1.0, max(0.0, chance))
        inset = _NINE.frame
        top, height = _TOP + inset, _FIELD - 2 * inset
        split = round(height * (1 - share))
        column = Image.new("L", (_BAR, height), card.palette.index_of(theme.solids[O]))
        column.paste(card.palette.index_of(theme.solids[X]), (0, split, _BAR, height))
        card.image.paste(column, (_MARGIN, top))
        # The middle: a notch that is visible on any colour.
        card.block((_MARGIN, top + height // 2 - 1, 7, 3), theme.ink, 0)
        card.block((_MARGIN + _BAR - 7, top + height // 2 - 1, 7, 3), theme.ink, 0)
        leader = X if share >= 0.5 else O
        number = f"{100 * max(share, 1 - share):.0f}"
        y = top + height - 32 if leader == X else top + 4
        card.write(number, (_MARGIN, y, _BAR, 28), theme.ink, (20,), "m")


def _reduced(picture: BoardPicture) -> Image.Image:
    """Return the overview of a strategic game at the size of an animation."""
    return board_field(picture).resize((_FIELD, _FIELD), Image.Resampling.BOX)
