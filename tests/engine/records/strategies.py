"""Random records: games of any rules, with anything people may write beside them."""

from __future__ import annotations

from hypothesis import strategies as st

from engine import Comment, EndReason, Game, GameRecord, Result, draw_opening_code
from engine.records.model import KNOWN_HEADERS
from tests import strategies as common

TEXT = st.text(max_size=120)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,9}", fullmatch=True).filter(
    lambda name: name.lower() not in {known.lower() for known in KNOWN_HEADERS}
)
HEADERS = st.lists(
    st.tuples(NAMES, TEXT), max_size=4, unique_by=lambda header: header[0].lower()
).map(tuple)
EARLY_ENDS = st.sampled_from(
    [
        (Result.UNFINISHED, None),
        (Result.UNFINISHED, "lost interest"),
        (Result.X_WINS, EndReason.RESIGNED.value),
        (Result.O_WINS, EndReason.TIME.value),
        (Result.DRAW, EndReason.AGREED.value),
        (Result.DRAW, 'said "enough"'),
    ]
)


# Rules of every named variant, and custom ones of every depth. Made once, because
# finding the valid ones means trying thousands of combinations.
ANY_RULES = st.one_of(common.presets(), common.rules())


@st.composite
def games(draw: st.DrawFn, longest: int = 90) -> Game:
    """A game of any rules, some with their seats swapped."""
    rules = draw(ANY_RULES)
    game = Game(rules, draw_opening_code(rules, seed=draw(st.integers(0, 999))))
    rng = draw(st.randoms(use_true_random=False))
    for _ in range(draw(st.integers(0, longest))):
        if game.outcome is not None:
            break
        game.push(rng.choice(game.position.legal_moves))
        if game.can_swap and draw(st.booleans()):
            game.swap()
    return game


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    """A record of such a game."""
    game = draw(games())
    result, end = draw(EARLY_ENDS) if game.outcome is None else (None, None)
    plies = st.integers(0, len(game.moves))
    return GameRecord.of_game(
        game,
        result=result,
        end=end,
        players=(draw(TEXT), draw(TEXT)),
        date=draw(st.none() | st.dates()),
        headers=draw(HEADERS),
        comments=tuple(draw(st.lists(st.builds(Comment, ply=plies, text=TEXT), max_size=4))),
    )
