"""The process: everything that lasts. README.md beside this file is its map."""
