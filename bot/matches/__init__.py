"""Matches: games with people and the computer in their seats."""

from bot.matches.exporting import record_of
from bot.matches.model import (
    EndReason,
    EventKind,
    FirstMove,
    Match,
    MatchEvent,
    MatchStatus,
    Person,
    Seat,
)
from bot.matches.service import MatchService
from bot.matches.starting import MOST_ONGOING

__all__ = [
    "MOST_ONGOING",
    "EndReason",
    "EventKind",
    "FirstMove",
    "Match",
    "MatchEvent",
    "MatchService",
    "MatchStatus",
    "Person",
    "Seat",
    "record_of",
]
