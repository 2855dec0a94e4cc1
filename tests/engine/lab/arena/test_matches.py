"""Matches are fair, repeatable, and survive whatever a program does."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from engine import VARIANTS, Clock, EngineError, Game, Limit, Rules, parse_move, search
from engine.__main__ import main
from engine.lab.arena import foreign
from engine.lab.arena.foreign import ForeignPlayer
from engine.lab.arena.matches import (
    EVEN,
    MatchPlan,
    MatchResult,
    PlayedPair,
    check_concurrency,
    draw_opening,
    format_result,
    play_game,
    play_pairs,
)
from engine.lab.arena.players import (
    GreedyPlayer,
    RandomPlayer,
    make_player,
    parse_terms,
    player_names,
)

ROOT = Path(__file__).resolve().parents[4]

TALKER = """
import sys, time
for line in sys.stdin:
    word = line.split()[0]
    if word == "ugi":
        print("id name Faulty", flush=True)
        print("ugiok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "go":
        {go}
    elif word == "quit":
        break
"""


def plan_of(first: str, second: str, pair_count: int = 2, **options: object) -> MatchPlan:
    settings: dict[str, Any] = {"rules": Rules(), "limit": Limit(iterations=30), **options}
    return MatchPlan(players=(first, second), pair_count=pair_count, **settings)


def talker(tmp_path: Path, go: str) -> str:
    """Return the command of a program that greets correctly and then does as told."""
    program = tmp_path / "talker.py"
    program.write_text(TALKER.format(go=go))
    return f"{sys.executable} {program}"


@pytest.mark.parametrize("name", ["uct", "puct-hand", "alphabeta", "greedy", "random", "level:3"])
def test_a_player_meets_itself_in_two_equal_games(name: str):
    pairs = list(play_pairs(plan_of(name, name)))

    for pair in pairs:
        assert pair.games[0].moves == pair.games[1].moves
        assert pair.score == 0.5


def test_a_seed_repeats_a_match_and_another_does_not():
    plan = plan_of("uct", "greedy", opening_plies=6)
    other = plan_of("uct", "greedy", opening_plies=6, seed=2)

    assert list(play_pairs(plan)) == list(play_pairs(plan)) != list(play_pairs(other))
    assert list(play_pairs(plan, concurrency=3)) == list(play_pairs(plan))


def test_players_may_have_limits_of_their_own():
    """`uct@30it` against a match's 900 iterations is the same as 30 against 900."""
    one_limit = plan_of("uct@30it", "uct@900it", 3, limit=Limit(iterations=5))
    other = plan_of("uct@30it", "uct", 3, limit=Limit(iterations=900))
    pairs = list(play_pairs(one_limit))

    assert pairs == list(play_pairs(other))
    assert MatchResult(plan=one_limit, pairs=pairs).score.value < 0.5


@pytest.mark.parametrize(
    ("text", "name", "seconds", "iterations"),
    [
        ("puct-net@10ms", "puct-net", 0.01, None),
        ("uct@2s", "uct", 2.0, None),
        ("puct-hand@500it", "puct-hand", None, 500),
        ("cmd:other --at a@b.c", "cmd:other --at a@b.c", None, None),
        ("cmd:a@7ms", "cmd:a", 0.007, None),
        ("cmd:a\nb@7ms", "cmd:a\nb@7ms", None, None),
    ],
)
def test_terms_are_read(text: str, name: str, seconds: float | None, iterations: int | None):
    terms = parse_terms(text)

    assert terms.name == name
    limit = terms.limit
    assert (limit.seconds if limit else None) == seconds
    assert (limit.iterations if limit else None) == iterations


def test_games_by_time_never_share_a_core(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.lab.arena.matches.available_cores", lambda: 4)
    for plan in (
        plan_of("uct", "random", limit=Limit(seconds=0.001)),
        plan_of("uct@1ms", "random"),
    ):
        check_concurrency([plan], 4)
        with pytest.raises(EngineError, match="can play 4 at once by time"):
            play_pairs(plan, concurrency=5)
    check_concurrency([plan_of("uct", "random@5it")], 50)


def test_both_games_of_a_pair_have_the_same_opening():
    plan = plan_of("random", "greedy", 3)
    for pair in play_pairs(plan):
        opening = draw_opening(plan, pair.number).moves
        assert len(opening) == 4
        assert [game.moves[:4] for game in pair.games] == [opening, opening]
        assert [game.x_player for game in pair.games] == [0, 1]


@pytest.mark.parametrize("key", ["random-four", "symmetric", "depth=1", "sttt-map", "pie"])
def test_every_variant_can_be_played(key: str):
    plan = plan_of("greedy", "random", 1, rules=Rules.parse(key), opening_plies=2)
    (pair,) = play_pairs(plan)

    for game in pair.games:
        assert Game.replay(plan.rules, game.moves, opening_code=game.opening_code).outcome


def test_openings_may_have_to_be_even():
    """Hardly any opening of Tic-Tac-Ku is even after four plies, and X is ahead in the others."""
    rules = VARIANTS["tic-tac-ku"].rules

    def openings(even: int) -> list[Game]:
        plan = plan_of("random", "random", rules=rules, even=even)
        return [draw_opening(plan, number) for number in range(6)]

    def chances(games: list[Game]) -> list[float]:
        return [search(one.position, Limit(iterations=500), seed=1).score_for_side for one in games]

    assert all(abs(chance - 0.5) <= EVEN for chance in chances(openings(500)))
    assert sum(abs(chance - 0.5) > EVEN for chance in chances(openings(0))) > 2


def test_that_no_opening_is_even_is_said(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.lab.arena.matches.EVEN", -1.0)
    with pytest.raises(EngineError, match="No opening of 1 random moves is found"):
        draw_opening(plan_of("random", "random", rules=Rules(depth=1), opening_plies=1, even=1), 0)


def test_an_opening_that_leaves_no_game_is_refused():
    with pytest.raises(EngineError, match="9 random moves"):
        draw_opening(plan_of("random", "random", rules=Rules(depth=1), opening_plies=9), 0)


def test_the_greedy_player_wins_what_it_can():
    rules = Rules()
    game = Game(rules)
    for text in ["12", "21", "13", "31"]:
        game.push(parse_move(text, rules))

    assert GreedyPlayer().choose(game, Limit(iterations=1), 5) == 0
    assert RandomPlayer().choose(game, Limit(iterations=1), 5) in game.position.legal_moves


def test_the_stronger_player_is_found():
    plan = plan_of("uct", "random", 4)
    result = MatchResult(plan=plan, pairs=list(play_pairs(plan)))

    assert result.score.value > 0.8
    assert result.elo.low > 0
    assert sum(result.counts) == 8


def test_a_match_can_be_left_early():
    pairs = list(islice(play_pairs(plan_of("greedy", "random", 50), concurrency=2), 2))

    result = MatchResult(plan=plan_of("greedy", "random", 50), pairs=pairs)
    assert not result.complete
    assert "Interrupted" in format_result(result)


@pytest.mark.parametrize(
    "name",
    [
        "nobody",
        "level:0",
        "level:11",
        "level:x",
        "cmd:",
        "cmd:'",
        "cmd:/nowhere/at/all",
        "uct@0ms",
        "uct*2",
        "uct@5",
        "nobody@5ms",
    ],
)
def test_a_player_who_is_not_there_is_a_sentence(name: str, capsys: pytest.CaptureFixture[str]):
    assert main(["match", name, "random", "--games", "2", "--iterations", "5"]) == 2
    assert capsys.readouterr().err.startswith("python -m engine: ")


def test_references_are_players():
    assert {"random", "greedy", "alphabeta", "uct", "puct-hand", "puct-net"} <= {*player_names()}
    game = Game.replay(Rules(), [40, 36])
    for name in player_names():
        player = make_player(name)
        player.begin(game)
        assert player.choose(game, Limit(iterations=20), 3) in range(9)  # sent to board 1
        player.close()


# Other programs.


@pytest.mark.long
def test_another_checkout_plays_a_match_by_processor_time():
    reference = f"checkout:{ROOT}"
    plan = plan_of("puct-net", reference, 1, limit=Limit(seconds=0.02, clock=Clock.CPU))
    (pair,) = play_pairs(plan)
    told = format_result(MatchResult(plan=plan, pairs=[pair]))

    assert all(game.forfeit is None for game in pair.games)
    for game in pair.games:
        assert [one.moves > 10 for one in game.thinking] == [True, True]
        for one in game.thinking:  # less where the end was certain
            assert 0 < one.seconds / one.moves < 0.03
    assert "ms of the processor a move" in told
    with pytest.raises(EngineError, match="is no folder with an engine in it"):
        make_player("checkout:/nowhere")


def test_our_own_interface_plays_a_match():
    command = f"cmd:{sys.executable} -m engine ugi"
    (pair,) = play_pairs(plan_of(command, "random", 1, rules=Rules.parse("random-four")))

    assert pair.score == 1.0
    assert [game.forfeit for game in pair.games] == [None, None]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("go", "sentence"),
    [
        ('print("bestmove 11", flush=True)', "It played 11, which is illegal. "),
        ('print("bestmove zz", flush=True)', "It answered 'bestmove zz', which is no move."),
        ('print("bestmove", flush=True)', "It answered 'bestmove', which is no move."),
        ("sys.exit(3)", "It ended with exit status 3 in the middle of a game."),
        ("time.sleep(60)", "It did not answer 'bestmove' within 0.3 seconds."),
        ('print("info" * 9, flush=True); time.sleep(60)', "did not answer 'bestmove' within"),
        ('[print("info") for _ in iter(int, 1)]', "did not answer 'bestmove' within"),
        ('[print("info", end="") for _ in iter(int, 1)]', "did not answer 'bestmove' within"),
        ('sys.stdout.buffer.write(b"bestmove \\xff\\n"); sys.stdout.flush()', "which is no move."),
        (
            'import subprocess; subprocess.Popen(["sleep", "9"]); time.sleep(60)',
            "did not answer 'bestmove' within",
        ),
    ],
)
def test_a_faulty_program_loses_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, go: str, sentence: str
):
    """It is restarted for the next game, and loses that too."""
    monkeypatch.setattr(foreign, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(foreign, "MOVE_SECONDS", 0.3)
    faulty = ForeignPlayer(talker(tmp_path, go))
    plan = plan_of("faulty", "random")
    try:
        for x_player in (0, 1):
            game = play_game((faulty, RandomPlayer()), plan, number=4, x_player=x_player)
            assert game is not None
            assert game.score == 0.0
            assert game.forfeit is not None
            assert sentence in game.forfeit
    finally:
        faulty.close()


def test_a_program_that_cannot_greet_loses_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(foreign, "START_SECONDS", 0.2)
    silent = tmp_path / "silent.py"
    silent.write_text("import sys\nfor line in sys.stdin: pass\n")
    player = ForeignPlayer(f"{sys.executable} {silent}")
    game = play_game((RandomPlayer(), player), plan_of("random", "silent"), number=0, x_player=0)

    assert game is not None
    assert game.score == 1.0
    assert game.forfeit == "It did not answer 'ugiok' within 0.2 seconds."


def test_time_overrun_counts_from_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(foreign, "GRACE_SECONDS", 0.1)
    slow = ForeignPlayer(talker(tmp_path, "time.sleep(60)"))
    plan = plan_of("slow", "random", limit=Limit(seconds=0.05))
    game = play_game((slow, RandomPlayer()), plan, number=0, x_player=0)

    assert game is not None
    assert game.forfeit == "It did not answer 'bestmove' within 0.15 seconds."


@pytest.mark.long
def test_a_program_is_told_the_seed_if_it_has_such_an_option(tmp_path: Path):
    """The same match twice: the program's games are repeated."""
    command = f"cmd:{sys.executable} -m engine ugi"
    plan = plan_of(command, "uct", 1, limit=Limit(iterations=40))

    assert list(play_pairs(plan)) == list(play_pairs(plan))
    heard = tmp_path / "heard"
    record = f'open({str(heard)!r}, "a").write(line)'
    deaf = ForeignPlayer(
        talker(tmp_path, 'print("bestmove 55", flush=True)').replace("talker.py", "told.py")
    )
    for has_option in (False, True):
        program = TALKER.format(go='print("bestmove 55", flush=True)').replace(
            "    word = ", f"    {record}\n    word = "
        )
        if has_option:
            program = program.replace(
                'print("ugiok"', 'print("option name Seed type spin"); print("ugiok"'
            )
        (tmp_path / "told.py").write_text(program)
        heard.write_text("")
        deaf.begin(Game(Rules()))
        deaf.choose(Game(Rules()), Limit(iterations=5), 7)
        deaf.close()
        assert ("setoption name Seed value 8" in heard.read_text()) == has_option


def test_who_lost_early_is_named(tmp_path: Path):
    plan = plan_of("random", f"cmd:{talker(tmp_path, 'sys.exit(1)')}", 1)
    result = MatchResult(plan=plan, pairs=list(play_pairs(plan)))

    assert (
        result.forfeits
        == ((plan.players[1], "It ended with exit status 1 in the middle of a game."),) * 2
    )
    assert format_result(result).count("lost a game early") == 1


# The command.


def test_the_command_tells_the_result(capsys: pytest.CaptureFixture[str]):
    assert main(["match", "greedy", "random", "--games", "6", "--iterations", "1"]) == 0
    out = capsys.readouterr().out

    assert out.startswith("greedy against random, standard, 6 games\n")
    assert "Elo +" in out


def test_the_command_writes_json(capsys: pytest.CaptureFixture[str]):
    main(["match", "greedy", "random", "--games", "3", "--iterations", "1", "--json"])
    found = json.loads(capsys.readouterr().out)

    assert found["games"] == 4
    assert found["won"] + found["drawn"] + found["lost"] == 4
    assert found["score"]["low"] <= found["score"]["value"]
    for pair in found["records"]:
        for record in pair:
            game = Game(Rules())
            for text in record["moves"].split():
                game.push(parse_move(text, game.rules))
            assert game.outcome is not None


def test_an_interrupted_match_tells_what_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(plan: MatchPlan, **options: object) -> Iterator[PlayedPair]:
        yield from islice(play_pairs(plan), 2)
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.cli.arena.play_pairs", interrupted)
    assert main(["match", "greedy", "random", "--games", "20", "--iterations", "1"]) == 130
    assert "Interrupted: this is what had been played." in capsys.readouterr().out


def test_pairs_are_values():
    pair, again = (next(play_pairs(plan_of("random", "random"))) for _ in range(2))

    assert isinstance(pair, PlayedPair)
    assert pair is not again
    assert {pair} == {again}
