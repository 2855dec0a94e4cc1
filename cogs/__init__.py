"""What players see on Discord: one package a feature."""
