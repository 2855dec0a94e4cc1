"""The variant study as two pictures: how the games go, and how they end.

Two narrow tables, because one with all columns cannot be read on a phone.
"""

import io
from collections.abc import Iterable
from enum import StrEnum

from PIL import Image

from bot.language import N_, _, number
from bot.render.palette import Palette
from bot.render.shapes import mark_mask, rounded_mask
from bot.render.text import fitted_text, font, text_mask, writable_text
from bot.render.theme import DARK, Colour, Theme, mix
from engine import (
    PUBLISHED_FIGURES,
    PUBLISHED_SOURCE,
    VARIANTS,
    Estimate,
    O,
    Study,
    StudyResult,
    X,
    load_variant,
)

WIDTH = 712
MARGIN = 18
_PADDING = 12  # between the edge of a row and what it says
_TITLE_TOP, _TITLE_HEIGHT, _TITLE_SIZE = 16, 44, 36
_SUBTITLE_HEIGHT, _SUBTITLE_SIZE = 34, 24
_HEAD_HEIGHT, _HEAD_SIZE = 42, 23
_ROW_HEIGHT, _ROW_GAP, _ROW_SIZE = 42, 3, 26
_GROUP_HEIGHT = 44
_NAME_WIDTH = 232
_NAME_SIZES = (26, 24, 22, 20)
_NOTE_HEIGHT, _NOTE_SIZE = 30, 22
_NOTES_GAP = 14
_BAR_HEIGHT = 30
_BAR_SIZES = (22, 18)  # the second for numbers in narrow parts

# Text right-aligned at these places, and bars from one to another, in pixels from the left.
_BAR = (268, 520)
_FAIRNESS_END = 608
_PRINTED_END = 682
_CHOICES_END, _CHOICES_PRINTED_END = 340, 406
_PLIES_END, _PLIES_PRINTED_END = 496, 550
_USE = (578, 682)

_GROUP_NAME = N_("27 x 27: Strategic Tic-Tac-Toe")
_STRATEGIC_NOTE = N_(
    "Strategic Tic-Tac-Toe by M. Demchenko and A. Shashkov, CC-BY 4.0, github.com/echo-Mike/STTT"
)


class StudyPage(StrEnum):
    """Which of the two tables."""

    GOING = "going"  # choices, moves, how full the board gets
    ENDING = "ending"  # who wins, and how fair that is


def draw_study_table(
    study: Study, theme: Theme = DARK, *, page: StudyPage = StudyPage.ENDING
) -> bytes:
    """Return a table of the results as a PNG of `WIDTH` pixels, at most 60 KB.

    Safe to call from several threads; takes some 50 ms.
    """
    return _Table(study, theme, page).draw()


def describe_study_table(study: Study, page: StudyPage) -> str:
    """Return the figures of a page in words, at most 1024 characters."""
    lines = [f"{_title(page)}, {_sample(study)}."]
    for row in study.results:
        if page is StudyPage.ENDING:
            said = _("{variant}: X {x}, draws {draws}, O {o}, fair {fair}.").format(
                variant=_name(row),
                x=_share(row.x_share),
                draws=_share(row.draw_share),
                o=_share(row.o_share),
                fair=_share(row.fairness),
            )
        else:
            said = _("{variant}: {choices} choices, {moves} moves, board {use}.").format(
                variant=_name(row),
                choices=number(row.choices.value, "0.0"),
                moves=number(row.plies.value, "0"),
                use=_share(row.cells_marked),
            )
        lines.append(said)
    text = " ".join(lines)
    return text if len(text) <= 1024 else text[:1023] + "…"


class _Table:
    """One picture while it is drawn."""

    def __init__(self, study: Study, theme: Theme, page: StudyPage) -> None:
        self._study = study
        self._theme = theme
        self._page = page
        self._palette = Palette()
        deep = [_is_deep(row) for row in study.results]
        # Where rows of the large board follow others.
        self._groups = [place for place, now in enumerate(deep) if now and not any(deep[:place])]
        self._notes = [line for note in _notes(study, page) for line in _wrapped(note)]
        self._canvas = self._plain((WIDTH, self._height()), theme.canvas)

    def draw(self) -> bytes:
        """Draw everything and compress it."""
        theme = self._theme
        top = _TITLE_TOP
        self._write(_title(self._page), MARGIN, top, _TITLE_SIZE, theme.text, height=_TITLE_HEIGHT)
        top += _TITLE_HEIGHT
        sample = _sample(self._study)
        self._write(sample, MARGIN, top, _SUBTITLE_SIZE, theme.muted, height=_SUBTITLE_HEIGHT)
        top += _SUBTITLE_HEIGHT
        self._draw_heads(top)
        top += _HEAD_HEIGHT
        for place, row in enumerate(self._study.results):
            if place in self._groups:
                self._write(
                    _(_GROUP_NAME), MARGIN, top, _HEAD_SIZE, theme.muted, height=_GROUP_HEIGHT
                )
                top += _GROUP_HEIGHT
            self._draw_row(row, top)
            top += _ROW_HEIGHT + _ROW_GAP
        top += _NOTES_GAP
        for line in self._notes:
            self._write(line, MARGIN, top, _NOTE_SIZE, theme.muted, height=_NOTE_HEIGHT)
            top += _NOTE_HEIGHT
        self._canvas.putpalette(self._palette.flat())
        buffer = io.BytesIO()
        self._canvas.save(buffer, "PNG", compress_level=6)
        return buffer.getvalue()

    def _height(self) -> int:
        rows = len(self._study.results) * (_ROW_HEIGHT + _ROW_GAP)
        heads = _TITLE_TOP + _TITLE_HEIGHT + _SUBTITLE_HEIGHT + _HEAD_HEIGHT
        notes = _NOTES_GAP + len(self._notes) * _NOTE_HEIGHT
        return heads + len(self._groups) * _GROUP_HEIGHT + rows + notes + MARGIN

    # The columns.

    def _draw_heads(self, top: int) -> None:
        muted, text = self._theme.muted, self._theme.text
        if self._page is StudyPage.GOING:
            self._head(_("choices"), _CHOICES_END, top, text)
            self._head("A", _CHOICES_PRINTED_END, top, muted)
            self._head(_("moves"), _PLIES_END, top, text)
            self._head("A", _PLIES_PRINTED_END, top, muted)
            self._head(_("board use"), _USE[1], top, text)
            return
        left, right = _BAR
        for side, place in ((X, left), (O, right - 30)):
            mask = mark_mask(self._theme.shapes[side], 30)
            ramp = self._palette.ramp(self._theme.canvas, self._theme.marks[side])
            self._canvas.paste(mask.point(ramp), (place, top + (_HEAD_HEIGHT - 30) // 2))
        middle = (left + right) // 2
        width = round(font(_HEAD_SIZE).getlength(_("draws")))
        self._head(_("draws"), middle + width // 2, top, muted)
        self._head(_("fair %"), _FAIRNESS_END, top, text)
        self._head("A", _PRINTED_END, top, muted)

    def _head(self, word: str, right: int, top: int, ink: Colour) -> None:
        self._write(word, right, top, _HEAD_SIZE, ink, height=_HEAD_HEIGHT, align="r")

    def _draw_row(self, row: StudyResult, top: int) -> None:
        theme = self._theme
        size = (WIDTH - 2 * MARGIN, _ROW_HEIGHT)
        ramp = self._palette.ramp(theme.canvas, theme.surface)
        self._canvas.paste(rounded_mask(size, 9).point(ramp), (MARGIN, top))
        name, name_size = fitted_text(_name(row), _NAME_SIZES, _NAME_WIDTH)
        self._cell(name, MARGIN + _PADDING, top, theme.text, size=name_size, align="l")
        printed = PUBLISHED_FIGURES.get(row.variant)
        if self._page is StudyPage.GOING:
            self._cell(number(row.choices.value, "0.00"), _CHOICES_END, top, theme.text)
            self._cell(number(row.plies.value, "0.0"), _PLIES_END, top, theme.text)
            self._draw_use(row.cells_marked.value, top)
            if printed is not None:
                self._cell(number(printed.choices, "0.0"), _CHOICES_PRINTED_END, top, theme.muted)
                self._cell(f"{printed.plies}", _PLIES_PRINTED_END, top, theme.muted)
            return
        self._draw_shares(row, top)
        fair = "-" if row.fairness is None else number(100 * row.fairness.value, "0.0")
        self._cell(fair, _FAIRNESS_END, top, theme.text)
        if printed is not None:
            self._cell(number(100 * printed.fairness, "0.0"), _PRINTED_END, top, theme.muted)

    def _draw_shares(self, row: StudyResult, top: int) -> None:
        """Draw one bar cut into the games of X, the draws and the games of O."""
        theme = self._theme
        left, right = _BAR
        shares = (row.x_share.value, row.draw_share.value, row.o_share.value)
        grounds = (theme.solids[X], mix(theme.surface, theme.muted, 0.35), theme.solids[O])
        inks = (theme.ink, theme.text, theme.ink)
        bar = self._plain((right - left, _BAR_HEIGHT), theme.surface)
        start = 0.0
        for share, ground, ink in zip(shares, grounds, inks, strict=True):
            end = start + share * bar.width
            box = (round(start), 0, round(end), _BAR_HEIGHT)
            start = end
            bar.paste(self._palette.index_of(ground), box)
            number = f"{100 * share:.0f}"
            width = box[2] - box[0]
            _, size = fitted_text(number, _BAR_SIZES, width - 8)
            if font(size).getlength(number) <= width:
                mask = text_mask(number, size, (width, _BAR_HEIGHT), "m")
                bar.paste(mask.point(self._palette.ramp(ground, ink)), box)
        self._paste_rounded(bar, left, top)

    def _draw_use(self, share: float, top: int) -> None:
        """Draw how many of the cells are marked at the end, as a filled bar."""
        theme = self._theme
        left, right = _USE
        empty, full = mix(theme.surface, theme.muted, 0.2), mix(theme.surface, theme.muted, 0.5)
        bar = self._plain((right - left, _BAR_HEIGHT), empty)
        bar.paste(self._palette.index_of(full), (0, 0, round(share * bar.width), _BAR_HEIGHT))
        mask = text_mask(_percent(share), _BAR_SIZES[0], bar.size, "m")
        self._paste_rounded(self._palette.over(bar, theme.text, mask), left, top)

    # The pieces.

    def _plain(self, size: tuple[int, int], colour: Colour) -> Image.Image:
        return Image.new("L", size, self._palette.index_of(colour))

    def _paste_rounded(self, bar: Image.Image, left: int, top: int) -> None:
        """Paste a bar into the middle of a row, its corners rounded."""
        corners = rounded_mask(bar.size, 7).point([255 - level for level in range(256)])
        bar = self._palette.over(bar, self._theme.surface, corners)
        self._canvas.paste(bar, (left, top + (_ROW_HEIGHT - _BAR_HEIGHT) // 2))

    def _cell(
        self, text: str, x: int, top: int, ink: Colour, *, size: int = _ROW_SIZE, align: str = "r"
    ) -> None:
        self._write(text, x, top, size, ink, height=_ROW_HEIGHT, align=align, inside=True)

    def _write(
        self,
        text: str,
        x: int,
        top: int,
        size: int,
        ink: Colour,
        *,
        height: int,
        align: str = "l",
        inside: bool = False,
    ) -> None:
        """Write a line that begins or ends at `x`, on the canvas or inside a row."""
        width = round(font(size).getlength(text)) + 4
        mask = text_mask(text, size, (width, height), align)
        ramp = self._palette.ramp(self._theme.surface if inside else self._theme.canvas, ink)
        self._canvas.paste(mask.point(ramp), (x - width if align == "r" else x, top))


def _title(page: StudyPage) -> str:
    return _("Who wins") if page is StudyPage.ENDING else _("How the games go")


def _sample(study: Study) -> str:
    """Say how many games of what kind the figures come from."""
    counts = sorted({row.games for row in study.results}) or [0]
    count = number(counts[0])
    if len(counts) > 1:
        count = _("{least} to {most}").format(least=count, most=number(counts[-1]))
    if study.player == "random":
        return _("{count} random games of each variant").format(count=count)
    words = _("{count} games of level {level} against itself, each variant")
    return words.format(count=count, level=study.player)


def _name(row: StudyResult) -> str:
    variant = load_variant(row.variant)
    name = variant.name.told(_)
    if _is_deep(row) and variant.key in VARIANTS:  # the heading says it
        name = name.partition(", ")[2].capitalize()
    return writable_text(name, fallback=row.variant)


def _is_deep(row: StudyResult) -> bool:
    """Whether a variant is played on 27 x 27 cells."""
    return load_variant(row.variant).rules.depth == 3


def _share(figure: Estimate | None) -> str:
    return "-" if figure is None else _percent(figure.value)


def _percent(share: float) -> str:
    return f"{number(100 * share, '0')} %"


def _notes(study: Study, page: StudyPage) -> Iterable[str]:
    """Yield what must be known to read the table."""
    printed = [
        PUBLISHED_FIGURES[row.variant] for row in study.results if row.variant in PUBLISHED_FIGURES
    ]
    if page is StudyPage.ENDING:
        yield _("Bars: % of games. fair: 100 when X and O win equally often, draws left out.")
    else:
        yield _("choices: legal moves at a turn. board use: marks at the end.")
    if printed:
        games = printed[0].games
        yield _("A: as printed in “{source}”, from only {count} games each.").format(
            source=PUBLISHED_SOURCE, count=games
        )
        if page is StudyPage.ENDING:
            points = round(100 * printed[0].fairness_error)
            yield _("So A's fairness is noise of about ±{points} points, ours of {ours}.").format(
                points=points, ours=_errors(study)
            )
    if any(map(_is_deep, study.results)):
        yield _(_STRATEGIC_NOTE)


def _errors(study: Study) -> str:
    """Say how far off the fairness may be, in points."""
    errors = [row.fairness.error for row in study.results if row.fairness and row.fairness.error]
    return f"±{number(100 * max(errors), '0.0')}" if errors else _("no fewer")


def _wrapped(text: str) -> Iterable[str]:
    """Yield the lines of a note that fit into the width."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and font(_NOTE_SIZE).getlength(longer) > WIDTH - 2 * MARGIN:
            yield line
            longer = word
        line = longer
    if line:
        yield line
