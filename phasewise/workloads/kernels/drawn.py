"""Serial kernels that are drawn at random, by which models are judged."""

from __future__ import annotations

from phasewise.models.drawn import Draw, Drawn, Tables, Wanted, between, one_of, some
from phasewise.workloads.kernels.model import DENSE, SPARSE

SIZE = (16, 512)


class KernelsDrawn(Drawn):
    """How its studies are drawn."""

    COUNTS = (1, 10)

    def tables(self, draw: Draw, wanted: Wanted) -> Tables:
        """Every kernel as often as the others."""
        size = round(between(draw, *SIZE))
        keys = {"repetitions": (1, 4), "verify": (True, False)}
        kernel = {"kernel": str(one_of(draw, (*DENSE, *SPARSE)))}
        return {"kernels": {**kernel, "n": size, **some(draw, keys)}}
