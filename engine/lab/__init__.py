"""What makes and measures the engine; playing needs none of it. See README.md."""
