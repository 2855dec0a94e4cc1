"""Printable fields of Strategic Tic-Tac-Toe as PNG and as A4 PDF."""

from bot.render.fields.catalogue import FIELDS, Field
from bot.render.fields.drawing import Box, Drawing, Ink, Label, Line, Mark, Weight
from bot.render.fields.errors import (
    FieldError,
    UnfitGameError,
    UnknownFieldError,
    UnknownMapError,
)
from bot.render.fields.pdf import to_pdf
from bot.render.fields.png import to_png
from bot.render.fields.sheets import DEFAULT_MAP, draw_field, draw_sheets

__all__ = [
    "DEFAULT_MAP",
    "FIELDS",
    "Box",
    "Drawing",
    "Field",
    "FieldError",
    "Ink",
    "Label",
    "Line",
    "Mark",
    "UnfitGameError",
    "UnknownFieldError",
    "UnknownMapError",
    "Weight",
    "draw_field",
    "draw_sheets",
    "to_pdf",
    "to_png",
]
