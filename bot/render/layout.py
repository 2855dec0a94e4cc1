"""Every length of a board picture, in pixels.

Pictures are drawn at about twice the size at which chat programs show them.
"""

from dataclasses import dataclass, replace

from engine import Cell

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
        badge: Diameter of the plate of a board's number.
        badge_label: Font size of that number.
        badge_shift: How far it stands out over the left and the top of the panel.
        label: Font size of a cell's number; 0 where cells are too small for one.
        note: Font size of the small number in its corner.
        is_rough: Whether marks below a larger one have no smooth edges, which saves colours.
    """

    cell: Cell
    line: int
    frame: int
    gap: int
    border: int
    thin_border: int
    radius: int
    badge: int
    badge_label: int
    badge_shift: tuple[int, int]
    label: int
    note: int
    is_rough: bool = False

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

    def place_offset(self, place: int) -> tuple[int, int]:
        """Return where one of the 81 cells begins within the field."""
        board, slot = divmod(place, 9)
        panel_x, panel_y = self.panel_offset(board)
        cell_x, cell_y = self.cell_offset(slot)
        return panel_x + cell_x, panel_y + cell_y

    def centre_of(self, place: int, origin: tuple[int, int]) -> tuple[int, int]:
        """Return the pixel in the middle of one of the 81 cells of a field at `origin`."""
        x, y = self.place_offset(place)
        return origin[0] + x + self.cell // 2, origin[1] + y + self.cell // 2


# The nine boards of an ordinary game.
NORMAL = Metrics(
    cell=62,
    line=4,
    frame=11,
    gap=14,
    border=9,
    thin_border=4,
    radius=10,
    badge=42,
    badge_label=27,
    badge_shift=(14, 14),
    label=32,
    note=22,
)
# The only board of the smallest game.
SINGLE = replace(NORMAL, cell=150, line=6, gap=0, radius=14, label=64, note=32)
# The strategic board in play of a strategic game, nine tactical boards.
ZOOM = Metrics(
    cell=48,
    line=2,
    frame=8,
    gap=10,
    border=7,
    thin_border=3,
    radius=7,
    badge=34,
    badge_label=24,
    badge_shift=(8, 19),
    label=32,
    note=24,
    is_rough=True,
)
# One strategic board among all nine.
SMALL = Metrics(
    cell=15,
    line=1,
    frame=3,
    gap=0,
    border=3,
    thin_border=2,
    radius=3,
    badge=34,
    badge_label=24,
    badge_shift=(0, 0),
    label=0,
    note=0,
    is_rough=True,
)
# The strategic boards of the overview: their cells are whole boards of `SMALL`.
BLOCKS = Metrics(
    cell=SMALL.panel,
    line=0,
    frame=8,
    gap=8,
    border=7,
    thin_border=4,
    radius=6,
    badge=SMALL.badge,
    badge_label=SMALL.badge_label,
    badge_shift=(18, 20),
    label=0,
    note=0,
)

MARGIN = 18
PLATE_HEIGHT = 58
PLATE_GAP = 12
STATUS_TOP = MARGIN + PLATE_HEIGHT + 6
STATUS_HEIGHT = 50
FIELD_TOP = STATUS_TOP + STATUS_HEIGHT + 6
WIDTH = NORMAL.field + 2 * MARGIN
HEIGHT = FIELD_TOP + NORMAL.field + MARGIN - NORMAL.frame // 2

SINGLE_LEFT = (WIDTH - SINGLE.panel) // 2
SINGLE_HEIGHT = FIELD_TOP + SINGLE.panel + MARGIN - SINGLE.frame // 2

# A strategic game is wider than high: the overview at the left, the zoom beside it. The badges
# of the overview stand out over it.
OVERVIEW_LEFT = MARGIN + 4
OVERVIEW_TOP = FIELD_TOP + 7
ASIDE_LEFT = OVERVIEW_LEFT + BLOCKS.field + 26
COLUMN_WIDTH = 42
COLUMN_GAP = 10
ASIDE_WIDTH = COLUMN_WIDTH + COLUMN_GAP + ZOOM.field
ZOOM_TOP = OVERVIEW_TOP + (BLOCKS.field - ZOOM.field) // 2
STRATEGIC_WIDTH = ASIDE_LEFT + ASIDE_WIDTH + MARGIN
WORDS_TOP = OVERVIEW_TOP + BLOCKS.field + 7
WORDS_HEIGHT = 32
CREDIT_TOP = WORDS_TOP + WORDS_HEIGHT
CREDIT_HEIGHT = 28
STRATEGIC_HEIGHT = CREDIT_TOP + CREDIT_HEIGHT + 6
# Font sizes from the preferred one down; below the last, text is shortened.
NAME_SIZES = (30, 28, 26)
STATUS_SIZES = (36, 32, 28, 25)


def block_origin(strategic: int) -> tuple[int, int]:
    """Return where the cells of a strategic board of the overview begin."""
    left, top = BLOCKS.panel_offset(strategic)
    return OVERVIEW_LEFT + left + BLOCKS.frame, OVERVIEW_TOP + top + BLOCKS.frame


def overview_cell_centre(cell: Cell) -> tuple[int, int]:
    """Return the pixel in the middle of a cell of the overview of a strategic game."""
    strategic, inside = divmod(cell, 81)
    return SMALL.centre_of(inside, block_origin(strategic))


def zoom_origin(*, has_column: bool) -> tuple[int, int]:
    """Return where the zoom begins, with or without a mapping column beside it."""
    spare = COLUMN_WIDTH + COLUMN_GAP
    return ASIDE_LEFT + (spare if has_column else spare // 2), ZOOM_TOP
