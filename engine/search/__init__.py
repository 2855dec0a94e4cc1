"""The computer player: a search with a limit, and playing strengths as data."""
