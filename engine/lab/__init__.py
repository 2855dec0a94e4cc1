"""Tools that make and measure the engine; playing needs none of them. See README.md."""
