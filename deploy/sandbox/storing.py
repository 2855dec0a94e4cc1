"""From a checked form to what is stored: attachments, and components with numbers."""

from __future__ import annotations

import io
import mimetypes
import re
from urllib.parse import urlsplit

from PIL import Image, UnidentifiedImageError

from .component_rules import SELECTS, Kind, media_of, walk
from .model import JSON, Attachment, Upload

# What Discord fills in where a request left it out.
_ITEM_DEFAULTS: JSON = {"description": None, "spoiler": False}
_DEFAULTS: dict[int, JSON] = {
    **{int(kind): {"min_values": 1, "max_values": 1} for kind in SELECTS},
    Kind.THUMBNAIL: _ITEM_DEFAULTS,
    Kind.FILE: {"spoiler": False},
    Kind.SEPARATOR: {"divider": True, "spacing": 1},
    Kind.CONTAINER: {"accent_color": None, "spoiler": False},
}


# What a component of each kind can have; anything else in a request is dropped.
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


def tidy_name(filename: str) -> str:
    """Return a file's name as Discord keeps it: no spaces, nothing that means something in URLs."""
    kept = re.sub(r"[^A-Za-z0-9._-]", "", filename.replace(" ", "_"))
    return kept.lstrip(".") or "file"


def new_attachment(identifier: int, upload: Upload, description: str | None) -> Attachment:
    """Return the attachment that an upload becomes; pictures get their size in pixels."""
    guessed, _ = mimetypes.guess_type(upload.filename)
    width = height = None
    if (guessed or "").startswith("image/"):
        try:
            with Image.open(io.BytesIO(upload.data)) as picture:
                width, height = picture.size
        except (UnidentifiedImageError, OSError):
            guessed = "application/octet-stream"
    return Attachment(
        id=identifier,
        filename=upload.filename,
        size=len(upload.data),
        content_type=guessed or "application/octet-stream",
        width=width,
        height=height,
        description=description,
    )


def finish_components(components: list[JSON], attachments: list[Attachment]) -> list[JSON]:
    """Return components as Discord stores them: numbered, with files by identifier.

    Components without an id get the smallest free one in reading order. Of two files
    with one name the newer is meant.
    """
    finisher = _Finisher(components, attachments)
    return [finisher.finish(part) for part in components]


class _Finisher:
    def __init__(self, components: list[JSON], attachments: list[Attachment]) -> None:
        taken = {part["id"] for part in walk(components) if part.get("id")}
        self._numbers = (number for number in range(1, 10_000) if number not in taken)
        self._by_name = {each.filename: each for each in attachments}
        self._by_id = {str(each.id): each for each in attachments}

    def finish(self, part: JSON) -> JSON:
        """Return one component and all inside it."""
        part = _DEFAULTS.get(part["type"], {}) | {
            key: value
            for key, value in part.items()
            if value is not None and key in _FIELDS[part["type"]]
        }
        if not part.get("id"):
            part["id"] = next(self._numbers)
        for key in ("media", "file"):
            if isinstance(part.get(key), dict):
                part[key] = self._media(part[key])
        if "default_values" in part:
            # Sent as numbers or as text, told as text: pages would round such numbers.
            part["default_values"] = [
                each | {"id": str(each["id"])} for each in part["default_values"]
            ]
        if "items" in part:
            part["items"] = [
                _ITEM_DEFAULTS | each | {"media": self._media(each["media"])}
                for each in part["items"]
            ]
        if "components" in part:
            part["components"] = [self.finish(child) for child in part["components"]]
        for key in ("accessory", "component"):
            if key in part:
                part[key] = self.finish(part[key])
        return part

    def _media(self, item: JSON) -> JSON:
        url = item["url"]
        if url.startswith("attachment://"):
            found = self._by_name.get(url.removeprefix("attachment://"))
        else:
            # A view read back from a message names its files by their address.
            steps = urlsplit(url).path.split("/")
            found = self._by_id.get(steps[3]) if steps[1:2] == ["attachments"] else None
        if found is None:
            return {"id": "0", "url": url, "proxy_url": url}
        return {"id": str(found.id), "url": "", "proxy_url": "", "attachment_id": str(found.id)}


def shown_attachment_ids(components: list[JSON]) -> set[int]:
    """Return the identifiers of the files that components show."""
    return {
        int(media["attachment_id"])
        for part in walk(components)
        for media in media_of(part)
        if "attachment_id" in media
    }
