"""Sheets of a field: which map, whether the game fits, how many, and the notes beneath."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.language import _
from bot.model.errors import PlayerError
from bot.render.fields.boards import DRAWN_HINT, has_drawn_cells
from bot.render.fields.catalogue import FIELDS, Field
from bot.render.fields.drawing import Align, Block, Drawing, Filling, Label, wrapped
from bot.render.fields.moves import HINT
from engine import Sending, shorten, variant_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine import Game


class FieldError(PlayerError):
    """A field that cannot be drawn as it was asked for."""


class UnknownFieldError(FieldError):
    """There is no field called `key`."""

    def __init__(self, key: str, valid: Iterable[str]) -> None:
        self.key = key
        words = _("There is no field {given!r}. Choose one of: {known}.")
        super().__init__(words.format(given=shorten(key), known=", ".join(valid)))


class UnknownMapError(FieldError):
    """There is no map called `key`."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            _(
                "There is no map {given!r}. A map is called map and two digits from 1 to 8:"
                " map11 to map88, 64 in all, such as map34."
            ).format(given=shorten(key))
        )


class UnfitGameError(FieldError):
    """The game cannot be shown truthfully on the field."""


DEFAULT_MAP: Final = "map34"
CREDIT: Final = (
    "Strategic Tic-Tac-Toe: game idea and fields by Mikhail Demchenko and Anton Shashkov,"
    " CC-BY 4.0, github.com/echo-Mike/STTT."
)
REDRAWN: Final = "This drawing is ours, redrawn after their fields."

_GAP_UNITS: Final = 0.27

# On paper: 2.1 mm are 6 points. Larger notes would cost the cells of the full
# fields, which fill a sheet, half a millimetre.
_NOTE_MM: Final = 2.1
_NOTE_LEADING_MM: Final = 2.7
_CAPTION_MM: Final = 3.2
_CAPTION_LEADING_MM: Final = 4.2


def draw_sheets(
    key: str, *, map_key: str | None = None, game: Game | None = None
) -> tuple[Drawing, ...]:
    """Draw a field, blank or filled from a game, and as many further sheets as its moves need.

    Args:
        key: One of `FIELDS`.
        map_key: One of the 64 maps, `map11` to `map88`. None for the map that
            the game is played with, and `map34` for other games and blank fields.
        game: A game of depth 3.

    Raises:
        UnknownFieldError: If there is no such field.
        UnknownMapError: If there is no such map.
        UnfitGameError: If the field cannot show the game; the message says why.
    """
    kind = FIELDS.get(key.strip().lower())
    if kind is None:
        raise UnknownFieldError(key, FIELDS)
    filling = Filling(map_number=_map_number(map_key, game))
    if game:
        _check_game(kind, filling.map_number, game)
        moves = tuple((move // 81 + 1, move // 9 % 9 + 1, move % 9 + 1) for move in game.moves)
        filling = replace(filling, position=game.position, moves=moves)
    sheets = []
    while True:
        drawing, end = _sheet(kind, filling, game)
        sheets.append(drawing)
        if end == len(filling.moves):
            return tuple(sheets)
        kind, filling = FIELDS[kind.continues_on or kind.key], replace(filling, start=end)


def _map_number(map_key: str | None, game: Game | None) -> int:
    if map_key is None:
        is_mapped = game is not None and game.rules.sending is Sending.MAP
        map_key = f"map{game.rules.map_number}" if game and is_mapped else DEFAULT_MAP
    found = re.fullmatch(r"map([1-8][1-8])", map_key.strip().lower())
    if found is None:
        raise UnknownMapError(map_key)
    return int(found[1])


def _check_game(kind: Field, map_number: int, game: Game) -> None:
    rules = game.rules
    if rules.depth != 3:
        raise UnfitGameError(
            _(
                "The printable fields are those of Strategic Tic-Tac-Toe and show games of depth 3;"
                " this game ({rules}) has depth {depth}."
            ).format(rules=variant_of(rules).name.told(_), depth=rules.depth)
        )
    if kind.is_mapped and rules.sending is Sending.MAP and rules.map_number != map_number:
        raise UnfitGameError(
            _("This game is played with {right}: its field cannot show {given}.").format(
                right=f"map{rules.map_number}", given=f"map{map_number}"
            )
        )
    if kind.is_continuous and rules.sending is not Sending.TACTICAL:
        raise UnfitGameError(
            _(
                "The field {field!r} records moves as a continuous line, which only the"
                " tactical-like rules allow; this game ({rules}) needs a field with a Move"
                " field, such as 'full' or 'move'."
            ).format(field=kind.key, rules=variant_of(rules).name.told(_))
        )


def _sheet(kind: Field, filling: Filling, game: Game | None) -> tuple[Drawing, int]:
    block, end = kind.build(filling)
    map_name = f"map{filling.map_number}"
    paragraphs = [] if game is None else [_about_game(kind, game, filling.start, end)]
    if kind.is_continuous:
        paragraphs.append(HINT)
    scale = f"Printed on A4 at 100 %, one cell is {kind.unit_mm:g} mm."
    paragraphs.append(f"{CREDIT} {REDRAWN} {scale}")
    captions = [caption.format(map=map_name) for caption in kind.captions]
    notes, full_height = _lay_notes(captions, paragraphs, block, kind.unit_mm)
    # Not printed: the font has too few letters for it.
    title = _("{name} field, {map}") if kind.is_mapped else _("{name} field")
    drawing = Drawing(
        key=kind.key,
        title=title.format(name=_(kind.name), map=map_name),
        width=block.width,
        height=block.height,
        shapes=block.shapes,
        notes=notes,
        full_height=full_height,
        unit_mm=kind.unit_mm,
        landscape=kind.landscape,
    )
    return drawing, end


def _lay_notes(
    captions: Sequence[str], paragraphs: Sequence[str], block: Block, unit_mm: float
) -> tuple[tuple[Label, ...], float]:
    """Return the notes as labels beneath a field, and where the last one ends.

    Captions are lines of their own in larger letters; paragraphs are wrapped to the width of the
    field. On paper they have the same size whatever the cells measure.
    """
    labels: list[Label] = []
    y = block.height + _GAP_UNITS

    def put(text: str, size_mm: float, leading_mm: float) -> float:
        size, height, width = size_mm / unit_mm, leading_mm / unit_mm, block.width
        labels.append(
            Label(x=0, y=y, width=width, height=height, text=text, size=size, align=Align.LEFT)
        )
        return y + height

    for caption in captions:
        y = put(caption, _CAPTION_MM, _CAPTION_LEADING_MM)
    y += _GAP_UNITS if captions else 0
    for paragraph in paragraphs:
        for line in wrapped(paragraph, _NOTE_MM / unit_mm, block.width):
            y = put(line, _NOTE_MM, _NOTE_LEADING_MM)
    return tuple(labels), y


def _about_game(kind: Field, game: Game, start: int, end: int) -> str:
    count = len(game.moves)
    state = str(game.outcome) if game.outcome else f"{'XO'[game.position.side]} to move"
    moves = "1 move" if count == 1 else f"{count} moves"
    about = f"Game: {variant_of(game.rules).name}. {moves}, {state}."
    if start or end < count:
        about += f" Moves {start + 1}-{end} are on this sheet."
    if kind.has_owners and has_drawn_cells(game.position):
        about += f" {DRAWN_HINT}"
    return about
