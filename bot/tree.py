"""The slash commands: what is checked before each of them, and how Discord is told about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import discord
import structlog
from discord import app_commands

from bot.language import learn_commands
from bot.operations import CLICK

if TYPE_CHECKING:
    from bot.client import GameBot

log = structlog.get_logger(__name__)

COMMAND_HASH = "command_hash"
"""The key under which the payload last accepted by Discord is remembered."""

REFUSED_HASH = "refused_command_hash"
"""The same for the payload last refused."""

COMMAND_IDS = "command_ids"
"""Discord's ids of the commands, for mentions in texts, by application."""

HOST_COMMANDS = "host_commands"
"""The server with the host's own commands, and the hash of their payload."""

# Options by Discord's numbers for their types: steps to a command, plain values, and numbers of
# things that are described beside them.
_STEPS = (1, 2)
_PLAIN = {3: str, 4: int, 5: bool}
_DESCRIBED = {6: "users", 7: "channels", 8: "roles", 11: "attachments"}

_LARGEST = 2**53 - 1
"""No option is larger; the database takes 64 bits."""

_INVALID_BODY = (400, 50035)


class GameTree(app_commands.CommandTree["GameBot"]):
    """The slash commands, with one gate before them all."""

    async def payload(self) -> list[dict[str, Any]]:
        """Return the commands as they are sent to Discord, all languages included."""
        assert self.translator is not None, "an extension sets it"
        return [
            await command.get_translated_payload(self, self.translator)
            for command in self.get_commands()
        ]

    async def sync_global(self) -> None:
        """Send the commands to Discord unless it has these already.

        Those that it has refused are not sent a second time.

        Raises:
            CommandSyncFailure: If Discord finds a mistake in them; its text names the command.
            HTTPException: If Discord cannot take them now.
            StorageFailedError: If the outcome could not be stored.
        """
        bot, number, payload = self.client, self.client.application_id, await self.payload()
        assert number is not None, "known since the login"
        database = bot.matches.database
        digest = _digest_of(number, payload)
        stored = await database.find_setting(f"{COMMAND_IDS}:{number}")
        ids = {} if stored is None else json.loads(stored)
        learn_commands(payload, ids)
        if not bot.force_sync and await database.find_setting(COMMAND_HASH) == digest:
            if not ids:
                try:
                    there = await bot.http.get_global_commands(number)
                except discord.HTTPException as error:
                    log.info("ids of commands not known", status=error.status, code=error.code)
                else:
                    await self._learn_ids(payload, there)
            return
        if not bot.force_sync and await database.find_setting(REFUSED_HASH) == digest:
            log.warning("commands not sent: Discord has refused them before; --sync sends them")
            return
        try:
            # The library's `sync` would translate all of them a second time.
            there = await bot.http.bulk_upsert_global_commands(number, payload=payload)
        except discord.HTTPException as error:
            if (error.status, error.code) != _INVALID_BODY:
                raise
            await database.save_setting(REFUSED_HASH, digest)
            raise app_commands.CommandSyncFailure(error, self.get_commands()) from None
        await self._learn_ids(payload, there)
        await database.save_setting(COMMAND_HASH, digest)
        log.info("commands synced", count=len(payload))

    async def sync_for_host(self) -> bool:
        """Send the host's own commands to their server, and remove them from the previous one.

        Raises:
            HTTPException: If Discord cannot take them now, or the bot is not in that server.
            StorageFailedError: If the outcome could not be stored.
        """
        bot, database = self.client, self.client.matches.database
        guild_id, payload = bot.settings.admin_guild, list[dict[str, Any]]()
        assert bot.application_id is not None, "known since the login"
        if guild_id is not None:
            commands = self.get_commands(guild=discord.Object(guild_id))
            payload = [each.to_dict(self) for each in commands]
        wanted = f"{guild_id or ''}:{_digest_of(bot.application_id, payload)}"
        known = await database.find_setting(HOST_COMMANDS) or ":"
        before = known.partition(":")[0]
        if wanted == known or not (guild_id or before):
            return False
        if before and before != str(guild_id):
            with suppress(discord.Forbidden, discord.NotFound):  # it has left that server
                await bot.http.bulk_upsert_guild_commands(bot.application_id, int(before), [])
        if guild_id is not None:
            await bot.http.bulk_upsert_guild_commands(bot.application_id, guild_id, payload)
        await database.save_setting(HOST_COMMANDS, wanted if guild_id else "")
        log.info("host commands synced", guild=guild_id)
        return True

    async def _learn_ids(self, payload: list[dict[str, Any]], commands: list[Any]) -> None:
        """Learn the ids with which texts mention the commands, as Discord lists them."""
        bot, database = self.client, self.client.matches.database
        ids = {str(each["name"]): int(each["id"]) for each in commands}
        await database.save_setting(f"{COMMAND_IDS}:{bot.application_id}", json.dumps(ids))
        learn_commands(payload, ids)

    async def interaction_check(self, interaction: discord.Interaction[GameBot], /) -> bool:
        """Let the command pass unless it is too late to be answered, or one too many.

        Raises:
            AppCommandError: If an option does not take its value: the library does not check.
        """
        extras = interaction.command.extras if interaction.command else {}
        if not await interaction.client.admits(interaction, extras.get("cost", CLICK)):
            return False
        if not _is_well_formed(interaction):
            raise app_commands.AppCommandError("a value that its option does not take")
        return True

    async def _call(self, interaction: discord.Interaction[GameBot]) -> None:
        """Have `error` answer input that the library trips over: it would be lost otherwise."""
        try:
            await super()._call(interaction)
        except (KeyError, TypeError, ValueError) as error:
            raise app_commands.AppCommandError("a malformed command") from error

    async def on_error(
        self, interaction: discord.Interaction[GameBot], error: app_commands.AppCommandError, /
    ) -> None:
        """Log what went wrong before a command had begun, unless the client is closed."""
        if not interaction.client.is_closed():
            await super().on_error(interaction, error)


def _digest_of(application_id: int, payload: list[dict[str, Any]]) -> str:
    text = json.dumps([application_id, payload], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _is_well_formed(interaction: discord.Interaction[Any]) -> bool:
    """Return whether values are what their options take; what is being typed may be anything."""
    data, command = cast("Any", interaction.data), interaction.command
    options, resolved = data.get("options", []), data.get("resolved", {})
    while options and options[0]["type"] in _STEPS:
        options = options[0].get("options", [])
    parameters = command.parameters if isinstance(command, app_commands.Command) else []
    choices = {each.display_name: [choice.value for choice in each.choices] for each in parameters}
    return all(_fits(each, resolved, choices.get(each["name"])) for each in options)


def _fits(option: Mapping[str, Any], resolved: Any, choices: list[Any] | None) -> bool:
    kind, value = option["type"], option["value"]
    if option.get("focused"):
        return True
    if kind in _DESCRIBED:
        return isinstance(value, str) and value in resolved.get(_DESCRIBED[kind], {})
    is_typed = type(value) is _PLAIN.get(kind, type(value))
    is_small = not isinstance(value, int) or abs(value) <= _LARGEST
    return is_typed and is_small and (not choices or value in choices)
