"""Up to 256 colours that grow as shapes are blended onto each other."""

import io
import math
import threading
from collections.abc import Callable, Iterable
from typing import cast

import numpy as np
from PIL import Image

from bot.render.theme import Colour, mix

# Steps from uncovered to covered. More would be invisible at double size and
# would cost palette entries and bytes: every edge pixel has one of these.
_STEPS = 4
_STEP_OF_COVERAGE = np.rint(np.arange(256) * (_STEPS / 255)).astype(np.uint16)
_STEPS_OF_LEVELS: list[int] = _STEP_OF_COVERAGE.tolist()

# Channels of blends are rounded to multiples of this, so that blends of blends
# meet each other; always to the same ones, whatever was drawn before.
_GRAIN = 12


class Palette:
    """Colours by number; images in these numbers are of mode "L".

    Safe to use from several threads. A number, once handed out, keeps its
    colour, so images drawn earlier stay right while the palette grows.
    """

    def __init__(self) -> None:
        self._colours: list[Colour] = []
        self._flats: dict[Colour, int] = {}
        self._mixed: dict[Colour, int] = {}
        self._mixed_numbers: set[int] = set()
        self._blends: dict[tuple[int, int, int], int] = {}
        self._ramps: dict[tuple[int, int], list[int]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._colours)

    def flat(self) -> list[int]:
        """Return all channels in one list, the form that Pillow stores."""
        return [channel for colour in tuple(self._colours) for channel in colour]

    def png(self, image: Image.Image, compress_level: int = 6) -> bytes:
        """Return an image in these numbers as a PNG."""
        image.putpalette(self.flat())
        buffer = io.BytesIO()
        image.save(buffer, "PNG", compress_level=compress_level)
        return buffer.getvalue()

    def index_of(self, colour: Colour) -> int:
        """Return the number of exactly this colour, adding it if it is new."""
        with self._lock:
            return self._add(colour, self._flats)

    def over(self, base: Image.Image, colour: Colour, coverage: Image.Image) -> Image.Image:
        """Return `base`, in this palette's numbers, with `colour` laid over it.

        `coverage` is of mode "L" and the same size, 255 where the colour covers all.
        """
        front = self.index_of(colour)
        return self._mapped(base, coverage, lambda back, step: self._blend(back, front, step))

    def stamp(
        self,
        base: Image.Image,
        colour: Colour,
        coverage: Image.Image,
        *,
        grounds: Iterable[Colour],
        shade: Colour,
    ) -> Image.Image:
        """Return `base` with a mark laid over it through which drawings show in one shade.

        As `over`, but only the colours of `grounds` are covered. All others are drawings, which
        become `shade` without smooth edges.
        """
        numbers = {self.index_of(ground) for ground in grounds}
        front, below = self.index_of(colour), self.index_of(shade)

        def covered(number: int, step: int) -> int:
            if number in numbers:
                return self._blend(number, front, step)
            return below if 2 * step >= _STEPS else number

        return self._mapped(base, coverage, covered)

    @staticmethod
    def _mapped(
        base: Image.Image, coverage: Image.Image, covered: Callable[[int, int], int]
    ) -> Image.Image:
        """Return `base` with each pixel's number replaced; `covered` gets it and its step."""
        low, high = cast(tuple[int, int], base.getextrema())
        if low == high:  # the common case, words on a plain ground, without looking at pixels
            steps = {_STEPS_OF_LEVELS[level] for level, n in enumerate(coverage.histogram()) if n}
            numbers = {step: covered(low, step) for step in sorted(steps)}
            return coverage.point([numbers.get(step, 0) for step in _STEPS_OF_LEVELS])
        keys = np.asarray(base).astype(np.uint16) * (_STEPS + 1)
        keys += _STEP_OF_COVERAGE[np.asarray(coverage)]
        table = np.zeros(256 * (_STEPS + 1), np.uint8)
        for key in np.flatnonzero(np.bincount(keys.ravel())).tolist():
            table[key] = covered(*divmod(key, _STEPS + 1))
        return Image.fromarray(table[keys])

    def ramp(self, back: Colour, front: Colour) -> list[int]:
        """Return the number for each coverage 0 to 255 of `front` over `back`.

        Meant for `coverage.point(ramp)`: the fast way onto a plain ground.
        """
        ends = self.index_of(back), self.index_of(front)
        if ends not in self._ramps:
            steps = [self._blend(*ends, step) for step in range(_STEPS + 1)]
            self._ramps[ends] = [steps[step] for step in _STEPS_OF_LEVELS]
        return self._ramps[ends]

    def _blend(self, back: int, front: int, step: int) -> int:
        """Return the number for `front` covering `back` by `step` steps."""
        with self._lock:
            if back in self._mixed_numbers:
                # Where two edges cross, a few pixels: three steps are enough.
                step = round(step / _STEPS * 2) * _STEPS // 2
            if step in (0, _STEPS):
                return front if step else back
            key = back, front, step
            if key not in self._blends:
                blend = mix(self._colours[back], self._colours[front], step / _STEPS)
                red, green, blue = (min(255, round(each / _GRAIN) * _GRAIN) for each in blend)
                number = self._add((red, green, blue), self._mixed)
                self._mixed_numbers.add(number)
                self._blends[key] = number
            return self._blends[key]

    def _add(self, colour: Colour, known: dict[Colour, int]) -> int:
        """Return the number of `colour` among the `known`, new or not; the lock is held."""
        if colour in known:
            return known[colour]
        if len(self._colours) == 256:
            return min(range(256), key=lambda index: math.dist(self._colours[index], colour))
        self._colours.append(colour)
        known[colour] = len(self._colours) - 1
        return known[colour]
