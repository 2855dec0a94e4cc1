"""Discord's rules for modals and for the choices of autocompletion."""

from __future__ import annotations

from .component_rules import ComponentRules
from .errors import Problems
from .model import JSON
from .shapes import check_shapes


def check_modal(data: JSON) -> None:
    """Check a modal.

    Raises:
        ApiError: 50035 with the path of every mistake.
    """
    check_shapes(data, ("data",))
    problems = Problems()
    for key, high in (("title", 45), ("custom_id", 100)):
        if not 1 <= len(data.get(key) or "") <= high:
            problems.length(("data", key), 1, high)
    ComponentRules(problems, ("data", "components")).check_modal(data.get("components"))
    problems.raise_if_any()


def check_choices(data: JSON, asked: JSON) -> None:
    """Check the choices that complete an option; `asked` is the interaction's data.

    Raises:
        ApiError: 50035 with the path of every mistake.
    """
    check_shapes(data, ("data",))
    problems = Problems()
    choices = data.get("choices")
    if choices is None:
        problems.require(("data", "choices"))
        choices = []
    if len(choices) > 25:
        problems.length(("data", "choices"), 0, 25)
    numeric = focused_type(asked) in (4, 10)
    for index, choice in enumerate(choices):
        here = ("data", "choices", index)
        if not 1 <= len(str(choice.get("name") or "")) <= 100:
            problems.length((*here, "name"), 1, 100)
        value = choice.get("value")
        if numeric and not isinstance(value, int | float):
            text = f'Could not interpret "{value}" as number.'
            problems.add((*here, "value"), "NUMBER_TYPE_COERCE", text)
        elif not numeric and len(str(value if value is not None else "")) > 100:
            problems.length((*here, "value"), 1, 100)
    problems.raise_if_any()


def focused_type(data: JSON) -> int | None:
    """Return the type of the option being completed."""
    for option in data.get("options") or []:
        if option.get("focused"):
            return int(option["type"])
        if "options" in option:
            found = focused_type(option)
            if found is not None:
                return found
    return None
