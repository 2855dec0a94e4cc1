"""The variant study as two narrow tables that a phone can show: how games go, how they end."""

from collections.abc import Iterable
from enum import StrEnum

from bot.language import N_, _, number
from bot.render.card import HEAD, LEAST_FONT, MARGIN, WIDTH, Area, Card
from bot.render.masks import font, rounded_mask, writable_text
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

_PADDING = 12  # between the edge of a row and what it says
_HEAD_HEIGHT = 36
_ROW_HEIGHT, _ROW_GAP, _ROW_SIZE = 34, 3, 24
_GROUP_HEIGHT = 32
_NAME_WIDTH = 266
_NAME_SIZES = (24, LEAST_FONT)
_BAR_HEIGHT = 26

# Text right-aligned at these places, and bars from one to another, in pixels from the left.
_BAR = (302, 532)
_FAIRNESS_END = 614
_PRINTED_END = 682
_CHOICES_END, _CHOICES_PRINTED_END = 370, 430
_PLIES_END, _PLIES_PRINTED_END = 516, 558
_USE = (578, 682)

_GROUP_NAME = N_("27 x 27: Strategic Tic-Tac-Toe")


class StudyPage(StrEnum):
    """Which of the two tables."""

    GOING = "going"  # choices, moves, how full the board gets
    ENDING = "ending"  # who wins, and how fair that is


def draw_study_table(
    study: Study, theme: Theme = DARK, *, page: StudyPage = StudyPage.ENDING
) -> bytes:
    """Return a table of the results as a PNG of `WIDTH` pixels, at most 60 KB; see `study_notes`.

    Safe to call from several threads; takes some 20 ms.
    """
    deep = [_is_deep(row) for row in study.results]
    # Where rows of the large board follow others.
    groups = [place for place, now in enumerate(deep) if now and not any(deep[:place])]
    height = HEAD + _HEAD_HEIGHT + len(groups) * _GROUP_HEIGHT + 8
    card = Card(theme, height + len(deep) * (_ROW_HEIGHT + _ROW_GAP))
    card.title(_title(page), _sample(study))
    _draw_heads(card, page, HEAD)
    top = HEAD + _HEAD_HEIGHT
    for place, row in enumerate(study.results):
        if place in groups:
            area = (MARGIN, top, WIDTH - 2 * MARGIN, _GROUP_HEIGHT)
            card.write(_(_GROUP_NAME), area, theme.muted, (LEAST_FONT,))
            top += _GROUP_HEIGHT
        _draw_row(card, row, page, top)
        top += _ROW_HEIGHT + _ROW_GAP
    return card.png()


def describe_study_table(study: Study, page: StudyPage) -> str:
    """Return the figures of a page in words, at most 1024 characters."""
    lines = [f"{_title(page)}, {_sample(study)}."]
    words = _("{variant}: {choices} choices, {moves} moves, board {use}.")
    if page is StudyPage.ENDING:
        words = _("{variant}: X {x}, draws {draws}, O {o}, fair {fair}.")
    for row in study.results:
        said = words.format(
            variant=_name(row),
            x=_share(row.x_share),
            draws=_share(row.draw_share),
            o=_share(row.o_share),
            fair=_share(row.fairness),
            choices=number(row.choices.value, "0.0"),
            moves=number(row.plies.value, "0"),
            use=_share(row.cells_marked),
        )
        lines.append(said)
    text = " ".join(lines)
    return text if len(text) <= 1024 else text[:1023] + "…"


def _draw_heads(card: Card, page: StudyPage, top: int) -> None:
    """Write the heads of the columns, the marks of X and O above the ends of their bars."""
    text, muted = card.theme.text, card.theme.muted
    if page is StudyPage.GOING:
        heads = [
            (_("choices"), _CHOICES_END, text),
            ("A", _CHOICES_PRINTED_END, muted),
            (_("moves"), _PLIES_END, text),
            ("A", _PLIES_PRINTED_END, muted),
            (_("board use"), _USE[1], text),
        ]
    else:
        left, right = _BAR
        for side, place in ((X, left), (O, right - 30)):
            card.mark(side, (place, top + (_HEAD_HEIGHT - 30) // 2), 30, card.theme.marks[side])
        middle = (left + right) // 2 + round(font(LEAST_FONT).getlength(_("draws"))) // 2
        heads = [
            (_("draws"), middle, muted),
            (_("fair %"), _FAIRNESS_END, text),
            ("A", _PRINTED_END, muted),
        ]
    for word, right, ink in heads:
        _write_left_of(card, word, right, top, ink, size=LEAST_FONT)


def _draw_row(card: Card, row: StudyResult, page: StudyPage, top: int) -> None:
    text, muted = card.theme.text, card.theme.muted
    card.block((MARGIN, top, WIDTH - 2 * MARGIN, _ROW_HEIGHT), card.theme.surface, 9)
    area = (MARGIN + _PADDING, top, _NAME_WIDTH, _ROW_HEIGHT)
    card.write(_name(row), area, text, _NAME_SIZES)
    printed = PUBLISHED_FIGURES.get(row.variant)
    if page is StudyPage.GOING:
        _write_left_of(card, number(row.choices.value, "0.00"), _CHOICES_END, top, text)
        _write_left_of(card, number(row.plies.value, "0.0"), _PLIES_END, top, text)
        _draw_use(card, row.cells_marked.value, top)
        if printed is not None:
            choices = number(printed.choices, "0.0")
            _write_left_of(card, choices, _CHOICES_PRINTED_END, top, muted)
            _write_left_of(card, f"{printed.plies}", _PLIES_PRINTED_END, top, muted)
        return
    _draw_shares(card, row, top)
    fair = "-" if row.fairness is None else number(100 * row.fairness.value, "0.0")
    _write_left_of(card, fair, _FAIRNESS_END, top, text)
    if printed is not None:
        _write_left_of(card, number(100 * printed.fairness, "0.0"), _PRINTED_END, top, muted)


def _draw_shares(card: Card, row: StudyResult, top: int) -> None:
    """Draw one bar cut into the games of X, the draws and the games of O."""
    theme = card.theme
    left, right = _BAR
    shares = (row.x_share.value, row.draw_share.value, row.o_share.value)
    grounds = (theme.solids[X], mix(theme.surface, theme.muted, 0.35), theme.solids[O])
    inks = (theme.ink, theme.text, theme.ink)
    top += (_ROW_HEIGHT - _BAR_HEIGHT) // 2
    start = 0.0
    for share, ground, ink in zip(shares, grounds, inks, strict=True):
        end = start + share * (right - left)
        box = (left + round(start), top, left + round(end), top + _BAR_HEIGHT)
        start = end
        card.image.paste(card.palette.index_of(ground), box)
        percent = f"{100 * share:.0f}"
        width = box[2] - box[0]
        if font(LEAST_FONT).getlength(percent) <= width:
            card.write(percent, (*box[:2], width, _BAR_HEIGHT), ink, (LEAST_FONT,), "m")
    _round_off(card, (left, top, right - left, _BAR_HEIGHT))


def _draw_use(card: Card, share: float, top: int) -> None:
    """Draw the share of cells that are marked at the end, as a filled bar."""
    theme = card.theme
    left, right = _USE
    top += (_ROW_HEIGHT - _BAR_HEIGHT) // 2
    area = (left, top, right - left, _BAR_HEIGHT)
    for part, faint in ((1.0, 0.2), (share, 0.5)):
        box = (left, top, left + round(part * (right - left)), top + _BAR_HEIGHT)
        card.image.paste(card.palette.index_of(mix(theme.surface, theme.muted, faint)), box)
    card.write(_percent(share), area, theme.text, (LEAST_FONT,), "m")
    _round_off(card, area)


def _round_off(card: Card, area: Area) -> None:
    """Round the corners of a bar in a row."""
    corners = rounded_mask(area[2:], 7).point([255 - level for level in range(256)])
    card.lay(corners, area[:2], card.theme.surface)


def _write_left_of(
    card: Card, text: str, right: int, top: int, ink: Colour, *, size: int = _ROW_SIZE
) -> None:
    """Write a text that ends at `right`; rows are as high as heads."""
    card.write(text, (right - 160, top, 160, _ROW_HEIGHT), ink, (size,), "r")


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
        name = name.partition(", ")[2]
        name = name[:1].upper() + name[1:]
    return writable_text(name, fallback=row.variant)


def _is_deep(row: StudyResult) -> bool:
    """Return whether a variant is played on 27 x 27 cells."""
    return load_variant(row.variant).rules.depth == 3


def _share(figure: Estimate | None) -> str:
    return "-" if figure is None else _percent(figure.value)


def _percent(share: float) -> str:
    return f"{number(100 * share, '0')} %"


def study_notes(study: Study, page: StudyPage) -> Iterable[str]:
    """Yield the notes that explain the table, to go below it as text, readable anywhere."""
    printed = [
        PUBLISHED_FIGURES[row.variant] for row in study.results if row.variant in PUBLISHED_FIGURES
    ]
    if page is StudyPage.ENDING:
        yield _("Bars: % of games. fair: 100 when X and O win equally often, draws left out.")
    else:
        yield _("choices: legal moves at a turn. board use: marks at the end.")
    if printed:
        yield _("A: as printed in “{source}”, {count} games each.").format(
            source=PUBLISHED_SOURCE, count=printed[0].games
        )
