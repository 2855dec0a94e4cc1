"""The named variants: a key, words for people, and the rules.

A new variant is an entry here; nothing else in the engine asks for a name. `explain_rules`
explains its rules, from the options alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from types import MappingProxyType
from typing import Final

from engine.errors import Sentence, say
from engine.rules import DrawnBoard, Goal, Opening, Rules, Sending, Tiebreak, WonBoard


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A rule set with a name.

    Attributes:
        key: What is typed and stored; the options' text for a custom rule set.
        name: What is shown; the options in words for a custom rule set.
        summary: One line for lists, at most 100 characters.
        note: What else is known about it, if anything.
    """

    key: str
    name: Sentence
    summary: Sentence
    rules: Rules
    note: Sentence | None = None


_NAMED: Final = (
    Variant(
        key="standard",
        name=say("Standard"),
        summary=say("Your cell decides your opponent's board; three boards in a row win."),
        rules=Rules(),
    ),
    Variant(
        key="majority",
        name=say("Majority"),
        summary=say("Standard, but if nobody gets a row, the player with more boards wins."),
        rules=Rules(tiebreak=Tiebreak.MOST),
    ),
    Variant(
        key="open-board",
        name=say("Open Board"),
        summary=say("Sent to a won board you may play in any board with room, won ones too."),
        rules=Rules(won_board=WonBoard.OPEN),
    ),
    Variant(
        key="won-board",
        name=say("Won-Board Play"),
        summary=say("Won boards stay in play: sent to one, you must play there while it has room."),
        note=say("With perfect play the first player is known to win."),
        rules=Rules(won_board=WonBoard.FORCED),
    ),
    Variant(
        key="mulloy",
        name=say("Mulloy"),
        summary=say("Won-Board Play, no first move in the very centre, more boards break a tie."),
        note=say("These are the defaults of U3T, a program by Dan Mulloy."),
        rules=Rules(won_board=WonBoard.FORCED, opening=Opening.NO_CENTRE, tiebreak=Tiebreak.MOST),
    ),
    Variant(
        key="tic-tac-ku",
        name=say("Tic-Tac-Ku"),
        summary=say("Five won boards win, wherever they are; won boards stay in play."),
        rules=Rules(goal=Goal.FIVE, won_board=WonBoard.FORCED, tiebreak=Tiebreak.MOST),
    ),
    Variant(
        key="random-four",
        name=say("Random opening"),
        summary=say("Won-Board Play after four random moves given by a five-digit code."),
        note=say(
            "A random code takes away the first player's known win;"
            " 112 of the 55,080 codes you can choose yourself still allow it."
        ),
        rules=Rules(won_board=WonBoard.FORCED, opening=Opening.RANDOM_FOUR),
    ),
    Variant(
        key="pie",
        name=say("Pie rule"),
        summary=say("Standard; after the first move the second player may swap seats."),
        rules=Rules(opening=Opening.PIE),
    ),
    Variant(
        key="balanced",
        name=say("Balanced"),
        summary=say("Open Board with the pie rule."),
        rules=Rules(won_board=WonBoard.OPEN, opening=Opening.PIE),
    ),
    Variant(
        key="symmetric",
        name=say("Symmetric opening"),
        summary=say("Standard, begun with one mark each in the centres of opposite boards."),
        rules=Rules(opening=Opening.SYMMETRIC),
    ),
    Variant(
        key="tactical",
        name=say("Tactical"),
        summary=say("Won-Board Play where a drawn board counts for both players."),
        note=say("This is the two-level game of Strategic Tic-Tac-Toe."),
        rules=Rules(drawn_board=DrawnBoard.BOTH, won_board=WonBoard.FORCED),
    ),
    Variant(
        key="sttt-tactical",
        name=say("Strategic, tactical-like"),
        summary=say(
            "27x27: you are sent to the strategic board of the tactical board just played."
        ),
        rules=Rules(depth=3, sending=Sending.TACTICAL, drawn_board=DrawnBoard.BOTH),
    ),
    Variant(
        key="sttt-map",
        name=say("Strategic, map-like"),
        summary=say("27x27: the strategic board is read from a column beside the row you play in."),
        rules=Rules(depth=3, sending=Sending.MAP, drawn_board=DrawnBoard.BOTH),
    ),
    Variant(
        key="sttt-hypermap",
        name=say("Strategic, hypermap-like"),
        summary=say("27x27: the strategic board is the number printed in the cell you play."),
        rules=Rules(depth=3, sending=Sending.HYPERMAP, drawn_board=DrawnBoard.BOTH),
    ),
)

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType({one.key: one for one in _NAMED})
KEY_BY_RULES: Final = {one.rules: one.key for one in _NAMED}


def variant_of(rules: Rules) -> Variant:
    """Return the variant with these rules; a custom one is named after its options.

    Examples:
        >>> str(variant_of(Rules(goal=Goal.FIVE, won_board=WonBoard.OPEN)).name)
        'Custom (Open Board, five boards win)'
    """
    if rules in KEY_BY_RULES:
        return VARIANTS[KEY_BY_RULES[rules]]
    options = reduce(
        lambda first, rest: say("{first}, {rest}", first=first, rest=rest), _option_names(rules)
    )
    return Variant(
        key=rules.options_key,
        name=say("Custom ({options})", options=options),
        summary=say("Rules that players put together; their games are never rated."),
        rules=rules,
    )


_SIZES: Final = {1: say("3x3"), 3: say("27x27")}
_WON_BOARDS: Final = {WonBoard.OPEN: say("Open Board"), WonBoard.FORCED: say("Won-Board Play")}
_OPENINGS: Final = {
    Opening.NO_CENTRE: say("first move not in the centre"),
    Opening.RANDOM_FOUR: say("random opening"),
    Opening.PIE: say("pie rule"),
    Opening.SYMMETRIC: say("symmetric opening"),
    Opening.PIE_NO_CENTRE: say("pie rule, first move not in the centre"),
}


def _option_names(rules: Rules) -> list[Sentence]:
    """Name every option that differs from Standard, and at depth 3 the sending as well."""
    found = [_SIZES.get(rules.depth)]
    if rules.depth == 3:
        found.append(
            {
                Sending.TACTICAL: say("tactical-like"),
                Sending.MAP: say("map {number}", number=rules.map_number),
                Sending.HYPERMAP: say("hypermap-like"),
            }[rules.sending]
        )
    found += [
        _WON_BOARDS.get(rules.won_board),
        say("five boards win") if rules.goal is Goal.FIVE else None,
        say("majority") if rules.tiebreak is Tiebreak.MOST else None,
        say("drawn boards count for both") if rules.drawn_board is DrawnBoard.BOTH else None,
        say("no way back") if rules.no_return else None,
        _OPENINGS.get(rules.opening),
    ]
    return [name for name in found if name is not None]


@lru_cache(maxsize=256)
def load_variant(key: str) -> Variant:
    """Return the variant of a key: a named one, or a custom one from options.

    Raises:
        InvalidRulesError: If there is none; the message names the valid keys.

    Examples:
        >>> str(load_variant("won-board").name)
        'Won-Board Play'
        >>> load_variant("goal=five").key
        'depth=2,goal=five'
    """
    return variant_of(Rules.parse(key))
