"""What is said about finished games."""

from __future__ import annotations

import discord

from bot.language import _, ngettext, pgettext
from bot.model.match import Match
from bot.services.ratings import HistoryPage
from bot.storage.history import HistoryRow
from cogs.games import opponent_of
from cogs.history.ids import HistoryState
from cogs.variants import name_of
from engine import MARKS, format_move, load_variant

MOST_MOVES = 81
"""So many moves are written out: a whole game of nine boards."""


def heading(name: str, state: HistoryState, opponent: str | None) -> str:
    """Say whose games these are, and which of them."""
    lines = [_("### Games of {name}").format(name=discord.utils.escape_markdown(name))]
    filters = []
    if state.variant is not None:
        filters.append(name_of(load_variant(state.variant)))
    if opponent is not None:
        words = _("against {name}")
        filters.append(words.format(name=discord.utils.escape_markdown(opponent)))
    if state.computer is not None:
        filters.append(_("against the computer") if state.computer else _("against people"))
    if state.result is not None:
        filters.append(_results()[state.result])
    if state.rated is not None:
        filters.append(_("rated") if state.rated else _("casual"))
    if filters:
        lines.append("-# " + " · ".join(filters))
    return "\n".join(lines)


def _results() -> dict[str, str]:
    return {
        "w": pgettext("games", "won"),
        "d": pgettext("games", "drawn"),
        "l": pgettext("games", "lost"),
    }


def page(found: HistoryPage, state: HistoryState, viewer: int) -> str:
    """List the games of a page, the newest first."""
    if not found.entries:
        if state.is_filtered:
            return _("No finished games like these.")
        return _("No finished games yet.")
    return "\n".join(_line(entry, state.who, viewer) for entry in found.entries)


def _line(entry: HistoryRow, who: int, viewer: int) -> str:
    day = discord.utils.format_dt(entry.ended_at, "d")
    variant = name_of(load_variant(entry.variant_key))
    parts = [f"**{entry.match_id}** {day}", variant, _outcome(entry), _rating(entry)]
    link = _link(entry, entry.guild_id is not None or viewer in (who, entry.opponent_id))
    return " · ".join([*parts, link] if link else parts)


def _outcome(entry: HistoryRow) -> str:
    """Say against whom it went how; each mark stands with the one who had it."""
    words = {
        "won": _("**won** against {name} ({side})"),
        "drawn": _("**drawn** against {name} ({side})"),
        "lost": _("**lost** against {name} ({side})"),
    }[entry.result]
    return words.format(name=opponent(entry), side=MARKS[1 - entry.side])


def opponent(entry: HistoryRow) -> str:
    """Name the other player of a game."""
    return discord.utils.escape_markdown(opponent_of(entry))


def _rating(entry: HistoryRow) -> str:
    """Say what a game has made of the rating."""
    if entry.value_before is not None and entry.value_after is not None:
        before, after = round(entry.value_before), round(entry.value_after)
        change = f"{after - before:+d}".replace("-", "\N{MINUS SIGN}")
        return f"{before} → {after} ({change})"
    if entry.rated and entry.reason is not None:
        return _("did not count")
    return _("rated") if entry.rated else _("casual")


def _link(entry: HistoryRow, may_follow: bool) -> str:
    """Return a link to the board of a game, where whoever reads can follow it."""
    if not may_follow or entry.channel_id is None or entry.message_id is None:
        return ""
    place = "@me" if entry.guild_id is None else entry.guild_id
    address = f"https://discord.com/channels/{place}/{entry.channel_id}/{entry.message_id}"
    return f"[{_('board')}]({address})"


def advice() -> str:
    """Say how to look at one of the games."""
    return _("-# `/game` shows a game by its number.")


def choice(entry: HistoryRow) -> str:
    """Name a game in a menu."""
    words = _("Game {number} against {name}")
    return words.format(number=entry.match_id, name=opponent_of(entry))


def moves(match: Match) -> str:
    """Write the moves of a game, the last of them for a long one."""
    written = [format_move(move, match.rules) for move in match.moves]
    shown = written[-MOST_MOVES:]
    if not shown:
        return _("-# No moves yet.")
    left_out = len(written) - len(shown)
    words = ngettext("{count} move", "{count} moves", len(written)).format(count=len(written))
    text = " ".join(f"{left_out + place}. {move}" for place, move in enumerate(shown, start=1))
    return f"-# {words}: {'… ' if left_out else ''}{text}"
