"""Loopmarks of the Riemann solver: with values of one pencil, and with vectors of pencils."""

from __future__ import annotations

from phasewise.loopmarks.picture import MARKS, Listings, Source
from phasewise.workloads.hydro.communication import FAST, PLAIN

TITLE = "EVH1: riemann template (loopmarks)"
HEADER = "core/hydro/sweep_loops.hpp"
FUNCTIONS = ("void solve_newton_8(", "void solve_faces(")
SOURCES = {
    f'kernel = "{kernel}"': Source(HEADER, FUNCTIONS, f"core/hydro/sweep_{kernel}.cpp")
    for kernel in (PLAIN, FAST)
}
"""The same template is compiled for both."""
CAPTION = (
    f"The Newton steps of Riemann's problem as gcc compiled them here: {MARKS}. The template is "
    "the same for both kernels. V is a number of one pencil, and gcc may vectorise the loop over "
    "its faces; or V is a vector of several pencils by type, which needs no vectoriser. On the "
    "slide the loop over the faces of a pencil is within that over the eight steps, and is marked "
    "MV, multi-streamed and vectorised."
)
LISTINGS = Listings("hydro-loopmarks", TITLE, CAPTION, SOURCES)
