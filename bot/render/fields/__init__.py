"""Printable fields of Strategic Tic-Tac-Toe as PNG and as A4 PDF."""

from bot.render.fields.catalogue import FIELDS as FIELDS
from bot.render.fields.catalogue import Field as Field
from bot.render.fields.drawing import Box as Box
from bot.render.fields.drawing import Drawing as Drawing
from bot.render.fields.drawing import Ink as Ink
from bot.render.fields.drawing import Label as Label
from bot.render.fields.drawing import Line as Line
from bot.render.fields.drawing import Mark as Mark
from bot.render.fields.drawing import Weight as Weight
from bot.render.fields.printing import to_pdf as to_pdf
from bot.render.fields.printing import to_png as to_png
from bot.render.fields.sheets import DEFAULT_MAP as DEFAULT_MAP
from bot.render.fields.sheets import FieldError as FieldError
from bot.render.fields.sheets import UnfitGameError as UnfitGameError
from bot.render.fields.sheets import UnknownFieldError as UnknownFieldError
from bot.render.fields.sheets import UnknownMapError as UnknownMapError
from bot.render.fields.sheets import draw_field as draw_field
from bot.render.fields.sheets import draw_sheets as draw_sheets
