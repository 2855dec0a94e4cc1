"""What the speeds of the engine are measured beside: the same work in C, fresh processes."""
