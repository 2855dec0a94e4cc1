"""A rating over time: the picture, and the chart that the profile shares."""

from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from typing import Final

from bot.language import _, ngettext
from bot.render.captions import ENGLISH, Captions
from bot.render.card import HEAD, MARGIN, WIDTH, Area, Card, signed, told
from bot.render.shapes import Point
from bot.render.text import font, writable_text
from bot.render.theme import DARK, Theme, mix
from bot.render.words import one_line

_HEIGHT: Final = 460
_AXIS, _DATES = 76, 34  # room for numbers at the left, dates below
_SMALL: Final = (21,)
_STEPS: Final = (10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000)
_MOST_LINES: Final = 5
_LEAST_SPAN: Final = 60  # points; a rating that hardly moved is not blown up
_MOST_POINTS: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPoint:
    """A rating from some moment on; `deviation` is its uncertainty in points."""

    at: datetime
    rating: float
    deviation: float = 0.0


@dataclass(frozen=True, slots=True)
class RatingPicture:
    """Everything that a rating graph shows.

    Attributes:
        name: Whose rating it is, any text.
        points: In the order of time.
        subtitle: Variant and period, say.
        is_provisional: Whether the last rating is uncertain.
        theme: Colours.
        captions: The words.
    """

    name: str
    points: tuple[RatingPoint, ...]
    _: KW_ONLY
    subtitle: str = ""
    is_provisional: bool = False
    theme: Theme = DARK
    captions: Captions = ENGLISH


def draw_rating_graph(picture: RatingPicture) -> bytes:
    """Return a rating over time as a PNG, some 20 KB; takes about 40 ms."""
    card = Card(picture.theme, _HEIGHT)
    subtitle = writable_text(picture.subtitle, fallback="")
    card.title(writable_text(picture.name, fallback=picture.captions.nameless), subtitle)
    area = (MARGIN, HEAD + 6, WIDTH - 2 * MARGIN, _HEIGHT - HEAD - MARGIN)
    draw_rating_chart(
        card,
        area,
        picture.points,
        is_provisional=picture.is_provisional,
        captions=picture.captions,
    )
    return card.png()


def describe_rating_graph(picture: RatingPicture) -> str:
    """Return the graph in words, at most 1024 characters."""
    name = one_line(picture.name, 80)
    heading = _("Rating of {name}").format(name=name)
    heading = one_line(f"{heading}, {picture.subtitle}", 160).rstrip(", ")
    return told([f"{heading}.", *told_ratings(picture.points)])


def told_ratings(points: tuple[RatingPoint, ...]) -> list[str]:
    """Return in sentences how a rating went."""
    if not points:
        return [_("No rated games yet.")]
    first, last = points[0], points[-1]
    best = max(points, key=lambda point: point.rating)
    worst = min(points, key=lambda point: point.rating)
    course = ngettext(
        "From {first} on {first_day} to {last} on {last_day} ({change}), {count} point.",
        "From {first} on {first_day} to {last} on {last_day} ({change}), {count} points.",
        len(points),
    )
    return [
        course.format(
            first=round(first.rating),
            first_day=f"{first.at:%Y-%m-%d}",
            last=round(last.rating),
            last_day=f"{last.at:%Y-%m-%d}",
            change=signed(last.rating - first.rating),
            count=len(points),
        ),
        _("Highest {best} on {best_day}, lowest {worst} on {worst_day}.").format(
            best=round(best.rating),
            best_day=f"{best.at:%Y-%m-%d}",
            worst=round(worst.rating),
            worst_day=f"{worst.at:%Y-%m-%d}",
        ),
    ]


def draw_rating_chart(
    card: Card,
    area: Area,
    points: tuple[RatingPoint, ...],
    *,
    is_provisional: bool = False,
    captions: Captions = ENGLISH,
) -> None:
    """Draw a rating over time, with axes, into a part of a card."""
    theme = card.theme
    left, top, width, height = area
    card.block(area, theme.surface, 14)
    if not points:
        card.write(captions.no_games, area, theme.muted, (26,), "m")
        return
    points = _thinned(points)
    low, high, step = _scale(points)
    plot = (left + _AXIS, top + 22, width - _AXIS - 78, height - 22 - _DATES - 12)
    line = mix(theme.surface, theme.text, 0.16)
    for value in range(low, high + 1, step):
        y = plot[1] + plot[3] * (high - value) / (high - low)
        card.block((plot[0], round(y) - 1, plot[2], 2), line, 0)
        card.write(f"{value}", (left, round(y) - 14, _AXIS - 10, 28), theme.muted, _SMALL, "r")
    places = _places(points, plot, low, high)
    _draw_doubt(card, points, places, plot, low, high)
    floor = float(plot[1] + plot[3])
    if len(places) > 1:
        card.stroke([tuple(places)], 5, theme.accent)
    best = max(range(len(points)), key=lambda place: points[place].rating)
    x, y = places[best]
    if best != len(points) - 1 and x < plot[0] + plot[2] - 60 and y > plot[1]:
        card.dot((x, y), 7, theme.accent)
        card.dot((x, y), 4, theme.surface)
    x, y = places[-1]
    card.dot((x, y), 9, theme.accent)
    said = f"{round(points[-1].rating)}{'?' * is_provisional}"
    spot = (round(x) + 14, round(min(max(y, plot[1]), floor)) - 16, 68, 32)
    card.write(said, spot, theme.text, (24, 22), "l")
    _draw_dates(card, points, plot)


def _thinned(points: tuple[RatingPoint, ...]) -> tuple[RatingPoint, ...]:
    """Leave out what would be narrower than a pixel, keeping the last point and the best."""
    if len(points) <= _MOST_POINTS:
        return points
    stride = -(-len(points) // (_MOST_POINTS // 3))
    kept = {len(points) - 1}
    for start in range(0, len(points), stride):
        part = range(start, min(start + stride, len(points)))
        kept |= {part[0]}
        kept |= {min(part, key=lambda place: points[place].rating)}
        kept |= {max(part, key=lambda place: points[place].rating)}
    return tuple(points[place] for place in sorted(kept))


def _scale(points: tuple[RatingPoint, ...]) -> tuple[int, int, int]:
    """Return the lowest and the highest line, and the step between lines."""
    low, high = min(p.rating for p in points), max(p.rating for p in points)
    spare = max(0.0, _LEAST_SPAN - (high - low)) / 2
    low, high = low - spare, high + spare
    for step in _STEPS:
        first, last = int(low // step) * step, -int(-high // step) * step
        if (last - first) // step <= _MOST_LINES - 1:
            break
    return first, last, step


def _places(points: tuple[RatingPoint, ...], plot: Area, low: float, high: float) -> list[Point]:
    """Return where the points lie, by time; all at one moment lie at equal steps."""
    start, span = points[0].at, points[-1].at - points[0].at
    places = []
    for number, point in enumerate(points):
        if span > timedelta(0):
            share = (point.at - start) / span
        else:
            share = number / max(1, len(points) - 1) if len(points) > 1 else 0.5
        x = plot[0] + 8 + (plot[2] - 16) * share
        places.append((x, plot[1] + plot[3] * (high - point.rating) / (high - low)))
    return places


def _draw_doubt(
    card: Card,
    points: tuple[RatingPoint, ...],
    places: list[Point],
    plot: Area,
    low: float,
    high: float,
) -> None:
    """Draw how uncertain the rating was as a band, one deviation to either side."""
    scale = plot[3] / (high - low)
    if len(points) < 2 or not any(point.deviation for point in points):
        return
    top, bottom = float(plot[1]), float(plot[1] + plot[3])

    def edge(way: int) -> list[Point]:
        return [
            (x, min(bottom, max(top, y + way * point.deviation * scale)))
            for (x, y), point in zip(places, points, strict=True)
        ]

    colour = mix(card.theme.surface, card.theme.accent, 0.2)
    card.fill([*edge(-1), *reversed(edge(1))], colour)


def _draw_dates(card: Card, points: tuple[RatingPoint, ...], plot: Area) -> None:
    """Write the first and the last day below the plot, and the middle one between."""
    first, last = points[0].at, points[-1].at
    top = plot[1] + plot[3] + 10
    muted = card.theme.muted
    texts = [f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}"]
    box = (plot[0], top, plot[2], _DATES)
    if texts[0] == texts[1]:
        card.write(texts[0], box, muted, _SMALL, "m")
        return
    card.write(texts[0], box, muted, _SMALL)
    card.write(texts[1], box, muted, _SMALL, "r")
    if (last - first).days > 2 and 3.6 * font(_SMALL[0]).getlength(texts[0]) < plot[2]:
        middle = first + (last - first) / 2
        card.write(f"{middle:%Y-%m-%d}", box, muted, _SMALL, "m")
