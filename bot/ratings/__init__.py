"""Ratings: how strong players are thought to be, and which games say so."""
