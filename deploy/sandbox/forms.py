"""Requests that make or change a message: what they say, and whether it is allowed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .component_rules import ComponentRules, media_of, walk
from .errors import Problems, refusal
from .model import JSON, Message, MessageFlag, Upload
from .shapes import check_shapes

_SETTABLE = (
    MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.EPHEMERAL
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.COMPONENTS_V2
)
_LEGACY_FIELDS = ("content", "embeds", "stickers", "sticker_ids", "poll")


@dataclass(slots=True, kw_only=True)
class MessageForm:
    """A request that passed: only the fields that were sent, in Discord's spelling."""

    body: JSON
    flags: int
    kept_ids: set[int] | None = None
    """Attachments an edit keeps; None when it said nothing about them."""
    new_files: list[tuple[Upload, str | None]] = field(default_factory=list)
    """Uploads with their descriptions, in the order of the request."""

    @property
    def v2(self) -> bool:
        """Whether the message consists of components only."""
        return bool(self.flags & MessageFlag.COMPONENTS_V2)


def read_message_form(
    body: JSON,
    uploads: list[Upload],
    *,
    existing: Message | None = None,
    upload_bytes: int,
    root: tuple[str | int, ...] = (),
) -> MessageForm:
    """Check a request to send (or, with `existing`, to edit) a message.

    `root` is where the message lies in the request: ("data",) in interaction answers.

    Raises:
        ApiError: 50035 with the path of every mistake, 40005 for a file over
            `upload_bytes`, 50006 for a message with nothing in it.
    """
    if any(len(upload.data) > upload_bytes for upload in uploads):
        raise refusal(40005)
    check_shapes(body, root)
    problems = Problems()
    flags = _flags(body, existing, problems, root)
    form = MessageForm(body=body, flags=flags)
    _check_texts(body, problems, root)
    if form.v2:
        _check_no_legacy(body, existing, problems, root)
    if body.get("components") is not None:
        rules = ComponentRules(problems, (*root, "components"))
        rules.check_message(body["components"], v2=form.v2)
    _read_attachments(form, uploads, existing, problems, root)
    problems.raise_if_any()
    _check_references(form, existing, problems, root)
    problems.raise_if_any()
    if existing is None and _is_empty(form):
        raise refusal(50006)
    return form


def _flags(body: JSON, existing: Message | None, problems: Problems, root: Any) -> int:
    asked = int(body.get("flags") or 0)
    if existing is None:
        return asked & _SETTABLE
    kept = existing.flags & ~MessageFlag.SUPPRESS_EMBEDS
    was_v2 = existing.has(MessageFlag.COMPONENTS_V2)
    if was_v2 and "flags" in body and not asked & MessageFlag.COMPONENTS_V2:
        problems.add(
            (*root, "flags"),
            "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG",
            "The IS_COMPONENTS_V2 flag cannot be removed from a message.",
        )
    # An edit may suppress embeds and turn to components; nothing else can change.
    return int(kept | asked & (MessageFlag.SUPPRESS_EMBEDS | MessageFlag.COMPONENTS_V2))


def _check_texts(body: JSON, problems: Problems, root: tuple[str | int, ...]) -> None:
    content = body.get("content")
    if content is not None and len(str(content)) > 2000:
        problems.length((*root, "content"), 0, 2000)
    if len(str(body.get("nonce") or "")) > 25:
        problems.length((*root, "nonce"), 0, 25)
    _check_embeds(body.get("embeds") or [], problems, (*root, "embeds"))


def _check_embeds(embeds: list[JSON], problems: Problems, path: tuple[str | int, ...]) -> None:
    if len(embeds) > 10:
        problems.length(path, 0, 10)
    total = 0
    for index, embed in enumerate(embeds):
        here = (*path, index)
        fields = embed.get("fields") or []
        if len(fields) > 25:
            problems.length((*here, "fields"), 0, 25)
        texts = [((*here, "title"), embed.get("title"), 0, 256)]
        texts.append(((*here, "description"), embed.get("description"), 0, 4096))
        for number, part in enumerate(fields):
            texts.append(((*here, "fields", number, "name"), part.get("name"), 1, 256))
            texts.append(((*here, "fields", number, "value"), part.get("value"), 1, 1024))
        for place, text, low, high in texts:
            total += len(text or "")
            if not low <= len(text or "") <= high:
                problems.length(place, low, high)
    if total > 6000:
        text = "Embed size exceeds maximum size of 6000"
        problems.add(path, "MAX_EMBED_SIZE_EXCEEDED", text)


def _check_no_legacy(
    body: JSON, existing: Message | None, problems: Problems, root: tuple[str | int, ...]
) -> None:
    """Note texts and embeds, sent or left over, beside components that replace them."""
    for key in _LEGACY_FIELDS:
        left_over = key not in body and existing is not None and getattr(existing, key, None)
        if body.get(key) or left_over:
            problems.add(
                (*root, key),
                "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                f"The '{key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
            )


def _read_attachments(
    form: MessageForm,
    uploads: list[Upload],
    existing: Message | None,
    problems: Problems,
    root: tuple[str | int, ...],
) -> None:
    """Tell the files to keep, by identifier, from the new ones, by number of the part."""
    by_number = {_part_number(upload): upload for upload in uploads}
    described: dict[int, JSON] = {}
    listed = form.body.get("attachments")
    if listed is not None:
        form.kept_ids = set()
        present = {each.id for each in existing.attachments} if existing else set()
        for index, entry in enumerate(listed):
            identifier = int(entry["id"]) if str(entry.get("id", "")).isdigit() else None
            if identifier in by_number:
                described[identifier] = entry
            elif identifier in present:
                form.kept_ids.add(identifier)
            elif existing is None or identifier is None:
                text = "Unknown attachment"
                problems.add((*root, "attachments", index), "ATTACHMENT_NOT_FOUND", text)
    if len(uploads) > 10:
        problems.length((*root, "attachments"), 0, 10)
    for number, upload in sorted(by_number.items()):
        entry = described.get(number, {})
        description = entry.get("description")
        if len(description or "") > 1024:
            problems.length((*root, "attachments", number, "description"), 0, 1024)
        form.new_files.append((upload, description))


def _part_number(upload: Upload) -> int:
    digits = "".join(each for each in upload.field if each.isdigit())
    return int(digits or 0)


def _check_references(
    form: MessageForm,
    existing: Message | None,
    problems: Problems,
    root: tuple[str | int, ...],
) -> None:
    """Check that components show only files that are there, and show all new ones."""
    if not form.v2:
        return
    components = form.body.get("components")
    names = {upload.filename for upload, _ in form.new_files}
    shown: set[str] = set()
    kept = existing.attachments if existing else []
    there = names | {
        each.filename for each in kept if form.kept_ids is None or each.id in form.kept_ids
    }
    for part in walk(components or []):
        for media in media_of(part):
            url = media.get("url", "")
            if url.startswith("attachment://"):
                shown.add(url.removeprefix("attachment://"))
    for name in sorted(shown - there):
        problems.add(
            (*root, "components"),
            "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
            f"The referenced attachment '{name}' was not found",
        )
    for name in sorted(names - shown):
        problems.add(
            (*root, "attachments"),
            "MESSAGE_ATTACHMENT_NOT_REFERENCED",
            f"The attachment '{name}' is not shown by any component",
        )


def _is_empty(form: MessageForm) -> bool:
    body = form.body
    parts = ("content", "embeds", "components", "sticker_ids", "poll")
    return not any(body.get(key) for key in parts) and not form.new_files
