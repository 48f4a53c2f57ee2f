"""Functions of our own core with the marks of their loops, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import dedent

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas

from phasewise.errors import PhasewiseError
from phasewise.loopmarks.compiling import CHECKOUT
from phasewise.loopmarks.listing import loopmarks
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.palette import SERIES
from phasewise.report.style import INK, MUTED, new_picture

MISSING = "Loopmarks need a checkout that gcc built"
MARKS = (
    "a number is a loop's depth, V4 would be vectorised in four lanes, u is unrolled, i is inlined"
)
"""What captions say of the marks."""
LINE_HEIGHT, LETTER = 0.155, 0.0585
"""Of a monospaced line of 7 points [inches]."""
SIZE = 7.0
MONOSPACED = ["DejaVu Sans Mono", "monospace"]


@dataclass(frozen=True)
class Source:
    """Functions of a file of the core, by the words with which they begin; through: the file that
    is compiled, if `file` is a header.
    """

    file: str
    functions: tuple[str, ...]
    through: str | None = None


@dataclass(frozen=True)
class Listing:
    """The lines of functions: their numbers, marks and texts."""

    file: str
    lines: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True)
class Listings:
    """A picture of sources by their titles."""

    name: str
    title: str
    caption: str
    sources: Mapping[str, Source]

    def make(self, out: Path, quick: bool) -> Figure:
        """The picture, with a PNG file in `out`; a sentence instead if the sources cannot be
        compiled here, or if it is to be quick.
        """
        return make_figure(self.name, self.title, partial(self._draw, quick), out)

    def _draw(self, quick: bool) -> Drawing | Missing:
        if quick:
            return Missing("Run it without --quick to see how gcc compiled the loops.")
        try:
            found = {title: listing_of(source) for title, source in self.sources.items()}
        except PhasewiseError as error:
            return Missing(f"{MISSING}: {error}.")
        return Drawing(_canvas_of(found), self.caption)


def listing_of(source: Source) -> Listing:
    """The marked functions of a source; StudyError or RunError if it cannot be compiled."""
    through = None if source.through is None else CHECKOUT / source.through
    lines = loopmarks(CHECKOUT / source.file, through=through).lines
    texts = [line.text for line in lines]
    found = []
    for begins in source.functions:
        first, last = extent_of(texts, begins)
        own = dedent("\n".join(texts[first:last])).split("\n")
        found += [
            (line.line, line.marks, text) for line, text in zip(lines[first:last], own, strict=True)
        ]
    return Listing(source.file, tuple(found))


def extent_of(texts: Sequence[str], begins: str) -> tuple[int, int]:
    """Where a function begins, and the line after its closing brace."""
    first = next(at for at, text in enumerate(texts) if begins in text)
    return first, next(at for at in range(first, len(texts)) if texts[at] == "}") + 1


def _canvas_of(found: Mapping[str, Listing]) -> Canvas:
    """Listings one below the other."""
    heights = [len(listing.lines) + 2 for listing in found.values()]
    canvas, axes = new_picture(
        len(found),
        1,
        LINE_HEIGHT * (sum(heights) + 1),
        height_ratios=heights,
    )
    for axis, (title, listing) in zip(axes[:, 0], found.items(), strict=True):
        axis.set_axis_off()
        axis.set_title(f"{title}: {listing.file}")
        axis.set_xlim(0.0, 1.0)
        axis.set_ylim(len(listing.lines), 0.0)
        widest = max(len(marks) for _, marks, _ in listing.lines)
        for at, (number, marks, text) in enumerate(listing.lines):
            parts = ((f"{number}.", 0.0, MUTED), (marks, 5.0, SERIES[0]), (text, widest + 7.0, INK))
            for words, letters, colour in parts:
                _write(axis, letters * LETTER / 9.0, at + 0.5, words, colour)
    return canvas


def _write(axis: Axes, x: float, y: float, words: str, colour: str) -> None:
    # Spaces at the beginning would be lost in an SVG.
    axis.text(
        x, y, words.replace(" ", "\N{NO-BREAK SPACE}"), family=MONOSPACED, size=SIZE,
        color=colour, va="center",
    )  # fmt: skip
