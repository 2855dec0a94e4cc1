"""Where the bot runs: requirements, units, and Discord on your own machine."""
