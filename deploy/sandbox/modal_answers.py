"""What a user enters into a modal, in the shape in which Discord hands it on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .component_rules import SELECTS, Kind
from .errors import HandError
from .model import JSON


def fill_modal(components: list[JSON], values: Mapping[str, Any]) -> list[JSON]:
    """Return the components of a modal with what was entered.

    Raises:
        HandError: If a value is missing, too long or not offered, or has no field.
    """
    left = set(values)
    filled = [_fill(part, values, left) for part in components]
    if left:
        raise HandError(f"the modal has no field {sorted(left)[0]!r}")
    return filled


def _fill(part: JSON, values: Mapping[str, Any], left: set[str]) -> JSON:
    head: JSON = {key: part[key] for key in ("type", "id") if key in part}
    kind = part["type"]
    if kind == Kind.ACTION_ROW:
        return head | {"components": [_fill(each, values, left) for each in part["components"]]}
    if kind == Kind.LABEL:
        return head | {"component": _fill(part["component"], values, left)}
    if kind == Kind.TEXT_DISPLAY:
        return head
    left.discard(part["custom_id"])
    return head | {"custom_id": part["custom_id"]} | _entry(part, values.get(part["custom_id"]))


def _entry(part: JSON, entered: Any) -> JSON:
    """Return what one field holds after a user entered something, or left it alone."""
    kind = part["type"]
    if kind == Kind.TEXT_INPUT:
        return {"value": _text(part, part.get("value", "") if entered is None else entered)}
    if kind == Kind.CHECKBOX:
        return {"value": bool(entered)}
    if kind == Kind.RADIO_GROUP:
        return {"value": None if entered is None else _offered(part, [str(entered)])[0]}
    chosen = [str(each) for each in entered or []]
    if kind in (Kind.STRING_SELECT, Kind.CHECKBOX_GROUP):
        _offered(part, chosen)
    low = part.get("min_values", 1) if part.get("required", True) else 0
    high = part.get("max_values", 1 if kind in SELECTS else 25)
    if not low <= len(chosen) <= high:
        raise HandError(f"{part['custom_id']!r} takes {low} to {high} values, not {len(chosen)}")
    return {"values": chosen}


def _text(part: JSON, entered: Any) -> str:
    text = str(entered or "")
    low = part.get("min_length") or (1 if part.get("required", True) else 0)
    high = part.get("max_length") or 4000
    if (text or part.get("required", True)) and not low <= len(text) <= high:
        raise HandError(f"{part['custom_id']!r} has {low} to {high} characters, not {len(text)}")
    return text


def _offered(part: JSON, chosen: list[str]) -> list[str]:
    there = {str(option["value"]) for option in part.get("options") or []}
    for value in chosen:
        if value not in there:
            raise HandError(f"{part['custom_id']!r} does not offer {value!r}")
    return chosen
