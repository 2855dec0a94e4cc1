"""The Discord client: what it is allowed to see, which extensions it loads, how it stops.

The only module of `bot` that imports discord.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import structlog
import yarl
from discord import app_commands
from discord.ext import commands

from bot.host_errors import StartError, UnreachableError
from bot.language import _, speaking
from bot.players.manners import language_of

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.analyst import Analyst
    from bot.matches import ChallengeService, MatchService, Publisher, Replies
    from bot.players.preferences import PreferenceStore
    from bot.players.servers import ServerStore
    from bot.privacy import PrivacyService
    from bot.ratings import RatingBook
    from bot.reviews import ReviewBook
    from bot.settings import Settings
    from bot.storage import SettingStore

log = structlog.get_logger(__name__)

# The bot has no voice: the library need not warn that it could not have one.
discord.VoiceClient.warn_nacl = False
discord.VoiceClient.warn_dave = False

EXTENSIONS = (
    "cogs.analysis",
    "cogs.blocks",
    "cogs.challenge",
    "cogs.fields",
    "cogs.history",
    "cogs.notices",
    "cogs.play",
    "cogs.privacy",
    "cogs.ratings",
    "cogs.records",
    "cogs.rules",
    "cogs.settings",
    "cogs.translation",
    "cogs.vacation",
)
"""The feature packages to load, as text so that `bot` never imports `cogs`."""

COMMAND_HASH = "command_hash"
"""The key under which the payload last accepted by Discord is remembered."""

ANSWER_WITHIN_S = 2.5
"""Work is refused past this age: Discord gives three seconds, and answering takes some of them."""

DRAIN_SECONDS = 4.0
"""How long a shutdown waits for clicks already being answered: longer than any answer may take."""

DISCORD_FAILURES = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, OSError)
"""What the library raises where Discord refuses, or cannot be reached; timeouts are among them."""

_INVALID_BODY = (400, 50035)


class Arrivals:
    """Tells how old an interaction is, whatever the host's clock says.

    Discord stamps interactions with its own clock. The smallest difference to
    ours seen so far is taken for the clocks' offset, and only what exceeds it
    is time the interaction spent waiting.
    """

    def __init__(self) -> None:
        self._offset_s: float | None = None

    def age_s(self, interaction: discord.Interaction[Any]) -> float:
        """Return the seconds `interaction` has been waiting since Discord sent it."""
        difference = time.time() - interaction.created_at.timestamp()
        if self._offset_s is None or difference < self._offset_s:
            self._offset_s = difference
        # A host's clock that is right to a second must not hide a first
        # interaction that really is late, so small offsets count as none.
        offset = self._offset_s if abs(self._offset_s) > 1 else 0.0
        return difference - offset

    def late_by(self, interaction: discord.Interaction[Any]) -> timedelta:
        """Return how long `interaction` was on its way: no time of whoever made it."""
        return timedelta(seconds=max(0.0, self.age_s(interaction)))


class GameTree(app_commands.CommandTree["GameBot"]):
    """The slash commands, with one gate before them all."""

    async def payload(self) -> list[dict[str, Any]]:
        """Return what is sent to Discord about the commands, all languages included."""
        assert self.translator is not None, "an extension sets it"
        return [
            await command.get_translated_payload(self, self.translator)
            for command in self.get_commands()
        ]

    async def send(self, payload: list[dict[str, Any]]) -> None:
        """Put the commands of `payload` in the place of those that Discord has.

        The library's `sync` would translate all of them a second time.

        Raises:
            CommandSyncFailure: If Discord finds a mistake in them; its text names the command.
        """
        assert self.client.application_id is not None, "known since the login"
        try:
            await self.client.http.bulk_upsert_global_commands(
                self.client.application_id, payload=payload
            )
        except discord.HTTPException as error:
            if (error.status, error.code) == _INVALID_BODY:
                raise app_commands.CommandSyncFailure(error, self.get_commands()) from None
            raise

    async def interaction_check(self, interaction: discord.Interaction[GameBot], /) -> bool:
        """Let the command pass unless it is too late to be answered."""
        return await interaction.client.admits(interaction)


class GameBot(commands.AutoShardedBot):
    """The bot on Discord. It holds no game: everything that lasts is behind `matches`."""

    def __init__(
        self,
        *,
        settings: Settings,
        matches: MatchService,
        challenges: ChallengeService,
        replies: Replies,
        publisher: Publisher[Any],
        ratings: RatingBook,
        preferences: PreferenceStore,
        servers: ServerStore,
        privacy: PrivacyService,
        analyst: Analyst,
        reviews: ReviewBook,
        store: SettingStore,
        sync: bool = False,
    ) -> None:
        # No privileged intents: commands and buttons reach a bot without any.
        super().__init__(
            command_prefix=commands.when_mentioned,
            help_command=None,
            intents=discord.Intents(guilds=True),
            allowed_mentions=discord.AllowedMentions.none(),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=True),
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
            tree_cls=GameTree,
            member_cache_flags=discord.MemberCacheFlags.none(),
            max_messages=None,
            chunk_guilds_at_startup=False,
            # The library would wait for servers it may still hear of; none is needed here.
            guild_ready_timeout=0,
            # Longer it need not wait: the publisher tries again, or elsewhere.
            max_ratelimit_timeout=30.0,
        )
        self.settings = settings
        self.matches = matches
        self.challenges = challenges
        self.replies = replies
        self.publisher = publisher
        self.ratings = ratings
        self.preferences = preferences
        self.servers = servers
        self.privacy = privacy
        self.analyst = analyst
        self.reviews = reviews
        self.arrivals = Arrivals()
        self.ready_once = asyncio.Event()
        self._store = store
        self._force_sync = sync
        self._in_flight = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self._draining = False

    async def serve(self, token: SecretStr) -> None:
        """Log in and serve until closed.

        Raises:
            StartError: If Discord refuses the token.
            UnreachableError: If it cannot be reached.
        """
        try:
            await self.start(token.get_secret_value())
        except discord.LoginFailure:
            # `from None`: the library's text may quote the token.
            raise StartError(
                "Discord refused the token in DISCORD_TOKEN. Copy it again from the page of your "
                "application (Bot, Reset Token)."
            ) from None
        except (discord.GatewayNotFound, OSError) as error:
            raise UnreachableError(
                f"Discord could not be reached ({type(error).__name__}). Is this machine online?"
            ) from error

    async def setup_hook(self) -> None:
        """Load the features and tell Discord about the commands if they changed."""
        await self.load_features()
        await self.sync_commands()

    async def load_features(self) -> None:
        """Add the commands, buttons and listeners of all features."""
        for name in EXTENSIONS:
            # The library's `load_extension` would read each module anew for every bot of a process.
            await importlib.import_module(name).setup(self)

    async def on_ready(self) -> None:
        """Note that the bot can be played with now; Discord may say so more than once."""
        assert self.user is not None
        log.info("ready", user=str(self.user), guilds=len(self.guilds))
        self.ready_once.set()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log what went wrong in an event that has nobody to answer."""
        log.exception("event failed", event_name=event_method)

    async def sync_commands(self) -> bool:
        """Send the commands to Discord unless it has these already; tell whether they were sent."""
        assert isinstance(self.tree, GameTree), "made above"
        payload = await self.tree.payload()
        text = json.dumps([self.application_id, payload], sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        if not self._force_sync and await self._store.find(COMMAND_HASH) == digest:
            return False
        await self.tree.send(payload)
        await self._store.put(COMMAND_HASH, digest)
        log.info("commands synced", count=len(payload))
        return True

    async def admits(self, interaction: discord.Interaction[Any]) -> bool:
        """Tell whether `interaction` may still be worked on; answer it here if not.

        Nothing is done for a click whose answer would come too late: the player
        sees that it failed, and finds the game as it was.
        """
        age_s = self.arrivals.age_s(interaction)
        if age_s <= ANSWER_WITHIN_S and not self._draining:
            return True
        log.warning("refused", interaction=interaction.id, age_s=round(age_s, 2))
        if interaction.type is discord.InteractionType.autocomplete:
            return False
        # The client's own language: this is no time to look up what somebody has set.
        with speaking(language_of(str(interaction.locale))):
            sentence = (
                _("I am restarting: please try again in a few seconds. Nothing was changed.")
                if self._draining
                else _(
                    "I was too slow to take that in time: please try again. Nothing was changed."
                )
            )
        try:
            await interaction.response.send_message(sentence, ephemeral=True)
        except DISCORD_FAILURES:
            # Past Discord's deadline there is nobody left to tell.
            log.info("refusal came too late", interaction=interaction.id)
        return False

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count an answer in progress, so that a shutdown lets it finish."""
        self._in_flight += 1
        self.idle.clear()
        try:
            yield
        finally:
            self._in_flight -= 1
            if not self._in_flight:
                self.idle.set()

    async def drain(self) -> None:
        """Take nothing new and wait until what was taken is answered."""
        self._draining = True
        try:
            await asyncio.wait_for(self.idle.wait(), DRAIN_SECONDS)
        except TimeoutError:
            log.warning("shutdown did not wait for every answer", left=self._in_flight)


def point_at(settings: Settings) -> None:
    """Point the Discord library at the addresses of `settings`, where it names any."""
    if settings.discord_api_base:
        discord.http.Route.BASE = settings.discord_api_base
    if settings.discord_gateway_url:
        gateway = yarl.URL(settings.discord_gateway_url)
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = gateway
