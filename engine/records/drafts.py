"""Divide a record file into its games, before any of them is understood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NoReturn

from engine.errors import say
from engine.records.errors import InvalidRecordError
from engine.records.model import Result
from engine.records.tokens import Token, cut

_RESULTS: Final = frozenset(Result)
RESULT_WORDS: Final = say("1-0 (X wins), 0-1 (O wins), 1/2-1/2 (a draw) or * (not finished)")


@dataclass(slots=True)
class Draft:
    """The pieces of one game: headers, then moves and comments, then the result."""

    headers: list[Token] = field(default_factory=list)
    events: list[Token] = field(default_factory=list)
    has_moves: bool = False  # whether a word has been met that is neither header nor comment
    result: Token | None = None

    @property
    def first(self) -> Token:
        """The piece it begins with, to point at."""
        return (self.headers or self.events or [self.end])[0]

    @property
    def end(self) -> Token:
        """The result that closes it."""
        assert self.result is not None, "only closed drafts leave this module"
        return self.result

    def add(self, token: Token) -> None:
        """Take the next piece.

        Raises:
            InvalidRecordError: If it cannot stand here.
        """
        if token.kind == "header":
            if self.has_moves:
                raise token.error(
                    say(
                        "The header {name} stands after moves. If a new game begins here,"
                        " the result of the one before is missing: {results}.",
                        name=token.name,
                        results=RESULT_WORDS,
                    )
                )
            self.headers.append(token)
        elif token.text in _RESULTS and token.kind == "word":
            self.result = token
        else:
            self.events.append(token)
            self.has_moves = self.has_moves or token.kind == "word"


def divide(text: str) -> Iterator[Draft]:
    """Yield the games of `text`, whose lines end in a line feed only.

    Raises:
        InvalidRecordError: If it is no sequence of games.
    """
    closed: Draft | None = None  # held back, as comments after its result may belong to it
    draft = Draft()
    for token in cut(text):
        if closed is not None and token.kind == "word" and not draft.headers:
            raise token.error(
                say(
                    "{text!r} stands after the result {result}. The next game begins"
                    " with a header such as {header}.",
                    text=token.text,
                    result=closed.end.text,
                    header='[Variant "standard"]',
                )
            )
        draft.add(token)
        if draft.result is not None:
            if closed is not None:
                yield closed
            closed, draft = draft, Draft()
    if draft.headers or draft.has_moves or closed is None:
        _refuse_rest(draft, text)
    closed.events += draft.events
    yield closed


def _refuse_rest(draft: Draft, text: str) -> NoReturn:
    """Say what the last game lacks."""
    lines = text.count("\n") + 1
    if not draft.headers and not draft.has_moves:
        raise InvalidRecordError(say("There is no game in this text."), line=1, column=1)
    last = (draft.events or draft.headers)[-1]
    raise InvalidRecordError(
        say(
            "Line {line}: The last game ends without a result: {results}.",
            line=lines,
            results=RESULT_WORDS,
        ),
        text=last.text[:40],
        line=lines,
        column=1,
    )
