"""What was read lately, kept in memory: right while this process is the only writer."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

MOST_KEPT: Final = 4096
"""A few hundred bytes each; more people than click within an hour."""


class Recent(Generic[Value]):
    """Values by the number of whom they belong to, the ones used longest ago dropped.

    Args:
        most: How many to keep.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._kept: OrderedDict[int, Value] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, owner_id: int) -> Value | None:
        """Return what is kept for an owner, None if nothing is."""
        value = self._kept.get(owner_id)
        if value is not None:
            self._kept.move_to_end(owner_id)
        return value

    def keep(self, owner_id: int, value: Value) -> None:
        """Keep `value` instead of what was there."""
        self._kept[owner_id] = value
        self._kept.move_to_end(owner_id)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def keep_read(self, owner_id: int, value: Value) -> Value:
        """Keep what was read unless something newer was kept meanwhile; return what is kept."""
        newer = self.find(owner_id)
        if newer is not None:
            return newer
        self.keep(owner_id, value)
        return value

    def drop(self, owner_id: int) -> None:
        """Forget an owner, so that the next reading is from the disk."""
        self._kept.pop(owner_id, None)
