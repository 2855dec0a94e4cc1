"""Components and files as messages hold them."""

from __future__ import annotations

import io
import mimetypes
import re
from collections.abc import Callable, Iterator
from enum import IntEnum
from urllib.parse import urlsplit

from PIL import Image, UnidentifiedImageError

from .model import JSON, Attachment, Upload

Change = Callable[[JSON], JSON]


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
    {Kind.STRING_SELECT, Kind.USER_SELECT, Kind.ROLE_SELECT}
    | {Kind.MENTIONABLE_SELECT, Kind.CHANNEL_SELECT}
)

# What Discord fills in where a request left it out.
_ITEM_DEFAULTS: JSON = {"description": None, "spoiler": False}
_DEFAULTS: dict[int, JSON] = {
    **{int(kind): {"min_values": 1, "max_values": 1} for kind in SELECTS},
    Kind.THUMBNAIL: _ITEM_DEFAULTS,
    Kind.FILE: {"spoiler": False},
    Kind.SEPARATOR: {"divider": True, "spacing": 1},
    Kind.CONTAINER: {"accent_color": None, "spoiler": False},
}

# The fields of each kind of component; anything else in a request is dropped.
_SELECT = "custom_id placeholder min_values max_values disabled required default_values"
_FIELDS: dict[int, frozenset[str]] = {
    int(kind): frozenset(f"type id {names}".split())
    for kind, names in {
        Kind.ACTION_ROW: "components",
        Kind.BUTTON: "style label emoji custom_id sku_id url disabled",
        Kind.STRING_SELECT: _SELECT + " options",
        Kind.USER_SELECT: _SELECT,
        Kind.ROLE_SELECT: _SELECT,
        Kind.MENTIONABLE_SELECT: _SELECT,
        Kind.CHANNEL_SELECT: _SELECT + " channel_types",
        Kind.TEXT_INPUT: "custom_id style label min_length max_length required value placeholder",
        Kind.SECTION: "components accessory",
        Kind.TEXT_DISPLAY: "content",
        Kind.THUMBNAIL: "media description spoiler",
        Kind.MEDIA_GALLERY: "items",
        Kind.FILE: "file spoiler",
        Kind.SEPARATOR: "divider spacing",
        Kind.CONTAINER: "components accent_color spoiler",
        Kind.LABEL: "label description component",
        Kind.FILE_UPLOAD: "custom_id min_values max_values required",
        Kind.RADIO_GROUP: "custom_id options required",
        Kind.CHECKBOX_GROUP: "custom_id options min_values max_values required",
        Kind.CHECKBOX: "custom_id default",
    }.items()
}


def walk(components: list[JSON]) -> Iterator[JSON]:
    """Yield every component, parents before children."""
    for part in components:
        yield part
        inside = [*(part.get("components") or []), part.get("accessory"), part.get("component")]
        yield from walk([child for child in inside if isinstance(child, dict)])


def media_in(components: list[JSON]) -> Iterator[JSON]:
    """Yield the media items that components show."""
    for part in walk(components):
        kind = part.get("type")
        if kind in (Kind.MEDIA_GALLERY, Kind.THUMBNAIL, Kind.FILE):
            shown = part.get("items") or [] if kind == Kind.MEDIA_GALLERY else [part]
            key = "file" if kind == Kind.FILE else "media"
            yield from (each[key] for each in shown if key in each)


def tidy_name(filename: str) -> str:
    """Return a file's name as Discord stores it: no spaces, nothing with a meaning in URLs."""
    kept = re.sub(r"[^A-Za-z0-9._-]", "", filename.replace(" ", "_"))
    return kept.lstrip(".") or "file"


def new_attachment(identifier: int, upload: Upload, description: str | None) -> Attachment:
    """Return the attachment for an upload; pictures get their size in pixels."""
    name, size = upload.filename, len(upload.data)
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    width = height = None
    if kind.startswith("image/"):
        try:
            with Image.open(io.BytesIO(upload.data)) as picture:
                width, height = picture.size
        except (UnidentifiedImageError, OSError):
            kind = "application/octet-stream"
    details: JSON = {"width": width, "height": height, "description": description}
    return Attachment(id=identifier, filename=name, size=size, content_type=kind, **details)


def rebuilt(part: JSON, own: Change, media: Change) -> JSON:
    """Return a component and all inside it changed by `own`, and their files by `media`."""
    part = own(part)
    for key in ("media", "file"):
        if isinstance(part.get(key), dict):
            part[key] = media(part[key])
    if "items" in part:
        part["items"] = [item | {"media": media(item["media"])} for item in part["items"]]
    if "components" in part:
        part["components"] = [rebuilt(child, own, media) for child in part["components"]]
    for key in ("accessory", "component"):
        if key in part:
            part[key] = rebuilt(part[key], own, media)
    return part


def finish_components(components: list[JSON], attachments: list[Attachment]) -> list[JSON]:
    """Return components as Discord stores them: numbered, with files by identifier.

    Components without an id get the smallest free one in reading order. If two files
    have the same name, the newer is used.
    """
    taken = {part["id"] for part in walk(components) if part.get("id")}
    numbers = (number for number in range(1, 10_000) if number not in taken)
    by_name = {each.filename: each for each in attachments}
    by_id = {str(each.id): each for each in attachments}

    def finish(part: JSON) -> JSON:
        kind = part["type"]
        known = {key: value for key, value in part.items() if key in _FIELDS[kind]}
        part = _DEFAULTS.get(kind, {}) | {k: each for k, each in known.items() if each is not None}
        part["id"] = part.get("id") or next(numbers)
        # Sent as numbers or as text, returned as text: web pages would round such numbers.
        if "default_values" in part:
            chosen = part["default_values"]
            part["default_values"] = [each | {"id": str(each["id"])} for each in chosen]
        if "items" in part:
            part["items"] = [_ITEM_DEFAULTS | each for each in part["items"]]
        return part

    def media(item: JSON) -> JSON:
        url = item["url"]
        if url.startswith("attachment://"):
            found = by_name.get(url.removeprefix("attachment://"))
        else:
            # A view read back from a message names its files by their address.
            steps = urlsplit(url).path.split("/")
            found = by_id.get(steps[3]) if steps[1:2] == ["attachments"] else None
        if found is None:
            return {"id": "0", "url": url, "proxy_url": url}
        return {"id": str(found.id), "url": "", "proxy_url": "", "attachment_id": str(found.id)}

    return [rebuilt(part, finish, media) for part in components]


def shown_attachment_ids(components: list[JSON]) -> set[int]:
    """Return the identifiers of the files that components show."""
    shown = media_in(components)
    return {int(media["attachment_id"]) for media in shown if "attachment_id" in media}
