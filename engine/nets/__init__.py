"""Small neural nets that tell the value of a position, and how they are made ready."""
