"""What `python -m bot field` does: write printable fields as files."""

from __future__ import annotations

from pathlib import Path

from bot.model.errors import PlayerError
from bot.render.fields import draw_sheets, to_pdf, to_png
from engine.records import parse_record


class UnknownFormatError(PlayerError):
    """A file's ending names no format that fields are written in."""


def write_field(
    name: str, out: Path, *, record: Path | None = None, map_key: str | None = None
) -> list[Path]:
    """Write the field called `name` to `out` and return the files written.

    A PDF holds every sheet that a long game needs; as PNG each sheet is a file of
    its own, the second one called FILE-2.png.

    Args:
        name: One of `FIELDS`.
        out: A file ending in .png or .pdf; an existing one is replaced.
        record: A file with one game to fill the field from.
        map_key: One of the 64 maps; None for the game's own or map34.

    Raises:
        PlayerError: If there is no such field, map or format, or the game does not fit.
        EngineError: If the record cannot be read; the message points at the line.
        OSError: If a file cannot be read or written.
    """
    ending = out.suffix.lower()
    if ending not in (".png", ".pdf"):
        raise UnknownFormatError(f"{out}: the file's name must end in .png or .pdf.")
    game = None
    if record is not None:
        game = parse_record(record.read_text(encoding="utf-8", errors="replace")).game
    sheets = draw_sheets(name, map_key=map_key, game=game)
    if ending == ".pdf":
        out.write_bytes(to_pdf(*sheets))
        return [out]
    paths = [out, *(out.with_stem(f"{out.stem}-{number}") for number in range(2, len(sheets) + 1))]
    for path, sheet in zip(paths, sheets, strict=True):
        path.write_bytes(to_png(sheet))
    return paths
