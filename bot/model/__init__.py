"""Values and decisions, pure: what a match is, and what becomes of it. Imports the engine only."""
