"""Glicko-2, which games count, and what is shown of players: values and decisions."""
