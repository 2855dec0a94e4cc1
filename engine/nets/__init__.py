"""Small neural nets that value positions, and the formula where there is none. See README.md."""
