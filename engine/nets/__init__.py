"""Small neural nets that tell what a position is worth, and how they are made ready."""
