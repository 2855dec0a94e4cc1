"""Glicko-2, which games count, and what is told of players: values and decisions."""
