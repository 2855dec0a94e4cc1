"""Games and positions as text that lasts: NOTATION.md tells every form."""

from __future__ import annotations

from engine.records.errors import InvalidRecordError
from engine.records.letters import (
    format_letter_move,
    format_letter_position,
    parse_letter_move,
    parse_letter_position,
)
from engine.records.model import Comment, EndReason, GameRecord, Result
from engine.records.positions import format_position, parse_position
from engine.records.reading import parse_record, parse_records
from engine.records.writing import format_record, format_records

__all__ = [
    "Comment",
    "EndReason",
    "GameRecord",
    "InvalidRecordError",
    "Result",
    "format_letter_move",
    "format_letter_position",
    "format_position",
    "format_record",
    "format_records",
    "parse_letter_move",
    "parse_letter_position",
    "parse_position",
    "parse_record",
    "parse_records",
]
