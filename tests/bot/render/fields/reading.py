"""Reads back what was drawn: the pages of our PDFs."""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass, field
from itertools import pairwise

POINTS_PER_MM = 72 / 25.4


@dataclass
class Page:
    """What is on a page, in millimetres from its top left corner.

    Attributes:
        size: Width and height.
        strokes: Width of the line, colour, start and end of each straight line.
        circles: Width of the line, colour, and where each circle begins.
        texts: Text, size of the font, and the left end of its baseline.
    """

    size: tuple[float, float]
    strokes: list[tuple[float, str, float, float, float, float]] = field(default_factory=list)
    circles: list[tuple[float, str, float, float]] = field(default_factory=list)
    texts: list[tuple[str, float, float, float]] = field(default_factory=list)


_STREAM = re.compile(rb"<<\s*/Filter \[([^\]]*)\] /Length (\d+)[^<>]*>>\s*stream\r?\n")
_TOKEN = re.compile(r"\((?:\\.|[^()\\])*\)|/\S+|\S+")


def read_pdf(pdf: bytes) -> list[Page]:
    """Return the pages of a PDF made of the few operators that we use."""
    boxes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    contents = []
    for found in _STREAM.finditer(pdf):
        data = pdf[found.end() : found.end() + int(found[2])]
        if b"ASCII85Decode" in found[1]:
            data = base64.a85decode(b"<~" + data.strip(), adobe=True)
        text = zlib.decompress(data).decode("latin-1")
        if " Tf " in text:
            contents.append(text)
    assert len(contents) == len(boxes)
    return [
        _read_page(width, height, text)
        for (width, height), text in zip(boxes, contents, strict=True)
    ]


def _read_page(width: bytes, height: bytes, content: str) -> Page:
    reader = _Reader(float(width), float(height))
    operands: list[str] = []
    for token in _TOKEN.findall(content):
        if re.match(r"[-\d.(/]", token):
            operands.append(token)
        else:
            reader.run(token, operands)
            operands = []
    return reader.page


class _Reader:
    """Follows the pen over a page."""

    def __init__(self, width: float, height: float) -> None:
        self._height = height
        self._pen, self._colour, self._size = 0.0, "", 0.0
        self._at = self._begun = (0.0, 0.0)
        self.page = Page(size=(width / POINTS_PER_MM, height / POINTS_PER_MM))

    def run(self, operator: str, operands: list[str]) -> None:
        """Run an operator; those that draw nothing of ours are ignored."""
        match operator:
            case "w":
                self._pen = float(operands[-1]) / POINTS_PER_MM
            case "RG":
                self._colour = " ".join(operands)
            case "m":
                self._at = self._begun = self._place(operands)
            case "l" | "c" | "re":
                self._draw(operator, operands)
            case "Tf":
                self._size = float(operands[-1]) / POINTS_PER_MM
            case "Tm":
                self._at = self._place(operands)
            case "Tj":
                self.page.texts.append((_unescaped(operands[0][1:-1]), self._size, *self._at))

    def _place(self, operands: list[str]) -> tuple[float, float]:
        x, y = (float(number) for number in operands[-2:])
        return x / POINTS_PER_MM, (self._height - y) / POINTS_PER_MM

    def _draw(self, operator: str, operands: list[str]) -> None:
        if operator == "re":
            self._draw_rectangle([float(number) / POINTS_PER_MM for number in operands])
            return
        end = self._place(operands)
        if operator == "l":
            self.page.strokes.append((self._pen, self._colour, *self._at, *end))
        elif self._at == self._begun:
            self.page.circles.append((self._pen, self._colour, *self._at))
        self._at = end

    def _draw_rectangle(self, numbers: list[float]) -> None:
        left, bottom, width, height = numbers
        bottom = self._height / POINTS_PER_MM - bottom
        right, top = left + width, bottom - height
        corners = [(left, bottom), (right, bottom), (right, top), (left, top), (left, bottom)]
        for start, stop in pairwise(corners):
            self.page.strokes.append((self._pen, self._colour, *start, *stop))


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})|\\(.)", lambda m: chr(int(m[1], 8)) if m[1] else m[2], text)
