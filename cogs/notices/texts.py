"""What players are told about their matches."""

from __future__ import annotations

from typing import Final

import discord

from bot.language import _, told
from bot.model.challenges import Challenge
from bot.model.match import Match
from bot.model.notices import News, NewsKind
from bot.model.ratings.values import MatchRating
from cogs.challenge import texts as challenge_texts
from engine import other

_TURNS: Final = (NewsKind.TURN, NewsKind.WAITING)


def notice(news: News, match: Match, rating: MatchRating | None = None) -> str:
    """Say what is new in a match for one of its players."""
    side = match.side_of(news.user_id)
    assert side is not None, "it was their news"
    opponent = discord.utils.escape_markdown(told(match.names[other(side)]))
    lines = [_event(news.kind, match, opponent)]
    change = None if rating is None else rating.of(news.user_id)
    if news.kind is NewsKind.OVER and change is not None:
        lines.append(_("Your rating: {change}").format(change=told(change.words)))
    begins = news.kind is NewsKind.ACCEPTED
    is_turn = match.side_to_move == side and (begins or news.kind in _TURNS)
    if news.kind in _TURNS and match.draw_offer == other(side):
        lines.append(_("They offer you a draw."))
    if begins and is_turn:
        lines.append(_("It's your turn."))
    elif begins:
        lines.append(_("{name} moves first.").format(name=opponent))
    if is_turn and match.deadline is not None:
        until = discord.utils.format_dt(match.deadline, "R")
        lines.append(_("Your time runs out {time}.").format(time=until))
    return "\n".join(lines)


def challenged(challenge: Challenge) -> str:
    """Say to somebody that they have been challenged, and to what."""
    name = discord.utils.escape_markdown(challenge.challenger.name)
    offer = _("**{name} challenges you** to a game.").format(name=name)
    return f"{offer}\n{challenge_texts.terms(challenge)}"


def muted(match_id: int) -> str:
    """Say that a match is muted, and how to change notifications for all games."""
    return _(
        "**Game {number} is muted.** I won't notify you about it any more, not even when your "
        "time runs out. To change this for all games, use `/settings`."
    ).format(number=match_id)


def unmuted(match_id: int) -> str:
    """Say that a match is not muted any more."""
    return _("**Game {number} is not muted any more.** I'll notify you about it again.").format(
        number=match_id
    )


def not_shown() -> str:
    """Say that the board is where the reader cannot see it."""
    return _("The board is in another conversation: show it here, or anywhere with `/board`.")


def not_reached() -> str:
    """Say to somebody who has asked for direct messages that they do not get any."""
    return _(
        "You have asked me to write to you when it is your turn, but Discord does not let me: "
        "allow direct messages in the privacy settings of a server that we share, or choose "
        "another way with `/settings`."
    )


def _event(kind: NewsKind, match: Match, opponent: str) -> str:
    words = {
        NewsKind.ACCEPTED: _("**{name} accepted your challenge:** game {number} begins."),
        NewsKind.TURN: _("**Your turn** in game {number} against {name}."),
        NewsKind.WAITING: _("**Your turn** in game {number} against {name}."),
        NewsKind.DRAW_OFFERED: _("**{name} offers you a draw** in game {number}."),
        NewsKind.TAKEBACK_ASKED: _(
            "**{name} asks you to let them take their last move back** in game {number}."
        ),
        NewsKind.REMINDER: _(
            "**Your time runs out {time}** in game {number} against {name}: it is your turn."
        ),
        NewsKind.OVER: _("**Game {number} is over:** {result}."),
    }[kind]
    until = "" if match.deadline is None else discord.utils.format_dt(match.deadline, "R")
    result = told(match.result_in_words)
    return words.format(number=match.id, name=opponent, time=until, result=result)
