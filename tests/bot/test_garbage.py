"""A process that runs for long."""

from __future__ import annotations

import gc

from bot.gc_tuning import relax


def test_garbage_is_looked_for_seldom_and_only_among_what_is_new():
    before = gc.get_threshold()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    try:
        relax()

        assert gc.get_threshold()[0] > 10_000
        assert gc.get_freeze_count() > 1_000
        assert gc.isenabled()
    finally:
        gc.set_threshold(*before)
