"""Discord's rules for the components of a message or a modal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Any

from .errors import Problems
from .model import JSON

Path = tuple[str | int, ...]

MAX_COMPONENTS = 40
MAX_TEXT = 4000


class Kind(IntEnum):
    """Discord's numbers for the kinds of component."""

    ACTION_ROW = 1
    BUTTON = 2
    STRING_SELECT = 3
    TEXT_INPUT = 4
    USER_SELECT = 5
    ROLE_SELECT = 6
    MENTIONABLE_SELECT = 7
    CHANNEL_SELECT = 8
    SECTION = 9
    TEXT_DISPLAY = 10
    THUMBNAIL = 11
    MEDIA_GALLERY = 12
    FILE = 13
    SEPARATOR = 14
    CONTAINER = 17
    LABEL = 18
    FILE_UPLOAD = 19
    RADIO_GROUP = 21
    CHECKBOX_GROUP = 22
    CHECKBOX = 23


SELECTS = frozenset(
    {
        Kind.STRING_SELECT,
        Kind.USER_SELECT,
        Kind.ROLE_SELECT,
        Kind.MENTIONABLE_SELECT,
        Kind.CHANNEL_SELECT,
    }
)
_DEFAULTS_OF: dict[Kind, tuple[str, ...]] = {
    Kind.USER_SELECT: ("user",),
    Kind.ROLE_SELECT: ("role",),
    Kind.MENTIONABLE_SELECT: ("user", "role"),
    Kind.CHANNEL_SELECT: ("channel",),
}
_IN_CONTAINER = frozenset(
    {
        Kind.ACTION_ROW,
        Kind.SECTION,
        Kind.TEXT_DISPLAY,
        Kind.MEDIA_GALLERY,
        Kind.FILE,
        Kind.SEPARATOR,
    }
)
_TOP_V2 = _IN_CONTAINER | {Kind.CONTAINER}
_IN_ROW = SELECTS | {Kind.BUTTON}
_IN_LABEL = SELECTS | {
    Kind.TEXT_INPUT,
    Kind.FILE_UPLOAD,
    Kind.RADIO_GROUP,
    Kind.CHECKBOX_GROUP,
    Kind.CHECKBOX,
}


def walk(components: list[JSON]) -> Iterator[JSON]:
    """Yield every component, parents before children."""
    for part in components:
        yield part
        yield from walk(children(part))


def children(part: JSON) -> list[JSON]:
    """Return what `part` contains, its accessory included."""
    inside = [child for child in part.get("components") or [] if isinstance(child, dict)]
    for key in ("accessory", "component"):
        if isinstance(part.get(key), dict):
            inside.append(part[key])
    return inside


def media_of(part: JSON) -> list[JSON]:
    """Return the media items that `part` itself shows."""
    if part.get("type") == Kind.MEDIA_GALLERY:
        return [item["media"] for item in part.get("items") or [] if "media" in item]
    if part.get("type") == Kind.THUMBNAIL and "media" in part:
        return [part["media"]]
    if part.get("type") == Kind.FILE and "file" in part:
        return [part["file"]]
    return []


class ComponentRules:
    """Checks one list of components and notes every mistake at its path."""

    def __init__(self, problems: Problems, root: Path = ("components",)) -> None:
        self.problems = problems
        self.root = root
        self._custom_ids: set[str] = set()
        self._ids: set[int] = set()
        self._text_length = 0
        self._count = 0
        self._checks: dict[Kind, Callable[[JSON, Path], None]] = {
            **dict.fromkeys(SELECTS, self._select),
            **dict.fromkeys(_IN_LABEL - SELECTS, self._custom_id),
            Kind.BUTTON: self._button,
            Kind.SECTION: self._section,
            Kind.TEXT_DISPLAY: self._text,
            Kind.THUMBNAIL: self._thumbnail,
            Kind.MEDIA_GALLERY: self._gallery,
            Kind.FILE: self._file,
            Kind.CONTAINER: self._container,
            Kind.LABEL: self._label,
            Kind.TEXT_INPUT: self._text_input,
        }

    def check_message(self, components: Any, *, v2: bool) -> None:
        """Check the components of a message."""
        if not isinstance(components, list):
            self.problems.add(self.root, "LIST_TYPE_CONVERT", "Only iterables may be used")
            return
        if not v2 and len(components) > 5:
            self.problems.length(self.root, 0, 5)
        allowed = _TOP_V2 if v2 else frozenset({Kind.ACTION_ROW})
        self._all(components, self.root, allowed)
        if v2 and self._count > MAX_COMPONENTS:
            text = f"The maximum number of components in a message is {MAX_COMPONENTS}"
            self.problems.add(self.root, "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", text)
        if self._text_length > MAX_TEXT:
            text = f"The total displayable text of the components exceeds {MAX_TEXT} characters"
            self.problems.add(self.root, "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", text)

    def check_modal(self, components: Any) -> None:
        """Check the components of a modal."""
        if not isinstance(components, list) or not 1 <= len(components) <= 5:
            self.problems.length(self.root, 1, 5)
            return
        top = frozenset({Kind.ACTION_ROW, Kind.LABEL, Kind.TEXT_DISPLAY})
        self._all(components, self.root, top, in_modal=True)

    def _all(
        self, parts: list[Any], path: Path, allowed: frozenset[Kind], *, in_modal: bool = False
    ) -> None:
        for index, part in enumerate(parts):
            self._one(part, (*path, index), allowed, in_modal=in_modal)

    def _one(
        self, part: Any, path: Path, allowed: frozenset[Kind], *, in_modal: bool = False
    ) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in allowed:
            numbers = ", ".join(str(int(each)) for each in sorted(allowed))
            text = f'Value of field "type" must be one of ({numbers},).'
            self.problems.add((*path, "type"), "UNION_TYPE_CHOICES", text)
            return
        self._count += 1
        self._identifier(part, path)
        if kind == Kind.ACTION_ROW:
            self._row(part, path, in_modal=in_modal)
            return
        check = self._checks.get(Kind(kind))
        if check is not None:
            check(part, path)

    def _identifier(self, part: JSON, path: Path) -> None:
        identifier = part.get("id")
        if identifier:
            if identifier in self._ids:
                text = "Component id must be unique within the message"
                self.problems.add((*path, "id"), "COMPONENT_ID_DUPLICATED", text)
            self._ids.add(identifier)

    def _row(self, part: JSON, path: Path, *, in_modal: bool) -> None:
        inside = part.get("components") or []
        kinds = [child.get("type") for child in inside if isinstance(child, dict)]
        if any(kind != Kind.BUTTON for kind in kinds) and len(inside) > 1:
            text = "The specified component exceeds the maximum width"
            self.problems.add((*path, "components", 1), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", text)
        if not 1 <= len(inside) <= 5:
            self.problems.length((*path, "components"), 1, 5)
        allowed = SELECTS | {Kind.TEXT_INPUT} if in_modal else _IN_ROW
        self._all(inside, (*path, "components"), frozenset(allowed))

    def _custom_id(self, part: JSON, path: Path) -> None:
        custom_id = part.get("custom_id")
        if not custom_id:
            self.problems.require((*path, "custom_id"))
            return
        if len(custom_id) > 100:
            self.problems.length((*path, "custom_id"), 1, 100)
        if custom_id in self._custom_ids:
            text = "Component custom id cannot be duplicated"
            self.problems.add((*path, "custom_id"), "COMPONENT_CUSTOM_ID_DUPLICATED", text)
        self._custom_ids.add(custom_id)

    def _button(self, part: JSON, path: Path) -> None:
        style = part.get("style")
        if style not in range(1, 7):
            text = "Value must be one of {1, 2, 3, 4, 5, 6}."
            self.problems.add((*path, "style"), "BASE_TYPE_CHOICES", text)
        elif style == 5:
            if not part.get("url"):
                text = "A url is required"
                self.problems.add((*path, "url"), "BUTTON_COMPONENT_URL_REQUIRED", text)
            if part.get("custom_id"):
                text = "A custom id and url cannot both be specified"
                self.problems.add(path, "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE", text)
            if len(part.get("url") or "") > 512:
                self.problems.length((*path, "url"), 1, 512)
        elif style != 6:
            self._custom_id(part, path)
        if len(part.get("label") or "") > 80:
            self.problems.length((*path, "label"), 0, 80)
        if style != 6 and not part.get("label") and not part.get("emoji"):
            text = "A button must have a label or an emoji"
            self.problems.add(path, "BUTTON_COMPONENT_INVALID_LABEL", text)

    def _select(self, part: JSON, path: Path) -> None:
        self._custom_id(part, path)
        if len(part.get("placeholder") or "") > 150:
            self.problems.length((*path, "placeholder"), 0, 150)
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
            self._options(part, path)
        else:
            self._default_values(part, path)

    def _default_values(self, part: JSON, path: Path) -> None:
        chosen = part.get("default_values") or []
        if len(chosen) > (part.get("max_values") or 1):
            self.problems.length((*path, "default_values"), 0, part.get("max_values") or 1)
        for index, each in enumerate(chosen):
            here = (*path, "default_values", index)
            if each.get("type") not in _DEFAULTS_OF[Kind(part["type"])]:
                text = f'Value "{each.get("type")}" does not fit this kind of select.'
                self.problems.add((*here, "type"), "ENUM_TYPE_COERCE", text)
            if not str(each.get("id") or "").isdigit():
                text = f'Value "{each.get("id")}" is not snowflake.'
                self.problems.add((*here, "id"), "NUMBER_TYPE_COERCE", text)

    def _options(self, part: JSON, path: Path) -> None:
        options = part.get("options") or []
        # Whoever may choose five has to be offered five.
        fewest = max(1, part.get("min_values") or 0, part.get("max_values") or 0)
        if not fewest <= len(options) <= 25:
            self.problems.length((*path, "options"), fewest, 25)
        if sum(bool(each.get("default")) for each in options) > (part.get("max_values") or 1):
            text = "More options are chosen in advance than may be chosen"
            self.problems.add((*path, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULTS", text)
        seen: set[str] = set()
        for index, option in enumerate(options):
            here = (*path, "options", index)
            for key in ("label", "value"):
                if not 1 <= len(str(option.get(key) or "")) <= 100:
                    self.problems.length((*here, key), 1, 100)
            if len(option.get("description") or "") > 100:
                self.problems.length((*here, "description"), 0, 100)
            if option.get("value") in seen:
                text = "The specified option value is already used"
                self.problems.add(
                    (*here, "value"), "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", text
                )
            seen.add(option.get("value"))

    def _section(self, part: JSON, path: Path) -> None:
        inside = part.get("components") or []
        if not 1 <= len(inside) <= 3:
            self.problems.length((*path, "components"), 1, 3)
        self._all(inside, (*path, "components"), frozenset({Kind.TEXT_DISPLAY}))
        if "accessory" not in part:
            self.problems.require((*path, "accessory"))
            return
        self._one(part["accessory"], (*path, "accessory"), frozenset({Kind.BUTTON, Kind.THUMBNAIL}))

    def _text(self, part: JSON, path: Path) -> None:
        content = part.get("content")
        if not isinstance(content, str) or not content:
            self.problems.length((*path, "content"), 1, MAX_TEXT)
            return
        if len(content) > MAX_TEXT:
            self.problems.length((*path, "content"), 1, MAX_TEXT)
        self._text_length += len(content)

    def _container(self, part: JSON, path: Path) -> None:
        inside = part.get("components") or []
        if not inside:
            self.problems.length((*path, "components"), 1, MAX_COMPONENTS)
        self._all(inside, (*path, "components"), _IN_CONTAINER)

    def _thumbnail(self, part: JSON, path: Path) -> None:
        self._media(part, path, "media")

    def _file(self, part: JSON, path: Path) -> None:
        self._media(part, path, "file")

    def _gallery(self, part: JSON, path: Path) -> None:
        items = part.get("items") or []
        if not 1 <= len(items) <= 10:
            self.problems.length((*path, "items"), 1, 10)
        for index, item in enumerate(items):
            self._media(item, (*path, "items", index), "media")

    def _media(self, part: JSON, path: Path, key: str) -> None:
        media = part.get(key)
        url = media.get("url") if isinstance(media, dict) else None
        if not url:
            self.problems.require((*path, key, "url"))
        elif not str(url).startswith(("http://", "https://", "attachment://")):
            text = f"Scheme of '{url}' must be one of ('http', 'https', 'attachment')."
            self.problems.add((*path, key, "url"), "URL_TYPE_INVALID_SCHEME", text)
        if len(part.get("description") or "") > 1024:
            self.problems.length((*path, "description"), 0, 1024)

    def _label(self, part: JSON, path: Path) -> None:
        if not 1 <= len(part.get("label") or "") <= 45:
            self.problems.length((*path, "label"), 1, 45)
        if len(part.get("description") or "") > 100:
            self.problems.length((*path, "description"), 0, 100)
        self._one(part.get("component"), (*path, "component"), frozenset(_IN_LABEL))

    def _text_input(self, part: JSON, path: Path) -> None:
        self._custom_id(part, path)
        # Inside a label the label is the title; in the older row it is the input's own.
        if len(part.get("label") or "") > 45:
            self.problems.length((*path, "label"), 1, 45)
        if part.get("style") not in (1, 2):
            text = "Value must be one of {1, 2}."
            self.problems.add((*path, "style"), "BASE_TYPE_CHOICES", text)
        for key, high in (("placeholder", 100), ("value", 4000)):
            if len(part.get(key) or "") > high:
                self.problems.length((*path, key), 0, high)
