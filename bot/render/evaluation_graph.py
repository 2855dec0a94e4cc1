"""A game as its analysis sees it: chances ply by ply, and the moves that turned it."""

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from typing import Final

from bot.language import _, percent
from bot.render.captions import ENGLISH, Captions
from bot.render.card import HEAD, MARGIN, WIDTH, Area, Card, told
from bot.render.shapes import Point
from bot.render.text import writable_text
from bot.render.theme import DARK, Theme, mix
from bot.render.words import LETTERS, one_line
from engine import O, X

_CHART_HEIGHT: Final = 290
_PLATE: Final = 54
_ROW, _GAP = 46, 4
_MOST_ROWS: Final = 6
_SMALL: Final = (21,)
_AXIS: Final = 70


class NoteKind(StrEnum):
    """Why a move is marked; the value is the word in descriptions."""

    BLUNDER = "blunder"
    MISTAKE = "mistake"
    INACCURACY = "inaccuracy"


# What stands in the circle on the graph, as chess players write it.
_SIGNS: Final = {NoteKind.BLUNDER: "??", NoteKind.MISTAKE: "?", NoteKind.INACCURACY: "?!"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlyNote:
    """A move worth a look.

    Attributes:
        ply: How many moves had been played after it, from 1.
        side: Who played it.
        kind: Why it is marked.
        move: The move as text.
        better: What should have been played, if that is known.
        loss: How much of the chances it gave away, 0 to 1.
    """

    ply: int
    side: int
    kind: NoteKind
    move: str
    better: str | None = None
    loss: float = 0.0


@dataclass(frozen=True, slots=True)
class EvaluationPicture:
    """Everything that an evaluation graph shows.

    Attributes:
        chances: What X may expect after 0, 1, 2 ... moves, from 0 to 1.
        names: Whoever played X and O, any text.
        title: How the game ended, say.
        subtitle: Variant and number of the game, say.
        notes: Marked moves; the six that lost most are listed below the graph.
        accuracies: How well X and O played, 0 to 1.
        winner: Whose plate is filled.
        theme: Colours and shapes.
        captions: The words.
    """

    chances: tuple[float, ...]
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    title: str = "The game in figures"
    subtitle: str = ""
    notes: tuple[PlyNote, ...] = ()
    accuracies: tuple[float, float] | None = None
    winner: int | None = None
    theme: Theme = DARK
    captions: Captions = ENGLISH

    @property
    def listed(self) -> tuple[PlyNote, ...]:
        """The notes that are told in words, in the order of play."""
        worst = sorted(self.notes, key=lambda note: -note.loss)[:_MOST_ROWS]
        return tuple(sorted(worst, key=lambda note: note.ply))


def draw_evaluation_graph(picture: EvaluationPicture) -> bytes:
    """Return a game's chances ply by ply as a PNG, some 30 KB; takes about 40 ms."""
    chart = (MARGIN, HEAD + _PLATE + 12, WIDTH - 2 * MARGIN, _CHART_HEIGHT)
    rows = len(picture.listed)
    height = chart[1] + _CHART_HEIGHT + 10 * bool(rows) + rows * (_ROW + _GAP) + MARGIN
    card = Card(picture.theme, height)
    title = writable_text(picture.title, fallback="-")
    subtitle = writable_text(picture.subtitle, fallback="")
    if picture.accuracies is not None:
        subtitle = f"{subtitle} · {picture.captions.accuracy}".removeprefix(" · ")
    card.title(title, subtitle)
    for side in (X, O):
        _draw_plate(card, picture, side)
    _draw_chart(card, chart, picture)
    top = chart[1] + _CHART_HEIGHT + 10
    for note in picture.listed:
        _draw_note(card, note, top, picture.captions)
        top += _ROW + _GAP
    return card.png()


def describe_evaluation_graph(picture: EvaluationPicture) -> str:
    """Return the graph in words, at most 1024 characters."""
    heading = ", ".join(one_line(part, 80) for part in (picture.title, picture.subtitle) if part)
    sentences = [f"{heading}."]
    if picture.accuracies is not None:
        sentences.append(
            " ".join(
                _("{side} {name}: accuracy {share}.").format(
                    side=LETTERS[side],
                    name=one_line(picture.names[side], 40),
                    share=percent(picture.accuracies[side]),
                )
                for side in (X, O)
            )
        )
    for note in picture.listed:
        sentences.append(_told_note(note, picture.captions))
    step = max(1, (len(picture.chances) - 1) // 12)
    course = ", ".join(
        f"{ply}: {percent(chance)}" for ply, chance in list(enumerate(picture.chances))[::step]
    )
    chances = _("Chances of X after moves: {course}.").format(course=course)
    return told([*sentences, chances])


def _told_note(note: PlyNote, captions: Captions) -> str:
    """Return what is to be said about a move as a sentence."""
    parts = [_kind(note, captions)]
    if note.better:
        parts.append(captions.better.format(move=note.better))
    if note.loss:
        parts.append(_("lost {share}").format(share=percent(note.loss)))
    return _("Move {number}, {side} {move}: {judgement}.").format(
        number=note.ply, side=LETTERS[note.side], move=note.move, judgement=", ".join(parts)
    )


def _draw_plate(card: Card, picture: EvaluationPicture, side: int) -> None:
    """Draw a name with its mark and how well it played."""
    theme = card.theme
    width = (WIDTH - 2 * MARGIN - 12) // 2
    left = MARGIN + side * (width + 12)
    has_won = picture.winner == side
    ground = theme.solids[side] if has_won else theme.surface
    ink = theme.ink if has_won else theme.text
    card.block((left, HEAD, width, _PLATE), ground, 14)
    card.mark(side, (left + 6, HEAD + 4), 46, ink if has_won else theme.marks[side])
    room = 82 if picture.accuracies is not None else 12
    nameless = picture.captions.nameless_side.format(side=LETTERS[side])
    name = writable_text(picture.names[side], fallback=nameless)
    card.write(name, (left + 56, HEAD, width - 60 - room, _PLATE), ink, (26, 24, 22))
    if picture.accuracies is not None:
        share = f"{picture.accuracies[side]:.0%}"
        card.write(share, (left + width - 88, HEAD, 76, _PLATE), ink, (26, 24), "r")


def _draw_chart(card: Card, area: Area, picture: EvaluationPicture) -> None:
    """Draw the chances: above the middle X leads, below it O."""
    theme = card.theme
    left, top, width, height = area
    card.block(area, theme.surface, 14)
    plot = (left + _AXIS, top + 24, width - _AXIS - 22, height - 24 - 44)
    middle = plot[1] + plot[3] / 2
    for share, text in ((0.0, "100%"), (0.5, "50%"), (1.0, "100%")):
        y = round(plot[1] + plot[3] * share)
        line = mix(theme.surface, theme.text, 0.35 if share == 0.5 else 0.16)
        card.block((plot[0], y - 1, plot[2], 2), line, 0)
        card.write(text, (left, y - 14, _AXIS - 8, 28), theme.muted, _SMALL, "r")
    for side, share in ((X, 0.25), (O, 0.75)):
        y = round(plot[1] + plot[3] * share)
        card.mark(side, (left + 18, y - 17), 34, theme.marks[side])
    last = max(1, len(picture.chances) - 1)
    places = [
        (plot[0] + plot[2] * ply / last, plot[1] + plot[3] * (1 - min(1.0, max(0.0, chance))))
        for ply, chance in enumerate(picture.chances)
    ]
    if len(places) > 1:
        for side in (X, O):
            _fill_lead(card, places, middle, side)
        card.stroke([tuple(places)], 4, theme.text)
    _draw_plies(card, plot, last)
    # The worst are laid last, above others nearby.
    for note in sorted(picture.notes, key=lambda note: note.loss):
        if 0 <= note.ply < len(places):
            _draw_sign(card, note, places[note.ply])


def _fill_lead(card: Card, places: list[Point], middle: float, side: int) -> None:
    """Fill between the middle and the curve where `side` is ahead."""
    limit = min if side == X else max
    corners: list[Point] = [(places[0][0], middle)]
    for (x, y), (next_x, next_y) in zip(places, [*places[1:], places[-1]], strict=True):
        corners.append((x, limit(y, middle)))
        if (y - middle) * (next_y - middle) < 0:
            # Where the curve crosses the middle, lest both sides claim a sliver.
            corners.append((x + (next_x - x) * (middle - y) / (next_y - y), middle))
    corners.append((places[-1][0], middle))
    card.fill(corners, mix(card.theme.surface, card.theme.solids[side], 0.55))


def _draw_plies(card: Card, plot: Area, last: int) -> None:
    """Write numbers of moves below the plot."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if last / step <= 9)
    top = plot[1] + plot[3] + 8
    for ply in range(0, last + 1, step):
        x = round(plot[0] + plot[2] * ply / last)
        card.write(f"{ply}", (x - 30, top, 60, 30), card.theme.muted, _SMALL, "m")


def _draw_sign(card: Card, note: PlyNote, place: Point) -> None:
    """Draw the sign of a marked move on the curve, ringed to stand apart from it."""
    theme = card.theme
    x, y = place
    card.dot((x, y), 16, theme.surface)
    card.dot((x, y), 13, theme.solids[note.side])
    area = (round(x) - 16, round(y) - 14, 32, 28)
    card.write(_SIGNS[note.kind], area, theme.ink, (19, 17), "m")


def _kind(note: PlyNote, captions: Captions) -> str:
    return {
        NoteKind.BLUNDER: captions.blunder,
        NoteKind.MISTAKE: captions.mistake,
        NoteKind.INACCURACY: captions.inaccuracy,
    }[note.kind]


def _draw_note(card: Card, note: PlyNote, top: int, captions: Captions) -> None:
    """Draw what is to be said about a move as a row."""
    theme = card.theme
    card.block((MARGIN, top, WIDTH - 2 * MARGIN, _ROW), theme.surface, 10)
    card.write(f"{note.ply}.", (MARGIN + 4, top, 60, _ROW), theme.muted, (24, 22), "r")
    card.mark(note.side, (MARGIN + 70, top + 6), 34, theme.marks[note.side])
    move = writable_text(note.move, fallback="?")
    card.write(move, (MARGIN + 108, top, 84, _ROW), theme.text, (26, 24, 22, 20))
    kind = _kind(note, captions)
    card.write(kind, (MARGIN + 196, top, 160, _ROW), theme.text, (24, 22, 20))
    if note.better:
        better = captions.better.format(move=writable_text(note.better, fallback="?"))
        card.write(better, (MARGIN + 364, top, 180, _ROW), theme.accent, (24, 22, 20))
    if note.loss:
        loss = f"\N{MINUS SIGN}{note.loss:.0%}"
        card.write(loss, (WIDTH - MARGIN - 112, top, 98, _ROW), theme.text, (24,), "r")
