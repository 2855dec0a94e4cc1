"""The named variants: a key, words for people, and the rules.

A new variant is an entry here; nothing else in the engine asks for a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from engine.rules import DrawnBoard, Goal, Opening, Rules, Sending, Tiebreak, WonBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A rule set with a name.

    Attributes:
        key: What is typed and stored; the options' text for a custom rule set.
        name: What is shown.
        summary: One line for lists, at most 100 characters.
        description: How it differs, in a few sentences.
        rules: The rules.
    """

    key: str
    name: str
    summary: str
    description: str
    rules: Rules


_STRATEGIC_CREDIT = (
    " The game is Strategic Tic-Tac-Toe by Mikhail Demchenko and Anton Shashkov (CC-BY 4.0,"
    " https://github.com/echo-Mike/STTT)."
)

_NAMED: Final = (
    Variant(
        key="standard",
        name="Standard",
        summary="Your cell names your opponent's board; three boards in a row win.",
        description=(
            "The cell you play names the board your opponent must play in. If that board is won"
            " or full, he may play in any board that is still going on. Three won boards in a row"
            " win the game; if all nine boards are decided without a row, it is a draw."
        ),
        rules=Rules(),
    ),
    Variant(
        key="majority",
        name="Majority",
        summary="Standard, but when no row is left the player with more boards wins.",
        description=(
            "Played as Standard. When all nine boards are decided and nobody has three in a row,"
            " whoever has won more boards wins; the same number is a draw."
        ),
        rules=Rules(tiebreak=Tiebreak.MOST),
    ),
    Variant(
        key="open-board",
        name="Open Board",
        summary="Sent to a won board you may play in any board with room, won ones too.",
        description=(
            "As Standard, but being sent to a won or full board lets you play in any board with"
            " an empty cell, won boards included. A won board keeps its owner whatever is marked"
            " in it later."
        ),
        rules=Rules(won_board=WonBoard.OPEN),
    ),
    Variant(
        key="won-board",
        name="Won-Board Play",
        summary="Won boards stay in play: sent to one, you must play there while it has room.",
        description=(
            "Being sent to a won board does not free you: you must play there as long as it has"
            " an empty cell. Only a full board lets you play anywhere. The first player is known"
            " to win with perfect play."
        ),
        rules=Rules(won_board=WonBoard.FORCED),
    ),
    Variant(
        key="mulloy",
        name="Mulloy",
        summary="Won-Board Play, no first move in the very centre, more boards break a tie.",
        description=(
            "The defaults of Dan Mulloy's U3T: won boards stay in play, the first move may not be"
            " the centre cell of the centre board, and without three in a row the player with"
            " more boards wins."
        ),
        rules=Rules(won_board=WonBoard.FORCED, opening=Opening.NO_CENTRE, tiebreak=Tiebreak.MOST),
    ),
    Variant(
        key="tic-tac-ku",
        name="Tic-Tac-Ku",
        summary="Five won boards win, wherever they are; won boards stay in play.",
        description=(
            "No row is needed: whoever wins five boards wins the game. Won boards stay in play,"
            " and if all are decided before, more boards win."
        ),
        rules=Rules(goal=Goal.FIVE, won_board=WonBoard.FORCED, tiebreak=Tiebreak.MOST),
    ),
    Variant(
        key="random-four",
        name="Random opening",
        summary="Won-Board Play after four random moves given by a five-digit code.",
        description=(
            "A code of five digits plays the first four moves: X in board 1st cell 2nd digit, O"
            " in board 2nd cell 3rd digit, and so on; then X moves in the board of the last"
            " digit. Afterwards Won-Board Play. A drawn code takes away the first player's known"
            " win; 112 of the 55,080 codes you can choose yourself still begin it."
        ),
        rules=Rules(won_board=WonBoard.FORCED, opening=Opening.RANDOM_FOUR),
    ),
    Variant(
        key="pie",
        name="Pie rule",
        summary="Standard; after the first move the second player may swap seats.",
        description=(
            "As Standard, but when X has made the first move, the other player may take X's seat"
            " instead of answering. So the first move had better not be too good."
        ),
        rules=Rules(opening=Opening.PIE),
    ),
    Variant(
        key="balanced",
        name="Balanced",
        summary="Open Board with the pie rule.",
        description=(
            "Open Board play, and after X's first move the other player may swap seats instead"
            " of answering."
        ),
        rules=Rules(won_board=WonBoard.OPEN, opening=Opening.PIE),
    ),
    Variant(
        key="symmetric",
        name="Symmetric opening",
        summary="Standard, begun with one mark each in the centres of opposite boards.",
        description=(
            "X starts with a mark in the centre of an outer board, O with one in the centre of"
            " the opposite board. X moves first, anywhere; then as Standard."
        ),
        rules=Rules(opening=Opening.SYMMETRIC),
    ),
    Variant(
        key="tactical",
        name="Tactical",
        summary="Won-Board Play where a drawn board counts for both players.",
        description=(
            "The two-level game of Strategic Tic-Tac-Toe: won boards stay in play, and a board"
            " that fills up without a winner counts for both players in rows (a row of three"
            " such boards wins for nobody)." + _STRATEGIC_CREDIT
        ),
        rules=Rules(drawn_board=DrawnBoard.BOTH, won_board=WonBoard.FORCED),
    ),
    Variant(
        key="sttt-tactical",
        name="Strategic, tactical-like",
        summary="27x27: you are sent to the strategic board of the tactical board just played.",
        description=(
            "Three levels, 729 cells. A move in strategic board S, tactical board T, cell O sends"
            " the opponent to tactical board O of strategic board T. Drawn boards count for both."
            + _STRATEGIC_CREDIT
        ),
        rules=Rules(depth=3, sending=Sending.TACTICAL, drawn_board=DrawnBoard.BOTH),
    ),
    Variant(
        key="sttt-map",
        name="Strategic, map-like",
        summary="27x27: the strategic board is read from a column beside the row you play in.",
        description=(
            "Three levels, 729 cells. The cell names the tactical board; the number in the"
            " mapping column beside its row names the strategic board. Drawn boards count for"
            " both." + _STRATEGIC_CREDIT
        ),
        rules=Rules(depth=3, sending=Sending.MAP, drawn_board=DrawnBoard.BOTH),
    ),
    Variant(
        key="sttt-hypermap",
        name="Strategic, hypermap-like",
        summary="27x27: the strategic board is the number printed in the cell you play.",
        description=(
            "Three levels, 729 cells. The cell names the tactical board; the number printed in it"
            " names the strategic board. Drawn boards count for both." + _STRATEGIC_CREDIT
        ),
        rules=Rules(depth=3, sending=Sending.HYPERMAP, drawn_board=DrawnBoard.BOTH),
    ),
)

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType({one.key: one for one in _NAMED})
_KEY_BY_RULES: Final = {one.rules: one.key for one in _NAMED}


def key_of(rules: Rules) -> str:
    """Return the key of the variant with these rules, or the options' text."""
    return _KEY_BY_RULES.get(rules, rules.options_key)


def variant_of(rules: Rules) -> Variant:
    """Return the variant with these rules; a custom one is called Custom."""
    key = key_of(rules)
    if key in VARIANTS:
        return VARIANTS[key]
    options = key.replace("_", " ").replace("=", " ").replace(",", ", ")
    return Variant(
        key=key,
        name="Custom",
        summary=f"Your own rules: {options}"[:100],
        description=f"Your own combination of options: {options}. Everything else as Standard.",
        rules=rules,
    )


def load_variant(key: str) -> Variant:
    """Return the variant of a key: a named one, or a custom one from options.

    Raises:
        InvalidRulesError: If there is no such variant or option; the message
            names the valid keys.

    Examples:
        >>> load_variant("won-board").name
        'Won-Board Play'
        >>> load_variant("goal=five").key
        'depth=2,goal=five'
    """
    return variant_of(Rules.parse(key))
