"""Errors that players can do something about.

A `PlayerError` carries a sentence, which is translated for the reader where it is shown, and what
a view needs to be brought up to date. Errors for the bot's host are in `host_errors`; anything else
that is raised is a bug. Refused moves are the engine's `IllegalMoveError`, which may be shown as
well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import LevelNumber, Ply, shorten
from engine.errors import Sentence, say, say_count

if TYPE_CHECKING:
    from collections.abc import Collection

    from bot.model.challenges import Challenge
    from bot.model.match import Match


class PlayerError(Exception):
    """Something a player can be told.

    Attributes:
        sentence: What to tell them, in any language; of the class if it is always the same.
    """

    sentence: Sentence

    def __init__(self, sentence: Sentence | str | None = None) -> None:
        if sentence is not None:
            self.sentence = sentence if isinstance(sentence, Sentence) else Sentence(sentence)
        super().__init__(str(self.sentence))


class RestartingError(PlayerError):
    """The bot is shutting down and takes no more work."""

    sentence = say("The bot is restarting. Nothing is lost: please try again in a minute.")


class StorageFailedError(PlayerError):
    """The match could not be stored, so nothing has happened in it."""

    sentence = say(
        "That could not be saved, so it did not happen: the board is as it was. "
        "Please try again in a minute."
    )


class ComputerFailedError(PlayerError):
    """A search failed; the match still waits for the computer's move."""

    sentence = say(
        "The computer could not find a move. Your move is saved, and it will try again in a moment."
    )


class OverloadedError(PlayerError):
    """Too much of the same kind of work is waiting for it to be done in time.

    Attributes:
        again_in_s: In about how many seconds the work that waits now will be done.
    """

    def __init__(self, again_in_s: int) -> None:
        self.again_in_s = again_in_s
        super().__init__(
            say_count(
                "Too much is going on right now. Please try again in about {count} second.",
                "Too much is going on right now. Please try again in about {count} seconds.",
                again_in_s,
            )
        )


class SlowDownError(PlayerError):
    """Somebody, or everybody in a server together, has made too many requests.

    Attributes:
        again_in_s: In how many seconds they may ask again.
    """

    def __init__(self, again_in_s: int, *, in_server: bool = False) -> None:
        self.again_in_s = again_in_s
        super().__init__(
            say_count(
                "Slow down: too many requests come from this server. "
                "Please try again in {count} second.",
                "Slow down: too many requests come from this server. "
                "Please try again in {count} seconds.",
                again_in_s,
            )
            if in_server
            else say_count(
                "Slow down: please try again in {count} second.",
                "Slow down: please try again in {count} seconds.",
                again_in_s,
            )
        )


class MaintenanceError(PlayerError):
    """No games begin for some time; `words` is what the host says about it, if anything."""

    def __init__(self, left: Sentence, words: str) -> None:
        said = say(
            "No new games for now, because of maintenance: try again in {time}. You can finish "
            "the games you are playing.",
            time=left,
        )
        super().__init__(
            say('{what} The host says: "{words}"', what=said, words=words) if words else said
        )


class BannedError(PlayerError):
    """The host has banned somebody, or everybody in a server, from the bot."""

    def __init__(self, *, is_server: bool, contact: str | None) -> None:
        said = (
            say("This server can't use this bot any more: the bot's host has blocked it.")
            if is_server
            else say("You can't use this bot any more: its host has blocked you.")
        )
        if contact is not None:
            asked = say("If you think this is a mistake: {contact}", contact=contact)
            said = Sentence("{said} {asked}", {"said": said, "asked": asked})
        super().__init__(said)


class NotTheHostError(PlayerError):
    """Something that only the bot's host may do."""

    sentence = say("Only the host of this bot can do that.")


class UnknownLevelError(PlayerError):
    """There is no computer player of that level."""

    def __init__(self, level: LevelNumber, lowest: int, highest: int) -> None:
        super().__init__(
            say(
                "There is no computer of level {level}: choose a level from {lowest} to {highest}.",
                level=level,
                lowest=lowest,
                highest=highest,
            )
        )


class UnknownVariantError(PlayerError):
    """No variant has that key; the message names those that exist."""


class TooManyMatchesError(PlayerError):
    """The person who asks, or the one of that name, has reached the limit of ongoing matches."""

    def __init__(self, limit: int, name: str | None = None) -> None:
        super().__init__(
            say_count(
                "You already have {count} game, the most you can have at once: "
                "finish it, or resign it with /resign.",
                "You already have {count} games, the most you can have at once: "
                "finish one, or resign one with /resign.",
                limit,
            )
            if name is None
            else say_count(
                "{name} already has {count} game, the most a player can have at once.",
                "{name} already has {count} games, the most a player can have at once.",
                limit,
                name=name,
            )
        )


class InvalidClockError(PlayerError):
    """There is no such clock."""

    def __init__(self, given: str) -> None:
        super().__init__(
            say(
                "There is no clock {given!r}. Write the time for each move, from 1h to 14d (3d), "
                "or minutes for the whole game + seconds for each move, from 1+0 to 60+60 (5+3), "
                "or none.",
                given=shorten(given),
            )
        )


class NotRatedError(PlayerError):
    """A game like that is never rated; the message says why."""


class CannotChallengeError(PlayerError):
    """A person cannot be challenged, or a challenge cannot be accepted; the message says why."""


class TooManyChallengesError(PlayerError):
    """The person has reached the limit of open challenges."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            say_count(
                "You have {count} open challenge already: wait for an answer, or withdraw it.",
                "You have {count} open challenges already: wait for an answer, or withdraw one.",
                limit,
            )
        )


class ChallengeNotFoundError(PlayerError):
    """No challenge has that number."""

    def __init__(self, challenge_id: int) -> None:
        super().__init__(
            say("There is no challenge {number} any more: offer a new one.", number=challenge_id)
        )


class ChallengeError(PlayerError):
    """Something that cannot be done with this challenge.

    Attributes:
        challenge: The challenge as it is now, so that a view can be brought up to date.
    """

    def __init__(self, challenge: Challenge, sentence: Sentence | str) -> None:
        self.challenge = challenge
        super().__init__(sentence)


class ChallengeClosedError(ChallengeError):
    """The challenge has been answered or withdrawn, or has run out."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__(
            challenge,
            say("This challenge is closed: {what}.", what=challenge.status_in_words),
        )


class NotYourChallengeError(ChallengeError):
    """The challenge is another person's to answer or to withdraw; the message says whose."""


class FinishedGameError(PlayerError):
    """A game that is over, such as with "X wins", cannot be played on."""

    def __init__(self, result: Sentence) -> None:
        super().__init__(
            say(
                "That game is over ({result}): it can be looked at, but not played on. "
                "To play on from an earlier position, leave out the moves after it and end with *.",
                result=result,
            )
        )


class MatchNotFoundError(PlayerError):
    """No match has that number."""

    def __init__(self, match_id: int) -> None:
        super().__init__(say("There is no game {number}: check the number.", number=match_id))


class NoMatchError(PlayerError):
    """The person has no match that could be meant."""

    sentence = say("You have no game yet: start one with /play.")


class MatchError(PlayerError):
    """Something that cannot be done in this match as it stands.

    Attributes:
        match: The match as it is now, so that a view can be brought up to date.
    """

    def __init__(self, match: Match, sentence: Sentence | str | None = None) -> None:
        self.match = match
        super().__init__(sentence)


class NotAPlayerError(MatchError):
    """The person has no seat in the match."""

    def __init__(self, match: Match) -> None:
        one, other = match.names
        super().__init__(
            match,
            say(
                "This game is between {one} and {other}: you can watch it, or start one of "
                "your own.",
                one=one,
                other=other,
            ),
        )


class NotYourTurnError(MatchError):
    """The other seat is to move."""

    def __init__(self, match: Match) -> None:
        seat = match.seat_to_move
        super().__init__(
            match,
            say("It is not your turn: this game waits for the other player.")
            if seat is None
            else say("It is not your turn: this game waits for {name}.", name=seat.shown),
        )


class StaleBoardError(MatchError):
    """The match is no longer where the person saw it, at `ply`."""

    def __init__(self, match: Match, ply: Ply) -> None:
        super().__init__(
            match,
            say(
                "That board is out of date: seats have been swapped or moves taken back since. "
                "Use the newest board of this game."
            )
            if ply == match.ply
            else say(
                "That board is out of date: it shows the game after {then}, and {now} have been "
                "played. Use the newest board of this game.",
                then=_moves(ply),
                now=_moves(match.ply),
            ),
        )


class MatchNotOverError(MatchError):
    """Something that has to wait until the match has ended."""

    sentence = say("This game is still going on: finish it or resign first.")


class RematchNeedsBothError(MatchError):
    """Another game between two people has to be offered and accepted."""

    sentence = say("Another game like this one has to be offered to the other player.")


class MatchOverError(MatchError):
    """The match has ended."""

    def __init__(self, match: Match) -> None:
        super().__init__(
            match,
            say("This game is over: {result}. Start a new one.", result=match.result_in_words),
        )


class TimeOverError(MatchOverError):
    """The side to move had run out of time, which has ended the match."""


class ClockRunningError(MatchError):
    """Nobody's time has run out: the side to move has some `left`, or no clock if that is None."""

    def __init__(self, match: Match, left: Sentence | None) -> None:
        seat = match.seat_to_move
        assert seat is not None, "it is going on"
        if left is not None:
            said = say("{name} has {time} left.", name=seat.shown, time=left)
        elif seat.level is not None:
            said = say("The computer needs no clock: it moves as soon as it can.")
        else:
            said = say("This game is played without a clock: nobody can run out of time.")
        super().__init__(match, said)


class OfferError(MatchError):
    """A draw or a takeback that cannot be offered or answered now; the message says why."""


class NothingToTakeBackError(MatchError):
    """The person has no move to take back."""

    sentence = say("You have no move to take back in this game.")


class InvalidPreferenceError(PlayerError):
    """Something was chosen that does not exist.

    `known` is what there is to choose from, or a sentence that says what is wrong.
    """

    def __init__(self, what: str, given: str, known: Collection[str] | Sentence) -> None:
        if not isinstance(known, Sentence):
            words = _NO_SUCH.get(what, _NOTHING_SUCH)
            known = words.format(given=given, known=", ".join(known))
        super().__init__(known)


class VacationError(PlayerError):
    """A vacation that cannot be taken; the message says why and what is left of the year."""


_NO_SUCH = {
    "theme": say("There is no theme {given!r}. Choose one of {known}."),
    "language": say("There is no language {given!r}. Choose one of {known}."),
    "marks": say("There are no marks {given!r}. Choose one of {known}."),
}
_NOTHING_SUCH = say("There is no {given!r} to choose. Choose one of {known}.")


def _moves(count: int) -> Sentence:
    return say_count("{count} move", "{count} moves", count)
