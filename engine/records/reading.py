"""Read record files: the headers of each game, then its moves. NOTATION.md has the grammar."""

from __future__ import annotations

import datetime
import re
from contextlib import suppress
from typing import Final

from engine.errors import EngineError, GameOverError, Sentence, say, shorten
from engine.game import Game
from engine.notation import format_move, parse_move
from engine.openings import check_opening_code
from engine.records.model import (
    HEADER_NAME,
    KNOWN_HEADERS,
    MOST_GAMES,
    MOST_HEADERS,
    UNKNOWN_PLAYER,
    Comment,
    GameRecord,
    InvalidRecordError,
    Result,
    check_length,
    check_unicode,
    check_value,
    contradiction,
    result_of,
)
from engine.records.tokens import Draft, Token, divide, take_bare_moves
from engine.rules import Opening, Rules

_SPELLING: Final = {name.lower(): name for name in KNOWN_HEADERS}
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_NUMBER: Final = re.compile(r"([0-9]{1,4})(\.{1,3})(.*)", re.DOTALL)


def build_record(draft: Draft, asked: Rules | None = None) -> GameRecord:
    """Return the record made of the pieces of a game, or raise `InvalidRecordError`.

    An empty result follows from the moves; the rules are as for `parse_game`.
    """
    headers = _read_headers(draft)
    game = _start_game(_read_rules(headers, asked), headers, draft)
    comments = _Player(game).play(draft)
    result = _read_result(headers, draft.end, game)
    values = {name: token.text for name, token in headers.items()}
    reason = contradiction(game, result, values.get("End"))
    if reason is not None:
        raise draft.end.error(reason)
    return GameRecord.of_game(
        game,
        result=result,
        end=values.get("End"),
        players=(values.get("X", UNKNOWN_PLAYER), values.get("O", UNKNOWN_PLAYER)),
        date=_read_date(headers),
        headers=tuple((name, text) for name, text in values.items() if name not in KNOWN_HEADERS),
        comments=tuple(comments),
    )


# Headers.


def _read_headers(draft: Draft) -> dict[str, Token]:
    """Return the headers by name, the known ones in their own spelling."""
    found: dict[str, Token] = {}
    own_count = 0
    for token in draft.headers:
        lower = token.name.lower()
        if lower in found:
            raise token.error(
                say("The header {name} appears here a second time.", name=shorten(token.name))
            )
        if not HEADER_NAME.fullmatch(token.name):
            raise token.error(
                say(
                    "{name!r} is not a header name: one begins with a letter and"
                    " has at most 64 letters, digits, - and _.",
                    name=shorten(token.name),
                )
            )
        try:
            check_value(token.text)
        except InvalidRecordError as error:
            raise token.error(error.sentence) from None
        found[lower] = token
        own_count += lower not in _SPELLING
        if own_count > MOST_HEADERS:
            raise token.error(say("A game has at most {limit} headers.", limit=MOST_HEADERS))
    return {_SPELLING.get(lower, token.name): token for lower, token in found.items()}


def _read_rules(headers: dict[str, Token], asked: Rules | None) -> Rules:
    if "Variant" not in headers:
        return asked or Rules()
    token = headers["Variant"]
    try:
        rules = Rules.parse(token.text)
    except EngineError as error:
        raise token.error(say("{reason}.", reason=error.sentence)) from None
    if asked is not None and asked != rules:
        raise token.error(
            say(
                "The record says that the variant is {rules}, but {asked} was chosen.",
                rules=rules.key,
                asked=asked.key,
            )
        )
    return rules


def _start_game(rules: Rules, headers: dict[str, Token], draft: Draft) -> Game:
    name, other = "Opening", "SetUp"
    if rules.opening is Opening.SYMMETRIC:
        name, other = other, name
    if other in headers:
        words = (
            say("The variant {rules} has no header {header}: write {right} instead.")
            if rules.needs_opening_code
            else say("The variant {rules} has no header {header}: leave it out.")
        )
        raise headers[other].error(words.format(rules=rules.key, header=other, right=name))
    token = headers.get(name)
    if token is None and rules.needs_opening_code:
        raise draft.first.error(
            say(
                "The variant {rules} begins with a code: add the header {header}.",
                rules=rules.key,
                header=f'[{name} "{_code_to_suggest(rules, draft)}"]',
            )
        )
    code = None if token is None else token.text
    try:
        check_opening_code(rules, code)
    except EngineError as error:
        assert token is not None, "a code that is needed but missing was refused above"
        raise token.error(say("{reason}.", reason=error.sentence)) from None
    return Game(rules, code)


def _code_to_suggest(rules: Rules, draft: Draft) -> str:
    """Return the code that the first moves spell, or an example."""
    if rules.opening is Opening.SYMMETRIC:
        return "1"
    words = [_strip_number(token.text)[1] for token in draft.events if token.kind == "word"]
    moves = [word for word in words if word][:4]
    code = "".join(move[0] for move in moves) + "".join(moves[-1:])[-1:]
    try:
        check_opening_code(rules, code)
    except EngineError:
        return "12345"
    return code


def _read_result(headers: dict[str, Token], written: Token, game: Game) -> Result:
    """Return the result at the end of the moves, which the header must repeat.

    If none is written, it follows from the moves.
    """
    if not written.text:
        return result_of(game.outcome)
    if "Result" in headers and headers["Result"].text != written.text:
        raise headers["Result"].error(
            say(
                "The header Result says {given!r}, but the moves end with {result} in line {line}.",
                given=shorten(headers["Result"].text),
                result=written.text,
                line=written.line,
            )
        )
    return Result(written.text)


def _read_date(headers: dict[str, Token]) -> datetime.date | None:
    token = headers.get("Date")
    if token is None or token.text == UNKNOWN_PLAYER:
        return None
    with suppress(ValueError):
        if _DATE.fullmatch(token.text):
            return datetime.date.fromisoformat(token.text)
    raise token.error(
        say(
            "A date is written year-month-day, such as 2026-11-21, not {given!r}.",
            given=shorten(token.text),
        )
    )


# Moves.


class _Player:
    """Plays the moves of a draft in a game, counting those of its opening too."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._read_count = 0

    def play(self, draft: Draft) -> list[Comment]:
        """Play all moves and return the comments; raise `InvalidRecordError` for a wrong one."""
        comments = []
        for token in draft.events:
            if token.kind == "comment":
                comments.append(Comment(ply=self._read_count, text=token.text))
            else:
                self._read(token)
        given = self._game.opening_moves
        if self._read_count < len(given):
            shown = " ".join(format_move(move, self._game.rules) for move in given)
            raise draft.end.error(
                say(
                    "The opening {code} has the moves {moves}: write them all.",
                    code=self._game.opening_code,
                    moves=shown,
                )
            )
        return comments

    def _read(self, token: Token) -> None:
        """Read a word: a number, a move, both, or the swap of seats."""
        number, word = _strip_number(token.text)
        if number is not None and number != self._read_count // 2 + 1:
            raise token.error(
                say(
                    "{given!r} says move number {number}, but it is move number"
                    " {right} for {side}: a move is missing or one too many.",
                    given=shorten(token.text),
                    number=number,
                    right=self._read_count // 2 + 1,
                    side=self._side,
                )
            )
        if word.lower() == "swap":
            try:
                self._game.swap()
            except EngineError as error:
                raise self._error(token, word, error.sentence) from None
        elif word:
            self._move(token, word)

    def _move(self, token: Token, word: str) -> None:
        rules = self._game.rules
        try:
            move = parse_move(shorten(word), rules)
        except EngineError as error:
            raise self._error(token, word, say("{reason}.", reason=error.sentence)) from None
        given = self._game.opening_moves
        if self._read_count < len(given):
            if move != given[self._read_count]:
                right = format_move(given[self._read_count], rules)
                code = self._game.opening_code
                reason = say("The opening {code} plays {move} here.", code=code, move=right)
                raise self._error(token, word, reason)
        else:
            try:
                self._game.push(move)
            except GameOverError as error:
                right = result_of(self._game.outcome)
                reason = say("{reason} Write {right} here.", reason=error.sentence, right=right)
                raise self._error(token, word, reason) from None
            except EngineError as error:
                raise self._error(token, word, error.sentence) from None
        self._read_count += 1

    @property
    def _side(self) -> str:
        return "XO"[self._read_count % 2]

    def _error(self, token: Token, word: str, reason: Sentence) -> InvalidRecordError:
        """Return an error about a move, which the message quotes."""
        shown = shorten(word)
        return InvalidRecordError(
            say(
                "Line {line}, move {number} {side} {move}: {reason}",
                line=token.line,
                number=self._read_count // 2 + 1,
                side=self._side,
                move=shown,
                reason=reason,
            ),
            text=shown,
            line=token.line,
            column=token.column + len(token.text) - len(word),
            move=shown,
        )


def _strip_number(word: str) -> tuple[int | None, str]:
    """Divide a word into a move number, if it begins with one, and the rest."""
    match = _NUMBER.fullmatch(word)
    return (None, word) if match is None else (int(match[1]), match[3])


def parse_record(text: str) -> GameRecord:
    """Read a record file that holds one game.

    Raises:
        InvalidRecordError: If it holds no game or several, or something in it is
            wrong; the message names line and move and says what would be right.

    Examples:
        >>> parse_record("1. 55 51 2. 15 *").moves
        (40, 36, 4)
        >>> parse_record("1. 55 19 *")
        Traceback (most recent call last):
        ...
        engine.records.model.InvalidRecordError: Line 1, move 1 O 19: You were sent to board 5: play there.
    """  # noqa: E501  # the doctest shows the whole message
    return build_record(_only_draft(_clean(text)))


def parse_game(text: str, rules: Rules | None = None) -> GameRecord:
    """Read one game as people share it: a record, or its moves and nothing else.

    Bare moves need no result: either they end the game or it goes on. If the text names no rules,
    `rules` or else standard ones are used; if it does, they must be the same as `rules`.

    Raises:
        InvalidRecordError: As for `parse_record`, and if the record names other rules.

    Examples:
        >>> parse_game("55 51 15").moves
        (40, 36, 4)
    """
    cleaned = _clean(text)
    return build_record(take_bare_moves(cleaned) or _only_draft(cleaned), rules)


def parse_records(text: str) -> tuple[GameRecord, ...]:
    """Read a record file with one or more games.

    Raises:
        InvalidRecordError: As for `parse_record`.

    Examples:
        >>> [record.result.words for record in parse_records('* [Variant "pie"] 1. 55 swap *')]
        ['not finished', 'not finished']
    """
    records: list[GameRecord] = []
    for draft in divide(_clean(text)):
        if len(records) == MOST_GAMES:
            raise draft.first.error(
                say("A record file has at most {limit} games.", limit=MOST_GAMES)
            )
        records.append(build_record(draft))
    return tuple(records)


def _clean(text: str) -> str:
    """Return `text` with line feeds at the ends of its lines, or raise `InvalidRecordError`."""
    check_length(text)
    check_unicode(text)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _only_draft(text: str) -> Draft:
    drafts = list(divide(text))
    if len(drafts) > 1:
        raise drafts[1].first.error(
            say("One game was expected; the text holds {count}.", count=len(drafts))
        )
    return drafts[0]
