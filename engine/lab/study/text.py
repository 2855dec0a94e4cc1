"""A study as aligned text: every figure with its standard error."""

from __future__ import annotations

from collections.abc import Sequence

from engine.study.figures import Estimate
from engine.study.report import Study

_NOTES = (
    "+- is one standard error: of the mean for choices, plies, cells and boards; binomial for",
    "shares; for fairness twice the binomial error of X's share of the games won.",
    "choices: legal moves at a turn, mean of each game's mean. plies: moves, given ones too.",
    "cells marked, boards decided (won or drawn): board use at the end of a game.",
    "fairness: 1 - 2 |X / (X + O) - 0.5|, draws left out. decisive: not drawn.",
)


def format_study(study: Study) -> str:
    """Return two tables, how the games go and how they end, and what the words mean.

    Examples:
        >>> from engine.study import load_study
        >>> format_study(load_study()).splitlines()[0].split()[:3]
        ['variant', 'games', 'choices']
    """
    rows = study.results
    going = [
        ["variant", "games", "choices", "plies", "from-to", "cells marked %", "boards decided %"]
    ]
    ending = [["variant", "X wins %", "O wins %", "draws %", "fairness %", "decisive %"]]
    for row in rows:
        going.append(
            [
                row.variant,
                f"{row.games}",
                _written(row.choices, decimals=3),
                _written(row.plies, decimals=3),
                f"{row.shortest}-{row.longest}",
                _percent(row.cells_marked),
                _percent(row.boards_decided),
            ]
        )
        shares = (row.x_share, row.o_share, row.draw_share, row.fairness, row.decisiveness)
        ending.append([row.variant, *map(_percent, shares)])
    return "\n\n".join((_aligned(going), _aligned(ending), "\n".join(_NOTES)))


def _written(figure: Estimate, *, decimals: int) -> str:
    error = "?" if figure.error is None else f"{figure.error:.{decimals}f}"
    return f"{figure.value:.{decimals}f} +-{error}"


def _percent(figure: Estimate | None) -> str:
    if figure is None:
        return "-"
    error = None if figure.error is None else 100 * figure.error
    return _written(Estimate(value=100 * figure.value, error=error), decimals=2)


def _aligned(table: Sequence[Sequence[str]]) -> str:
    """Return the rows with columns of equal width: the first to the left, others to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for first, *others in table:
        cells = [first.ljust(widths[0])]
        cells += [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(cells))
    return "\n".join(lines)
