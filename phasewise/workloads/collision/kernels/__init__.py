"""How long the kernels of a collision take: the parts of their time."""

from phasewise.workloads.collision.kernels.terms import (
    BESIDE,
    UNITS,
    VARIANTS,
    overheads,
    terms,
    variant_of,
)

__all__ = ["BESIDE", "UNITS", "VARIANTS", "overheads", "terms", "variant_of"]
