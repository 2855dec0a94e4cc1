"""What can go wrong and whoever plays can put right.

The text of a `PlayerError` may be shown as it is, in the language that was spoken when
it was raised. What is for whoever runs the bot is in `host_errors`; anything else that is
raised is a bug. Refused moves are the engine's `IllegalMoveError`, which is fit to show
as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.language import N_, _, ngettext

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import timedelta

    from bot.matches.challenge import Challenge
    from bot.matches.model import Match


class PlayerError(Exception):
    """Something a player can be told in so many words."""


class RestartingError(PlayerError):
    """The bot is shutting down and takes no more work."""

    def __init__(self) -> None:
        super().__init__(_("The bot is restarting. Nothing is lost: please try again in a minute."))


class StorageFailedError(PlayerError):
    """The match could not be stored, so nothing has happened in it."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "That could not be saved, so it did not happen: the board is as it was. "
                "Please try again in a minute."
            )
        )


class ComputerFailedError(PlayerError):
    """A search broke; the match waits for the computer's move still."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "The computer could not make up its mind. Your move is saved, and it will "
                "think anew in a moment."
            )
        )


class UnknownLevelError(PlayerError):
    """There is no computer player of that level.

    Attributes:
        level: The number that was given.
    """

    def __init__(self, level: int, lowest: int, highest: int) -> None:
        self.level = level
        super().__init__(
            _(
                "There is no computer of level {level}: choose a level from {lowest} to {highest}."
            ).format(level=level, lowest=lowest, highest=highest)
        )


class UnknownVariantError(PlayerError):
    """No variant has that key; the message names those that exist."""


class TooManyMatchesError(PlayerError):
    """The person has as many ongoing matches as one may have.

    Attributes:
        limit: How many that is.
    """

    def __init__(self, limit: int, name: str | None = None) -> None:
        self.limit = limit
        super().__init__(
            ngettext(
                "You have {limit} game going on already, and there can be no more: "
                "finish it, or give it up with /resign.",
                "You have {limit} games going on already, and there can be no more: "
                "finish one, or give one up with /resign.",
                limit,
            ).format(limit=limit)
            if name is None
            else ngettext(
                "{name} has {limit} game going on already, and there can be no more for now.",
                "{name} has {limit} games going on already, and there can be no more for now.",
                limit,
            ).format(name=name, limit=limit)
        )


class InvalidClockError(PlayerError):
    """That is no clock to play by.

    Attributes:
        given: What was asked for.
    """

    def __init__(self, given: str) -> None:
        self.given = given
        super().__init__(
            _(
                "There is no clock {given!r}. Write the time for each move, from 1h to 14d (3d), "
                "or minutes for the whole game + seconds for each move, from 1+0 to 60+60 (5+3), "
                "or none."
            ).format(given=given)
        )


class NotRatedError(PlayerError):
    """A game like that is never rated; the message says why."""


class CannotChallengeError(PlayerError):
    """That person cannot be challenged, or that challenge not be taken; the message says why."""


class TooManyChallengesError(PlayerError):
    """The person has as many open challenges as one may have.

    Attributes:
        limit: How many that is.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(
            ngettext(
                "You have {limit} open challenge already: wait for an answer, or withdraw it.",
                "You have {limit} open challenges already: wait for an answer, or withdraw one.",
                limit,
            ).format(limit=limit)
        )


class ChallengeNotFoundError(PlayerError):
    """No challenge has that number.

    Attributes:
        challenge_id: The number that was asked for.
    """

    def __init__(self, challenge_id: int) -> None:
        self.challenge_id = challenge_id
        super().__init__(
            _("There is no challenge {number} here: offer a new one.").format(number=challenge_id)
        )


class ChallengeError(PlayerError):
    """Something that cannot be done with this challenge.

    Attributes:
        challenge: The challenge as it is now, so that a view can be brought up to date.
    """

    def __init__(self, challenge: Challenge, sentence: str) -> None:
        self.challenge = challenge
        super().__init__(sentence)


class ChallengeClosedError(ChallengeError):
    """The challenge has been answered or withdrawn, or has run out."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__(
            challenge,
            _("This challenge is closed: {what}.").format(what=challenge.status_in_words),
        )


class NotYourChallengeError(ChallengeError):
    """The challenge is another person's to answer or to withdraw; the message says whose."""


class FinishedGameError(PlayerError):
    """A game that is over cannot be played on.

    Attributes:
        result: How it ended, in words such as "X wins".
    """

    def __init__(self, result: str) -> None:
        self.result = result
        super().__init__(
            _(
                "That game is over ({result}): it can be looked at, but not played on. "
                "To play on from an earlier position, leave out the moves after it and end with *."
            ).format(result=result)
        )


class MatchNotFoundError(PlayerError):
    """No match has that number.

    Attributes:
        match_id: The number that was asked for.
    """

    def __init__(self, match_id: int) -> None:
        self.match_id = match_id
        super().__init__(
            _("There is no game {number} here: start a new one.").format(number=match_id)
        )


class NoMatchError(PlayerError):
    """The person has no match that could be meant."""

    def __init__(self) -> None:
        super().__init__(_("You have no game yet: start one with /play."))


class MatchError(PlayerError):
    """Something that cannot be done in this match as it stands.

    Attributes:
        match: The match as it is now, so that a view can be brought up to date.
    """

    def __init__(self, match: Match, sentence: str) -> None:
        self.match = match
        super().__init__(sentence)


class NotAPlayerError(MatchError):
    """The person has no seat in the match."""

    def __init__(self, match: Match) -> None:
        one, other = match.names
        super().__init__(
            match,
            _(
                "This game is between {one} and {other}: you can watch it, or start one of "
                "your own."
            ).format(one=one, other=other),
        )


class NotYourTurnError(MatchError):
    """The other seat is to move."""

    def __init__(self, match: Match) -> None:
        seat = match.seat_to_move
        super().__init__(
            match,
            _("It is not your turn: this game waits for the other player.")
            if seat is None
            else _("It is not your turn: this game waits for {name}.").format(name=seat.shown),
        )


class StaleBoardError(MatchError):
    """The match is no longer where the person saw it.

    Attributes:
        ply: The number of the position the person acted on.
    """

    def __init__(self, match: Match, ply: int) -> None:
        self.ply = ply
        super().__init__(
            match,
            _(
                "That board is out of date: seats have been swapped or moves taken back since. "
                "Use the newest board of this game."
            )
            if ply == match.ply
            else _(
                "That board is out of date: it shows the game after {then}, and {now} have been "
                "played. Use the newest board of this game."
            ).format(then=_moves(ply), now=_moves(match.ply)),
        )


class MatchNotOverError(MatchError):
    """Something that has to wait until the match has ended."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, _("This game is still going on: finish it or resign first."))


class RematchNeedsBothError(MatchError):
    """Another game between two people has to be offered and accepted."""

    def __init__(self, match: Match) -> None:
        super().__init__(
            match, _("Another game like this one has to be offered to the other player.")
        )


class MatchOverError(MatchError):
    """The match has ended."""

    def __init__(self, match: Match) -> None:
        super().__init__(
            match,
            _("This game is over: {result}. Start a new one.").format(result=match.result_in_words),
        )


class TimeOverError(MatchOverError):
    """The time of whoever was to move had run out; the match has been settled by that."""


class ClockRunningError(MatchError):
    """Nobody's time has run out.

    Attributes:
        left: What the side to move has still; None without a clock.
    """

    def __init__(self, match: Match, left: timedelta | None, words: str) -> None:
        self.left = left
        seat = match.seat_to_move
        assert seat is not None, "it is going on"
        super().__init__(
            match,
            _no_clock(seat.level is not None)
            if left is None
            else _("{name} has {time} left.").format(name=seat.shown, time=words),
        )


class OfferError(MatchError):
    """A draw or a takeback that cannot be offered or answered now; the message says why."""


class NothingToTakeBackError(MatchError):
    """The person has not made a move that could be taken back."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, _("You have made no move in this game that could be taken back."))


class InvalidPreferenceError(PlayerError):
    """Something was chosen that does not exist.

    Attributes:
        what: What was to be chosen.
        given: What was asked for.

    Args:
        what: As above.
        given: As above.
        known: What there is to choose from, or a sentence that says what is wrong.
    """

    def __init__(self, what: str, given: str, known: Collection[str]) -> None:
        self.what, self.given = what, given
        if isinstance(known, str):
            super().__init__(known)
            return
        words = _(_NO_SUCH.get(what, _NOTHING_SUCH))
        super().__init__(words.format(given=given, known=", ".join(known)))


class VacationError(PlayerError):
    """A vacation that cannot be had; the message says why and what is left of the year."""


_NO_SUCH = {
    "theme": N_("There is no theme {given!r}. Choose one of {known}."),
    "language": N_("There is no language {given!r}. Choose one of {known}."),
    "marks": N_("There are no marks {given!r}. Choose one of {known}."),
}
_NOTHING_SUCH = N_("There is no {given!r} to choose. Choose one of {known}.")


def _no_clock(is_computer: bool) -> str:
    if is_computer:
        return _("The computer needs no clock: it moves as soon as it can.")
    return _("This game is played without a clock: nobody can run out of time.")


def _moves(count: int) -> str:
    return ngettext("{count} move", "{count} moves", count).format(count=count)
