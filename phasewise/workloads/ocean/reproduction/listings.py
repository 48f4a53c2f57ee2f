"""Loopmarks of the tridiagonal loop of the vertical mixing, down a column and along rows."""

from __future__ import annotations

from phasewise.loopmarks.picture import MARKS, Listings, Source
from phasewise.workloads.ocean.communication import FAST, PLAIN

TITLE = "POP Vectorization (loopmarks)"
FILE = "core/ocean/momentum.cpp"
SOURCES = {f'kernel = "{kernel}"': Source(FILE, ("void mix_row(",)) for kernel in (PLAIN, FAST)}
CAPTION = (
    f"The tridiagonal loop of the vertical mixing as gcc compiled it here: {MARKS}. On the slides "
    "the original loop goes over the columns outside and down each column inside, so that nothing "
    "is vectorised; in the vector version levels are outside, and the loop over the cells along x "
    "is vectorised and multi-streamed."
)
LISTINGS = Listings("ocean-loopmarks", TITLE, CAPTION, SOURCES)
