"""What is said about ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord.utils import escape_markdown

from bot.language import _, ngettext, told
from bot.model.ratings.profile import HeadToHead, Profile
from bot.model.ratings.values import BoardView, Period, Standing, rating_in_words
from engine import load_variant

if TYPE_CHECKING:
    from cogs.ratings.pages import BoardState


def period_names() -> dict[Period, str]:
    """Return what the periods of leaderboards are called, for buttons and pictures."""
    return {
        Period.ALL: _("All time"),
        Period.MONTH: _("The last 30 days"),
        Period.WEEK: _("The last 7 days"),
    }


def board_heading(state: BoardState, found: BoardView) -> str:
    """Say which leaderboard it is; as text with everybody on the page."""
    where = _("everywhere") if state.everywhere else _("this server")
    heading = _("### {variant}: the best of {place}").format(
        variant=told(load_variant(state.pool).name), place=where
    )
    lines = [f"{heading} · {period_names()[state.period]}"]
    if state.as_text:
        lines += _entries(found)
    if not found.page.entries:
        lines.append(
            _(
                "Nobody is on this leaderboard yet. It takes 10 rated games against 5 different "
                "opponents."
            )
        )
    return "\n".join(lines)


def board_subtitle(state: BoardState, found: BoardView) -> str:
    """Say in a picture which leaderboard it is."""
    where = _("Everywhere") if state.everywhere else _("This server")
    people = ngettext("{count} player", "{count} players", found.page.total)
    parts = (where, period_names()[state.period], people.format(count=found.page.total))
    return " · ".join(parts)


def _entries(found: BoardView) -> list[str]:
    lines = []
    for entry in found.page.entries:
        counts = _counts(entry.won, entry.drawn, entry.lost)
        if entry.gain is not None:
            counts += ", " + _("{gain} points").format(gain=f"{entry.gain:+.0f}")
        name = escape_markdown(entry.name)
        lines.append(f"{entry.rank}. **{name}** {rating_in_words(entry.rating)} ({counts})")
    return lines


def own_place(standing: Standing) -> str:
    """Say where on a leaderboard the one is who asks."""
    if standing.entry is not None:
        return _("-# You are number {rank} of {total}.").format(
            rank=standing.entry.rank, total=standing.total
        )
    return _("-# You: {reason}").format(reason=told(standing.why_not or ""))


def profile(name: str, found: Profile) -> str:
    """Say in a line what the picture shows."""
    total = found.records.total
    counts = (
        _counts(total.won, total.drawn, total.lost) if total.played else _("No finished games yet.")
    )
    return f"### {escape_markdown(name)}\n{counts}"


def _counts(won: int, drawn: int, lost: int) -> str:
    count = won + drawn + lost
    words = ngettext(
        "{count} game: {won} won, {drawn} drawn, {lost} lost",
        "{count} games: {won} won, {drawn} drawn, {lost} lost",
        count,
    )
    return words.format(count=count, won=won, drawn=drawn, lost=lost)


def versus(name: str, other: str, met: HeadToHead | None) -> str:
    """Say in a line how it went between two people."""
    first, second = escape_markdown(name), escape_markdown(other)
    heading = "### " + _("{name} against {other}").format(name=first, other=second)
    if met is None:
        return f"{heading}\n" + _("They have not finished a game against each other yet.")
    record = met.record
    return f"{heading}\n" + _("{won} won, {drawn} drawn, {lost} lost").format(
        won=record.won, drawn=record.drawn, lost=record.lost
    )


def games_between(count: int) -> str:
    """Say in a picture how many games two people have finished."""
    return ngettext("{count} game", "{count} games", count).format(count=count)
