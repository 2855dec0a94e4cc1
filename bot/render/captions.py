"""The words inside designed images, as data, so that they can be in any language."""

from dataclasses import dataclass
from typing import Final


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
    record: str = "Won, drawn, lost"
    achievements: str = "Achievements"
    letters: tuple[str, str, str] = ("W", "D", "L")
    accuracy: str = "%: accuracy"
    blunder: str = "blunder"
    mistake: str = "mistake"
    turning_point: str = "turning point"
    better: str = "better {move}"
    wins: str = "{name} wins"
    draw: str = "A draw"
    unrated: str = "unrated"
    to_move: str = "{side} to move"


ENGLISH: Final = Captions()
