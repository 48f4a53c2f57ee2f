"""The time of a collision's kernels as sums of terms."""

from phasewise.workloads.collision.kernels.terms import (
    BESIDE,
    ON_HOST,
    UNITS,
    VARIANTS,
    overheads,
    terms,
    variant_of,
)

__all__ = ["BESIDE", "ON_HOST", "UNITS", "VARIANTS", "overheads", "terms", "variant_of"]
