"""The bot's command line: run it, look after its database, write what it can write."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.host_errors import EXIT_HOST_ERROR, HostError, UnreachableError
from bot.model.errors import PlayerError, StorageFailedError
from engine import EngineError

if TYPE_CHECKING:
    from bot.settings import Settings

EXIT_TEMPORARY = 75
"""The exit status when it is worth trying again (EX_TEMPFAIL): a supervisor should."""

EXIT_USAGE = 2
"""The exit status when something on the command line is wrong, as in argparse."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command that `arguments` name and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        result: int | None = options.command(options)
    except UnreachableError as error:
        print(error, file=sys.stderr)
        return EXIT_TEMPORARY
    except HostError as error:
        print(error, file=sys.stderr)
        return EXIT_HOST_ERROR
    except StorageFailedError as error:
        reason = getattr(error.__cause__, "orig", error.__cause__)
        print(f"The database could not be written ({reason}): try later.", file=sys.stderr)
        return EXIT_TEMPORARY
    except (PlayerError, EngineError) as error:
        print(error, file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return 130
    return result or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot", description="A Discord bot for Ultimate Tic-Tac-Toe."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    added: dict[str, argparse.ArgumentParser] = {}
    for name, (command, words) in _COMMANDS.items():
        added[name] = commands.add_parser(name, help=words)
        added[name].set_defaults(command=command)

    run = added["run"]
    run.add_argument(
        "--sync", action="store_true", help="send the slash commands to Discord even if unchanged"
    )
    run.add_argument("--until-eof", action="store_true", help="also stop when standard input ends")

    added["doctor"].add_argument(
        "--backups", type=Path, metavar="FOLDER", help="folder of the backups (BACKUP_FOLDER)"
    )
    added["backup"].add_argument(
        "file", type=Path, nargs="?", metavar="FILE",
        help="a new file; by default the next in BACKUP_FOLDER, from which old ones are removed",
    )  # fmt: skip
    added["restore"].add_argument("file", type=Path, metavar="FILE")
    added["move"].add_argument(
        "url", type=_database_url, metavar="DATABASE_URL", help="an empty database"
    )

    privacy = added["privacy"]
    privacy.add_argument("what", choices=("export", "delete"))
    privacy.add_argument("user", type=int, metavar="NUMBER", help="their Discord user id")
    privacy.add_argument("--out", type=Path, metavar="FILE", help="where to write an export")
    privacy.add_argument("--yes", action="store_true", help="delete without asking")

    added["export"].add_argument(
        "folder", type=Path, nargs="?", metavar="FOLDER",
        help="where to write them (GAMES_FOLDER, else games)",
    )  # fmt: skip
    added["explorer"].add_argument("--afresh", action="store_true", help="count all games again")
    added["commands"].add_argument(
        "file", type=Path, metavar="FILE", help="for example deploy/COMMANDS.md"
    )
    added["preview"].add_argument("folder", type=Path, nargs="?", default=Path("build/preview"))
    added["pictures"].add_argument(
        "folder", type=Path, metavar="FOLDER", help="for example deploy/pictures"
    )
    _add_field_options(added["field"])
    _add_load_options(added["load"])
    return parser


def _add_field_options(field: argparse.ArgumentParser) -> None:
    field.add_argument(
        "name", metavar="NAME", help="for example basic; a wrong name lists them all"
    )
    field.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a .png or .pdf file"
    )
    field.add_argument(
        "--game", type=Path, metavar="RECORD", help="fill the field from a game record"
    )
    field.add_argument("--map", metavar="MAP", help="map11 to map88 (map34)")


def _add_load_options(load: argparse.ArgumentParser) -> None:
    load.add_argument(
        "--games", type=_numbers(1, 100_000), default=(200,), metavar="N[,N...]",
        help="games at once, one number per stage (200)",
    )  # fmt: skip
    load.add_argument(
        "--levels", type=_numbers(1, 10), default=tuple(range(1, 11)), metavar="N[,N...]",
        help="levels of the computer, used in turn (all ten)",
    )  # fmt: skip
    load.add_argument(
        "--people", type=float, default=0.1, help="share of games between people (0.1)"
    )
    load.add_argument("--seconds", type=float, default=30.0, help="length of each stage (30)")
    load.add_argument("--think", type=float, default=4.6, help="seconds between clicks (4.6)")
    load.add_argument(
        "--pictures", type=int, default=0, help="/field commands that one person sends at once (0)"
    )
    load.add_argument(
        "--visitors", type=int, default=0, help="people who use all other commands (0)"
    )
    load.add_argument(
        "--soak", action="store_true",
        help="an hour of quick games and pictures, to see whether memory grows",
    )  # fmt: skip
    load.add_argument("--seed", type=int, default=1)
    load.add_argument(
        "--database", type=_database_url, metavar="DATABASE_URL",
        help="an empty database, for example on PostgreSQL (a temporary file)",
    )  # fmt: skip
    load.add_argument(
        "--servers", type=int, metavar="N", help="only measure what each of N servers costs the bot"
    )


def _database_url(text: str) -> str:
    from bot.settings import EXPECTED, check_database_url

    try:
        return check_database_url(text)
    except ValueError:  # says less, and argparse would show what was given, password and all
        raise argparse.ArgumentTypeError(f"expected {EXPECTED['DATABASE_URL']}") from None


def _numbers(least: int, most: int) -> Callable[[str], tuple[int, ...]]:
    """Return a parser of numbers separated by commas."""

    def read(text: str) -> tuple[int, ...]:
        numbers = tuple(int(each) for each in text.split(","))
        if not all(least <= each <= most for each in numbers):
            raise ValueError(text)
        return numbers

    read.__name__ = f"number from {least} to {most}"  # argparse says so
    return read


# The imports are inside the commands so that each loads only what it needs.


def _start(options: argparse.Namespace) -> None:
    from bot.settings import load_settings

    if load_settings().discord_token is not None:
        options.sync = options.until_eof = False
        _run(options)
        return
    from bot.local import play_locally

    asyncio.run(play_locally(load_settings(), say=_say))


def _run(options: argparse.Namespace) -> None:
    from bot.app import run

    asyncio.run(run(_logging_settings(), sync=options.sync, until_eof=options.until_eof))


def _logging_settings() -> Settings:
    """Return the host's settings, and log as they say from now on."""
    from bot.log import set_up_logging
    from bot.settings import load_settings

    settings = load_settings()
    set_up_logging(settings)
    return settings


def _doctor(options: argparse.Namespace) -> int:
    from bot.doctor import Mark, examine
    from bot.log import LogLevel, set_up_logging
    from bot.settings import load_settings

    settings = load_settings()
    set_up_logging(settings.model_copy(update={"log_level": LogLevel.WARNING}))

    async def marks() -> set[Mark]:
        found = set()
        async for finding in examine(settings, options.backups or settings.backup_folder):
            print(finding, flush=True)
            found.add(finding.mark)
        return found

    found = asyncio.run(marks())
    if Mark.FAULT in found:
        return EXIT_HOST_ERROR
    return EXIT_TEMPORARY if Mark.TEMPORARY in found else 0


def _migrate(_options: argparse.Namespace) -> None:
    from bot.settings import load_settings
    from bot.storage import upgrade

    revision = upgrade(load_settings().database_url)
    print(f"The database is at revision {revision}.")


def _backup(options: argparse.Namespace) -> int:
    from bot.clock import system_clock
    from bot.storage import backup
    from bot.storage.backups import check_backup, make_backup

    settings, now = _logging_settings(), system_clock()
    if options.file is None:
        made = make_backup(settings.database_url, settings.backup_folder, now)
    else:
        backup(settings.database_url, options.file)
        made = check_backup(options.file, now)
    for sentence in made.broken:
        print(sentence, file=sys.stderr)
    if made.broken:
        return EXIT_HOST_ERROR
    size = Path(made.file).stat().st_size
    print(f"{made.file}: {size} bytes, restored on trial: {made.games} games, all sound")
    return 0


def _restore(options: argparse.Namespace) -> None:
    from bot.settings import load_settings
    from bot.storage import restore_backup

    done = restore_backup(options.file, load_settings().database_url)
    print(
        f"{options.file} is in place." + (f" What was there is {done.aside}." if done.aside else "")
    )
    if done.erased:
        print(f"Deleted again, as they had asked since: {done.erased} people.")
    elif done.erased is None:
        print(
            "Who has had their data deleted since could not be read from what was there: look for "
            "'player erased' in the log, and delete again who may have come back.",
            file=sys.stderr,
        )


def _move(options: argparse.Namespace) -> None:
    from bot.settings import load_settings
    from bot.storage import move

    count = move(load_settings().database_url, options.url)
    print(f"{count} rows are there, each as it was. Now set DATABASE_URL, and start the bot.")


def _privacy(options: argparse.Namespace) -> int | None:
    from bot.services.privacy import erase_for, export_for
    from bot.storage.files import write_private

    url = _logging_settings().database_url
    if options.what == "export":
        found = asyncio.run(export_for(url, options.user))
        if options.out is None:
            sys.stdout.buffer.write(found + b"\n")
            return None
        try:
            write_private(options.out, found)
        except OSError as error:
            print(f"{options.out}: {error.strerror}", file=sys.stderr)
            return EXIT_USAGE
        print(f"{options.out}: {len(found)} bytes")
        return None
    if not options.yes and not _agreed(f"Delete everything about {options.user} for good?"):
        print("Nothing was deleted.")
        return None
    done = asyncio.run(erase_for(url, options.user))
    print(
        f"Deleted. Games given up: {len(done.matches)}; challenges closed: {len(done.challenges)}"
    )
    return None


def _agreed(question: str) -> bool:
    try:
        return input(f"{question} Type yes: ").strip().casefold() == "yes"
    except EOFError:
        return False


def _explorer(options: argparse.Namespace) -> None:
    from bot.services.explorer import count_games

    url = _logging_settings().database_url

    async def count() -> None:
        async for looked, new in count_games(url, afresh=options.afresh):
            _say(f"{looked:,} finished games, {new:,} of them counted now")

    asyncio.run(count())
    _say("All finished games are counted.")


def _export(options: argparse.Namespace) -> int | None:
    from bot.services.records import publish_games

    settings = _logging_settings()
    folder: Path = options.folder or settings.games_folder or Path("games")

    async def write() -> None:
        async for path, count in publish_games(settings.database_url, folder):
            _say(f"{path}: {count:,} games, {path.stat().st_size:,} bytes")
        _say(f"All finished games of servers are in {folder}.")

    try:
        folder.mkdir(parents=True, exist_ok=True)
        asyncio.run(write())
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return EXIT_USAGE
    return None


def _commands(options: argparse.Namespace) -> None:
    from bot.commands import format_reference, load_commands
    from bot.log import LogLevel, set_up_logging
    from bot.settings import Settings

    set_up_logging(Settings(_env_file=None, log_level=LogLevel.WARNING))
    options.file.write_text(format_reference(asyncio.run(load_commands())), encoding="utf-8")
    print(options.file)


def _preview(options: argparse.Namespace) -> None:
    from bot.render import write_previews

    for path in write_previews(options.folder):
        print(path)


def _pictures(options: argparse.Namespace) -> None:
    from bot.pictures import write_pictures

    for path in write_pictures(options.folder):
        print(path)


def _field(options: argparse.Namespace) -> int | None:
    from bot.fields import write_field

    try:
        paths = write_field(options.name, options.out, record=options.game, map_key=options.map)
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return EXIT_USAGE
    for path in paths:
        print(path)
    return None


def _bench(_options: argparse.Namespace) -> None:
    from bot.bench import bench_lines
    from bot.log import LogLevel, set_up_logging
    from bot.settings import Settings

    # A log would stand between the rows of the tables.
    set_up_logging(Settings(_env_file=None, log_level=LogLevel.WARNING))
    for line in bench_lines():
        _say(line)


def _load(options: argparse.Namespace) -> None:
    from bot.crowd import LoadPlan
    from bot.load import CHANNELS, HEADING, ROLES, SOAK, Stage, lines_of, measure, measure_servers

    if options.servers:
        memory, busy = asyncio.run(measure_servers(options.servers))
        _say(f"{options.servers} servers of {ROLES} roles and {CHANNELS} channels: each costs")
        _say(f"{memory:.1f} KiB of memory and, at the start, {busy:.2f} ms of a core")
        return
    plan = LoadPlan(
        stages=options.games,
        levels=options.levels,
        between_people=options.people,
        seconds=options.seconds,
        think_s=options.think,
        pictures=options.pictures,
        visitors=options.visitors,
        seed=options.seed,
    )

    def tell(stage: Stage) -> None:
        for line in lines_of(stage):
            _say(line)

    _say(HEADING)
    kept = asyncio.run(measure(SOAK if options.soak else plan, tell, options.database))
    _say(f"{kept.acknowledged} moves acknowledged, {kept.lost} of them lost")


def _say(sentence: str) -> None:
    print(sentence, flush=True)


_COMMANDS: Final[dict[str, tuple[Callable[[argparse.Namespace], int | None], str]]] = {
    "start": (_start, "run on Discord if DISCORD_TOKEN is set, else in a sandbox with a web page"),
    "run": (_run, "run the bot alone"),
    "doctor": (_doctor, "check whether the bot can run, and say what to do"),
    "migrate": (_migrate, "upgrade the database"),
    "backup": (
        _backup,
        "back up the database, even in use; restore the copy on trial and check it",
    ),
    "restore": (_restore, "replace the database with a backup"),
    "move": (_move, "copy everything to another database, and compare both row by row"),
    "privacy": (_privacy, "export or delete a person's data"),
    "export": (
        _export,
        "write all finished games in servers as record files, one archive per month",
    ),
    "explorer": (_explorer, "count finished games missing from /explore; stop the bot first"),
    "commands": (_commands, "write the reference of all slash commands"),
    "preview": (_preview, "write sample images"),
    "pictures": (_pictures, "write the pictures of the README"),
    "field": (_field, "write a printable field of Strategic Tic-Tac-Toe, blank or from a game"),
    "bench": (_bench, "measure how fast images are drawn and clicks are stored"),
    "load": (_load, "simulate many players in a sandbox and print how long they wait"),
}
"""What each command does, and how the help says so."""


if __name__ == "__main__":
    sys.exit(main())
