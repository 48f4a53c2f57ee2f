"""Loopmarks of the Legendre transforms' products: of the original loops over single levels, and of
those that replace them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import dedent

from matplotlib.axes import Axes

from phasewise.errors import PhasewiseError
from phasewise.loopmarks.compiling import CHECKOUT
from phasewise.loopmarks.listing import loopmarks
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.palette import SERIES
from phasewise.report.style import INK, MUTED, new_picture
from phasewise.workloads.sphere.communication import BY_LEVEL, FAST

TITLE = "PSTSWM Code Versions (loopmarks)"
SOURCES = {
    BY_LEVEL: ("core/sphere/legendre.cpp", "void multiply_by_level("),
    FAST: ("core/linear/multiply.cpp", "inline void sum_block("),
}
"""By kernel: the file, and the words by which the function of the innermost loops begins."""
MISSING = "Loopmarks need a checkout that gcc built"
LINE_HEIGHT, LETTER = 0.155, 0.0585
"""Of a monospaced line of 7 points [inches]."""
SIZE = 7.0
MONOSPACED = ["DejaVu Sans Mono", "monospace"]


@dataclass(frozen=True)
class Listing:
    """The lines of a function: their numbers, marks and texts."""

    file: str
    lines: tuple[tuple[int, str, str], ...]


def find_listings(quick: bool) -> Mapping[str, Listing] | Missing:
    """The marked functions by kernel; a sentence if they cannot be compiled here, or if it is to be
    quick.
    """
    if quick:
        return Missing("Run it without --quick to see how gcc compiled the loops.")
    try:
        return {kernel: _listing(*source) for kernel, source in SOURCES.items()}
    except PhasewiseError as error:
        return Missing(f"{MISSING}: {error}.")


def _listing(file: str, begins: str) -> Listing:
    lines = loopmarks(CHECKOUT / file).lines
    first, last = extent_of([line.text for line in lines], begins)
    own = lines[first:last]
    texts = dedent("\n".join(line.text for line in own)).split("\n")
    return Listing(
        file, tuple((line.line, line.marks, text) for line, text in zip(own, texts, strict=True))
    )


def extent_of(texts: Sequence[str], begins: str) -> tuple[int, int]:
    """Where a function begins, and the line after its closing brace."""
    first = next(at for at, text in enumerate(texts) if begins in text)
    return first, next(at for at in range(first, len(texts)) if texts[at] == "}") + 1


def make_listing(found: Mapping[str, Listing] | Missing, out: Path) -> Figure:
    """The picture of the listings."""
    return make_figure("sphere-loopmarks", TITLE, partial(_draw, found), out)


def _draw(found: Mapping[str, Listing] | Missing) -> Drawing | Missing:
    if isinstance(found, Missing):
        return found
    heights = [len(listing.lines) + 2 for listing in found.values()]
    canvas, axes = new_picture(
        len(found),
        1,
        LINE_HEIGHT * (sum(heights) + 1),
        height_ratios=heights,
    )
    for axis, (kernel, listing) in zip(axes[:, 0], found.items(), strict=True):
        axis.set_axis_off()
        axis.set_title(f'kernel = "{kernel}": {listing.file}')
        axis.set_xlim(0.0, 1.0)
        axis.set_ylim(len(listing.lines), 0.0)
        widest = max(len(marks) for _, marks, _ in listing.lines)
        for at, (number, marks, text) in enumerate(listing.lines):
            parts = ((f"{number}.", 0.0, MUTED), (marks, 5.0, SERIES[0]), (text, widest + 7.0, INK))
            for words, letters, colour in parts:
                _write(axis, letters * LETTER / 9.0, at + 0.5, words, colour)
    return Drawing(
        canvas,
        "The innermost loops of a Legendre transform as gcc compiled them here: a number is a "
        "loop's depth, V4 would be vectorised in four lanes, u is unrolled, i is inlined. The "
        "original loops are not vectorised. The other ones need no vectoriser: their variables "
        "are vectors by type.",
    )


def _write(axis: Axes, x: float, y: float, words: str, colour: str) -> None:
    # Spaces at the beginning would be lost in an SVG.
    axis.text(
        x, y, words.replace(" ", "\N{NO-BREAK SPACE}"), family=MONOSPACED, size=SIZE,
        color=colour, va="center",
    )  # fmt: skip
