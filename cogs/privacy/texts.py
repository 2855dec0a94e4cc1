"""Texts about privacy; `deploy/PRIVACY.md` says the same at length."""

from __future__ import annotations

from bot.language import _, ngettext
from bot.storage.personal import Holdings


def policy(contact: str | None) -> str:
    """Say what is stored, how long, who sees it, and who is responsible."""
    if contact is None:
        host = _("The person who runs this bot is responsible for it.")
    else:
        words = _("The person who runs this bot is responsible for it: {contact}")
        host = words.format(contact=contact)
    lines = [
        _(
            "**Stored until you have it deleted:** your Discord ID and name, your "
            "games with their moves and times, challenges, ratings, puzzles, results by server, "
            "settings, vacations, and who you've blocked."
        ),
        _("**Stored for a while:** which notices about games stand, until the game goes on."),
        _(
            "**Seen by others:** your name, games and ratings. The bot reads no messages and "
            "passes nothing on."
        ),
        _(
            "**Deleting** takes effect at once. Your games stay for those you have played, as "
            'games of a "Deleted player". Backups are kept for 30 days at most, and a deletion '
            "is done again if one is put back."
        ),
        host,
    ]
    return "\n".join([_("### Your data here"), *(f"- {line}" for line in lines)])


def handed_out() -> str:
    """Say what the file is."""
    return _(
        "**Everything that is stored about you**, as a file for programs and people. Only you "
        "see it; Discord keeps it as long as this message."
    )


def question(found: Holdings) -> str:
    """Say what will be lost, what will stay, and ask."""
    lines = [_("### Delete your data?"), _("**Lost for good:**")]
    lines += [f"- {line}" for line in _lost(found)]
    lines.append(_("**What stays:**"))
    lines += [f"- {line}" for line in _staying(found)]
    lines.append(
        _("You can come back at any time as a new player. To keep a copy, get your data first.")
    )
    return "\n".join(lines)


def _lost(found: Holdings) -> list[str]:
    lines = [
        _("Your name and number, settings, vacations, blocks, puzzles, and places on leaderboards.")
    ]
    if found.ratings:
        ratings = ngettext(
            "Your rating in {count} variant, its history, and your achievements.",
            "Your ratings in {count} variants, their history, and your achievements.",
            found.ratings,
        )
        lines.append(ratings.format(count=found.ratings))
    if found.ongoing:
        given_up = ngettext(
            "Your {count} ongoing game: you lose it, even if it is rated.",
            "Your {count} ongoing games: you lose them, even rated ones.",
            found.ongoing,
        )
        lines.append(given_up.format(count=found.ongoing))
    return [*lines, _("Your open challenges: they are withdrawn.")]


def _staying(found: Holdings) -> list[str]:
    lines = []
    if found.matches:
        games = ngettext(
            "Your {count} game stays for your opponent, without your name.",
            "Your {count} games stay for your opponents, without your name.",
            found.matches,
        )
        lines.append(games.format(count=found.matches))
    return [
        *lines,
        _("Blocks that others have set against you."),
        _(
            "Messages in channels: I remove your name from boards and challenges wherever I can "
            "still edit them. Profiles, leaderboards and replays keep it: ask the server's "
            "moderators to delete them."
        ),
    ]


def deleted(games: int) -> str:
    """Say that it is done, and how many games were given up."""
    lines = [_("**Your data is deleted.** Thank you for playing.")]
    if games:
        given_up = ngettext("{count} game was resigned.", "{count} games were resigned.", games)
        lines.append(given_up.format(count=games))
    lines.append(
        _(
            "Your name is now being removed from boards and challenges in channels, wherever I "
            "can still edit them. If you have played a lot, this takes a few hours. Profiles, "
            "leaderboards and replays keep it: ask the server's moderators to delete them."
        )
    )
    lines.append(
        _("If you play again, you start as a new player, without rated games for seven days.")
    )
    return "\n".join(lines)
