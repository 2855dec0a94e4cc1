r"""Cut a record file into headers, comments and words, and these into games.

Any text may stand inside quotes or braces. What would break a line or be invisible is escaped:
the closing sign, the backslash and everything that is not printable, such as marks that reverse
the writing direction. The escapes: `\\`, `\"`, `\}`, `\n`, `\uXXXX` and `\UXXXXXXXX`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NoReturn

from engine.errors import EngineError, Sentence, say, shorten
from engine.records.model import InvalidRecordError, Result

_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE: Final = {"\\": "\\", '"': '"', "}": "}", "n": "\n"}

_TOKEN: Final = re.compile(
    r"""
    (?P<space>\s+)
    | \[\s*(?P<header>[A-Za-z0-9_-]+)[ \t]+
      "(?P<value>[^"\\\n]*(?:\\.[^"\\\n]*)*)"[ \t]*\]
    | \{(?P<comment>[^}\\]*(?:\\[\s\S][^}\\]*)*)\}
    | ;(?P<remark>[^\n]*)
    | (?P<word>[^\s\[\]{};"]+)
    """,
    re.VERBOSE,
)
# By the last group of a match; blanks are no tokens.
_KINDS: Final = {"value": "header", "comment": "comment", "remark": "comment", "word": "word"}
# Matched only from the first of its spaces: trying from each of many would take forever.
_LINE_BREAK: Final = re.compile(r"(?<![ \t])[ \t]*\n[ \t\n]*")
_WRONG_SIGN: Final = {
    "[": say('A header is one line like [X "Anna"]'),
    "{": say("This comment is never closed: write } after it, and \\} inside it"),
    "}": say("There is no comment to close here: write { in front of it"),
    "]": say("There is no header to close here"),
    '"': say('Quotes belong in headers like [X "Anna"]'),
}

_RESULTS: Final = frozenset(Result)
RESULT_WORDS: Final = say("1-0 (X wins), 0-1 (O wins), 1/2-1/2 (a draw) or * (not finished)")


def escape(text: str, closing: str) -> str:
    r"""Write `text` so that it fits on a line in front of the sign `closing`.

    Examples:
        >>> print(escape('Anna "the X"', '"'))
        Anna \"the X\"
        >>> print(escape("one\ntwo", "}"))
        one\ntwo
    """
    return "".join(_escape_one(char, closing) for char in text)


def unescape(text: str) -> str:
    r"""Read what `escape` has written.

    Raises:
        EngineError: If a backslash begins no escape; the message quotes it.

    Examples:
        >>> unescape(r"caf\u00e9")
        'café'
    """
    return _ESCAPE.sub(_unescape_one, text)


def _escape_one(char: str, closing: str) -> str:
    if char in (closing, "\\"):
        return f"\\{char}"
    if char == "\n":
        return "\\n"
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _unescape_one(match: re.Match[str]) -> str:
    escaped = match[1]
    if escaped in _SIMPLE:
        return _SIMPLE[escaped]
    if len(escaped) > 1:
        code = int(escaped[1:], 16)
        if code < 0x110000 and not 0xD800 <= code < 0xE000:
            return chr(code)
        raise EngineError(say("{escape} is not a character", escape=match[0]))
    raise EngineError(
        say(
            "{escape} is not an escape: write {backslash} for a backslash, or {others}",
            escape=match[0],
            backslash=r"\\",
            others=r"\" \} \n \uXXXX",
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of a record file.

    Attributes:
        kind: "header", "comment" or "word".
        text: The value of a header, the text of a comment, the word itself.
        name: The name of a header, else empty.
        line: The line it begins in, counted from 1 like `column`.
    """

    kind: str
    text: str
    name: str = ""
    line: int
    column: int

    def error(self, message: Sentence | str) -> InvalidRecordError:
        """Return an error about this piece."""
        return error_at(self.line, self.column, message, self.name or self.text)


def error_at(line: int, column: int, message: Sentence | str, text: str) -> InvalidRecordError:
    """Return an error about a place; the message begins with it."""
    return InvalidRecordError(
        say("Line {line}: {message}", line=line, message=message),
        text=shorten(text),
        line=line,
        column=column,
    )


def cut(text: str) -> Iterator[Token]:
    """Yield the pieces of `text`, whose lines end in a line feed only.

    Raises:
        InvalidRecordError: If a part of it is not such a piece.
    """
    place, line, line_start = 0, 1, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        column = place - line_start + 1
        if match is None:
            rest = text[place : place + 80].partition("\n")[0]
            wrong = say(
                "{what}, not {given!r}.", what=_WRONG_SIGN[text[place]], given=shorten(rest)
            )
            raise error_at(line, column, wrong, rest)
        if match.lastgroup in _KINDS:
            yield _token(match, match.lastgroup, line, column)
        place = match.end()
        breaks = match[0].count("\n")
        if breaks:
            line += breaks
            line_start = match.start() + match[0].rindex("\n") + 1


def _token(match: re.Match[str], group: str, line: int, column: int) -> Token:
    text = match[group]
    if group == "remark":
        text = text.strip()
    elif group != "word":
        try:
            text = unescape(_LINE_BREAK.sub(" ", text))
        except EngineError as error:
            raise error_at(line, column, say("{reason}.", reason=error.sentence), text) from None
    return Token(
        kind=_KINDS[group], text=text, name=match["header"] or "", line=line, column=column
    )


@dataclass(slots=True)
class Draft:
    """The pieces of one game: headers, then moves and comments, then the result."""

    headers: list[Token] = field(default_factory=list)
    events: list[Token] = field(default_factory=list)
    has_moves: bool = False  # whether there was a word, not only headers and comments
    result: Token | None = None

    @property
    def first(self) -> Token:
        """The piece it begins with, for errors to point at."""
        return (self.headers or self.events or [self.end])[0]

    @property
    def end(self) -> Token:
        """The result that closes it."""
        assert self.result is not None, "only closed drafts leave this module"
        return self.result

    def add(self, token: Token) -> None:
        """Take the next piece, or raise `InvalidRecordError` if it cannot stand here."""
        if token.kind == "header":
            if self.has_moves:
                raise token.error(
                    say(
                        "The header {name} comes after moves. If a new game begins here,"
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
        InvalidRecordError: If it is not a sequence of games.
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


def take_bare_moves(text: str) -> Draft | None:
    """Return the game of a text that has moves but neither headers nor a result, else None.

    Its result is an empty word in the place of its last piece.

    Raises:
        InvalidRecordError: As for `cut`.
    """
    tokens = list(cut(text))
    words = [token.text for token in tokens if token.kind == "word"]
    if not words or not _RESULTS.isdisjoint(words) or any(t.kind == "header" for t in tokens):
        return None
    end = Token(kind="word", text="", line=tokens[-1].line, column=tokens[-1].column)
    return Draft(events=tokens, has_moves=True, result=end)


def _refuse_rest(draft: Draft, text: str) -> NoReturn:
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
