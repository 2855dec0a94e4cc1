"""Discord's rules for the components of messages and modals, and for autocomplete choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .components import SELECTS, Kind
from .errors import Path, Problems, check_shapes
from .model import JSON

MAX_COMPONENTS = 40
MAX_TEXT = 4000

_DEFAULTS_OF: dict[Kind, tuple[str, ...]] = {
    Kind.USER_SELECT: ("user",),
    Kind.ROLE_SELECT: ("role",),
    Kind.MENTIONABLE_SELECT: ("user", "role"),
    Kind.CHANNEL_SELECT: ("channel",),
}
_IN_CONTAINER = frozenset(
    {Kind.ACTION_ROW, Kind.SECTION, Kind.TEXT_DISPLAY}
    | {Kind.MEDIA_GALLERY, Kind.FILE, Kind.SEPARATOR}
)
_IN_LABEL = SELECTS | {
    *(Kind.TEXT_INPUT, Kind.FILE_UPLOAD),
    *(Kind.RADIO_GROUP, Kind.CHECKBOX_GROUP, Kind.CHECKBOX),
}
_NUMBER_OPTIONS = (4, 10)


class ComponentRules:
    """Checks one list of components, of the right shapes, and notes every mistake at its path."""

    def __init__(self, problems: Problems, root: Path) -> None:
        self.problems = problems
        self.root = root
        self._custom_ids: set[str] = set()
        self._ids: set[int] = set()
        self._text_length = 0
        self._count = 0
        self._in_modal = False
        self._checks: dict[Kind, Callable[[JSON, Path], None]] = {
            **dict.fromkeys(SELECTS, self._select),
            **dict.fromkeys(_IN_LABEL - SELECTS, self._custom_id),
            Kind.ACTION_ROW: self._row,
            Kind.BUTTON: self._button,
            Kind.SECTION: self._section,
            Kind.TEXT_DISPLAY: self._text,
            Kind.THUMBNAIL: lambda part, path: self._media(part, path, "media"),
            Kind.MEDIA_GALLERY: self._gallery,
            Kind.FILE: lambda part, path: self._media(part, path, "file"),
            Kind.CONTAINER: self._container,
            Kind.LABEL: self._label,
            Kind.TEXT_INPUT: self._text_input,
        }

    def check_message(self, components: list[JSON], *, v2: bool) -> None:
        """Check the components of a message."""
        if not v2:
            self.problems.length(self.root, components, 0, 5)
        self._all(components, self.root, _IN_CONTAINER | {Kind.CONTAINER} if v2 else {Kind(1)})
        if v2 and self._count > MAX_COMPONENTS:
            text = f"The maximum number of components in a message is {MAX_COMPONENTS}"
            self.problems.add(self.root, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", text)
        if self._text_length > MAX_TEXT:
            text = f"The total displayable text of the components exceeds {MAX_TEXT} characters"
            self.problems.add(self.root, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", text)

    def check_modal(self, components: list[JSON]) -> None:
        """Check the components of a modal."""
        self._in_modal = True
        self.problems.length(self.root, components, 1, 5)
        if len(components) <= 5:
            self._all(components, self.root, {Kind.ACTION_ROW, Kind.LABEL, Kind.TEXT_DISPLAY})

    def _all(self, parts: list[Any], path: Path, allowed: set[Kind] | frozenset[Kind]) -> None:
        for index, part in enumerate(parts):
            self._one(part, (*path, index), allowed)

    def _one(self, part: Any, path: Path, allowed: set[Kind] | frozenset[Kind]) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in allowed:
            numbers = ", ".join(str(int(each)) for each in sorted(allowed))
            text = f'Value of field "type" must be one of ({numbers},).'
            self.problems.add((*path, "type"), "UNION_TYPE_CHOICES", text)
            return
        self._count += 1
        if identifier := part.get("id"):
            if identifier in self._ids:
                text = "Component id must be unique within the message"
                self.problems.add((*path, "id"), "COMPONENT_ID_DUPLICATED", text)
            self._ids.add(identifier)
        if check := self._checks.get(Kind(part["type"])):
            check(part, path)

    def _row(self, part: JSON, path: Path) -> None:
        inside, path = part.get("components") or [], (*path, "components")
        if any(child.get("type") != Kind.BUTTON for child in inside) and len(inside) > 1:
            text = "The specified component exceeds the maximum width"
            self.problems.add((*path, 1), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", text)
        self.problems.length(path, inside, 1, 5)
        self._all(inside, path, SELECTS | {Kind.TEXT_INPUT if self._in_modal else Kind.BUTTON})

    def _custom_id(self, part: JSON, path: Path) -> None:
        custom_id, path = part.get("custom_id"), (*path, "custom_id")
        if not custom_id:
            self.problems.require(path)
            return
        self.problems.length(path, custom_id, 1, 100)
        if custom_id in self._custom_ids:
            text = "Component custom id cannot be duplicated"
            self.problems.add(path, "COMPONENT_CUSTOM_ID_DUPLICATED", text)
        self._custom_ids.add(custom_id)

    def _button(self, part: JSON, path: Path) -> None:
        style = part.get("style") or 0
        if self.problems.one_of((*path, "style"), style, range(1, 7)) and style < 5:
            self._custom_id(part, path)
        elif style == 5:
            if not part.get("url"):
                text = "A url is required"
                self.problems.add((*path, "url"), "BUTTON_COMPONENT_URL_REQUIRED", text)
            if part.get("custom_id"):
                text = "A custom id and url cannot both be specified"
                self.problems.add(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", text)
            self.problems.length((*path, "url"), part.get("url") or "-", 1, 512)
        self.problems.length((*path, "label"), part.get("label"), 0, 80)
        if style != 6 and not part.get("label") and not part.get("emoji"):
            text = "A button must have a label or an emoji"
            self.problems.add(path, "BUTTON_COMPONENT_INVALID_LABEL", text)

    def _select(self, part: JSON, path: Path) -> None:
        self._custom_id(part, path)
        self.problems.length((*path, "placeholder"), part.get("placeholder"), 0, 150)
        for key, low in (("min_values", 0), ("max_values", 1)):
            value = part.get(key)
            if value is not None and not low <= value <= 25:
                text = f"int value should be between {low} and 25."
                self.problems.add((*path, key), "NUMBER_TYPE_RANGE", text)
        fewest, most = part.get("min_values"), part.get("max_values")
        if (1 if fewest is None else fewest) > (1 if most is None else most):
            text = "Minimum values cannot be greater than maximum values"
            self.problems.add((*path, "min_values"), "SELECT_COMPONENT_MIN_OVER_MAX", text)
        if part["type"] == Kind.STRING_SELECT:
            self._options(part, (*path, "options"))
        else:
            self._default_values(part, (*path, "default_values"))

    def _default_values(self, part: JSON, path: Path) -> None:
        chosen = part.get("default_values") or []
        self.problems.length(path, chosen, 0, part.get("max_values") or 1)
        for index, each in enumerate(chosen):
            if each.get("type") not in _DEFAULTS_OF[Kind(part["type"])]:
                text = f'Value "{each.get("type")}" does not fit this kind of select.'
                self.problems.add((*path, index, "type"), "ENUM_TYPE_COERCE", text)
            if not str(each.get("id") or "").isdigit():
                text = f'Value "{each.get("id")}" is not snowflake.'
                self.problems.add((*path, index, "id"), "NUMBER_TYPE_COERCE", text)

    def _options(self, part: JSON, path: Path) -> None:
        options = part.get("options") or []
        # Where five may be chosen, five have to be offered.
        fewest = max(1, part.get("min_values") or 0, part.get("max_values") or 0)
        self.problems.length(path, options, fewest, 25)
        if sum(bool(each.get("default")) for each in options) > (part.get("max_values") or 1):
            text = "More options are chosen in advance than may be chosen"
            self.problems.add(path, "SELECT_COMPONENT_TOO_MANY_DEFAULTS", text)
        seen: set[str] = set()
        for index, option in enumerate(options):
            here = (*path, index)
            for key in ("label", "value"):
                self.problems.length((*here, key), str(option.get(key) or ""), 1, 100)
            self.problems.length((*here, "description"), option.get("description"), 0, 100)
            if option.get("value") in seen:
                text = "The specified option value is already used"
                code = "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED"
                self.problems.add((*here, "value"), code, text)
            seen.add(option.get("value"))

    def _section(self, part: JSON, path: Path) -> None:
        inside = part.get("components") or []
        self.problems.length((*path, "components"), inside, 1, 3)
        self._all(inside, (*path, "components"), {Kind.TEXT_DISPLAY})
        if "accessory" not in part:
            self.problems.require((*path, "accessory"))
            return
        self._one(part["accessory"], (*path, "accessory"), {Kind.BUTTON, Kind.THUMBNAIL})

    def _text(self, part: JSON, path: Path) -> None:
        text = part.get("content") or ""
        self.problems.length((*path, "content"), text, 1, MAX_TEXT)
        self._text_length += len(text)

    def _container(self, part: JSON, path: Path) -> None:
        inside, path = part.get("components") or [], (*path, "components")
        self.problems.length(path, inside[:1], 1, MAX_COMPONENTS)
        self._all(inside, path, _IN_CONTAINER)

    def _gallery(self, part: JSON, path: Path) -> None:
        items = part.get("items") or []
        self.problems.length((*path, "items"), items, 1, 10)
        for index, item in enumerate(items):
            self._media(item, (*path, "items", index), "media")

    def _media(self, part: JSON, path: Path, key: str) -> None:
        url = (part.get(key) or {}).get("url")
        if not url:
            self.problems.require((*path, key, "url"))
        elif not url.startswith(("http://", "https://", "attachment://")):
            text = f"Scheme of '{url}' must be one of ('http', 'https', 'attachment')."
            self.problems.add((*path, key, "url"), "URL_TYPE_INVALID_SCHEME", text)
        self.problems.length((*path, "description"), part.get("description"), 0, 1024)

    def _label(self, part: JSON, path: Path) -> None:
        self.problems.length((*path, "label"), part.get("label"), 1, 45)
        self.problems.length((*path, "description"), part.get("description"), 0, 100)
        self._one(part.get("component"), (*path, "component"), _IN_LABEL)

    def _text_input(self, part: JSON, path: Path) -> None:
        self._custom_id(part, path)
        # Inside a label the label is the title; in the older row it is the input's own.
        self.problems.length((*path, "label"), part.get("label"), 0, 45)
        self.problems.one_of((*path, "style"), part.get("style"), (1, 2))
        for key, high in (("placeholder", 100), ("value", 4000)):
            self.problems.length((*path, key), part.get(key), 0, high)


def check_modal(data: JSON) -> None:
    """Check a modal, or refuse it with 50035."""
    check_shapes(data, ("data",))
    problems = Problems()
    for key, high in (("title", 45), ("custom_id", 100)):
        problems.length(("data", key), data.get(key), 1, high)
    ComponentRules(problems, ("data", "components")).check_modal(data.get("components") or [])
    problems.raise_if_any()


def check_choices(data: JSON, asked: JSON) -> None:
    """Check choices for the option in the interaction's data `asked`, or refuse them with 50035."""
    check_shapes(data, ("data",))
    problems, path = Problems(), ("data", "choices")
    choices = data.get("choices")
    if choices is None:
        problems.require(path)
    problems.length(path, choices, 0, 25)
    numeric = _focused_type(asked) in _NUMBER_OPTIONS
    for index, choice in enumerate(choices or []):
        problems.length((*path, index, "name"), str(choice.get("name") or ""), 1, 100)
        value, here = choice.get("value"), (*path, index, "value")
        if not numeric:
            problems.length(here, str("-" if value in (None, "") else value), 1, 100)
        elif not isinstance(value, int | float):
            text = f'Could not interpret "{value}" as number.'
            problems.add(here, "NUMBER_TYPE_COERCE", text)
    problems.raise_if_any()


def _focused_type(data: JSON) -> int | None:
    for option in data.get("options") or []:
        if option.get("focused"):
            return int(option["type"])
        found = _focused_type(option)
        if found is not None:
            return found
    return None
