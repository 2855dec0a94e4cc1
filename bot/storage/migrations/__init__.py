"""The steps from an empty file to today's tables, one revision each."""
