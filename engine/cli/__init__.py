"""The engine's commands: the only modules of the engine that print."""
