"""Deletions that are remembered, so that no backup undoes them and returns are noticed."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select

from bot.model.match import is_stand_in
from bot.storage.preferences import find_setting, save_setting
from bot.storage.schema import erasure, player

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection

KEY: Final = "erasure_key"
"""The setting that holds the key of the fingerprints."""


def has_begun_anew(connection: Connection, player_ids: Iterable[int], since: datetime) -> bool:
    """Return whether one of these people has had their data deleted after an instant."""
    key = find_setting(connection, KEY)
    if key is None:
        return False
    fingerprints = [fingerprint_of(key, player_id) for player_id in player_ids]
    wanted = select(erasure.c.erased_at).where(
        erasure.c.fingerprint.in_(fingerprints), erasure.c.erased_at > since
    )
    return connection.execute(wanted).first() is not None


def load_noted(connection: Connection) -> tuple[str, dict[str, datetime]]:
    """Return the key of the fingerprints, and the deletions that are remembered."""
    found = connection.execute(select(erasure.c.fingerprint, erasure.c.erased_at))
    return find_setting(connection, KEY) or "", {row.fingerprint: row.erased_at for row in found}


def find_still_stored(
    connection: Connection, key: str, noted: Mapping[str, datetime]
) -> dict[int, datetime]:
    """Return the people who are still stored, and when their data was deleted."""
    found = {}
    for player_id, created_at in connection.execute(select(player.c.id, player.c.created_at)):
        erased_at = noted.get(fingerprint_of(key, player_id))
        # Somebody who has come back since is a new person.
        if erased_at is not None and created_at <= erased_at and not is_stand_in(player_id):
            found[player_id] = erased_at
    return found


def note_erasure(connection: Connection, player_id: int, now: datetime) -> None:
    """Remember the deletion, so that a restored backup does not undo it."""
    key = find_setting(connection, KEY)
    if key is None:
        key = secrets.token_hex(32)
        save_setting(connection, KEY, key, now=now)
    fingerprint = fingerprint_of(key, player_id)
    connection.execute(delete(erasure).where(erasure.c.fingerprint == fingerprint))
    connection.execute(insert(erasure), {"fingerprint": fingerprint, "erased_at": now})


def fingerprint_of(key: str, player_id: int) -> str:
    """Return the value a person is remembered by; it does not reveal their number."""
    return hmac.new(key.encode(), str(player_id).encode(), hashlib.sha256).hexdigest()
