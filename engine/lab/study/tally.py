"""Add up games, one by one or as a kernel has added them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from engine.lab.study.estimates import Moments, fairness_of, share_of
from engine.outcome import BoardStatus, O, X
from engine.study.figures import StudyResult
from engine.types import Side
from engine.variants import Variant

if TYPE_CHECKING:
    from engine.lab.kernels.study import Sums
    from engine.position import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class GameFacts:
    """What a study keeps of one game.

    Attributes:
        winner: `X`, `O`, or None for a draw.
        plies: Moves played.
        choices: The mean number of legal moves at the turns of the players.
        marks: Cells marked at the end.
        boards: Local boards decided at the end.
    """

    winner: Side | None
    plies: int
    choices: float
    marks: int
    boards: int


def facts_of(end: Position, choices: Sequence[int]) -> GameFacts:
    """Return the facts of a game from its last position and what there was to choose from.

    Examples:
        >>> from engine import Game, Rules
        >>> game = Game.replay(Rules(depth=1), (0, 3, 1, 4, 2))
        >>> facts_of(game.position, (9, 8, 7, 6, 5))
        GameFacts(winner=0, plies=5, choices=7.0, marks=5, boards=1)
    """
    assert end.outcome is not None
    return GameFacts(
        winner=end.outcome.winner,
        plies=end.ply,
        choices=sum(choices) / len(choices),
        marks=sum(end.mark_at(cell) is not None for cell in range(end.rules.cell_count)),
        boards=sum(
            end.board_status(board) is not BoardStatus.ONGOING
            for board in range(end.rules.board_count)
        ),
    )


@dataclass(slots=True, kw_only=True)
class Tally:
    """The sums over some games."""

    games: int = 0
    x_wins: int = 0
    o_wins: int = 0
    draws: int = 0
    shortest: int = 0
    longest: int = 0
    plies: Moments = field(default_factory=Moments)
    choices: Moments = field(default_factory=Moments)
    marks: Moments = field(default_factory=Moments)
    boards: Moments = field(default_factory=Moments)

    @classmethod
    def of(cls, sums: Sums) -> Self:
        """Return what a kernel has added up."""
        whole, parts = sums.whole.tolist(), sums.parts.tolist()
        return cls(
            games=whole[0],
            x_wins=whole[1],
            o_wins=whole[2],
            draws=whole[3],
            plies=Moments(*whole[4:6]),
            marks=Moments(*whole[6:8]),
            boards=Moments(*whole[8:10]),
            shortest=whole[10],
            longest=whole[11],
            choices=Moments(*parts),
        )

    def add(self, facts: GameFacts) -> None:
        """Add a game."""
        self.shortest = min(self.shortest, facts.plies) if self.games else facts.plies
        self.longest = max(self.longest, facts.plies)
        self.games += 1
        self.x_wins += facts.winner == X
        self.o_wins += facts.winner == O
        self.draws += facts.winner is None
        self.plies.add(facts.plies)
        self.choices.add(facts.choices)
        self.marks.add(facts.marks)
        self.boards.add(facts.boards)

    def result(self, variant: Variant) -> StudyResult:
        """Return the figures of the games, of which there must be one at least."""
        return StudyResult(
            variant=variant.key,
            games=self.games,
            choices=self.choices.estimate(self.games),
            plies=self.plies.estimate(self.games),
            shortest=self.shortest,
            longest=self.longest,
            x_share=share_of(self.x_wins, self.games),
            o_share=share_of(self.o_wins, self.games),
            draw_share=share_of(self.draws, self.games),
            fairness=fairness_of(self.x_wins, self.o_wins),
            decisiveness=share_of(self.games - self.draws, self.games),
            cells_marked=self.marks.estimate(self.games, unit=variant.rules.cell_count),
            boards_decided=self.boards.estimate(self.games, unit=variant.rules.board_count),
        )
