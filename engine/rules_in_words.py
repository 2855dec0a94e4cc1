"""The rules for players: a sentence for the value of every option, made from the options.

Everything follows from the options, so that named and custom rules are explained alike. How
a value is worded depends on the depth, and on other options only where the game does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from engine.errors import Sentence, say
from engine.game import Game
from engine.notation import format_board, format_move, parse_move
from engine.openings import opening_moves
from engine.position import Position
from engine.rules import DrawnBoard, Goal, Opening, Rules, Sending, Tiebreak, WonBoard
from engine.sending import map_columns

STRATEGIC_CREDIT: Final = say(
    "Strategic Tic-Tac-Toe is a game by Mikhail Demchenko and Anton Shashkov, CC-BY 4.0,"
    " <https://github.com/echo-Mike/STTT>."
)
"""The credit for depth 3, and for the idea that drawn boards count for both."""

_EXAMPLE_MOVES: Final = {1: "3", 2: "53", 3: "519"}
_EXAMPLE_CODES: Final = {Opening.RANDOM_FOUR: "19245", Opening.SYMMETRIC: "1"}


@dataclass(frozen=True, slots=True)
class RuleInWords:
    """What one or two options say: the rule in a sentence, and what else there is to know."""

    gist: Sentence
    details: tuple[Sentence, ...] = ()


def _rule(gist: Sentence, *details: Sentence) -> RuleInWords:
    return RuleInWords(gist, details)


def explain_rules(rules: Rules) -> tuple[RuleInWords, ...]:
    """Return the rules in the order a beginner needs: sending first, the opening last.

    Examples:
        >>> print(explain_rules(Rules())[0].gist)
        The cell you play decides which board your opponent plays in next.
    """
    if rules.depth == 1:
        return (*_SINGLE, _opening(rules))
    return (
        _sending(rules),
        _SIZES[rules.depth],
        _INNER_ROWS[rules.depth],
        _GOALS[rules.depth, rules.goal],
        _WON_BOARDS[rules.depth, rules.won_board],
        _drawn_boards(rules),
        _rule(_ENDS[rules.depth, rules.goal, rules.tiebreak], *_COUNTED[rules.tiebreak]),
        _NO_RETURN[rules.depth, rules.no_return],
        _opening(rules),
    )


def credit_of(rules: Rules) -> Sentence | None:
    """Return the credit to show with these rules; None if there is nobody to credit."""
    is_theirs = rules.depth == 3 or rules.drawn_board is DrawnBoard.BOTH
    return STRATEGIC_CREDIT if is_theirs else None


def example_of(rules: Rules) -> Position:
    """Return a position of a game by these rules in which X has just moved."""
    game = Game(rules, _EXAMPLE_CODES.get(rules.opening))
    game.push(parse_move(_EXAMPLE_MOVES[rules.depth], rules))
    return game.position


def explain_example(rules: Rules) -> Sentence:
    """Say what the last move of `example_of` means for the next one."""
    position = example_of(rules)
    text = _EXAMPLE_MOVES[rules.depth]
    if rules.depth == 1:
        return say(
            "In the picture X has just played cell {cell}: O may play in any other.", cell=text
        )
    target = position.target
    assert target is not None, "the example sends to a board that is empty"
    if rules.depth == 2:
        return say(
            "In the picture X has just played {move}, cell {cell} of board {board}: O must play in"
            " board {target}.",
            move=text,
            cell=text[1],
            board=text[0],
            target=format_board(target, rules),
        )
    strategic, tactical = tuple(format_board(target, rules))
    return _STRATEGIC_EXAMPLES[rules.sending].format(
        move=text, strategic=strategic, tactical=tactical
    )


_STRATEGIC_EXAMPLES: Final = {
    Sending.TACTICAL: say(
        "In the picture X has just played {move}: O must play in tactical board {tactical} of"
        " strategic board {strategic}."
    ),
    Sending.MAP: say(
        "In the picture X has just played {move}, in a row with the number {strategic} beside it:"
        " O must play in tactical board {tactical} of strategic board {strategic}."
    ),
    Sending.HYPERMAP: say(
        "In the picture X has just played {move}, a cell with the number {strategic}:"
        " O must play in tactical board {tactical} of strategic board {strategic}."
    ),
}

# Depth 1: no boards to be sent to, and no option but the opening.

_SINGLE: Final = (
    _rule(say("X and O take turns to mark an empty cell.")),
    _rule(
        say("There are nine cells."), say("They are numbered 1 to 9, row by row from the top left.")
    ),
    _rule(say("Three of your marks in a row win the game.")),
    _rule(say("If the board is full and nobody has three in a row, the game is a draw.")),
)

# Where the opponent plays next.

_SENDING: Final = {
    (2, Sending.TACTICAL): _rule(
        say("The cell you play decides which board your opponent plays in next."),
        say(
            "Play the top right cell of any board, and your opponent must play in the top right"
            " board."
        ),
    ),
    (3, Sending.TACTICAL): _rule(
        say(
            "The cell you play decides which tactical board your opponent plays in next; the"
            " tactical board you play in decides the strategic board."
        ),
        say(
            "Play cell 9 of tactical board 1, and your opponent must play in tactical board 9 of"
            " strategic board 1."
        ),
    ),
    (3, Sending.HYPERMAP): _rule(
        say(
            "The cell you play decides which tactical board your opponent plays in next; the number"
            " in that cell decides the strategic board."
        ),
        say(
            "The top left cell of strategic board 1 has the number 9, that of board 2 the number"
            " 1, that of board 3 the number 2, and so on."
        ),
        say(
            "The number grows by 1 with each row further down or column further right, whichever is"
            " more; after 9 comes 1."
        ),
    ),
}


def _sending(rules: Rules) -> RuleInWords:
    if rules.sending is not Sending.MAP:
        return _SENDING[rules.depth, rules.sending]
    left, middle, right = (" ".join(map(str, each)) for each in map_columns(rules.map_number))
    return _rule(
        say(
            "The cell you play decides which tactical board your opponent plays in next; the number"
            " beside your row decides the strategic board."
        ),
        say(
            "This is map {number}. Its numbers from top to bottom: {left} beside the strategic"
            " boards on the left, {middle} beside those in the middle, {right} beside those on"
            " the right.",
            number=rules.map_number,
            left=left,
            middle=middle,
            right=right,
        ),
    )


_SIZES: Final = {
    2: _rule(
        say("There are nine boards of nine cells."),
        say(
            "Boards and cells are numbered 1 to 9, row by row from the top left: 53 is cell 3"
            " of board 5."
        ),
    ),
    3: _rule(
        say("There are nine strategic boards of nine tactical boards of nine cells."),
        say(
            "All of them are numbered 1 to 9, row by row from the top left: 519 is cell 9 of"
            " tactical board 1 in strategic board 5."
        ),
    ),
}

# Winning.

_FIRST_ROW: Final = say("The first row counts: a board once won stays won.")
_INNER_ROWS: Final = {
    2: _rule(say("Three of your marks in a row win a board."), _FIRST_ROW),
    3: _rule(
        say(
            "Three of your marks in a row win a tactical board, three of your tactical boards in a"
            " row a strategic board."
        ),
        _FIRST_ROW,
    ),
}

_ANYWHERE: Final = say("They need not be in a row.")
_GOALS: Final = {
    (2, Goal.LINE): _rule(say("Three of your boards in a row win the game.")),
    (2, Goal.FIVE): _rule(say("You win the game by winning five boards."), _ANYWHERE),
    (3, Goal.LINE): _rule(say("Three of your strategic boards in a row win the game.")),
    (3, Goal.FIVE): _rule(say("You win the game by winning five strategic boards."), _ANYWHERE),
}

# Being sent to a board that is decided.

_KEEPS_OWNER: Final = say("Marks in a won board do not change who has won it.")
_WON_BOARDS: Final = {
    (2, WonBoard.CLOSED): _rule(
        say(
            "If you are sent to a board that is won or full, you may play in any board that is"
            " neither."
        )
    ),
    (2, WonBoard.OPEN): _rule(
        say(
            "If you are sent to a board that is won or full, you may play in any board with an"
            " empty cell, won boards included."
        ),
        _KEEPS_OWNER,
    ),
    (2, WonBoard.FORCED): _rule(
        say(
            "If you are sent to a board that is won, you must play there as long as it has an empty"
            " cell."
        ),
        say("If you are sent to a full board, you may play in any board with an empty cell."),
        _KEEPS_OWNER,
    ),
    (3, WonBoard.CLOSED): _rule(
        say("Boards that are won or drawn are closed."),
        say(
            "If only the tactical board you are sent to is closed, you may play in any open"
            " tactical board of that strategic board."
        ),
        say(
            "If the strategic board is closed, you may play in any open tactical board of any"
            " open strategic board."
        ),
    ),
    (3, WonBoard.OPEN): _rule(
        say("If you are sent to a board that is won or drawn, you may choose another."),
        say(
            "If only the tactical board is won or drawn, you may play in any tactical board of"
            " that strategic board with an empty cell, won ones included."
        ),
        say(
            "If the strategic board is won or drawn, you may play in any tactical board with an"
            " empty cell, wherever it is."
        ),
        _KEEPS_OWNER,
    ),
    (3, WonBoard.FORCED): _rule(
        say(
            "If you are sent to a board that is won or drawn, you must play there as long as it has"
            " an empty cell."
        ),
        say(
            "If only the tactical board is full, you may play in any tactical board of that"
            " strategic board with an empty cell."
        ),
        say(
            "If the strategic board is full, you may play in any tactical board with an empty"
            " cell, wherever it is."
        ),
        _KEEPS_OWNER,
    ),
}

# Boards that nobody has won, and games that nobody has.

_WHEN_DRAWN: Final = say(
    "A tactical board is drawn when it is full without a row, a strategic board when all its"
    " tactical boards are won or drawn without a row."
)
_REALLY_WON: Final = say(
    "A row with drawn boards needs at least one board that you have really won."
)
_MOVER_FIRST: Final = say(
    "If one move completes rows for both players, the row of the player who moved counts."
)


def _drawn_boards(rules: Rules) -> RuleInWords:
    """Say who a drawn board counts for; towards five boards only won ones count."""
    if rules.depth == 2:
        if rules.drawn_board is DrawnBoard.NOBODY:
            return _rule(say("A board that is full without a row is drawn and counts for nobody."))
        return _rule(
            say("A board that is full without a row is drawn and counts for both players in rows."),
            _REALLY_WON,
            _MOVER_FIRST,
        )
    if rules.drawn_board is DrawnBoard.NOBODY:
        return _rule(say("Drawn boards count for nobody."), _WHEN_DRAWN)
    if rules.goal is Goal.FIVE:
        gist = say(
            "Drawn tactical boards count for both players in rows, drawn strategic boards for"
            " nobody."
        )
    else:
        gist = say("Drawn boards count for both players in rows.")
    return _rule(gist, _WHEN_DRAWN, _REALLY_WON, _MOVER_FIRST)


_COUNTED: Final = {
    Tiebreak.DRAW: (),
    Tiebreak.MOST: (say("Drawn boards are not counted; with the same number the game is a draw."),),
}
_ENDS: Final = {
    (2, Goal.LINE, Tiebreak.DRAW): say(
        "If every board is won or drawn and nobody has three in a row, the game is a draw."
    ),
    (2, Goal.LINE, Tiebreak.MOST): say(
        "If every board is won or drawn and nobody has three in a row, the player who has won more"
        " boards wins."
    ),
    (2, Goal.FIVE, Tiebreak.DRAW): say(
        "If every board is won or drawn and nobody has won five, the game is a draw."
    ),
    (2, Goal.FIVE, Tiebreak.MOST): say(
        "If every board is won or drawn and nobody has won five, the player who has won more boards"
        " wins."
    ),
    (3, Goal.LINE, Tiebreak.DRAW): say(
        "If every strategic board is won or drawn and nobody has three in a row, the game is a"
        " draw."
    ),
    (3, Goal.LINE, Tiebreak.MOST): say(
        "If every strategic board is won or drawn and nobody has three in a row, the player who has"
        " won more strategic boards wins."
    ),
    (3, Goal.FIVE, Tiebreak.DRAW): say(
        "If every strategic board is won or drawn and nobody has won five, the game is a draw."
    ),
    (3, Goal.FIVE, Tiebreak.MOST): say(
        "If every strategic board is won or drawn and nobody has won five, the player who has won"
        " more strategic boards wins."
    ),
}


_NO_RETURN: Final = {
    (2, False): _rule(
        say("You may send your opponent straight back to the board they have just played in.")
    ),
    (2, True): _rule(
        say("You may not send your opponent straight back to the board they have just played in."),
        say("If every possible move would do that, you may."),
    ),
    (3, False): _rule(
        say(
            "You may send your opponent straight back to the tactical board they have just played"
            " in."
        )
    ),
    (3, True): _rule(
        say(
            "You may not send your opponent straight back to the tactical board they have just"
            " played in."
        ),
        say("If every possible move would do that, you may."),
    ),
}

# The beginning.

_LATER: Final = say("From the second move on that cell may be played too.")
_SWAPPING: Final = say(
    "The player who swaps becomes X and has that move; the opponent, now O, moves next. So X should"
    " choose a balanced first move."
)


def _opening(rules: Rules) -> RuleInWords:
    centre = format_move(rules.centre, rules)
    match rules.opening:
        case Opening.FREE:
            return _rule(say("X makes the first move, in any cell."))
        case Opening.NO_CENTRE:
            words = say(
                "X makes the first move, in any cell but {cell}, the very centre.", cell=centre
            )
            return _rule(words, _LATER)
        case Opening.PIE:
            words = say(
                "X makes the first move, in any cell; then the other player may swap seats instead"
                " of moving."
            )
            return _rule(words, _SWAPPING)
        case Opening.PIE_NO_CENTRE:
            words = say(
                "X makes the first move, in any cell but {cell}, the very centre; then the other"
                " player may swap seats instead of moving.",
                cell=centre,
            )
            return _rule(words, _LATER, _SWAPPING)
        case Opening.SYMMETRIC:
            words = say(
                "The game begins with an X in the centre of an outer board and an O in the centre"
                " of the opposite one."
            )
            return _rule(
                words,
                say("The boards are random unless a player chooses them."),
                say("X moves next, in any empty cell."),
            )
        case Opening.RANDOM_FOUR:
            return _random_four(rules)


def _random_four(rules: Rules) -> RuleInWords:
    code = _EXAMPLE_CODES[Opening.RANDOM_FOUR]
    first, second, third, fourth = (format_move(move, rules) for move in opening_moves(rules, code))
    return _rule(
        say("A code of five digits plays the first four moves."),
        say("The code is random unless a player chooses it."),
        say(
            "Each digit is the board of a move and the cell of the move before: {code} plays X"
            " {first}, O {second}, X {third} and O {fourth}, and X must then play in board"
            " {board}.",
            code=code,
            first=first,
            second=second,
            third=third,
            fourth=fourth,
            board=code[-1],
        ),
    )
