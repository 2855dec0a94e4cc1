"""Sample pictures, and the benchmark's report."""

from pathlib import Path

import pytest
from PIL import Image

from bot.render import THEMES, bench, preview, write_previews
from bot.render.preview import animated_samples, designed_samples, sample_pictures


@pytest.mark.parametrize(
    ("animations", "themes"),
    [
        ({"replay-single"}, ("dark",)),
        pytest.param(set(animated_samples()), tuple(THEMES), marks=pytest.mark.long),
    ],
)
def test_every_sample_is_written_in_every_theme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, animations: set[str], themes: tuple[str, ...]
):
    """Short runs use one animation and one theme: other tests draw all of them."""
    monkeypatch.setattr(preview, "THEMES", {theme: THEMES[theme] for theme in themes})
    drawings = {name: draw for name, draw in animated_samples().items() if name in animations}
    monkeypatch.setattr(preview, "animated_samples", lambda: drawings)
    written = write_previews(tmp_path / "new" / "folder")

    assert {path.stem for path in written} == {
        f"{theme}-{name}"
        for theme in themes
        for name in (*sample_pictures(), *designed_samples(), *animations)
    }
    for path in written:
        with Image.open(path) as image:
            image.verify()


@pytest.mark.long
def test_the_report_names_every_sample(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bench, "_REPEATS", 1)

    lines = list(bench.bench_lines())

    assert len(lines) == 1 + len(sample_pictures()) + len(designed_samples()) + len(
        animated_samples()
    )
