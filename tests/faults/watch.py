"""What was written into the database, and who was allowed to cause it."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from typing import Any

from sqlalchemy import Connection, text

from bot.model.match import TAKEBACKS
from bot.storage.schema import metadata
from tests.cogs.table import JSON, Table

BOOKS = (
    *("screen", "outbox", "news", "notice", "announcement", "setting", "downtime", "unreached"),
    *("daily_puzzle", "daily_post"),
)
"""Tables of what was shown or is still to be sent; anyone who sees a board may change them."""


def _as_json(row: str, columns: list[str]) -> str:
    return f"json_object({', '.join(f'{each!r}, {row}.{each}' for each in columns)})"


class Watch:
    """Knows every row written since it last looked, and who may write what."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.seats: dict[tuple[int, int], int | None] = {}
        """Who has each side of each match, None for the computer."""
        self.people: dict[int, set[int]] = defaultdict(set)
        """Who has ever played in a match."""
        self.challenged: dict[int, set[int | None]] = defaultdict(set)
        """Who made a challenge, who was challenged, and who accepted it."""

    async def begin(self) -> None:
        """Have the database write down what changes in it."""

        def job(connection: Connection) -> None:
            connection.execute(text("CREATE TABLE audit (name TEXT, was TEXT, becomes TEXT)"))
            for name, columns in (
                (each.name, each.columns.keys()) for each in metadata.sorted_tables
            ):
                for event in ("INSERT", "UPDATE", "DELETE"):
                    was, becomes = (_as_json(row, columns) for row in ("OLD", "NEW"))
                    was, becomes = (
                        "NULL" if event == "INSERT" else was,
                        "NULL" if event == "DELETE" else becomes,
                    )
                    connection.execute(
                        text(
                            f"CREATE TRIGGER audit_{event}_{name} AFTER {event} ON {name} BEGIN "
                            f"INSERT INTO audit VALUES ('{name}', {was}, {becomes}); END"
                        )
                    )

        await self.table.bot.ratings.database.write(job)

    async def forbidden(self, actors: set[int]) -> list[str]:
        """Return what was written since the last time that none of `actors` may write."""

        def job(connection: Connection) -> list[Any]:
            rows = list(
                connection.execute(text("SELECT name, was, becomes FROM audit ORDER BY rowid"))
            )
            connection.execute(text("DELETE FROM audit"))
            return rows

        changes = [
            (name, json.loads(was or "{}"), json.loads(becomes or "{}"))
            for name, was, becomes in await self.table.bot.ratings.database.write(job)
        ]
        for name, was, becomes in changes:
            if name == "seat":
                self.people[(was or becomes)["match_id"]] |= {
                    each["player_id"] for each in (was, becomes) if each.get("player_id")
                }
        found = []
        for name, was, becomes in changes:
            may = getattr(self, f"_may_{name}", self._may_own)
            if name not in BOOKS and not may(actors, was, becomes):
                found.append(f"{name}: {was} -> {becomes}")
            if name == "seat" and becomes:
                self.seats[becomes["match_id"], becomes["side"]] = becomes["player_id"]
        return found

    def _may_own(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Own rows: settings, blocks, vacations."""
        row = was or becomes
        return row["player_id"] in actors or (not becomes and row.get("other_id") in actors)

    def _may_player(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Naming somebody stores them if they are unknown."""
        return not was or was["id"] in actors

    def _plays(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return bool(self.people[(was or becomes)["match_id"]] & actors)

    _may_seat = _may_move = _may_rated_match = _may_rating_change = _plays

    def _may_review(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return not was or self._plays(actors, was, becomes)

    def _may_match(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        row = was or becomes
        if was and becomes and {key for key in was if was[key] != becomes[key]} <= {"remind_at"}:
            return True
        if becomes.get("end_reason") == "time" and was["deadline_at"] < time.time() * 1000:
            return True
        if was and becomes and becomes["ply"] == was["ply"] + 1:
            mover = self.seats[was["id"], was["to_move"]]
            if mover is not None and mover not in actors:
                return False
        return bool(self.people[row["id"]] & actors)

    def _may_event(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        row = was or becomes
        doer, other = (self.seats[row["match_id"], side] for side in (row["side"], 1 - row["side"]))
        if row["kind"] in TAKEBACKS and other is not None:
            doer = other  # the row names who asked, but the other side did it
        return doer is None or doer in actors

    def _may_challenge(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        if becomes.get("status") == "expired" and was["expires_at"] < time.time() * 1000:
            return True
        row = was or becomes
        people = self.challenged[row["id"]]
        people |= {row["challenger_id"], row["opponent_id"]}
        anyone = was and was["opponent_id"] is None and was["status"] == "open"
        if anyone and becomes.get("taker_id") in actors:
            people.add(becomes["taker_id"])
        return bool(people & actors)

    def _may_guild_setting(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        row = was or becomes
        return (
            row["key"] == "called"
            or self.table.sandbox.world.guilds[row["guild_id"]].owner_id in actors
        )

    def _may_rating(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        player = (was or becomes)["player_id"]
        return any(
            {player} | actors <= each or (player in each and each & actors)
            for each in self.people.values()
        )

    _may_guild_player = _may_rating

    def _may_puzzle(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Each attempt counts once, whoever made it."""
        return bool(becomes) and becomes["plays"] == was.get("plays", 0) + 1

    def _may_opening_move(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Games are counted when they end, which is tested elsewhere, and stay counted."""
        return not was

    def _may_opening_total(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Each game adds one, once."""
        new, old = (
            sum(row.get(each, 0) for each in ("x_wins", "draws", "o_wins"))
            for row in (becomes, was)
        )
        return bool(new == old + 1)

    def _may_puzzle_run(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        """Starting a race sets everybody's time."""
        changed = {key for key in was if was[key] != becomes.get(key)}
        return self._may_own(actors, was, becomes) or bool(
            was["race_id"] and changed == {"ends_at"}
        )

    def _may_puzzle_race(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return bool(becomes)

    def _may_erasure(self, actors: set[int], was: JSON, becomes: JSON) -> bool:
        return True
