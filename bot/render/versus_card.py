"""Two players against each other: who won how often, with what, in which variants."""

from dataclasses import KW_ONLY, dataclass
from typing import Final

from bot.language import _, ngettext
from bot.render.captions import ENGLISH, Captions
from bot.render.card import HEAD, MARGIN, Card, told
from bot.render.record_rows import (
    GAP,
    INNER,
    ROW,
    TILE,
    Record,
    Result,
    draw_heading,
    draw_plates,
    draw_record,
    told_record,
    told_results,
)
from bot.render.text import writable_text
from bot.render.theme import DARK, Theme, mix
from bot.render.words import LETTERS, one_line
from engine import O, X

_SCORE: Final = 178
_HEADING: Final = 40
_MOST_RECORDS: Final = 6
_MOST_GAMES: Final = 20
_BAR: Final = 18


@dataclass(frozen=True, slots=True)
class VersusPicture:
    """Everything that is shown of two players.

    Attributes:
        names: Whose results they are, and against whom; any text.
        record: All games between them.
        subtitle: What is counted, say.
        ratings: What is written below their names, empty for nothing.
        sides: The record as X and as O.
        records: The record by variant; the first six are shown.
        games: The last results, the newest last; twenty are shown.
        theme: Colours and shapes.
        captions: The words.
    """

    names: tuple[str, str]
    record: Record
    _: KW_ONLY
    subtitle: str = ""
    ratings: tuple[str, str] = ("", "")
    sides: tuple[Record, Record] = (Record(label="as X"), Record(label="as O"))
    records: tuple[Record, ...] = ()
    games: tuple[Result, ...] = ()
    theme: Theme = DARK
    captions: Captions = ENGLISH


def draw_versus(picture: VersusPicture) -> bytes:
    """Return two players against each other as a PNG, some 25 KB; takes about 40 ms."""
    records = picture.records[:_MOST_RECORDS]
    words = picture.captions
    rows = (2 + len(records)) * (ROW + GAP) if picture.record.games else 0
    height = HEAD + 6 + _SCORE + 12
    height += TILE + 8 + _HEADING + rows + MARGIN if rows else ROW + MARGIN
    card = Card(picture.theme, height)
    card.title(" \N{EN DASH} ".join(_names(picture)), writable_text(picture.subtitle, fallback=""))
    top = HEAD + 6
    _draw_score(card, picture, top)
    top += _SCORE + 12
    if not rows:
        card.write(words.never_met, (MARGIN, top, INNER, ROW), card.theme.muted, (24, 22, 20), "m")
        return card.png()
    games = [
        (words.letters[list(Result).index(result)], result)
        for result in picture.games[-_MOST_GAMES:]
    ]
    draw_plates(card, (MARGIN, top, INNER, TILE), words.met, games)
    top += TILE + 8
    draw_heading(card, words.record, top, _HEADING)
    top += _HEADING
    for side in (X, O):
        draw_record(card, picture.sides[side], top, side=side)
        top += ROW + GAP
    for record in records:
        draw_record(card, record, top)
        top += ROW + GAP
    return card.png()


def describe_versus(picture: VersusPicture) -> str:
    """Return the two in words, at most 1024 characters."""
    first, second = (one_line(name, 60) for name in picture.names)
    record = picture.record
    if not record.games:
        nothing = _("{name} and {other} have not finished a game against each other yet.")
        return told([nothing.format(name=first, other=second)])
    count = ngettext(
        "{name} against {other}: {count} game, {record}.",
        "{name} against {other}: {count} games, {record}.",
        record.games,
    )
    sentences = [
        count.format(name=first, other=second, count=record.games, record=told_record(record))
    ]
    sentences += [f"{LETTERS[side]}: {told_record(picture.sides[side])}." for side in (X, O)]
    if picture.games:
        letters = told_results(picture.games[-_MOST_GAMES:], picture.captions)
        sentences.append(_("Last games, newest last: {letters}.").format(letters=letters))
    shown = picture.records[:_MOST_RECORDS]
    sentences += [f"{one_line(each.label, 40)}: {told_record(each)}." for each in shown]
    return told(sentences)


def _names(picture: VersusPicture) -> tuple[str, str]:
    first, second = (
        writable_text(name, fallback=picture.captions.nameless) for name in picture.names
    )
    return first, second


def _draw_score(card: Card, picture: VersusPicture, top: int) -> None:
    """Draw what both have won at their ends of a bar, what was drawn in its middle."""
    theme, record = card.theme, picture.record
    card.block((MARGIN, top, INNER, _SCORE), theme.surface, 16)
    left, width = MARGIN + 18, INNER - 36
    half = width // 2 - 8
    inks = (theme.accent, theme.text)
    for place, (name, rating) in enumerate(zip(_names(picture), picture.ratings, strict=True)):
        x, align = (left, "l") if place == 0 else (left + width - half, "r")
        card.write(name, (x, top + 10, half, 38), theme.text, (28, 26, 24, 22), align)
        said = writable_text(rating, fallback="")
        card.write(said, (x, top + 46, half, 28), theme.muted, (21, 19), align)
        wins = f"{(record.wins, record.losses)[place]}"
        x = (left, left + width - 200)[place]
        card.write(wins, (x, top + 76, 200, 60), inks[place], (56, 48, 40), align)
    middle = (left + width // 2 - 90, top + 74, 180, 40)
    card.write(f"{record.draws}", middle, theme.muted, (36, 32, 28), "m")
    box = (middle[0], top + 112, 180, 26)
    card.write(picture.captions.drawn_games, box, theme.muted, (20, 18, 16), "m")
    bar = (left, top + _SCORE - _BAR - 16, width, _BAR)
    card.block(bar, mix(theme.surface, theme.text, 0.2), 8)
    if record.games:
        won = width * record.wins / record.games
        lost = width * record.losses / record.games
        end = left + width
        card.block((end - round(lost), bar[1], round(lost), _BAR), theme.text, 8)
        card.block((left, bar[1], round(won), _BAR), theme.accent, 8)
