"""Texts about ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discord.utils import escape_markdown

from bot.language import _, ngettext, told
from bot.model.ratings.pools import (
    LEAST_GAMES,
    LEAST_OPPONENTS,
    PLACEMENT_GAMES,
    is_provisional,
)
from bot.model.ratings.profile import Profile, Record
from bot.model.ratings.values import (
    BoardKind,
    BoardView,
    Period,
    Standing,
    placement_in_words,
    rating_in_words,
)
from cogs.puzzles.texts import streak
from engine import load_variant

if TYPE_CHECKING:
    from cogs.ratings.pages import BoardState


def period_names() -> dict[Period, str]:
    """Return the names of the leaderboard periods, for buttons and pictures."""
    return {
        Period.ALL: _("All time"),
        Period.MONTH: _("The last 30 days"),
        Period.WEEK: _("The last 7 days"),
    }


def board_heading(state: BoardState, found: BoardView) -> str:
    """Name the leaderboard; as text, list everybody on the page."""
    variant = told(load_variant(state.pool).name)
    if state.kind is BoardKind.WINS:
        words = _("### {variant}: most wins in this server")
    elif state.everywhere:
        words = _("### {variant}: the best of all servers")
    else:
        words = _("### {variant}: the best of this server")
    lines = [f"{words.format(variant=variant)} · {period_names()[state.period]}"]
    if state.as_text:
        lines += _entries(state, found)
    if not found.page.entries:
        lines.append(_how_to_begin(state))
    elif not state.everywhere and state.kind is BoardKind.RATING and _has_unsure(found):
        words = _(
            "-# A rating is shown after {count} games. The less certain it is, the lower it ranks."
        )
        lines.append(words.format(count=PLACEMENT_GAMES))
    return "\n".join(lines)


def _has_unsure(found: BoardView) -> bool:
    return any(not entry.is_placed or is_provisional(entry.rating) for entry in found.page.entries)


def _how_to_begin(state: BoardState) -> str:
    """Say how to be the first on a leaderboard."""
    if state.everywhere:
        return _(
            "The first place is free. It takes {games} rated games against {opponents} different "
            "opponents: `/challenge` somebody, or `/play` a rated game against the computer."
        ).format(games=LEAST_GAMES, opponents=LEAST_OPPONENTS)
    if state.kind is BoardKind.WINS:
        return _("The first place is free: `/challenge` somebody here and win.")
    return _("The first place is free: `/challenge` somebody here. One rated game is enough.")


def nobody_yet(state: BoardState) -> str:
    """Say in a picture that a leaderboard is empty."""
    return _("The first place is free") if state.period is Period.ALL else _("No games yet")


def board_subtitle(state: BoardState, found: BoardView) -> str:
    """Say in a picture which leaderboard it is."""
    where = _("All servers") if state.everywhere else _("This server")
    if state.kind is BoardKind.WINS:
        where = _("Most wins")
    people = ngettext("{count} player", "{count} players", found.page.total)
    parts = (where, period_names()[state.period], people.format(count=found.page.total))
    return " · ".join(parts)


def _entries(state: BoardState, found: BoardView) -> list[str]:
    lines = []
    for entry in found.page.entries:
        counts = _counts(entry.won, entry.drawn, entry.lost)
        if entry.gain is not None:
            counts += ", " + _("{gain} points").format(gain=f"{entry.gain:+.0f}")
        name = f"{entry.rank}. **{escape_markdown(entry.name)}**"
        if state.kind is BoardKind.RATING:
            rating = rating_in_words(entry.rating)
            if not entry.is_placed:
                rating = told(placement_in_words(entry.games))
            name = f"{name} {rating}"
        lines.append(f"{name} ({counts})")
    return lines


def own_place(state: BoardState, standing: Standing) -> str:
    """Say the user's rank on a leaderboard, or what they need to be on it."""
    if standing.entry is None:
        return f"-# {missing(state, standing)}"
    return _("-# You are number {rank} of {total}.").format(
        rank=standing.entry.rank, total=standing.total
    )


def missing(state: BoardState, standing: Standing) -> str:
    """Tell the user what they need to be on a leaderboard."""
    why = told(standing.why_not or "")
    if state.everywhere:
        return _("You are not on the leaderboard of all servers yet. {why}").format(why=why)
    return why


def profile(name: str, found: Profile) -> str:
    """Say in a line what the picture shows."""
    total = found.records.total
    counts = (
        _counts(total.won, total.drawn, total.lost) if total.played else _("No finished games yet.")
    )
    lines = [f"### {escape_markdown(name)}", counts]
    if (solver := found.puzzles) is not None:
        words = _("Puzzles: {solved} of {count} solved")
        puzzles = words.format(solved=solver.solved, count=solver.rounds)
        lines.append(f"{puzzles} · {told(solver.words)}")
    if found.daily is not None:
        lines.append(streak(found.daily))
    return "\n".join(lines)


def _counts(won: int, drawn: int, lost: int) -> str:
    count = won + drawn + lost
    words = ngettext(
        "{count} game: {won} won, {drawn} drawn, {lost} lost",
        "{count} games: {won} won, {drawn} drawn, {lost} lost",
        count,
    )
    return words.format(count=count, won=won, drawn=drawn, lost=lost)


def versus(name: str, other: str, record: Record) -> str:
    """Say in a line how it went between two people."""
    first, second = escape_markdown(name), escape_markdown(other)
    heading = "### " + _("{name} against {other}").format(name=first, other=second)
    if not record.played:
        return f"{heading}\n" + _("They have not finished a game against each other yet.")
    return f"{heading}\n" + _("{won} won, {drawn} drawn, {lost} lost").format(
        won=record.won, drawn=record.drawn, lost=record.lost
    )


def games_between(count: int) -> str:
    """Say in a picture how many games two people have finished."""
    return ngettext("{count} game", "{count} games", count).format(count=count)
