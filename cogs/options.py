"""The options of commands: a game, the rules, a clock, a level; completing and reading them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import discord
from discord import app_commands

from bot.client import Interaction
from bot.language import _, pgettext, told
from bot.model.clocks import ClockRules
from bot.model.errors import MatchNotOverError, PlayerError
from bot.model.match import Match, is_stand_in
from bot.model.preferences import ServerSettings
from bot.storage.erasing import DELETED_PLAYER
from bot.storage.history import HistoryRow
from cogs.audience import own_language
from engine import LEVELS, VARIANTS, EngineError, Variant, load_variant, option_values

MOST_CHOICES = 25
"""Discord's limit for the choices of an option."""

LONGEST_NAME = 100
"""Discord's limit for a choice, as it is shown and as a value, in characters."""

GAME_HELP = "Which of your games; default: the latest in this channel"
ANY_GAME_HELP = "The number of a game; default: your latest in this channel"

START_HELP = "Rules to play by: a name, or options such as goal=five; default: the server's"
VARIANT_HELP = "Which rules to play by: a name, or options such as won_board=open,goal=five"
DEFAULT_VARIANT = "standard"

CLOCK_HELP = (
    "Time to think: 3d or 36h a move, 5+3 (minutes + seconds a move); default: the server's"
)
CLOCKS = ("none", "1d", "3d", "7d", "3+2", "5+3", "10+5", "30+20")
"""The usual clocks, as they are typed."""

DEFAULT_LEVEL = 3
LEVEL_CHOICES = [
    app_commands.Choice(name=f"{level.number} - {level.name}: {level.summary}", value=level.number)
    for level in LEVELS
]


async def game_meant(interaction: Interaction, game: int | None) -> Match:
    """Return the match a command means: the one named, else the player's latest.

    Raises:
        PlayerError: If there is none, or it is somebody else's.
    """
    matches = interaction.client.matches
    if game is not None:
        return await matches.load_for(game, user_id=interaction.user.id)
    return await matches.latest_for(interaction.user.id, interaction.channel_id)


async def game_seen(interaction: Interaction, game: int) -> Match:
    """Return any match that the user may see: those played in servers, and their own.

    Raises:
        PlayerError: If there is none with this number, or it is private.
    """
    match = await interaction.client.matches.load(game)
    if match.guild_id is None and not match.has_player(interaction.user.id):
        words = _("Game {number} was played in private: only its players can look at it.")
        raise PlayerError(words.format(number=game))
    return match


async def finished_game(interaction: Interaction, game: int | None) -> Match:
    """Return the finished match that is meant: any the user may see, else their latest.

    Raises:
        PlayerError: If there is none, or it is still going on.
    """
    bot = interaction.client
    if game is not None:
        match = await game_seen(interaction, game)
    elif latest := (await bot.ratings.history_of(interaction.user.id, limit=1)).entries:
        match = await bot.matches.load(latest[0].match_id)
    else:
        match = await game_meant(interaction, None)
    if not match.is_over:
        raise MatchNotOverError(match)
    return match


async def complete_game(interaction: Interaction, current: str) -> list[app_commands.Choice[int]]:
    """Offer the player's running games, those where it is their turn first."""
    user_id = interaction.user.id
    matches = own_turns_first(await interaction.client.matches.ongoing_of(user_id), user_id)
    async with own_language(interaction):
        choices = [
            app_commands.Choice(name=_game_name(match, user_id), value=match.id)
            for match in matches
        ]
    wanted = current.casefold()
    return [choice for choice in choices if wanted in choice.name.casefold()][:MOST_CHOICES]


async def complete_any_game(
    interaction: Interaction, current: str
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


def is_turn_of(match: Match, user_id: int) -> bool:
    """Return whether it is a player's turn."""
    seat = match.seat_to_move
    return seat is not None and seat.player_id == user_id


def own_turns_first(matches: Iterable[Match], user_id: int) -> list[Match]:
    """Sort running games: those that wait for the player first, then by the nearest deadline."""
    return sorted(
        matches,
        key=lambda match: (
            not is_turn_of(match, user_id),
            math.inf if match.deadline is None else match.deadline.timestamp(),
        ),
    )


def opponent_in(match: Match, user_id: int) -> str:
    """Name the other player of a game, in the current language."""
    return next(told(seat.shown) for seat in match.seats if seat.player_id != user_id)


def _game_name(match: Match, user_id: int) -> str:
    """Name a running game in its player's list; the turn comes first, as long names are cut."""
    words = (
        _("Your turn: game {number} against {name}, {variant}")
        if is_turn_of(match, user_id)
        else _("Their turn: game {number} against {name}, {variant}")
    )
    variant = told(load_variant(match.variant_key).name)
    name = opponent_in(match, user_id)
    return words.format(number=match.id, name=name, variant=variant)[:LONGEST_NAME]


def read_variant(text: str) -> str:
    """Return the key of the variant that `text` names by its key, its name or its options.

    Raises:
        InvalidRulesError: If it names none; the message says what there is.
    """
    wanted = text.strip().casefold()
    for key, variant in VARIANTS.items():
        if wanted in (key, str(variant.name).casefold(), told(variant.name).casefold()):
            return key
    return load_variant(wanted.replace(" ", "")).key


def variant_meant(text: str | None, settings: ServerSettings) -> str:
    """Return the key of the variant of a new game: the server's if none is named.

    Raises:
        InvalidRulesError: If `text` names none; the message says what there is.
    """
    if text is not None:
        return read_variant(text)
    return settings.variant_key or DEFAULT_VARIANT


async def complete_variant(
    interaction: discord.Interaction[Any], current: str
) -> list[app_commands.Choice[str]]:
    """Offer the named variants that contain `current`, else the options that it begins."""
    async with own_language(interaction):
        wanted = current.strip().casefold()
        offered = [
            (f"{told(variant.name)}: {told(variant.summary)}", key)
            for key, variant in VARIANTS.items()
            if wanted in f"{key} {variant.name} {told(variant.name)}".casefold()
        ]
        offered = offered or _complete_options(wanted.replace(" ", ""))
        return [
            app_commands.Choice(name=name[:LONGEST_NAME], value=key)
            for name, key in offered
            if len(key) <= LONGEST_NAME
        ][:MOST_CHOICES]


def _complete_options(text: str) -> list[tuple[str, str]]:
    """Return completions of the options typed so far: a name and a key each.

    Options that only strategic games have are offered with the depth they need.
    """
    *before, last = text.split(",")
    typed, sign, word = last.partition("=")
    given = {part.partition("=")[0] for part in before}
    found: dict[str, tuple[str, str]] = {}
    for option, values in option_values().items():
        is_meant = option == typed if sign else option.startswith(typed)
        if option in given or not is_meant or (not typed and len(values) > MOST_CHOICES):
            continue
        for value in values:
            whole = ",".join([*before, chosen := f"{option}={value}"])
            rules = _first_variant(whole, f"depth=3,{whole}", f"depth=3,sending=map,{whole}")
            if rules is None or not value.startswith(word):
                continue
            key, variant = rules
            name = told(variant.name)
            if whole == text:
                found[variant.key] = f"{name}: {told(variant.summary)}", variant.key
            else:
                found.setdefault(variant.key, (f"{chosen}: {name}", key))
    if not last and (unchanged := _first_variant(",".join(before))) is not None:
        found.pop(unchanged[1].key, None)
    return list(found.values())


def _first_variant(*keys: str) -> tuple[str, Variant] | None:
    """Return the first of these keys that names a variant, with the variant; None if none does."""
    for key in keys:
        try:
            return key, load_variant(key)
        except EngineError:
            continue
    return None


def clock_meant(text: str | None, settings: ServerSettings) -> ClockRules:
    """Return the clock of a new challenge: the server's if none is named.

    Raises:
        InvalidClockError: If `text` is no clock.
    """
    if text is not None:
        return ClockRules.parse(text)
    return settings.clock or ClockRules()


async def complete_clock(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Offer the clock that was typed, else the usual ones."""
    try:
        typed = [ClockRules.parse(current)] if current.strip() else []
    except PlayerError:
        typed = []
    offered = typed or [ClockRules.parse(each) for each in CLOCKS if current.strip() in each]
    async with own_language(interaction):
        return [app_commands.Choice(name=told(each.words), value=each.key) for each in offered]
