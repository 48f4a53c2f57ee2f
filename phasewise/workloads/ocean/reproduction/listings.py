"""Loopmarks of the tridiagonal loop of the vertical mixing, down a column and along rows."""

from __future__ import annotations

from phasewise.loopmarks.picture import MARKS, Listings, Source

TITLE = "POP Vectorization (loopmarks)"
MIXING = "core/ocean/momentum.cpp"
SOURCES = {
    "loops of both kernels": Source(
        "core/ocean/row_loops.hpp", ("void for_vectors(", "void downwards("), MIXING
    ),
    "what they do at a level": Source(MIXING, ("void Momentum::mix_row(",)),
}
CAPTION = (
    f"The tridiagonal loop of the vertical mixing as gcc compiled it here: {MARKS}. With kernel = "
    '"plain" columns are outside and levels inside, as in the original version on the slides, so '
    'that nothing is vectorised. With "fast" levels are outside and vectors of cells along x '
    "inside, which need no vectoriser: their variables are vectors by type. On the slides the "
    "vector version has the same order, and its loops are multi-streamed and vectorised."
)
LISTINGS = Listings("ocean-loopmarks", TITLE, CAPTION, SOURCES)
