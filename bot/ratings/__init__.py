"""Ratings: how strong players are thought to be, and which games say so."""

from bot.ratings.achievements import ACHIEVEMENTS, Achievement
from bot.ratings.book import HistoryPage, RatingBook
from bot.ratings.computer import rating_of_level
from bot.ratings.glicko import Rating
from bot.ratings.model import (
    BoardEntry,
    BoardKey,
    BoardPage,
    BoardView,
    MatchRating,
    Period,
    PlayerRating,
    RatingChange,
    Standing,
    rating_in_words,
)
from bot.ratings.pools import Reason, pool_of
from bot.ratings.profile import Between, HeadToHead, Profile, Record, Records, Streak
from bot.storage.history import HistoryRow as HistoryEntry
from bot.storage.history import Wanted as HistoryFilter

__all__ = [
    "ACHIEVEMENTS",
    "Achievement",
    "Between",
    "BoardEntry",
    "BoardKey",
    "BoardPage",
    "BoardView",
    "HeadToHead",
    "HistoryEntry",
    "HistoryFilter",
    "HistoryPage",
    "MatchRating",
    "Period",
    "PlayerRating",
    "Profile",
    "Rating",
    "RatingBook",
    "RatingChange",
    "Reason",
    "Record",
    "Records",
    "Standing",
    "Streak",
    "pool_of",
    "rating_in_words",
    "rating_of_level",
]
