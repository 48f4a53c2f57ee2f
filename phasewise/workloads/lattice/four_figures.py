"""The four figures by which the source judges a machine, and the flops that they count."""

from __future__ import annotations

from phasewise.workloads.lattice.model import Lattice

HOPPING_FLOPS = 1320
"""Of the hopping matrix, a site of one parity; the source counts 1296."""
ITERATION_FLOPS, CLOVER_ITERATION_FLOPS = 5520, 7728
"""Of an iteration of conjugate gradients, an even site, without clover term and with it, as the
source counts them.
"""


def iteration_flops(model: Lattice) -> int:
    """Of an iteration, an even site."""
    return CLOVER_ITERATION_FLOPS if model.quarks.has_clover else ITERATION_FLOPS


def four_figures(
    flops: float, cores: int, seconds: float, inside: float, moved: float
) -> dict[str, float]:
    """Of so many flops on all cores in `seconds`, of which a process is `inside` the exchanges of
    faces [s], in which it sends and receives `moved` bytes: overall rate, compute rate of a core
    outside of its exchanges, bytes per second in them, and their share of the time.
    """
    return {
        "overall_gigaflops": flops / seconds / 1e9,
        "compute_megaflops_per_core": flops / cores / max(seconds - inside, 1e-12) / 1e6,
        "exchange_megabytes_per_second": moved / inside / 1e6 if inside > 0 else 0.0,
        "overhead": inside / seconds,
    }
