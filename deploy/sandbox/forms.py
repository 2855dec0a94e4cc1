"""Requests that send or edit a message: their contents, and whether they are allowed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from .component_rules import ComponentRules
from .components import media_in
from .errors import Path, Problems, check_shapes, refusal
from .model import JSON, Message, MessageFlag, Upload

_SETTABLE = (
    MessageFlag.SUPPRESS_EMBEDS
    | MessageFlag.EPHEMERAL
    | MessageFlag.SUPPRESS_NOTIFICATIONS
    | MessageFlag.COMPONENTS_V2
)
_LEGACY_FIELDS = ("content", "embeds", "stickers", "sticker_ids", "poll")
_SAYING_FIELDS = ("content", "embeds", "components", "sticker_ids", "poll")


@dataclass(slots=True, kw_only=True)
class MessageForm:
    """A request that passed the checks: only the fields that were sent, in Discord's spelling."""

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
    uploads: Sequence[Upload],
    *,
    existing: Message | None = None,
    upload_bytes: int,
    root: Path = (),
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
    reader = _Reader(body, existing, root)
    form = reader.form
    reader.check_texts()
    if form.v2:
        reader.check_no_legacy()
    if body.get("components") is not None:
        rules = ComponentRules(reader.problems, (*root, "components"))
        rules.check_message(body["components"], v2=form.v2)
    reader.read_attachments(uploads)
    reader.problems.raise_if_any()
    if form.v2:
        reader.check_references()
    reader.problems.raise_if_any()
    has_words = any(body.get(key) for key in _SAYING_FIELDS)
    if existing is None and not has_words and not form.new_files:
        raise refusal(50006)
    return form


class _Reader:
    """One request while it is checked; mistakes are noted at their paths."""

    def __init__(self, body: JSON, existing: Message | None, root: Path) -> None:
        self.body = body
        self.existing = existing
        self.root = root
        self.problems = Problems()
        self.form = MessageForm(body=body, flags=self._flags())

    def _flags(self) -> int:
        asked = int(self.body.get("flags") or 0)
        if self.existing is None:
            return asked & _SETTABLE
        kept = self.existing.flags & ~MessageFlag.SUPPRESS_EMBEDS
        was_v2 = self.existing.has(MessageFlag.COMPONENTS_V2)
        if was_v2 and "flags" in self.body and not asked & MessageFlag.COMPONENTS_V2:
            code = "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG"
            text = "The IS_COMPONENTS_V2 flag cannot be removed from a message."
            self.problems.add((*self.root, "flags"), code, text)
        # An edit may suppress embeds and switch to components; no other flag can change.
        return int(kept | asked & (MessageFlag.SUPPRESS_EMBEDS | MessageFlag.COMPONENTS_V2))

    def check_texts(self) -> None:
        """Check the lengths of texts and embeds."""
        for key, high in (("content", 2000), ("nonce", 25)):
            self.problems.length((*self.root, key), str(self.body.get(key) or ""), 0, high)
        embeds, path = self.body.get("embeds") or [], (*self.root, "embeds")
        self.problems.length(path, embeds, 0, 10)
        total = 0
        for index, embed in enumerate(embeds):
            here, fields = (*path, index), embed.get("fields") or []
            self.problems.length((*here, "fields"), fields, 0, 25)
            texts = [(here, embed, "title", 0, 256), (here, embed, "description", 0, 4096)]
            for number, part in enumerate(fields):
                place = (*here, "fields", number)
                texts += [(place, part, "name", 1, 256), (place, part, "value", 1, 1024)]
            for place, part, key, low, high in texts:
                total += len(part.get(key) or "")
                self.problems.length((*place, key), part.get(key), low, high)
        if total > 6000:
            text = "Embed size exceeds maximum size of 6000"
            self.problems.add(path, "MAX_EMBED_SIZE_EXCEEDED", text)

    def check_no_legacy(self) -> None:
        """Note texts and embeds, sent or left over, that cannot be used with components v2."""
        for key in _LEGACY_FIELDS:
            if self.body.get(key, getattr(self.existing, key, None)):
                code = "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2"
                text = f"The '{key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
                self.problems.add((*self.root, key), code, text)

    def read_attachments(self, uploads: Sequence[Upload]) -> None:
        """Separate the files to keep, named by id, from the new ones, named by number."""
        form, path = self.form, (*self.root, "attachments")
        # "files[3]" is number 3.
        by_number = {int(re.sub(r"\D", "", each.field) or 0): each for each in uploads}
        described: dict[int, JSON] = {}
        listed = self.body.get("attachments")
        if listed is not None:
            form.kept_ids = set()
            present = {each.id for each in self.existing.attachments} if self.existing else set()
            for index, entry in enumerate(listed):
                identifier = int(entry["id"]) if str(entry.get("id", "")).isdigit() else None
                if identifier in by_number:
                    described[identifier] = entry
                elif identifier in present:
                    form.kept_ids.add(identifier)
                elif self.existing is None or identifier is None:
                    self.problems.add((*path, index), "ATTACHMENT_NOT_FOUND", "Unknown attachment")
        self.problems.length(path, uploads, 0, 10)
        for number, upload in sorted(by_number.items()):
            description = described.get(number, {}).get("description")
            self.problems.length((*path, number, "description"), description, 0, 1024)
            form.new_files.append((upload, description))

    def check_references(self) -> None:
        """Check that components show only files that are there, and show all new ones."""
        kept = self.existing.attachments if self.existing else []
        kept_ids = self.form.kept_ids
        names = {upload.filename for upload, _ in self.form.new_files}
        there = names | {each.filename for each in kept if kept_ids is None or each.id in kept_ids}
        media = media_in(self.body.get("components") or [])
        urls = {str(each.get("url", "")) for each in media}
        scheme = "attachment://"
        shown = {url.removeprefix(scheme) for url in urls if url.startswith(scheme)}
        for name in sorted(shown - there):
            code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
            text = f"The referenced attachment '{name}' was not found"
            self.problems.add((*self.root, "components"), code, text)
        for name in sorted(names - shown):
            code = "MESSAGE_ATTACHMENT_NOT_REFERENCED"
            text = f"The attachment '{name}' is not shown by any component"
            self.problems.add((*self.root, "attachments"), code, text)
