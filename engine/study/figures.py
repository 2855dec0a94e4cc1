"""The figures of a study and how sure they are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A figure measured on some of all possible games.

    Attributes:
        value: The figure.
        error: Its standard error; None after a single game, which cannot tell.
    """

    value: float
    error: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """What was measured on the games of one variant. Shares are from 0 to 1.

    Attributes:
        variant: Its key.
        games: How many games were played.
        choices: Legal moves at a turn: the mean over the turns of a game, then over the games.
        plies: Moves in a game, those that an opening gives included.
        shortest: The plies of the shortest game.
        longest: The plies of the longest game.
        x_share: Games won by X, who moves first.
        o_share: Games won by O.
        draw_share: Games drawn.
        fairness: 1 when X and O win as often, 0 when one of them always wins;
            None while all games were drawn.
        decisiveness: Games not drawn.
        cells_marked: Board use: the cells marked at the end.
        boards_decided: Board use: the local boards won or drawn at the end.
    """

    variant: str
    games: int
    choices: Estimate
    plies: Estimate
    shortest: int
    longest: int
    x_share: Estimate
    o_share: Estimate
    draw_share: Estimate
    fairness: Estimate | None
    decisiveness: Estimate
    cells_marked: Estimate
    boards_decided: Estimate
