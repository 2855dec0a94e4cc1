"""Everything with effects: playing matches, keeping clocks, notifying players, showing boards."""
