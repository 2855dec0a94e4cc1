"""Printable fields of Strategic Tic-Tac-Toe as PNG and as A4 PDF."""

from bot.render.fields.catalogue import FIELDS as FIELDS
from bot.render.fields.drawing import Drawing as Drawing
from bot.render.fields.printing import to_pdf as to_pdf
from bot.render.fields.printing import to_png as to_png
from bot.render.fields.sheets import DEFAULT_MAP as DEFAULT_MAP
from bot.render.fields.sheets import draw_sheets as draw_sheets
