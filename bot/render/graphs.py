"""Graphs: a rating over time, which profiles show too, and the chances in a game ply by ply."""

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.language import N_, _, mark_of, ngettext, percent, pgettext
from bot.render.card import HEAD, LEAST_FONT, MARGIN, WIDTH, Area, Card, CardPicture, writable_name
from bot.render.describe import one_line, rounded, signed, told, writable_side
from bot.render.masks import Point, font, writable_text
from bot.render.theme import mix
from engine import Judgement, MoveReview, O, Ply, Rules, Side, X, format_move

_HEIGHT: Final = 460
_RATING_AXIS, _DATES = 76, 34  # room for numbers at the left, dates below
_SMALL: Final = (LEAST_FONT,)
_STEPS: Final = (10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000)
_MOST_LINES: Final = 5
_LEAST_SPAN: Final = 60  # points; a rating that hardly moved is not blown up
_MOST_POINTS: Final = 300
NO_GAMES: Final = N_("No rated games yet")
UNPLACED: Final = N_("The rating is shown after the placement")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPoint:
    """A rating from some moment on; `deviation` is its uncertainty in points."""

    at: datetime
    rating: float
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class RatingPicture(CardPicture):
    """A rating over time: its `points` in order, and whether the last one is uncertain.

    `empty` is the text if there are none.
    """

    name: str
    points: tuple[RatingPoint, ...]
    _: KW_ONLY
    is_provisional: bool = False
    empty: str = ""


def draw_rating_graph(picture: RatingPicture) -> bytes:
    """Return a rating over time as a PNG, some 20 KB; takes about 40 ms."""
    card = Card(picture.theme, _HEIGHT)
    card.title(writable_name(picture.name), picture.subtitle)
    area = (MARGIN, HEAD + 6, WIDTH - 2 * MARGIN, _HEIGHT - HEAD - MARGIN)
    empty = picture.empty or _(NO_GAMES)
    draw_rating_chart(card, area, picture.points, empty, is_provisional=picture.is_provisional)
    return card.png()


def describe_rating_graph(picture: RatingPicture) -> str:
    """Return the graph in words, at most 1024 characters."""
    name = one_line(picture.name, 80)
    heading = _("Rating of {name}").format(name=name)
    heading = one_line(f"{heading}, {picture.subtitle}", 160).rstrip(", ")
    return told([f"{heading}.", *told_ratings(picture.points, picture.empty)])


def told_ratings(points: tuple[RatingPoint, ...], empty: str = "") -> list[str]:
    """Return the course of a rating in sentences."""
    if not points:
        return [f"{empty}." if empty else _("No rated games yet.")]
    marked = {
        "first": points[0],
        "last": points[-1],
        "best": max(points, key=lambda point: point.rating),
        "worst": min(points, key=lambda point: point.rating),
    }
    facts: dict[str, object] = {name: round(point.rating) for name, point in marked.items()}
    facts |= {f"{name}_day": f"{point.at:%Y-%m-%d}" for name, point in marked.items()}
    facts |= {"change": signed(points[-1].rating - points[0].rating), "count": len(points)}
    course = ngettext(
        "From {first} on {first_day} to {last} on {last_day} ({change}), {count} point.",
        "From {first} on {first_day} to {last} on {last_day} ({change}), {count} points.",
        len(points),
    )
    ends = _("Highest {best} on {best_day}, lowest {worst} on {worst_day}.")
    return [course.format(**facts), ends.format(**facts)]


def draw_rating_chart(
    card: Card,
    area: Area,
    points: tuple[RatingPoint, ...],
    empty: str,
    *,
    is_provisional: bool,
) -> None:
    """Draw a rating over time, with axes, into a part of a card; `empty` without points."""
    theme = card.theme
    left, top, width, height = area
    card.block(area, theme.surface, 14)
    if not points:
        card.write(empty, area, theme.muted, (26, 24, 22), "m")
        return
    points = _thinned(points)
    low, high, step = _scale(points)
    plot = (left + _RATING_AXIS, top + 22, width - _RATING_AXIS - 78, height - 22 - _DATES - 12)
    for value in range(low, high + 1, step):
        line = round(plot[1] + plot[3] * (high - value) / (high - low))
        _draw_line(card, plot, line, f"{value}", (left, _RATING_AXIS - 10))
    places = _places(points, plot, low, high)
    if len(places) > 1:
        _draw_doubt(card, points, places, plot[3] / (high - low))
        card.stroke([tuple(places)], 5, theme.accent)
    best = max(range(len(points)), key=lambda place: points[place].rating)
    x, y = places[best]
    if best != len(points) - 1 and x < plot[0] + plot[2] - 60 and y > plot[1]:
        card.dot((x, y), 7, theme.accent)
        card.dot((x, y), 4, theme.surface)
    x, y = places[-1]
    card.dot((x, y), 9, theme.accent)
    said = rounded(points[-1].rating, is_provisional)
    spot = (round(x) + 14, round(min(max(y, plot[1]), plot[1] + plot[3])) - 16, 68, 32)
    card.write(said, spot, theme.text, (24, 22))
    _draw_dates(card, points, plot)


def _draw_line(
    card: Card, plot: Area, y: int, label: str, axis: tuple[int, int], share: float = 0.16
) -> None:
    """Draw a line across a plot, its label in the axis: where it begins, and its width."""
    theme = card.theme
    card.block((plot[0], y - 1, plot[2], 2), mix(theme.surface, theme.text, share), 0)
    card.write(label, (axis[0], y - 14, axis[1], 28), theme.muted, _SMALL, "r")


def _thinned(points: tuple[RatingPoint, ...]) -> tuple[RatingPoint, ...]:
    """Leave out what would be narrower than a pixel, keeping the last point and the best."""
    if len(points) <= _MOST_POINTS:
        return points
    stride = -(-len(points) // (_MOST_POINTS // 3))
    kept, rating = {len(points) - 1}, [point.rating for point in points].__getitem__
    for start in range(0, len(points), stride):
        part = range(start, min(start + stride, len(points)))
        kept |= {start, min(part, key=rating), max(part, key=rating)}
    return tuple(points[place] for place in sorted(kept))


def _scale(points: tuple[RatingPoint, ...]) -> tuple[int, int, int]:
    """Return the lowest and the highest line, and the step between lines: the band fits between."""
    low = min(point.rating - point.deviation for point in points)
    high = max(point.rating + point.deviation for point in points)
    spare = max(0.0, _LEAST_SPAN - (high - low)) / 2
    low, high = low - spare, high + spare
    for step in _STEPS:
        first, last = int(low // step) * step, -int(-high // step) * step
        if (last - first) // step <= _MOST_LINES - 1:
            break
    return first, last, step


def _places(points: tuple[RatingPoint, ...], plot: Area, low: float, high: float) -> list[Point]:
    """Return where the points lie, by time; if all are of one moment, at equal steps."""
    start, span, last = points[0].at, points[-1].at - points[0].at, len(points) - 1
    places = []
    for number, point in enumerate(points):
        share = number / last if last else 0.5
        if span > timedelta(0):
            share = (point.at - start) / span
        x = plot[0] + 8 + (plot[2] - 16) * share
        places.append((x, plot[1] + plot[3] * (high - point.rating) / (high - low)))
    return places


def _draw_doubt(
    card: Card, points: tuple[RatingPoint, ...], places: list[Point], scale: float
) -> None:
    """Draw one deviation to either side as a band; `scale` is in pixels a point."""
    if not any(point.deviation for point in points):
        return

    def edge(way: int) -> list[Point]:
        return [
            (x, y + way * point.deviation * scale)
            for (x, y), point in zip(places, points, strict=True)
        ]

    colour = mix(card.theme.surface, card.theme.accent, 0.2)
    card.fill([*edge(-1), *reversed(edge(1))], colour)


def _draw_dates(card: Card, points: tuple[RatingPoint, ...], plot: Area) -> None:
    """Write the first and the last day below the plot, and the middle one between."""
    first, last = points[0].at, points[-1].at
    dates = {"l": first, "r": last}
    if f"{first:%Y-%m-%d}" == f"{last:%Y-%m-%d}":
        dates = {"m": first}
    elif (last - first).days > 2 and 3.6 * font(_SMALL[0]).getlength(f"{first:%Y-%m-%d}") < plot[2]:
        dates["m"] = first + (last - first) / 2
    box = (plot[0], plot[1] + plot[3] + 10, plot[2], _DATES)
    for align, date in dates.items():
        card.write(f"{date:%Y-%m-%d}", box, card.theme.muted, _SMALL, align)


_CHART_HEIGHT: Final = 216
_PLATE, _PLATE_GAP = 46, 4
_ROW, _GAP = 40, 4
_MOST_ROWS: Final = 6
_AXIS: Final = 70


SIGNS: Final = {Judgement.BLUNDER: "??", Judgement.MISTAKE: "?", Judgement.INACCURACY: "?!"}
"""What stands at a bad move, as chess players write it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlyNote:
    """A marked move.

    Attributes:
        ply: How many moves had been played with it, from 1.
        kind: One of `SIGNS`.
        better: What should have been played, if that is known.
        loss: How much of the chances it gave away, 0 to 1.
    """

    ply: Ply
    side: Side
    kind: Judgement
    move: str
    better: str | None = None
    loss: float = 0.0


def noted(reviews: Iterable[MoveReview], rules: Rules) -> tuple[PlyNote, ...]:
    """Return the bad moves of a review, each with a better one."""
    return tuple(
        PlyNote(
            ply=each.ply + 1,
            side=each.side,
            kind=each.judgement,
            move=format_move(each.move, rules),
            better=format_move(each.best_move, rules),
            loss=each.loss,
        )
        for each in reviews
        if each.judgement in SIGNS
    )


@dataclass(frozen=True, slots=True)
class EvaluationPicture(CardPicture):
    """Everything that an evaluation graph shows.

    Attributes:
        chances: The chances of X after 0, 1, 2 ... moves, from 0 to 1.
        title: Such as how the game ended.
        notes: Marked moves; the six that lost most are listed below the graph.
        accuracies: How well X and O played, 0 to 1.
        winner: Whose plate is filled.
    """

    chances: tuple[float, ...]
    _: KW_ONLY
    names: tuple[str, str] = ("X", "O")
    title: str = "The game in figures"
    notes: tuple[PlyNote, ...] = ()
    accuracies: tuple[float, float] | None = None
    winner: Side | None = None

    @property
    def listed(self) -> tuple[PlyNote, ...]:
        """The notes that are listed in words, in the order of play."""
        worst = sorted(self.notes, key=lambda note: -note.loss)[:_MOST_ROWS]
        return tuple(sorted(worst, key=lambda note: note.ply))


def draw_evaluation_graph(picture: EvaluationPicture) -> bytes:
    """Return a game's chances ply by ply as a PNG, some 30 KB; takes about 40 ms."""
    chart = (MARGIN, HEAD + 2 * (_PLATE + _PLATE_GAP) + 4, WIDTH - 2 * MARGIN, _CHART_HEIGHT)
    rows = len(picture.listed)
    height = chart[1] + _CHART_HEIGHT + 8 + rows * (_ROW + _GAP) + 8
    card = Card(picture.theme, height)
    subtitle = writable_text(picture.subtitle, fallback="")
    if picture.accuracies is not None:
        subtitle = " · ".join(filter(None, (subtitle, _("accuracy"))))
    card.title(writable_text(picture.title, fallback="-"), subtitle)
    for side in (X, O):
        _draw_plate(card, picture, side)
    _draw_chart(card, chart, picture)
    top = chart[1] + _CHART_HEIGHT + 8
    for note in picture.listed:
        _draw_note(card, note, top)
        top += _ROW + _GAP
    return card.png()


def describe_evaluation_graph(picture: EvaluationPicture) -> str:
    """Return the graph in words, at most 1024 characters."""
    heading = ", ".join(one_line(part, 80) for part in (picture.title, picture.subtitle) if part)
    sentences = [f"{heading}."]
    if picture.accuracies is not None:
        accuracies = (
            _("{side} {name}: accuracy {share}.").format(
                side=mark_of(side),
                name=one_line(picture.names[side], 40),
                share=percent(picture.accuracies[side]),
            )
            for side in (X, O)
        )
        sentences.append(" ".join(accuracies))
    sentences += [_told_note(note) for note in picture.listed]
    step = max(1, (len(picture.chances) - 1) // 12)
    course = ", ".join(
        f"{ply}: {percent(chance)}" for ply, chance in list(enumerate(picture.chances))[::step]
    )
    chances = _("Chances of {mark} after moves: {course}.").format(mark=mark_of(X), course=course)
    return told([*sentences, chances])


def _told_note(note: PlyNote) -> str:
    parts = [_kind(note)]
    if note.better:
        parts.append(_("better {move}").format(move=note.better))
    if note.loss:
        parts.append(_("lost {share}").format(share=percent(note.loss)))
    return _("Move {number}, {side} {move}: {judgement}.").format(
        number=note.ply, side=mark_of(note.side), move=note.move, judgement=", ".join(parts)
    )


def _draw_plate(card: Card, picture: EvaluationPicture, side: Side) -> None:
    """Draw a name with its mark and how well it played, in a row of its own: names are long."""
    left, top, width = MARGIN, HEAD + side * (_PLATE + _PLATE_GAP), WIDTH - 2 * MARGIN
    area = (left, top, width, _PLATE)
    ink = card.plate(area, side, won=picture.winner == side, radius=14, mark=(6, 3, 40))
    room = 94 if picture.accuracies is not None else 12
    name = writable_side(picture.names, side)
    card.write(name, (left + 54, top, width - 54 - room, _PLATE), ink, (26, 24, LEAST_FONT))
    if picture.accuracies is not None:
        share = f"{picture.accuracies[side]:.0%}"
        card.write(share, (left + width - 90, top, 76, _PLATE), ink, (26, 24), "r")


def _draw_chart(card: Card, area: Area, picture: EvaluationPicture) -> None:
    """Draw the chances: above the middle X leads, below it O."""
    theme = card.theme
    left, top, width, height = area
    card.block(area, theme.surface, 14)
    plot = (left + _AXIS, top + 24, width - _AXIS - 22, height - 24 - 42)
    middle = plot[1] + plot[3] / 2
    for share, text in ((0.0, "100%"), (0.5, "50%"), (1.0, "100%")):
        y = round(plot[1] + plot[3] * share)
        _draw_line(card, plot, y, text, (left, _AXIS - 8), 0.35 if share == 0.5 else 0.16)
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


def _fill_lead(card: Card, places: list[Point], middle: float, side: Side) -> None:
    """Fill between the middle and the curve where `side` is ahead."""
    limit = min if side == X else max
    corners: list[Point] = [(places[0][0], middle)]
    for (x, y), (next_x, next_y) in zip(places, [*places[1:], places[-1]], strict=True):
        corners.append((x, limit(y, middle)))
        if (y - middle) * (next_y - middle) < 0:
            # Where the curve crosses the middle: otherwise both sides claim a sliver.
            corners.append((x + (next_x - x) * (middle - y) / (next_y - y), middle))
    corners.append((places[-1][0], middle))
    card.fill(corners, mix(card.theme.surface, card.theme.solids[side], 0.55))


def _draw_plies(card: Card, plot: Area, last: int) -> None:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if last / step <= 9)
    top = plot[1] + plot[3] + 8
    for ply in range(0, last + 1, step):
        x = round(plot[0] + plot[2] * ply / last)
        card.write(f"{ply}", (x - 30, top, 60, 30), card.theme.muted, _SMALL, "m")


def _draw_sign(card: Card, note: PlyNote, place: Point) -> None:
    """Draw the sign of a marked move on the curve, ringed to stand apart from it."""
    theme = card.theme
    x, y = place
    card.dot((x, y), 19, theme.surface)
    card.dot((x, y), 16, theme.solids[note.side])
    area = (round(x) - 16, round(y) - 14, 32, 28)
    card.write(SIGNS[note.kind], area, theme.ink, (LEAST_FONT,), "m")


def _kind(note: PlyNote) -> str:
    return {
        Judgement.BLUNDER: pgettext("a bad move", "blunder"),
        Judgement.MISTAKE: pgettext("a bad move", "mistake"),
        Judgement.INACCURACY: pgettext("a bad move", "inaccuracy"),
    }[note.kind]


def _draw_note(card: Card, note: PlyNote, top: int) -> None:
    theme = card.theme
    card.block((MARGIN, top, WIDTH - 2 * MARGIN, _ROW), theme.surface, 10)
    card.write(f"{note.ply}.", (MARGIN + 4, top, 60, _ROW), theme.muted, (24, 22), "r")
    card.mark(note.side, (MARGIN + 70, top + 3), 34, theme.marks[note.side])
    move = writable_text(note.move, fallback="?")
    card.write(move, (MARGIN + 108, top, 84, _ROW), theme.text, (26, 24, LEAST_FONT))
    kind = _kind(note)
    card.write(kind, (MARGIN + 196, top, 166, _ROW), theme.text, (24, LEAST_FONT))
    if note.better:
        better = _("better {move}").format(move=writable_text(note.better, fallback="?"))
        card.write(better, (MARGIN + 364, top, 180, _ROW), theme.accent, (24, LEAST_FONT))
    if note.loss:
        loss = f"\N{MINUS SIGN}{note.loss:.0%}"
        card.write(loss, (WIDTH - MARGIN - 112, top, 98, _ROW), theme.text, (24,), "r")
