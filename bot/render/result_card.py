"""The result of a match: who won, the last position, what it did to the ratings."""

from dataclasses import KW_ONLY, dataclass
from typing import Final

from PIL import Image

from bot.language import _, mark_of, pgettext
from bot.render.board import board_field
from bot.render.card import HEAD, LEAST_FONT, MARGIN, TITLE_SIZES, WIDTH, Card, CardPicture
from bot.render.describe import one_line, signed, told, told_result, writable_side
from bot.render.masks import fitted_text, font, writable_text
from bot.render.picture import BoardPicture, victor_of
from engine import O, Position, Side, X

_BOARD: Final = 352
_COLOURS: Final = 96
_SIDE: Final = MARGIN + _BOARD + 16
_PANEL: Final = 168
_LOW_PANEL: Final = 112
_ROOM: Final = WIDTH - _SIDE - MARGIN
_GAP: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingStep:
    """A rating before and after a match.

    Attributes:
        said: Shown instead of the numbers, such as "placement game 3 of 5".
    """

    before: float
    after: float
    said: str = ""


@dataclass(frozen=True, slots=True)
class ResultPicture(CardPicture):
    """Everything that the card of a finished match shows.

    Attributes:
        position: The last one.
        title: Who won; found from `winner` by default.
        winner: Who won a match that ended off the board; otherwise the position decides.
        steps: How the ratings of X and O changed; None where nothing did.
    """

    position: Position
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    title: str = ""
    winner: Side | None = None
    steps: tuple[RatingStep | None, RatingStep | None] = (None, None)

    @property
    def victor(self) -> Side | None:
        """Who has won, if anybody."""
        return victor_of(self.position, self.winner)


def draw_result(picture: ResultPicture) -> bytes:
    """Return the card of a finished match as a PNG, some 50 KB; takes about 50 ms."""
    theme = picture.theme
    card = Card(theme, HEAD + 4 + _BOARD + MARGIN)
    title = writable_text(picture.title or _headline(picture), fallback=_("A draw"))
    card.title(title, picture.subtitle or _how(picture))
    top = HEAD + 4
    card.picture(_thumbnail(picture), (MARGIN, top))
    for side in (X, O):
        place = (_SIDE, top + side * (_PANEL + _BOARD - 2 * _PANEL))
        _draw_player(card, picture, side, place, (_ROOM, _PANEL))
    return card.png()


def draw_result_strip(picture: ResultPicture) -> bytes:
    """Return only the two players of a card, to go below the board; some 10 KB."""
    # Without ratings there is one word instead of three lines of numbers.
    height = _PANEL if any(picture.steps) else _LOW_PANEL
    card = Card(picture.theme, height + 2 * MARGIN)
    width = (WIDTH - 2 * MARGIN - _GAP) // 2
    for side in (X, O):
        place = (MARGIN + side * (width + _GAP), MARGIN)
        _draw_player(card, picture, side, place, (width, height))
    return card.png()


def describe_result(picture: ResultPicture) -> str:
    """Return the card in words, at most 1024 characters; the board has its own description."""
    sentences = [f"{one_line(picture.title or _headline(picture), 120)}."]
    how = one_line(picture.subtitle or _how(picture), 120)
    sentences += [f"{how}."] if how else []
    for side in (X, O):
        step = picture.steps[side]
        change = pgettext("a game", "unrated")
        if step is not None:
            change = one_line(step.said, 60) or _("rating {before} to {after} ({change})").format(
                before=round(step.before), after=round(step.after), change=signed(_change(step))
            )
        sentences.append(f"{mark_of(side)} {one_line(picture.names[side], 60)}: {change}.")
    return told(sentences)


def _headline(picture: ResultPicture) -> str:
    winner = picture.victor
    if winner is None:
        return _("A draw")
    name = writable_side(picture.names, winner)
    size, wins = TITLE_SIZES[-1], _("{name} wins")
    # A long name is shortened so that the word that matters stays.
    room = WIDTH - 2 * MARGIN - round(font(size).getlength(wins.format(name=""))) - 1
    return wins.format(name=fitted_text(name, (size,), room)[0])


def _how(picture: ResultPicture) -> str:
    outcome = picture.position.outcome
    return "" if outcome is None else told_result(outcome, picture.position.rules.depth)


def _change(step: RatingStep) -> int:
    """Return the difference of the numbers that are shown, so that they add up."""
    return round(step.after) - round(step.before)


def _thumbnail(picture: ResultPicture) -> Image.Image:
    """Return the last position as a small picture of few colours."""
    board = BoardPicture(
        picture.position,
        names=picture.names,
        is_over=True,
        winner=picture.victor,
        theme=picture.theme,
    )
    image = board_field(board)
    side = max(image.size)
    size = image.width * _BOARD // side, image.height * _BOARD // side
    small = image.resize(size, Image.Resampling.LANCZOS)
    return small.quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _draw_player(
    card: Card, picture: ResultPicture, side: Side, place: tuple[int, int], size: tuple[int, int]
) -> None:
    step, has_won = picture.steps[side], picture.victor == side
    left, top = place
    width, height = size
    ink = card.plate((*place, *size), side, won=has_won, radius=16, mark=(8, 10, 50))
    soft = card.theme.ink if has_won else card.theme.muted
    name = writable_side(picture.names, side)
    card.write(name, (left + 62, top + 10, width - 76, 50), ink, (29, 27, 25, 23, LEAST_FONT))
    if step is None:
        unrated = pgettext("a game", "unrated")
        card.write(unrated, (left + 16, top + height - 52, width - 32, 44), soft, (26, 24, 22))
        return
    if step.said:
        said = writable_text(step.said, fallback="")
        card.write(said, (left + 16, top + 92, width - 32, 44), ink, (28, 26, 24, 22, 20))
        return
    change = signed(_change(step))
    card.write(change, (left + 16, top + 64, width - 32, 52), ink, (46,))
    said = f"{round(step.before)} → {round(step.after)}"
    card.write(said, (left + 16, top + 116, width - 32, 38), soft, (26, 24))
