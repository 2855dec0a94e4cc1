"""The settings panels, as their users see them."""

from __future__ import annotations

import io
from typing import Any

from PIL import Image

from tests.cogs.table import Board, Table


def menus(board: Board) -> dict[str, dict[str, Any]]:
    """Return the menus of a panel by their custom ids."""
    return {part["custom_id"]: part for part in board.parts if part["type"] in (3, 6, 8)}


def chosen(board: Board, custom_id: str) -> list[str]:
    """Return the values that a menu shows as chosen."""
    menu = menus(board)[custom_id]
    if menu["type"] in (6, 8):
        return [each["id"] for each in menu.get("default_values", [])]
    return [each["value"] for each in menu["options"] if each.get("default")]


async def choose(
    table: Table, panel: Board, custom_id: str, *values: str, user: int | None = None
) -> Board:
    """Choose in a menu and return the panel as it is afterwards."""
    who = user or table.ann
    interaction = await table.sandbox.people.select(who, panel.id, custom_id, list(values))
    await interaction.wait()
    await table.quiet()
    return next(Board(each) for each in table.seen(who) if int(each["id"]) == panel.id)


async def panel_of(table: Table, name: str = "settings", **options: Any) -> Board:
    await table.command(name, **options)
    return table.newest()


def corner(png: bytes) -> tuple[int, ...]:
    """Return the colour of a picture's corner: the background of its theme."""
    found = Image.open(io.BytesIO(png)).convert("RGB").getpixel((0, 0))
    assert isinstance(found, tuple)
    return found
