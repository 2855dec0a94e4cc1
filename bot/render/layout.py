"""Where things stand: every length of a board picture, in pixels.

Pictures are drawn at about twice the size at which chat programs show them.
"""

from dataclasses import dataclass

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Lengths of a three-by-three arrangement of local boards.

    Attributes:
        cell: Side of a cell.
        line: Between two cells of a board.
        frame: Around the cells of a board; borders are drawn inside it.
        gap: Between the frames of two boards.
        border: Width of the border of a board that must be played in.
        thin_border: The same where the board is one of several to choose from.
        radius: Rounding of a board's corners.
        badge: Diameter of a board's number.
        label: Font size of a cell's number.
    """

    cell: int
    line: int
    frame: int
    gap: int
    border: int
    thin_border: int
    radius: int
    badge: int
    label: int

    @property
    def grid(self) -> int:
        """Side of the nine cells of a board with the lines between them."""
        return 3 * self.cell + 2 * self.line

    @property
    def panel(self) -> int:
        """Side of a board with its frame."""
        return self.grid + 2 * self.frame

    @property
    def field(self) -> int:
        """Side of all nine boards with the gaps between them."""
        return 3 * self.panel + 2 * self.gap

    def cell_offset(self, slot: int) -> tuple[int, int]:
        """Return where a cell of a board begins within its panel."""
        row, column = divmod(slot, 3)
        step = self.cell + self.line
        return self.frame + column * step, self.frame + row * step

    def panel_offset(self, board: int) -> tuple[int, int]:
        """Return where the panel of a board begins within the field."""
        row, column = divmod(board, 3)
        step = self.panel + self.gap
        return column * step, row * step


NORMAL = Metrics(
    cell=62,
    line=4,
    frame=11,
    gap=14,
    border=9,
    thin_border=4,
    radius=10,
    badge=42,
    label=32,
)

MARGIN = 18
PLATE_HEIGHT = 58
PLATE_GAP = 12
STATUS_TOP = MARGIN + PLATE_HEIGHT + 6
STATUS_HEIGHT = 50
FIELD_TOP = STATUS_TOP + STATUS_HEIGHT + 6
WIDTH = NORMAL.field + 2 * MARGIN
HEIGHT = FIELD_TOP + NORMAL.field + MARGIN - NORMAL.frame // 2
# Font sizes from the preferred one down; below the last, text is shortened.
NAME_SIZES = (30, 28, 26)
STATUS_SIZES = (36, 32, 28)


def cell_centre(cell: int) -> tuple[int, int]:
    """Return the pixel in the middle of a cell of the whole picture."""
    board, slot = divmod(cell, 9)
    panel_x, panel_y = NORMAL.panel_offset(board)
    cell_x, cell_y = NORMAL.cell_offset(slot)
    half = NORMAL.cell // 2
    return MARGIN + panel_x + cell_x + half, FIELD_TOP + panel_y + cell_y + half
