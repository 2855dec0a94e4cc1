"""Who is stronger: players, matches, ratings. See README.md."""
