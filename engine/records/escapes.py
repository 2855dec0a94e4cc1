r"""Any text inside quotes or braces: what would break a line or hide itself is escaped.

The escapes: `\\`, `\"`, `\}`, `\n`, `\uXXXX` and `\UXXXXXXXX`. Escaped are the
closing sign, the backslash and whatever is not printable, such as marks that
turn the direction of writing around.
"""

from __future__ import annotations

import re
from typing import Final

from engine.errors import EngineError, say

_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE: Final = {"\\": "\\", '"': '"', "}": "}", "n": "\n"}


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
        raise EngineError(say("{escape} is no character", escape=match[0]))
    raise EngineError(
        say(
            "{escape} is no escape: write {backslash} for a backslash, or {others}",
            escape=match[0],
            backslash=r"\\",
            others=r"\" \} \n \uXXXX",
        )
    )
