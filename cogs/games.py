"""Naming one of one's games in an option."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord import app_commands

from bot.language import _, ngettext, pgettext, told
from bot.model.errors import PlayerError
from bot.model.match import Match, is_stand_in
from bot.storage.erasing import DELETED_PLAYER
from bot.storage.history import HistoryRow
from cogs.audience import own_language

if TYPE_CHECKING:
    from bot.client import GameBot

MOST_CHOICES = 25
"""So many choices Discord shows at once."""

LONGEST_NAME = 100
"""So many characters of a choice Discord shows."""

OPTION_HELP = "Which of your games; default: the latest in this channel"


class PrivateGameError(PlayerError):
    """The game was not played in a server, and who asks has no seat in it.

    Attributes:
        match_id: Its number.
    """

    def __init__(self, match_id: int) -> None:
        self.match_id = match_id
        words = _("Game {number} was played in private: only its players can look at it.")
        super().__init__(words.format(number=match_id))


async def complete_game(
    interaction: discord.Interaction[GameBot], current: str
) -> list[app_commands.Choice[int]]:
    """Offer the player's running games, the newest first."""
    matches = await interaction.client.matches.ongoing_of(interaction.user.id)
    async with own_language(interaction):
        choices = [
            app_commands.Choice(name=game_name(match, interaction.user.id), value=match.id)
            for match in matches
        ]
    wanted = current.casefold()
    return [choice for choice in choices if wanted in choice.name.casefold()][:MOST_CHOICES]


async def game_meant(interaction: discord.Interaction[GameBot], game: int | None) -> Match:
    """Return the match a command means: the one named, else the player's latest.

    Raises:
        PlayerError: If there is none, or it is somebody else's.
    """
    matches = interaction.client.matches
    if game is not None:
        return await matches.load_for(game, user_id=interaction.user.id)
    return await matches.latest_for(interaction.user.id, interaction.channel_id)


async def game_seen(interaction: discord.Interaction[GameBot], game: int) -> Match:
    """Return any match that somebody may look at.

    Those played in servers are everybody's to see; others are their players'.

    Raises:
        PlayerError: If there is none with this number, or it is not theirs to see.
    """
    match = await interaction.client.matches.load(game)
    if match.guild_id is None and not match.has_player(interaction.user.id):
        raise PrivateGameError(game)
    return match


async def complete_any_game(
    interaction: discord.Interaction[GameBot], current: str
) -> list[app_commands.Choice[int]]:
    """Offer the player's games, the running ones first, then the finished ones."""
    bot = interaction.client
    choices = await complete_game(interaction, current)
    finished = await bot.ratings.history_of(interaction.user.id, limit=MOST_CHOICES)
    async with own_language(interaction):
        for entry in finished.entries:
            words = _("Game {number} against {name}, finished")
            text = words.format(number=entry.match_id, name=opponent_of(entry))[:LONGEST_NAME]
            if current.casefold() in text.casefold():
                choices.append(app_commands.Choice(name=text, value=entry.match_id))
    return choices[:MOST_CHOICES]


def opponent_of(entry: HistoryRow) -> str:
    """Name the other player of a finished game."""
    if entry.level is not None:
        return _("Computer, level {level}").format(level=entry.level)
    if entry.opponent_id is not None and is_stand_in(entry.opponent_id):
        return _(DELETED_PLAYER)
    return entry.opponent_name or pgettext("somebody without a name", "Player")


def game_name(match: Match, user_id: int) -> str:
    """Name a game in a list of its player's."""
    others = [told(seat.shown) for seat in match.seats if seat.player_id != user_id]
    words = ngettext(
        "Game {number} against {name}, {count} move",
        "Game {number} against {name}, {count} moves",
        match.ply,
    )
    return words.format(number=match.id, name=others[0], count=match.ply)[:LONGEST_NAME]
