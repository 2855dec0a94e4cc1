"""From a key to sheets: which map, which game, what fits, what is said beneath."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.language import _
from bot.render.fields.catalogue import FIELDS, Field, Filling
from bot.render.fields.continuous import HINT
from bot.render.fields.drawing import Drawing
from bot.render.fields.errors import UnfitGameError, UnknownFieldError, UnknownMapError
from bot.render.fields.notes import CREDIT, REDRAWN, lay_notes, scale_note
from bot.render.fields.owners import DRAWN_HINT, has_drawn_cells
from engine import Sending, variant_of

if TYPE_CHECKING:
    from engine import Game

DEFAULT_MAP: Final = "map34"


def draw_field(key: str, *, map_key: str | None = None, game: Game | None = None) -> Drawing:
    """Draw one field, blank or filled from a game.

    A game of more moves than the field has room for fills it and goes on
    elsewhere: `draw_sheets` returns those sheets too.

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
    return draw_sheets(key, map_key=map_key, game=game)[0]


def draw_sheets(
    key: str, *, map_key: str | None = None, game: Game | None = None
) -> tuple[Drawing, ...]:
    """Draw a field and as many further sheets as the moves of the game need.

    Arguments and errors are those of `draw_field`.
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
        kind, filling = FIELDS[kind.continues_on], replace(filling, start=end)


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
    paragraphs.append(f"{CREDIT} {REDRAWN} {scale_note(kind.unit_mm)}")
    notes, full_height = lay_notes(
        [caption.format(map=map_name) for caption in kind.captions],
        paragraphs,
        top=block.height,
        width=block.width,
        unit_mm=kind.unit_mm,
    )
    drawing = Drawing(
        key=kind.key,
        title=_title(kind, map_name),
        width=block.width,
        height=block.height,
        shapes=block.shapes,
        notes=notes,
        full_height=full_height,
        unit_mm=kind.unit_mm,
        landscape=kind.landscape,
    )
    return drawing, end


def _title(kind: Field, map_name: str) -> str:
    """Return what to call a sheet; it is not printed, for which the font has too few letters."""
    words = _("{name} field, {map}") if kind.is_mapped else _("{name} field")
    return words.format(name=_(kind.name), map=map_name)


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
