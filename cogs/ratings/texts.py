"""What is said about ratings."""

from __future__ import annotations

import discord

from bot.ratings import BoardPage, Period, Profile, Standing, rating_in_words
from engine import load_variant

PERIODS = {Period.ALL: "of all time", Period.MONTH: "points of 30 days", Period.WEEK: "of 7 days"}

NOBODY = "Nobody is on this leaderboard yet. It takes 10 rated games against 5 different opponents."

ROWS = 10


def leaderboard(
    page: BoardPage, standing: Standing, *, pool: str, period: Period, in_server: bool
) -> str:
    """List the best players, and where the one who asks stands."""
    where = "this server" if in_server else "everywhere"
    lines = [f"### {load_variant(pool).name}: the best of {where}, {PERIODS[period]}"]
    for entry in page.entries:
        gain = "" if entry.gain is None else f", {entry.gain:+.0f} points"
        name = discord.utils.escape_markdown(entry.name)
        rating = rating_in_words(entry.rating)
        lines.append(f"{entry.rank}. **{name}** {rating} ({_games(entry.games)}{gain})")
    if not page.entries:
        lines.append(NOBODY)
    lines.append(_own(standing))
    return "\n".join(lines)


def _own(standing: Standing) -> str:
    if standing.entry is not None:
        return f"-# You are number {standing.entry.rank} of {standing.total}."
    return f"-# You: {standing.why_not}"


def profile(name: str, found: Profile) -> str:
    """Say in a line what the picture shows."""
    total = found.records.total
    shown = discord.utils.escape_markdown(name)
    if not total.played:
        return f"### {shown}\nNo finished games yet."
    return (
        f"### {shown}\n{_games(total.played)}: {total.won} won, {total.drawn} drawn, "
        f"{total.lost} lost"
    )


def _games(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
