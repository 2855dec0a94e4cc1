"""What the stored games of strong play show, as a page of Markdown."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Final

import engine
from engine.forced_win import prove_forced_win
from engine.lab.arena.elo import Interval, score_interval
from engine.lab.truth import MOST_WORSE, VARIED_PLIES
from engine.lab.truth.hints import LEAST_CASES, MOST_OFF, cases_by_variant, reliability
from engine.lab.truth.records import ProvedMove, Record, Sitting, SolvedGame, StrongGame
from engine.notation import format_move
from engine.position import Position
from engine.rules import Opening
from engine.search.balance import different_first_moves
from engine.sending import symmetries, transform
from engine.study import load_study
from engine.types import Cell
from engine.variants import VARIANTS, load_variant

PAGE_FILE: Final = Path(engine.__file__).with_name("TRUTH.md")

GAMES_WANTED: Final = 400  # the score is then known to some five points either way
_FEW_GAMES: Final = 30  # fewer of a first move say next to nothing

_INTRO: Final = f"""# What is true about the game

Written by `python -m engine truth --page` from the games in `engine/lab/truth/results.jsonl`; do not edit it.
Scores are those of the player who moves first, also after a swap of seats: the share of points, with half a point for a draw. The brackets give
the 95 % interval (Wilson's, `engine/lab/arena/elo.py`). It covers chance alone: it says nothing of what a still stronger player would do.

**How the games are played.** Both sides are the strongest player of this engine, each with its own tree, which it keeps between its moves;
time is CPU time. A player that always plays its best move would play nearly the same game over and over, so in
the first {VARIED_PLIES} plies (after an opening drawn at random: the next {VARIED_PLIES}) a move is drawn among those that promise at most
{MOST_WORSE} of a point less than the best, in proportion to how much they were searched. From then on the best move is played. *Different*
counts games, mirrored and turned ones as the same. **How moves are drawn matters more than the brackets say**: each drawn move may give
a little away, and a first try with six plies gave X of `standard` 78.6 [68.9, 85.9] in 35 games, of which only 17 differed. Where seats
may be swapped, the most balanced first move is played, and the second player swaps if that looks better.
Where many first moves are compared, the best one so far owes part of its score to chance: more games bring it closer to the others."""  # noqa: E501  # lines of a page

_PROVED: Final = """One side follows a plan, and every reply of the other is tried (`engine/lab/truth/proving.py`). The plan begins like that strategy, in any
board: wherever the side is sent, it marks the cell that sends the other back to the same board, until that board is full. Where the plan has
no move or fails, a tree search chooses. The number in brackets is how many positions with that side to move were met, each counted once. A plan
that does not win proves nothing."""  # noqa: E501  # lines of a page

_SOLVED: Final = """From this ply on, a fresh search on one core proves the result of every position in the game. For 81 cells it is a proof search
(`engine/search/solving.py`): can one side force a win, and can the other? For 27 x 27 it is the tree search with the proofs that it finds on
the way."""  # noqa: E501  # lines of a page

_HINTS: Final = f"""In random positions of these games the best move was searched for as for a hint, and the score it promised is compared with
the points that its side got in the game. Proven results do not count. The Brier score is the mean squared difference: lower is better,
and that of the mean is what always predicting the mean would score. Hints correct what the search expects by such figures
(`engine/analysis/calibration.py`) where that lowers the score, or mends a tenth that is off by more than {MOST_OFF} while the score stays below
that of the mean; here each half of the games corrects the other half. *Off at most* is the largest difference between
mean prediction and mean result, among the tenths of the scale with {LEAST_CASES} positions or more."""  # noqa: E501  # lines of a page

_AGAIN: Final = """## How to reproduce it

    # 400 games of every variant at 50 ms a move; it goes on where the file ends
    python -m engine truth
    # the control with ten times the time
    python -m engine truth --movetime 500 --games 40
    # from each first move that differs by symmetry
    python -m engine truth standard --first-moves --games 100
    # from which ply on stored games are solved
    python -m engine truth --solve --movetime 1000 --games 8
    python -m engine truth standard majority --solve --movetime 60000 --games 2
    # who wins after each first move, where a plan shows it (some 1 to 10 minutes a move)
    python -m engine truth tic-tac-ku --prove
    # what hints promise in stored games
    python -m engine truth --hints --movetime 200
    # what the program draws from all that: corrections of hints, and how fair each variant is
    python -m engine truth --calibrate
    # this page
    python -m engine truth --page

With a time limit no two runs play the same games; with `--iterations N` the same seed does."""


def format_page(records: Sequence[Record]) -> str:
    """Return the page, complete with what is missing."""
    games: dict[str, list[StrongGame]] = {}
    solved: dict[str, list[SolvedGame]] = {}
    for record in records:
        if isinstance(record, StrongGame):
            games.setdefault(record.variant, []).append(record)
        elif isinstance(record, SolvedGame):
            solved.setdefault(record.variant, []).append(record)
    custom = sorted(games.keys() - VARIANTS.keys())
    parts = [_INTRO, _overview(games), _thought(games), _repairs(games)]
    parts.append(_proofs([one for one in records if isinstance(one, ProvedMove)]))
    parts += [_solved(solved), _hints(records)]
    for key in (*VARIANTS, *custom):
        if key in games:
            parts.append("\n\n".join(_about(key, games[key])))
    parts.append(_machines([one for one in records if isinstance(one, Sitting)]))
    parts.append(_AGAIN)
    return "\n\n".join(parts) + "\n"


def _overview(games: Mapping[str, Sequence[StrongGame]]) -> str:
    """Return what the empty board is worth in every variant."""
    rows = []
    for key in VARIANTS:
        known = [_named(key), _random_figures(key)[0]]
        groups = _latest(_by_terms(_from_the_start(games.get(key, ()))))
        rows += [
            [*known, f"{_time(limit)}, `{player}`", len(played), _score(played)]
            for (limit, player), played in groups
        ] or [[*known, "", 0, "not played yet"]]
    told = (
        "The score is known to within about twenty points after 25 games, ten after 100 and five"
        f" after the {GAMES_WANTED} that are wanted. A net is named by a hash of its weights; if"
        " several have played a variant, the latest is shown here and all of them below."
    )
    head = ["variant", "score, random moves %", "strong play", "games", "score, strong play %"]
    return f"## The first player's score\n\n{_table(head, rows)}\n\n{told}"


def _thought(games: Mapping[str, Sequence[StrongGame]]) -> str:
    """Return what more time for both sides does to the first player's advantage."""
    rows = []
    for key in VARIANTS:
        played = list(_from_the_start(games.get(key, ())))
        by_player: dict[str, list[tuple[str, list[StrongGame]]]] = {
            one.player: [] for one in played
        }
        for (limit, player), group in _by_terms(played):
            by_player[player].append((limit, group))
        latest = next((one for one in reversed(by_player.values()) if len(one) > 1), [])
        for (limit, less), (more_time, more) in pairwise(latest):
            times = f"{_time(limit)}, {_time(more_time)}"
            told = _compared(_advantage(less), _advantage(more))
            rows.append([_named(key), times, len(more), *told])
    head = ["variant", "thinking", "games with more", "advantage with less", "with more"]
    table = _table([*head, "difference"], rows) if rows else "Not played yet."
    words = (
        "An advantage is what the player who moves first gets above 50 of 100 points. Both sides"
        " have the same time and the same net: that of the latest player with games at both times."
    )
    return f"## What more thought changes\n\n{table}\n\n{words}"


def _repairs(games: Mapping[str, Sequence[StrongGame]]) -> str:
    """Return how much of an advantage is left where games begin in a way of their own."""
    rows = []
    for key, variant in VARIANTS.items():
        plain = replace(variant.rules, opening=Opening.FREE).key
        if plain == key:
            continue
        by_terms = [dict(_by_terms(_from_the_start(games.get(it, ())))) for it in (plain, key)]
        shared = _latest(
            (terms, by_terms[0][terms]) for terms in by_terms[0] if terms in by_terms[1]
        )
        if not shared:
            continue
        terms, without = shared[0]
        told = _compared(_advantage(without), _advantage(by_terms[1][terms]))
        rows.append([_named(key), f"`{plain}`", *told])
    head = ["opening", "rules without it", "advantage without", "with it", "difference"]
    words = (
        "Advantages are as above, for the latest player with games both with and without the"
        " opening; openings without such a player are left out."
    )
    table = _table(head, rows) if rows else "Not played yet."
    return f"## What an opening repairs\n\n{table}\n\n{words}"


def _named(key: str) -> str:
    return f"{load_variant(key).name} (`{key}`)"


def _from_the_start(games: Iterable[StrongGame]) -> Iterator[StrongGame]:
    return (one for one in games if one.first is None)


def _advantage(games: Sequence[StrongGame]) -> tuple[float, float]:
    """Return how far a score is above the half, and half its interval, in points of 100."""
    found = _interval(games)
    return 100 * found.value - 50, 50 * (found.high - found.low)


def _compared(before: tuple[float, float], after: tuple[float, float]) -> list[str]:
    """Return two advantages and their difference, in points with errors of 95 %."""
    change = after[0] - before[0], math.hypot(after[1], before[1])
    return [f"{points:+.1f} ± {error:.1f}" for points, error in (before, after, change)]


def _proofs(moves: Sequence[ProvedMove]) -> str:
    """Return what is certain: by the known strategy, and after single first moves."""
    lines = []
    for key, variant in VARIANTS.items():
        rules = variant.rules
        if rules.depth != 2 or rules.needs_opening_code:
            continue
        proof = prove_forced_win(rules)
        if proof is not None:
            lines.append(
                f"- {_named(key)}: X wins against every reply, at ply"
                f" {max(proof.endings)} at the latest ({proof.positions:,} positions,"
                f" {proof.replies:,} replies; `python -m engine prove {key}`)."
            )
    return "\n".join(
        (
            "## What is proved\n",
            *lines,
            "\nThe strategy is that of arXiv 2006.02353, which begins in the very centre; it was"
            " followed to the end against every reply while this page was written. The highest"
            " level plays it; the players of the games above do not know it and search instead."
            " In all other variants this engine does not know the result of perfect play.",
            *_proved_moves(moves),
        )
    )


def _proved_moves(moves: Sequence[ProvedMove]) -> Iterator[str]:
    """Yield what is certain after first moves, and which were tried in vain."""
    if not moves:
        return
    yield f"\n### After a first move\n\n{_PROVED}\n"
    for key in (*VARIANTS, *sorted({one.variant for one in moves} - VARIANTS.keys())):
        its_moves = [one for one in moves if one.variant == key]
        for mark in "XO":
            won = [one for one in its_moves if one.winner == mark]
            if won:
                told = ", ".join(f"{one.first} ({one.positions:,})" for one in won)
                yield f"- {_named(key)}: {mark} wins after {told}."
        certain = {one.first for one in its_moves if one.winner}
        open_ = dict.fromkeys(one.first for one in its_moves if one.first not in certain)
        if open_:
            yield f"- {_named(key)}: tried in vain after {', '.join(open_)}."


def _about(key: str, games: Sequence[StrongGame]) -> Iterator[str]:
    yield f"## {_named(key)}"
    groups = _by_terms(_from_the_start(games))
    head = ["play", "games", "X wins %", "draws %", "O wins %", "first player's score %"]
    head += ["plies", "quartiles", "different", "iterations a move"]
    rows = [["random moves", *_random_figures(key)[1]]]
    rows += [_row(limit, player, played) for (limit, player), played in groups]
    yield _table(head, rows)
    for (limit, _), played in _latest(groups):
        if len(played) < GAMES_WANTED:
            yield (
                f"At {_time(limit)} only {len(played)} of the {GAMES_WANTED} games wanted have"
                " been played: note the width of the brackets."
            )
        if not load_variant(key).rules.needs_opening_code:
            yield f"{_chosen_moves(played, limit)}."
    yield from _first_moves(key, [one for one in games if one.first is not None])


def _row(limit: str, player: str, games: Sequence[StrongGame]) -> list[object]:
    results = Counter(one.result for one in games)
    plies = sorted(one.plies for one in games)
    return [
        f"{_time(limit)}, `{player}`",
        len(games),
        *(_percent(results[result] / len(games)) for result in ("X", "draw", "O")),
        _score(games),
        f"{statistics.fmean(plies):.1f}{_mean_error(plies)}",
        _quartiles(plies),
        _different(games),
        f"{statistics.fmean(one.iterations for one in games):,.0f}",
    ]


def _random_figures(key: str) -> tuple[str, list[object]]:
    """Return the score of random play and the rest of its row; blanks for a custom variant."""
    found = load_study().result_of(key)
    if found is None:
        return "", [""] * 9
    won, drawn, lost = (one.value for one in (found.x_share, found.draw_share, found.o_share))
    score = won + drawn / 2
    error = math.sqrt((won + drawn / 4 - score**2) / found.games)
    told = f"{100 * score:.1f} ± {196 * error:.1f}"
    shares = [_percent(share) for share in (won, drawn, lost)]
    range_ = f"{found.shortest}-{found.longest} in all"
    return told, [f"{found.games:,}", *shares, told, f"{found.plies.value:.1f}", range_, "", ""]


def _first_moves(key: str, games: Sequence[StrongGame]) -> Iterator[str]:
    """Yield what each first move is worth to X, best first, and how far that can be told."""
    rules = load_variant(key).rules
    if rules.needs_opening_code:
        return
    yield "### First moves"
    wanted = {format_move(one, rules) for one in different_first_moves(Position.initial(rules))}
    if not games:
        yield f"No games yet from any of the {len(wanted)} first moves that differ by symmetry."
        return
    for (limit, _), played in _by_terms(games):
        by_move: dict[str, list[StrongGame]] = {}
        for one in played:
            by_move.setdefault(str(one.first), []).append(one)
        scores = {move: _interval(each) for move, each in by_move.items()}
        ordered = sorted(by_move, key=lambda move: -scores[move].value)
        head = [f"move ({_time(limit)})", "games", "X's score %", "plies"]
        rows: list[list[object]] = []
        for move in ordered:
            plies = statistics.fmean(one.plies for one in by_move[move])
            rows.append([move, len(by_move[move]), _score(by_move[move]), f"{plies:.1f}"])
        yield _table(head, rows)
        best = ordered[0]
        worse = [move for move in ordered[1:] if scores[move].high < scores[best].low]
        told = f"Best so far: {best}. "
        if len(worse) == len(ordered) - 1:
            told += "Its interval lies above all others."
        elif worse:
            told += f"Its interval lies above those of {', '.join(worse)};"
            told += " the others are not told apart from it."
        else:
            told += "No other is told apart from it."
        few = [move for move in ordered if len(by_move[move]) < _FEW_GAMES]
        if few:
            which = "each" if len(few) == len(ordered) else ", ".join(few)
            told += f" Fewer than {_FEW_GAMES} games: {which}."
        if missing := sorted(wanted - by_move.keys()):
            told += f" Not played yet: {', '.join(missing)}."
        yield told


def _chosen_moves(games: Sequence[StrongGame], limit: str) -> str:
    """Return which first moves were chosen, those alike by symmetry together."""
    rules = load_variant(games[0].variant).rules
    by_move: dict[str, list[StrongGame]] = {}
    for one in games:
        alike = min(transform(one.cells[0], each, rules) for each in symmetries(rules))
        by_move.setdefault(format_move(alike, rules), []).append(one)
    ordered = sorted(by_move, key=lambda move: (-len(by_move[move]), move))
    told = [f"{move} {len(by_move[move])} times, score {_score(by_move[move])}" for move in ordered]
    return f"First moves chosen at {_time(limit)}: {'; '.join(told[:5])}"


def _solved(solved: Mapping[str, Sequence[SolvedGame]]) -> str:
    """Return from which ply on positions of these games are solved, in every variant."""
    groups: dict[tuple[str, int, str, str], list[SolvedGame]] = {}
    for key, found in solved.items():
        for one in found:
            terms = key, len(one.within), one.within, one.limit
            groups.setdefault(terms, []).append(one)
    rows: list[list[object]] = []
    for key in (*VARIANTS, *sorted(solved.keys() - VARIANTS.keys())):
        known = [(terms, each) for terms, each in sorted(groups.items()) if terms[0] == key]
        for (_, _, within, limit), each in known:
            plies = sorted(one.ply for one in each)
            left = sorted(one.plies - one.ply for one in each)
            row = [f"{_time(within)}, games of {limit}", len(each)]
            for numbers in (plies, left):
                row += [f"{statistics.fmean(numbers):.1f}{_mean_error(numbers)}"]
                row += [_quartiles(numbers)]
            rows.append([_named(key), *row])
        if not known:
            rows.append([_named(key), "not measured yet", 0, "", "", "", ""])
    head = ["variant", "thinking", "games", "ply, mean", "quartiles"]
    head += ["plies before the end, mean", "quartiles"]
    return f"## From which ply on is it solved?\n\n{_table(head, rows)}\n\n{_SOLVED}"


def _hints(records: Sequence[Record]) -> str:
    """Return how well the chances that hints tell have come true."""
    rows = []
    for key, cases in cases_by_variant(records).items():
        found = reliability(cases)
        rows.append(
            [
                _named(key),
                found.cases,
                *(f"{it:.4f}" for it in (found.constant, found.expected, found.corrected)),
                *(
                    "too few cases" if it is None else f"{it:.3f}"
                    for it in (found.off, found.corrected_off)
                ),
            ]
        )
    if not rows:
        return f"## What hints promise\n\n{_HINTS}\n\nNot measured yet."
    head = ["variant", "positions", "Brier score of the mean", "of the search", "corrected"]
    head += ["off at most, search", "corrected"]
    return f"## What hints promise\n\n{_HINTS}\n\n{_table(head, rows)}"


def _machines(sittings: Sequence[Sitting]) -> str:
    """Return where the games were played."""
    days: dict[str, list[str]] = {}
    for one in sittings:
        days.setdefault(one.machine, []).append(one.date)
    lines = []
    for machine, dates in days.items():
        first, last = min(dates), max(dates)
        when = f"on {first}" if first == last else f"from {first} to {last}"
        sittings_told = f"{len(dates)} sitting{'s' if len(dates) > 1 else ''}"
        lines.append(f"- {machine}: {sittings_told}, {when}; each game on a core of its own.")
    return "\n".join(("## Where it was played\n", *(lines or ["Nowhere yet."])))


def _by_terms(games: Iterable[StrongGame]) -> list[tuple[tuple[str, str], list[StrongGame]]]:
    """Return games with the same time and player together, by time, then as players came."""
    groups: dict[tuple[str, str], list[StrongGame]] = {}
    for one in games:
        groups.setdefault((one.limit, one.player), []).append(one)
    return sorted(groups.items(), key=lambda one: (len(one[0][0]), one[0][0]))


def _latest(
    groups: Iterable[tuple[tuple[str, str], list[StrongGame]]],
) -> list[tuple[tuple[str, str], list[StrongGame]]]:
    """Return, of each time, the games of the player who came last."""
    return list({terms[0]: (terms, played) for terms, played in groups}.values())


def _different(games: Sequence[StrongGame]) -> int:
    """Return how many games differ, turned and mirrored ones being the same."""
    rules = load_variant(games[0].variant).rules
    # Drawn openings are turned too seldom to matter.
    kinds = symmetries(rules)[:1] if rules.needs_opening_code else symmetries(rules)
    seen: set[tuple[str | None, tuple[Cell, ...]]] = set()
    for one in games:
        cells = one.cells
        turned = (tuple(transform(cell, each, rules) for cell in cells) for each in kinds)
        seen.add((one.code, min(turned)))
    return len(seen)


def _interval(games: Sequence[StrongGame]) -> Interval:
    return score_interval([one.score for one in games], prior_effect=1.0)


def _score(games: Sequence[StrongGame]) -> str:
    found = _interval(games)
    return f"{100 * found.value:.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def _quartiles(numbers: Sequence[int]) -> str:
    if len(numbers) < 2:
        return str(numbers[0])
    return " / ".join(f"{one:.0f}" for one in statistics.quantiles(numbers, method="inclusive"))


def _mean_error(numbers: Sequence[int]) -> str:
    if len(numbers) < 2:
        return ""
    return f" ± {1.96 * statistics.stdev(numbers) / math.sqrt(len(numbers)):.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _time(limit: str) -> str:
    if limit.endswith("it"):
        return f"{limit.removesuffix('it')} iterations"
    return f"{limit.removesuffix('ms')} ms"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)
