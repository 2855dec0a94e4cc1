"""What can go wrong, by who can put it right.

`PlayerError` is for whoever plays: its text may be shown to them as it is.
`HostError` is for whoever runs the bot: its text is printed and the program
ends. Anything else that is raised is a bug. Refused moves are the engine's
`IllegalMoveError`, which is fit to show as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import timedelta
    from pathlib import Path

    from bot.matches.challenge import Challenge
    from bot.matches.model import Match


class HostError(Exception):
    """Something that only the person who runs the bot can put right."""


class SettingsError(HostError):
    """The settings are not usable.

    Attributes:
        mistakes: One sentence for each mistake, in the order of the settings.
    """

    def __init__(self, mistakes: Sequence[str]) -> None:
        self.mistakes = tuple(mistakes)
        lines = "\n".join(f"  - {mistake}" for mistake in self.mistakes)
        noun = "mistake" if len(self.mistakes) == 1 else "mistakes"
        super().__init__(f"{len(self.mistakes)} {noun} in the settings:\n{lines}")


class StartError(HostError):
    """The bot cannot start as things are."""


class StorageFileError(HostError):
    """The file that should hold the matches cannot be used.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(f"{path}: {problem}")


class FileInUseError(StorageFileError):
    """Another process has the file open; there may be one writer only."""


class NotOurFileError(StorageFileError):
    """The file is not a database, is damaged, or belongs to another program."""


class NewerFileError(StorageFileError):
    """A later version of this program has already upgraded the file."""


class PlayerError(Exception):
    """Something a player can be told in so many words."""


class RestartingError(PlayerError):
    """The bot is shutting down and takes no more work."""

    def __init__(self) -> None:
        super().__init__("The bot is restarting. Nothing is lost: please try again in a minute.")


class StorageFailedError(PlayerError):
    """The match could not be stored, so nothing has happened in it."""

    def __init__(self) -> None:
        super().__init__(
            "That could not be saved, so it did not happen: the board is as it was. "
            "Please try again in a minute."
        )


class ComputerFailedError(PlayerError):
    """A search broke; the match waits for the computer's move still."""

    def __init__(self) -> None:
        super().__init__(
            "The computer could not make up its mind. Your move is saved: "
            "show the board again and the computer will think anew."
        )


class UnknownLevelError(PlayerError):
    """There is no computer player of that level.

    Attributes:
        level: The number that was given.
    """

    def __init__(self, level: int, lowest: int, highest: int) -> None:
        self.level = level
        super().__init__(
            f"There is no computer of level {level}: choose a level from {lowest} to {highest}."
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
            f"You have {limit} games going on already, and there can be no more: "
            "finish one, or give one up with /resign."
            if name is None
            else f"{name} has {limit} games going on already, and there can be no more for now."
        )


class InvalidClockError(PlayerError):
    """That is no clock to play by.

    Attributes:
        given: What was asked for.
    """

    def __init__(self, given: str) -> None:
        self.given = given
        super().__init__(
            f"There is no clock {given!r}. Write the time for each move, from 1h to 14d (3d), or "
            "minutes for the whole game + seconds for each move, from 1+0 to 60+60 (5+3), or none."
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
            f"You have {limit} open challenges already: wait for an answer, or withdraw one."
        )


class ChallengeNotFoundError(PlayerError):
    """No challenge has that number.

    Attributes:
        challenge_id: The number that was asked for.
    """

    def __init__(self, challenge_id: int) -> None:
        self.challenge_id = challenge_id
        super().__init__(f"There is no challenge {challenge_id} here: offer a new one.")


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
        super().__init__(challenge, f"This challenge is closed: {challenge.status_in_words}.")


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
            f"That game is over ({result}): it can be looked at, but not played on. "
            "To play on from an earlier position, leave out the moves after it and end with *."
        )


class MatchNotFoundError(PlayerError):
    """No match has that number.

    Attributes:
        match_id: The number that was asked for.
    """

    def __init__(self, match_id: int) -> None:
        self.match_id = match_id
        super().__init__(f"There is no game {match_id} here: start a new one.")


class NoMatchError(PlayerError):
    """The person has no match that could be meant."""

    def __init__(self) -> None:
        super().__init__("You have no game yet: start one with /play.")


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
        names = " and ".join(seat.name for seat in match.seats)
        super().__init__(
            match, f"This game is between {names}: you can watch it, or start one of your own."
        )


class NotYourTurnError(MatchError):
    """The other seat is to move."""

    def __init__(self, match: Match) -> None:
        seat = match.seat_to_move
        waited_for = "the other player" if seat is None else seat.name
        super().__init__(match, f"It is not your turn: this game waits for {waited_for}.")


class StaleBoardError(MatchError):
    """The match is no longer where the person saw it.

    Attributes:
        ply: The number of the position the person acted on.
    """

    def __init__(self, match: Match, ply: int) -> None:
        self.ply = ply
        since = (
            "seats have been swapped or moves taken back since"
            if ply == match.ply
            else f"it shows the game after {_moves(ply)}, and {_moves(match.ply)} have been played"
        )
        super().__init__(
            match, f"That board is out of date: {since}. Use the newest board of this game."
        )


class MatchNotOverError(MatchError):
    """Something that has to wait until the match has ended."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, "This game is still going on: finish it or resign first.")


class RematchNeedsBothError(MatchError):
    """Another game between two people has to be offered and accepted."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, "Another game like this one has to be offered to the other player.")


class MatchOverError(MatchError):
    """The match has ended."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, f"This game is over: {match.result_in_words}. Start a new one.")


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
            _no_clock(seat.level is not None) if left is None else f"{seat.name} has {words} left.",
        )


class OfferError(MatchError):
    """A draw or a takeback that cannot be offered or answered now; the message says why."""


class NothingToTakeBackError(MatchError):
    """The person has not made a move that could be taken back."""

    def __init__(self, match: Match) -> None:
        super().__init__(match, "You have made no move in this game that could be taken back.")


class InvalidPreferenceError(PlayerError):
    """Something was chosen that does not exist.

    Attributes:
        what: What was to be chosen.
        given: What was asked for.
    """

    def __init__(self, what: str, given: str, known: Collection[str]) -> None:
        self.what, self.given = what, given
        choices = known if isinstance(known, str) else f"Choose one of {', '.join(known)}."
        super().__init__(f"There is no {what} {given!r}. {choices}")


class VacationError(PlayerError):
    """A vacation that cannot be had; the message says why and what is left of the year."""


def _no_clock(is_computer: bool) -> str:
    if is_computer:
        return "The computer needs no clock: it moves as soon as it can."
    return "This game is played without a clock: nobody can run out of time."


def _moves(count: int) -> str:
    return "1 move" if count == 1 else f"{count} moves"
