"""The words inside designed images, as data, so that they can be in any language."""

from dataclasses import dataclass
from typing import Final

from bot.language import _, pgettext


@dataclass(frozen=True, slots=True, kw_only=True)
class Captions:
    """Words of one language in letters the font has: Latin, Cyrillic or Greek.

    What is too wide for its place is shortened. In words with braces the name stands for
    what is put there.
    """

    player: str = "player"
    rating: str = "rating"
    games: str = "games"
    won: str = "won"
    trend: str = "trend"
    no_games: str = "No rated games yet"
    nobody: str = "Nobody has enough rated games yet"
    in_a_row: str = "won in a row"
    last_games: str = "last games, best streak {best}"
    best: str = "best rating"
    played: str = "games played"
    levels: str = "levels of the computer beaten"
    record: str = "Won, drawn, lost"
    achievements: str = "Achievements"
    as_x: str = "as X"
    as_o: str = "as O"
    letters: tuple[str, str, str] = ("W", "D", "L")
    met: str = "Games against each other, the newest last"
    never_met: str = "They have not finished a game yet"
    drawn_games: str = "drawn"
    accuracy: str = "accuracy"
    blunder: str = "blunder"
    mistake: str = "mistake"
    inaccuracy: str = "inaccuracy"
    better: str = "better {move}"
    wins: str = "{name} wins"
    draw: str = "A draw"
    unrated: str = "unrated"
    to_move: str = "{side} to move"
    nameless: str = "Player"
    nameless_side: str = "Player {side}"


ENGLISH: Final = Captions()


def captions() -> Captions:
    """Return the words of the language that is being spoken."""
    return Captions(
        # For translators: heads of narrow columns; eight letters are enough room.
        player=pgettext("head of a column", "player"),
        rating=pgettext("head of a column", "rating"),
        games=pgettext("head of a column", "games"),
        won=pgettext("head of a column", "won"),
        trend=pgettext("head of a column", "trend"),
        no_games=_("No rated games yet"),
        nobody=_("Nobody has enough rated games yet"),
        # For translators: above a number in a narrow tile; fourteen letters are enough room.
        in_a_row=pgettext("above a number", "won in a row"),
        last_games=_("last games, best streak {best}"),
        best=pgettext("above a number", "best rating"),
        played=pgettext("above a number", "games played"),
        levels=pgettext("above the numbers of levels", "levels of the computer beaten"),
        record=_("Won, drawn, lost"),
        achievements=_("Achievements"),
        as_x=pgettext("games played with X", "as X"),
        as_o=pgettext("games played with O", "as O"),
        letters=(
            pgettext("one letter: a game that was won", "W"),
            pgettext("one letter: a game that was drawn", "D"),
            pgettext("one letter: a game that was lost", "L"),
        ),
        met=_("Games against each other, the newest last"),
        never_met=_("They have not finished a game yet"),
        drawn_games=pgettext("below the number of games", "drawn"),
        accuracy=_("accuracy"),
        blunder=pgettext("a bad move", "blunder"),
        mistake=pgettext("a bad move", "mistake"),
        inaccuracy=pgettext("a bad move", "inaccuracy"),
        better=_("better {move}"),
        wins=_("{name} wins"),
        draw=_("A draw"),
        unrated=pgettext("a game", "unrated"),
        to_move=_("{side} to move"),
        nameless=pgettext("somebody without a name", "Player"),
        nameless_side=pgettext("somebody without a name", "Player {side}"),
    )
