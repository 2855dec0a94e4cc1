"""What has effects: matches are played, clocks kept, players notified, boards shown."""
