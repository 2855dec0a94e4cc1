"""Analysis of games, and hints: see README.md."""
