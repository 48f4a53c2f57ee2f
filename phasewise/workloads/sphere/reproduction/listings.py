"""Loopmarks of the Legendre transforms' products: of the original loops over single levels, and of
those that replace them.
"""

from __future__ import annotations

from phasewise.loopmarks.picture import MARKS, Listings, Source
from phasewise.workloads.sphere.communication import BY_LEVEL, FAST

TITLE = "PSTSWM Code Versions (loopmarks)"
SOURCES = {
    f'kernel = "{BY_LEVEL}"': Source("core/sphere/legendre.cpp", ("void multiply_by_level(",)),
    f'kernel = "{FAST}"': Source("core/linear/multiply.cpp", ("inline void sum_block(",)),
}
"""The functions of the innermost loops."""
CAPTION = (
    f"The innermost loops of a Legendre transform as gcc compiled them here: {MARKS}. The original "
    "loops are not vectorised. The other ones need no vectoriser: their variables are vectors by "
    "type."
)
LISTINGS = Listings("sphere-loopmarks", TITLE, CAPTION, SOURCES)
