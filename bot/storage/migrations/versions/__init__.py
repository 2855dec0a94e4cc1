"""Revisions, oldest first. A released one is never edited: add another."""
