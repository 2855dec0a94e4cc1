"""The leaderboard as a picture: who is ahead, and where the viewer stands."""

from dataclasses import KW_ONLY, dataclass, replace

from bot.language import N_, _, ngettext, percent, pgettext
from bot.render.card import (
    HEAD,
    LEAST_FONT,
    MARGIN,
    WIDTH,
    Card,
    CardPicture,
    Tally,
    writable_name,
)
from bot.render.describe import one_line, rounded, signed, told
from bot.render.masks import writable_text
from bot.render.theme import Colour, mix

_ROW, _GAP = 44, 3
_HEADS = 32
_SKIP = 22  # dots between the page and the viewer's own row
_SIZES = (27, 25, 23)
_RANK_WIDTH = 68
_NAME = (MARGIN + _RANK_WIDTH + 8, 210)
_RATING_END = 418
_GAMES_END = 496
_BAR = (512, 80)
_TREND_END = WIDTH - MARGIN - 10
_MEDALS = 3
_NOBODY = N_("Nobody has enough rated games yet")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardRow(Tally):
    """One player, with the rated games of the period.

    Attributes:
        name: Any text.
        is_provisional: Whether the rating is still uncertain, shown by a question mark.
        placement: Shown in place of the rating, such as "3/5"; empty once the rating is shown.
        trend: How much the rating changed in the period; None if that is not known.
        is_viewer: Whether it is the viewer's own.
    """

    rank: int
    name: str
    rating: float
    is_provisional: bool = False
    placement: str = ""
    trend: float | None = None
    is_viewer: bool = False


@dataclass(frozen=True, slots=True)
class LeaderboardPicture(CardPicture):
    """Everything that one page of a leaderboard shows.

    Attributes:
        title: Such as the variant.
        rows: The players of the page, best first.
        viewer: The viewer's row, drawn below the others if it is not among them.
        empty: The text if there are no rows.
        is_of_wins: Whether it ranks by games won, which are shown instead of ratings.
    """

    title: str
    rows: tuple[LeaderboardRow, ...]
    _: KW_ONLY
    viewer: LeaderboardRow | None = None
    empty: str = ""
    is_of_wins: bool = False

    @property
    def appended(self) -> LeaderboardRow | None:
        """The viewer's row if it is not on the page."""
        if self.viewer is None or any(row.is_viewer for row in self.rows):
            return None
        return replace(self.viewer, is_viewer=True)


def draw_leaderboard(picture: LeaderboardPicture) -> bytes:
    """Return a page of a leaderboard as a PNG, some 40 KB; takes about 30 ms."""
    theme, extra = picture.theme, picture.appended
    height = HEAD + _HEADS + max(1, len(picture.rows)) * (_ROW + _GAP) + MARGIN
    card = Card(theme, height + (_SKIP + _ROW + _GAP) * (extra is not None))
    title = writable_text(picture.title, fallback=pgettext("head of a column", "rating"))
    card.title(title, picture.subtitle)
    _draw_heads(card, picture)
    top = HEAD + _HEADS
    if not picture.rows:
        area = (MARGIN, top, WIDTH - 2 * MARGIN, _ROW)
        card.block(area, theme.surface)
        words = writable_text(picture.empty or _(_NOBODY), fallback="")
        card.write(words, area, theme.muted, _SIZES, "m")
        top += _ROW + _GAP
    for row in picture.rows:
        _draw_row(card, picture, row, top)
        top += _ROW + _GAP
    if extra is not None:
        for step in (-16, 0, 16):
            card.dot((WIDTH / 2 + step, top + _SKIP / 2 - 2), 3.5, theme.muted)
        _draw_row(card, picture, extra, top + _SKIP)
    return card.png()


def describe_leaderboard(picture: LeaderboardPicture) -> str:
    """Return the page in words, at most 1024 characters."""
    heading = ", ".join(one_line(part, 80) for part in (picture.title, picture.subtitle) if part)
    if not picture.rows:
        return told([f"{heading}.", f"{one_line(picture.empty or _(_NOBODY), 200)}."])
    extra = picture.appended
    # The viewer's row comes first: a long page loses its end.
    own = extra or next((row for row in picture.rows if row.is_viewer), None)
    first = (
        [] if own is None else [_("You: {entry}").format(entry=_told_row(own, picture.is_of_wins))]
    )
    listed = (_told_row(row, picture.is_of_wins) for row in picture.rows)
    return told([_("Leaderboard: {title}.").format(title=heading), *first, *listed])


def _told_row(row: LeaderboardRow, is_of_wins: bool) -> str:
    rating, name = rounded(row.rating, row.is_provisional), one_line(row.name, 40)
    if row.placement:
        rating = _("(placement {count})").format(count=row.placement)
    if is_of_wins:
        words = ngettext(
            "{rank}. {name}, {won} won of {count} game.",
            "{rank}. {name}, {won} won of {count} games.",
            row.games,
        )
        return words.format(rank=row.rank, name=name, won=row.wins, count=row.games)
    if not row.games:
        return f"{row.rank}. {name} {rating}."
    entry = ngettext(
        "{rank}. {name} {rating}, {count} game, {share} won.",
        "{rank}. {name} {rating}, {count} games, {share} won.",
        row.games,
    )
    share = percent(row.wins / row.games)
    return entry.format(rank=row.rank, name=name, rating=rating, count=row.games, share=share)


def _draw_heads(card: Card, picture: LeaderboardPicture) -> None:
    left, width = _bar(picture)
    heads = [
        # For translators: heads of narrow columns; eight letters are enough room.
        (pgettext("head of a column", "player"), _NAME[0], 200, "l"),
        (pgettext("head of a column", "rating"), _RATING_END - 112, 96, "r"),
        (pgettext("head of a column", "games"), _GAMES_END - 82, 82, "r"),
        (pgettext("head of a column", "won"), left - 4, width + 8, "m"),
        (pgettext("head of a column", "trend"), _TREND_END - 80, 80, "r"),
    ]
    if picture.is_of_wins:
        heads[1] = (pgettext("head of a column", "wins"), *heads[1][1:])
        del heads[-1]
    for word, left, width, align in heads:
        card.write(word, (left, HEAD, width, _HEADS), card.theme.muted, (LEAST_FONT,), align)


def _draw_row(card: Card, picture: LeaderboardPicture, row: LeaderboardRow, top: int) -> None:
    """Draw one player; the viewer's row is outlined and tinted."""
    theme = card.theme
    area = (MARGIN, top, WIDTH - 2 * MARGIN, _ROW)
    ground = theme.surface
    if row.is_viewer:
        ground = mix(theme.surface, theme.accent, 0.14)
        card.block(area, theme.accent, 11)
        card.block((area[0] + 3, top + 3, area[2] - 6, _ROW - 6), ground, 8)
    else:
        card.block(area, ground, 11)
    _draw_rank(card, row.rank, top)
    name = writable_name(row.name)
    card.write(name, (_NAME[0], top, _NAME[1], _ROW), theme.text, (27, 25, 23, LEAST_FONT))
    column = (_RATING_END - 100, top, 84, _ROW)
    if picture.is_of_wins:
        card.write(f"{row.wins}", column, theme.text, _SIZES, "r")
    elif row.placement:
        card.write(row.placement, column, theme.muted, _SIZES, "r")
    else:
        # The question mark is outside the column, so that the digits stay aligned.
        card.write(f"{round(row.rating)}", column, theme.text, _SIZES, "r")
        if row.is_provisional:
            card.write("?", (_RATING_END - 15, top, 16, _ROW), theme.muted, _SIZES)
    card.write(f"{row.games}", (_GAMES_END - 70, top, 70, _ROW), theme.text, _SIZES, "r")
    _draw_share(card, row, top, ground, _bar(picture))
    if not picture.is_of_wins:
        _draw_trend(card, row.trend, top)


def _bar(picture: LeaderboardPicture) -> tuple[int, int]:
    """Return where bars begin and how wide they are: up to the end if there is no trend."""
    left, width = _BAR
    return (left, _TREND_END - left) if picture.is_of_wins else (left, width)


def _draw_rank(card: Card, rank: int, top: int) -> None:
    """Write the rank, the first three on filled plates."""
    theme = card.theme
    if rank <= _MEDALS:
        share = 0.0 if rank == 1 else 0.5 + 0.15 * (rank - 2)
        fill = mix(theme.accent, theme.surface, share)
        size = _ROW - 8
        left = MARGIN + (_RANK_WIDTH - size) // 2
        card.block((left, top + 4, size, size), fill, size)
        ink = theme.ink if rank == 1 else theme.text
        card.write(f"{rank}", (left, top, size, _ROW), ink, (25,), "m")
        return
    area = (MARGIN + 5, top, _RANK_WIDTH - 6, _ROW)
    card.write(f"{rank}", area, theme.muted, (25, LEAST_FONT), "m")


def _draw_share(
    card: Card, row: LeaderboardRow, top: int, ground: Colour, bar: tuple[int, int]
) -> None:
    """Draw the games as a bar, won, drawn and lost, with the share won below."""
    theme = card.theme
    left, width = bar
    if not row.games:
        card.write("-", (left, top, width, _ROW), theme.muted, _SIZES, "m")
        return
    share, area = f"{row.wins / row.games:.0%}", (left, top + 4, width, 26)
    card.write(share, area, theme.text, (LEAST_FONT,), "m")
    card.shares((left, top + _ROW - 13, width, 8), row, ground, 4)


def _draw_trend(card: Card, trend: float | None, top: int) -> None:
    """Write a change with its sign: colours alone would not tell up from down."""
    theme = card.theme
    if trend is None:
        card.write("-", (_TREND_END - 50, top, 50, _ROW), theme.muted, _SIZES, "r")
        return
    change = round(trend)
    ink = theme.accent if change > 0 else theme.text if change < 0 else theme.muted
    area = (_TREND_END - 84, top, 84, _ROW)
    card.write(signed(trend), area, ink, (24, LEAST_FONT), "r")
