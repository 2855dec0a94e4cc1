"""Matches: games with people and the computer in their seats."""

from bot.matches.absence import Vacation
from bot.matches.challenge import MOST_OPEN, NAMED_FOR, OPEN_FOR, Challenge, ChallengeStatus
from bot.matches.challenging import ChallengeService
from bot.matches.clocks import (
    DEFAULT_CORRESPONDENCE,
    NO_CLOCK,
    ClockKind,
    ClockRules,
    format_span,
)
from bot.matches.deadlines import Deadlines
from bot.matches.events import EventKind, MatchEvent
from bot.matches.exporting import record_of
from bot.matches.model import (
    EndReason,
    FirstMove,
    Match,
    MatchStatus,
    Person,
    Seat,
)
from bot.matches.news import News, NewsKind, Step
from bot.matches.noticing import NoticeBook
from bot.matches.publisher import Attempt, Outcome, Publisher
from bot.matches.service import MatchService
from bot.matches.starting import MOST_ONGOING
from bot.matches.telling import Errand, Telling
from bot.matches.thinking import Replies
from bot.matches.timekeeping import Reminder

__all__ = [
    "DEFAULT_CORRESPONDENCE",
    "MOST_ONGOING",
    "MOST_OPEN",
    "NAMED_FOR",
    "NO_CLOCK",
    "OPEN_FOR",
    "Attempt",
    "Challenge",
    "ChallengeService",
    "ChallengeStatus",
    "ClockKind",
    "ClockRules",
    "Deadlines",
    "EndReason",
    "Errand",
    "EventKind",
    "FirstMove",
    "Match",
    "MatchEvent",
    "MatchService",
    "MatchStatus",
    "News",
    "NewsKind",
    "NoticeBook",
    "Outcome",
    "Person",
    "Publisher",
    "Reminder",
    "Replies",
    "Seat",
    "Step",
    "Telling",
    "Vacation",
    "format_span",
    "record_of",
]
