"""The Discord client: what it is allowed to see, which extensions it loads, how it stops.

With `tree.py`, the only module of `bot` that imports discord.
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

import aiohttp
import discord
import structlog
import yarl
from discord import app_commands
from discord.ext import commands
from discord.state import AutoShardedConnectionState

from bot.clock import Arrivals
from bot.extensions import EXTENSIONS
from bot.host_errors import StartError, UnreachableError
from bot.language import _, speaking, told
from bot.model.errors import BannedError, StorageFailedError
from bot.model.preferences import language_of
from bot.operations import CLICK, Concurrency, Limits
from bot.tree import GameTree

if TYPE_CHECKING:
    from pydantic import SecretStr

    from bot.model.errors import PlayerError
    from bot.operations import Workers
    from bot.services.analysis import Analyst, ReviewBook
    from bot.services.challenges import ChallengeService
    from bot.services.computer import Replies
    from bot.services.explorer import Explorer
    from bot.services.hosting import Hosting
    from bot.services.matches import MatchService
    from bot.services.preferences import PreferenceStore, ServerStore
    from bot.services.privacy import PrivacyService
    from bot.services.publisher import Publisher
    from bot.services.puzzles import PuzzleBook
    from bot.services.ratings import RatingBook
    from bot.settings import Settings

log = structlog.get_logger(__name__)

# The bot does not use voice: the library need not warn that it could not.
discord.VoiceClient.warn_nacl = False
discord.VoiceClient.warn_dave = False

SYNC_AGAIN_S = 5.0
"""The pause before the commands are sent again, doubled each time."""

LONGEST_SYNC_PAUSE_S = 600.0

LONGEST_RECONNECT_PAUSE_S = 30.0
"""The longest pause between attempts to reconnect: in an outage of an hour the library's pauses
grow to 17 minutes, and the bot would be away for as long after it."""

START_SECONDS = 90.0
"""How long Discord may take to let the bot in: the library waits for hours if Discord says so."""

DRAIN_SECONDS = 4.0
"""How long a shutdown waits for answers in progress: enough for boards, not for every review."""

TELLING_SECONDS = 2.0
"""How long it may then take to tell those who still wait that they have to ask again."""

AT_ONCE_S = 1.0
"""How long a picture may wait for its turn if it is the first answer."""

DISCORD_FAILURES = (discord.HTTPException, discord.RateLimited, aiohttp.ClientError, OSError)
"""What the library raises if Discord refuses or cannot be reached, timeouts included."""

_CLOSED_FOR_GOOD = {
    4004: "Discord refused the token in DISCORD_TOKEN. Copy it again from the page of your "
    "application (Bot, Reset Token).",
    4012: "Discord no longer speaks the version of its interface that this bot uses: upgrade it.",
    4013: "Discord does not know the intents that the bot asks for: upgrade it.",
    4014: "Discord does not allow the bot the intents that it asks for. It needs no privileged "
    "ones: check that this is an unmodified version.",
}
"""Close codes after which reconnecting would not help, and what to do instead."""


class _Backoff(discord.backoff.ExponentialBackoff[Literal[False]]):
    """The library's pauses before it reconnects, with an upper limit."""

    def delay(self) -> float:
        return min(super().delay(), LONGEST_RECONNECT_PAUSE_S)


setattr(discord.shard, "ExponentialBackoff", _Backoff)  # noqa: B010 - it is not exported


def described(interaction: discord.Interaction[Any]) -> dict[str, Any]:
    """Return what was used, by whom and where, for a log line that says what went wrong."""
    data: Any = interaction.data or {}
    return {
        "interaction": interaction.id,
        "command": data.get("custom_id") or data.get("name"),
        "user": interaction.user.id,
        "guild": interaction.guild_id,
    }


class _Servers(AutoShardedConnectionState[Any]):
    """Keeps a tenth of what the library keeps of each server: its name and its language.

    Channels, roles and members are asked for where somebody needs them (`GameBot.fetch_server`).

    Attributes:
        guild_of: The id of the server by the id of a channel or thread.
    """

    def __init__(self, **options: Any) -> None:
        self.guild_of: dict[int, int] = {}
        super().__init__(**options)

    def parse_guild_create(self, data: Any) -> None:
        """Keep a server."""
        guild_id = int(data["id"])
        for channel in (*data.get("channels", ()), *data.get("threads", ())):
            self.guild_of[int(channel["id"])] = guild_id
        super().parse_guild_create(_kept_of(data))

    def parse_guild_update(self, data: Any) -> None:
        """Keep the new name and language of a server."""
        super().parse_guild_update(_kept_of(data))

    def parse_guild_delete(self, data: Any) -> None:
        """Forget a server that the bot has left, with its channels; keep one that is only away."""
        if not data.get("unavailable"):
            left = int(data["id"])
            self.guild_of = {key: value for key, value in self.guild_of.items() if value != left}
        super().parse_guild_delete(data)

    def parse_channel_create(self, data: Any) -> None:
        """Note where a channel is, or a thread."""
        if guild_id := data.get("guild_id"):
            self.guild_of[int(data["id"])] = int(guild_id)

    parse_thread_create = parse_thread_update = parse_channel_create

    def parse_channel_delete(self, data: Any) -> None:
        """Forget a channel, or a thread."""
        self.guild_of.pop(int(data["id"]), None)

    parse_thread_delete = parse_channel_delete

    def parse_thread_list_sync(self, data: Any) -> None:
        """Note the threads of a channel that the bot may see now."""
        for thread in data.get("threads", ()):
            self.parse_channel_create(thread)

    def parse_guild_role_create(self, data: Any) -> None:
        """Keep no role."""


def _kept_of(server: Any) -> Any:
    """Return what is kept of a server."""
    return {key: server[key] for key in _KEPT if key in server}


_KEPT: Final = ("id", "name", "preferred_locale", "unavailable")

IDENTIFY_EVERY_S: Final = 5.0
"""Discord takes one IDENTIFY in this time, of each bucket of shards (Gateway, "Rate Limiting")."""


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
        hosting: Hosting,
        analyst: Analyst,
        reviews: ReviewBook,
        puzzles: PuzzleBook,
        explorer: Explorer,
        drawing: Workers,
        sync: bool = False,
    ) -> None:
        sharding: dict[str, Any] = {}
        if (shards := settings.shards) is not None:
            sharding = {"shard_ids": sorted(shards.numbers), "shard_count": shards.count}
        # No privileged intents: commands and buttons reach a bot without any.
        super().__init__(
            **sharding,
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
            # The library would wait for servers still to be announced; none is needed here.
            guild_ready_timeout=0,
            # No need to wait longer: the publisher tries again, or elsewhere.
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
        self.hosting = hosting
        self.analyst = analyst
        self.reviews = reviews
        self.puzzles = puzzles
        self.explorer = explorer
        self.drawing = drawing
        self.limits = Limits(settings.clicks_per_second)
        self.concurrency = Concurrency()
        self.shed = 0
        self.templates: list[re.Pattern[str]] = []
        self.arrivals = Arrivals()
        self.ready_once = asyncio.Event()
        self.syncing: asyncio.Future[Any] | None = None
        self.force_sync = sync
        self._answering: list[asyncio.Task[Any] | None] = []
        self.idle = asyncio.Event()
        self.idle.set()
        self._draining = False
        self.is_paused = False
        self.stop_asked = asyncio.Event()

    def _get_state(self, **options: Any) -> _Servers:
        return _Servers(
            dispatch=self.dispatch,
            handlers=self._handlers,
            hooks=self._hooks,
            http=self.http,
            **options,
        )

    def guild_of(self, channel_id: int) -> int | None:
        """Return the id of a channel's server; None for a direct message, or if not known."""
        state: Any = self._connection
        found: int | None = state.guild_of.get(channel_id)
        return found

    async def fetch_server(self, guild_id: int) -> discord.Guild:
        """Return a server as it is now: with its roles and channels, and the bot as a member.

        Raises:
            discord.HTTPException: If Discord does not return it.
        """
        assert self.user is not None, "known since the login"
        server, channels, own = await asyncio.gather(
            self.http.get_guild(guild_id, with_counts=False),
            self.http.get_all_guild_channels(guild_id),
            self.http.get_member(guild_id, self.user.id),
        )
        whole: Any = {**server, "channels": channels, "members": [own]}
        return discord.Guild(data=whole, state=self._connection)

    async def serve(self, token: SecretStr) -> None:
        """Log in and serve until closed.

        Raises:
            StartError: If Discord refuses the token, or what the bot asks for.
            UnreachableError: If it cannot be reached, does not let the bot in, or has ended
                the connection for a reason that may pass.
        """
        self._start_limit = asyncio.timeout(START_SECONDS)
        try:
            async with self._start_limit:
                await self.start(token.get_secret_value())
        except discord.LoginFailure:
            # `from None`: the library's text may quote the token.
            raise StartError(_CLOSED_FOR_GOOD[4004]) from None
        except discord.PrivilegedIntentsRequired:
            raise StartError(_CLOSED_FOR_GOOD[4014]) from None
        except discord.ConnectionClosed as error:
            if error.code in _CLOSED_FOR_GOOD:
                raise StartError(_CLOSED_FOR_GOOD[error.code]) from None
            raise UnreachableError(f"Discord has ended the connection ({error.code}).") from error
        except discord.HTTPException as error:
            raise UnreachableError(
                f"Discord answered with status {error.status} and did not let the bot in."
            ) from error
        except discord.RateLimited as error:
            raise UnreachableError(
                f"Discord lets the bot in no sooner than in {error.retry_after:.0f} seconds."
            ) from error
        except TimeoutError as error:
            raise UnreachableError(
                f"Discord did not let the bot in within {START_SECONDS:g} seconds."
            ) from error
        except (discord.GatewayNotFound, aiohttp.ClientError, OSError) as error:
            raise UnreachableError(
                f"Discord could not be reached ({type(error).__name__}). Is this machine online?"
            ) from error

    async def on_connect(self) -> None:
        """Lift the time limit: from now on the library restores a connection that breaks."""
        self._start_limit.reschedule(None)

    async def setup_hook(self) -> None:
        """Load the features, and sync the commands while people already play."""
        await self.hosting.open()
        await self.load_features()
        assert isinstance(self.tree, GameTree), "made above"
        self.syncing = asyncio.gather(
            self._sync_until_done(self.tree.sync_global),
            self._sync_until_done(self.tree.sync_for_host),
        )

    async def load_features(self) -> None:
        """Add the commands, buttons and listeners of all features."""
        for name in EXTENSIONS:
            # The library's `load_extension` would import each module again for each bot.
            await importlib.import_module(name).setup(self)

    def add_dynamic_items(self, *items: type[discord.ui.DynamicItem[Any]]) -> None:
        """Receive presses of these buttons and menus; note which custom ids are theirs."""
        super().add_dynamic_items(*items)
        self.templates += [each.__discord_ui_compiled_template__ for each in items]

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Dispatch the event `stray` if nothing handles a button or menu that was used."""
        if interaction.type is discord.InteractionType.component:
            used = cast("Any", interaction.data)["custom_id"]
            there = [] if interaction.message is None else interaction.message.components
            if any(each.fullmatch(used) for each in self.templates) and _holds(there, interaction):
                return
        elif interaction.type is not discord.InteractionType.modal_submit:
            return
        self.dispatch("stray", interaction)

    async def on_ready(self) -> None:
        """Note that people can play now; Discord may say so more than once."""
        assert self.user is not None
        log.info("ready", user=str(self.user), guilds=len(self.guilds))
        self.ready_once.set()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log what went wrong in an event that has nobody to answer."""
        if self.is_closed():
            log.info("event given up", event_name=event_method)
        else:
            about = [described(each) for each in args if isinstance(each, discord.Interaction)]
            log.exception("event failed", event_name=event_method, **(about or [{}])[0])

    async def _sync_until_done(self, sync: Callable[[], Awaitable[object]]) -> None:
        """Sync the commands, and retry for as long as Discord cannot take them."""
        pause_s = SYNC_AGAIN_S
        while True:
            try:
                await sync()
                return
            except app_commands.CommandSyncFailure as error:
                log.error("commands refused, those before stay in use", reason=str(error))
                return
            except (*DISCORD_FAILURES, StorageFailedError) as error:
                log.warning("commands not synced", reason=str(error), again_in_s=pause_s)
            except Exception:
                log.exception("commands not synced")
                return
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_SYNC_PAUSE_S)

    async def admits(self, interaction: discord.Interaction[Any], cost: float = CLICK) -> bool:
        """Return whether `interaction` may still be worked on; answer it here if not.

        Nothing is done for a click whose answer would come too late: the player
        sees that it failed, and finds the game as it was. The same goes for a click beyond
        the limits of its user or their server, or beyond what the bot can do.
        """
        time_ = self.arrivals.time_of(interaction)
        refusal: PlayerError | None = self._ban_of(interaction)
        is_shut = self._draining or (self.is_paused and not self.owns(interaction.user.id))
        if refusal is not None:
            log.info("banned", **described(interaction))
        elif time_.is_up or is_shut:
            log.warning("refused", interaction=interaction.id, age_s=round(time_.age_s, 2))
        elif interaction.type is discord.InteractionType.autocomplete:
            return True
        elif (refusal := self.concurrency.check(time_.age_s)) is not None:
            self.shed += 1
        else:
            refusal = self.limits.take(cost, interaction.user.id, interaction.guild_id)
            if refusal is None:
                return True
            log.info("limited", why=str(refusal), **described(interaction))
        with self.working():
            await self._refuse(interaction, refusal)
        return False

    def owns(self, user_id: int) -> bool:
        """Return whether somebody is known to be the host, as far as `is_owner` has asked."""
        return user_id == self.owner_id or user_id in (self.owner_ids or ())

    def _ban_of(self, interaction: discord.Interaction[Any]) -> BannedError | None:
        bans = self.hosting.bans
        if not bans or self.owns(interaction.user.id):
            return None
        ban = bans.get(interaction.user.id) or bans.get(interaction.guild_id or 0)
        contact = self.settings.host_contact
        return None if ban is None else BannedError(is_server=ban.is_server, contact=contact)

    async def _refuse(
        self, interaction: discord.Interaction[Any], refusal: PlayerError | None
    ) -> None:
        if interaction.type is discord.InteractionType.autocomplete:
            return
        # The client's own language: there is no time to look up the user's setting.
        with speaking(language_of(str(interaction.locale))):
            if refusal is not None:
                sentence = told(refusal.sentence)
            elif self.is_draining:
                sentence = _(
                    "I am restarting: please try again in a few seconds. Nothing was changed."
                )
            else:
                sentence = _(
                    "I was too slow to take that in time: please try again. Nothing was changed."
                )
        try:
            await interaction.response.send_message(sentence, ephemeral=True)
        except DISCORD_FAILURES:
            # Past Discord's deadline there is nobody left to tell.
            log.info("refusal came too late", interaction=interaction.id)
        else:
            if refusal is None and not self.is_draining:
                # It was in time for Discord, so it was not as old as it seemed.
                self.arrivals.forget()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait until Discord takes another IDENTIFY, counted per bucket across all processes."""
        if self.settings.shards is None:
            await super().before_identify_hook(shard_id, initial=initial)
            return
        _shards, _url, limit = await self.http.get_bot_gateway()
        bucket = (shard_id or 0) % max(1, limit["max_concurrency"])
        await self.matches.database.writing.wait_turn(bucket, IDENTIFY_EVERY_S)

    @property
    def is_online(self) -> bool:
        """Whether people reach the bot: it has been ready, and all shards are connected."""
        if not self.ready_once.is_set() or self.is_closed():
            return False
        return not any(each.is_closed() for each in self.shards.values())

    @property
    def is_draining(self) -> bool:
        """Whether the bot is stopping, or paused by its host, and takes nothing new."""
        return self._draining or self.is_paused

    @property
    def answering(self) -> int:
        """How many interactions are being answered."""
        return len(self._answering)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Count an answer in progress, so that a shutdown lets it finish."""
        task = asyncio.current_task()
        self._answering.append(task)
        self.idle.clear()
        try:
            yield
        finally:
            self._answering.remove(task)
            if not self._answering:
                self.idle.set()

    async def drain(self) -> None:
        """Take nothing new and wait until everything already taken is answered.

        An answer that takes longer than `DRAIN_SECONDS` is cancelled, and the user is told so:
        `close` would cut its connection.
        """
        self._draining = True
        if self.is_closed():
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self.idle.wait(), DRAIN_SECONDS)
            return
        for task in self._answering:
            if task is not None:
                task.cancel()
        try:
            await asyncio.wait_for(self.idle.wait(), TELLING_SECONDS)
        except TimeoutError:
            log.warning("shutdown did not wait for every answer", left=len(self._answering))

    async def close(self) -> None:
        """Leave Discord; commands not synced by now are sent at the next start."""
        if self.syncing is not None:
            self.syncing.cancel()
            await asyncio.gather(self.syncing, return_exceptions=True)
        await super().close()


def _holds(parts: Iterable[Any], interaction: discord.Interaction[Any]) -> bool:
    """Return whether the button or menu that was used is among these parts of a message."""
    used: Any = interaction.data
    return any(
        (part.type.value, getattr(part, "custom_id", None))
        == (used["component_type"], used["custom_id"])
        or _holds(getattr(part, "children", ()), interaction)
        or _holds(filter(None, [getattr(part, "accessory", None)]), interaction)
        for part in parts
    )


def point_at(settings: Settings) -> None:
    """Point the Discord library at the addresses of `settings`, where it names any."""
    if settings.discord_api_base:
        discord.http.Route.BASE = settings.discord_api_base
    if settings.discord_gateway_url:
        gateway = yarl.URL(settings.discord_gateway_url)
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = gateway


Interaction: TypeAlias = discord.Interaction[GameBot]
"""A click or a command, as everything in `cogs` receives it."""
