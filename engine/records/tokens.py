"""Cut a record file into headers, comments and words, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.errors import EngineError, Sentence, say, shorten
from engine.records.errors import InvalidRecordError
from engine.records.escapes import unescape

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
# It begins where its spaces begin: looked for from each of them, many would take for ever.
_LINE_BREAK: Final = re.compile(r"(?<![ \t])[ \t]*\n[ \t\n]*")
_WRONG_SIGN: Final = {
    "[": say('A header is one line like [X "Anna"]'),
    "{": say("This comment is never closed: write } after it, and \\} inside it"),
    "}": say("There is no comment to close here: write { in front of it"),
    "]": say("There is no header to close here"),
    '"': say('Quotes belong in headers like [X "Anna"]'),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of a record file.

    Attributes:
        kind: "header", "comment" or "word".
        text: The value of a header, the text of a comment, the word itself.
        name: The name of a header, else empty.
        line: Where it begins, counted from 1.
        column: Likewise.
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
        InvalidRecordError: If something in it is no such piece.
    """
    place, line, line_start = 0, 1, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        column = place - line_start + 1
        if match is None:
            rest = text[place : place + 80].partition("\n")[0]
            wrong = say(
                "{what}; got {given!r}.", what=_WRONG_SIGN[text[place]], given=shorten(rest)
            )
            raise error_at(line, column, wrong, rest)
        if match.lastgroup != "space":
            yield _token(match, line, column)
        place = match.end()
        breaks = match[0].count("\n")
        if breaks:
            line += breaks
            line_start = match.start() + match[0].rindex("\n") + 1


def _token(match: re.Match[str], line: int, column: int) -> Token:
    if match["word"] is not None:
        return Token(kind="word", text=match["word"], line=line, column=column)
    if match["remark"] is not None:
        return Token(kind="comment", text=match["remark"].strip(), line=line, column=column)
    written = match["value"] if match["comment"] is None else match["comment"]
    try:
        text = unescape(_LINE_BREAK.sub(" ", written))
    except EngineError as error:
        sentence = say("{reason}.", reason=error.sentence)
        raise error_at(line, column, sentence, written) from None
    if match["comment"] is not None:
        return Token(kind="comment", text=text, line=line, column=column)
    return Token(kind="header", text=text, name=match["header"], line=line, column=column)
