"""The four figures by which the source judges a machine (Allalen, Brehm, Stüben, SGI User Group
2008), with the flops as it counts them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from phasewise.study.study import Study
from phasewise.traces.records import CommunicationRecord
from phasewise.workloads.lattice.model import model_of

WILSON_FLOPS, CLOVER_FLOPS = 5520, 7728
"""Of an iteration of the solver, an even site, without clover term and with it."""
HOPPING_FLOPS = 1320
"""Of the hopping matrix, a site of one parity; the source counts 1296."""

HALO, SUM = "halo_", "sum_"
"""How the names of the phases of faces, and of sums over all ranks, begin."""


LEAST = 1e-12
"""Time outside of exchanges at least [s]: the bench compares a median with means."""

HEADS = (
    "lattice", "cores", "sites a core", "Gflop/s", "Mflop/s a core", "without sums", "MB/s",
    "overhead %",
)  # fmt: skip
"""Of a table of the figures against cores and volume, which `EXPLAINED` explains."""
EXPLAINED = (
    "Gflop/s: of all cores; Mflop/s a core: outside of the exchanges of faces, with sums over all "
    "ranks in the time as in the source, then without sums; MB/s: sent and received by a process "
    "in these exchanges; overhead: their share of the time"
)


def iteration_flops(quarks: Mapping[str, Any]) -> int:
    """Of an iteration, an even site, from a study's table [quarks]."""
    return CLOVER_FLOPS if quarks.get("clover") else WILSON_FLOPS


def convention(flops: int) -> str:
    """A sentence on how the flops are counted."""
    kind = "with" if flops == CLOVER_FLOPS else "without"
    return (
        f"Flops as the source counts them: {flops} for an even site and iteration, {kind} clover "
        f"term; there 1296 are the hopping matrix's for a site and 552 the clover term's, of which "
        f"kernels here count {HOPPING_FLOPS} and 504"
    )


@dataclass(frozen=True)
class FourFigures:
    """Overall rate; compute rate of a core outside of the exchanges of faces, with sums over all
    ranks in its time, as in the source, and without; what a process sends and receives in these
    exchanges [MB/s], 0 where nothing is exchanged; and their share of the time.
    """

    overall_gigaflops: float
    compute_megaflops_per_core: float
    compute_megaflops_per_core_without_sums: float
    exchange_megabytes_per_second: float
    overhead: float


def four_figures(
    flops: float, cores: int, seconds: float, halo: float, sums: float, moved: float
) -> FourFigures:
    """From the flops of all cores in `seconds`, in which a process spends `halo` seconds in
    exchanges of faces, `sums` in sums, and sends and receives `moved` bytes of faces.
    """
    each = 1e-6 * flops / cores
    outside = max(seconds - halo, LEAST)
    return FourFigures(
        overall_gigaflops=1e-9 * flops / seconds,
        compute_megaflops_per_core=each / outside,
        compute_megaflops_per_core_without_sums=each / max(outside - sums, LEAST),
        exchange_megabytes_per_second=1e-6 * moved / halo if halo > 0 else 0.0,
        overhead=halo / seconds,
    )


def recorded_figures(study: Study, record: CommunicationRecord) -> FourFigures | None:
    """Those of a run, means over its ranks; None where no computation took time in it."""
    model = model_of(study)
    halo, sums, moved, computing = 0.0, 0.0, 0.0, 0.0
    for phase in record.phases:
        seconds = float(phase.communicating.mean())
        computing += float(phase.computing.mean())
        if phase.name.startswith(HALO):
            halo += seconds
            moved += 2.0 * float(phase.bytes.mean())
        elif phase.name.startswith(SUM):
            sums += seconds
    iterations = record.pieces.get("iteration", 0.0) * record.turns
    if computing == 0 or iterations == 0:
        return None
    flops = iteration_flops(study.resolved()["quarks"]) * iterations * model.sites / 2
    cores = record.ranks * record.threads
    return four_figures(flops, cores, record.seconds, halo, sums, moved)


def volume_texts(size: Sequence[int], cores: int) -> tuple[str, ...]:
    """Lattice, cores and sites of each as cells of a table, the first of its heads."""
    return "×".join(map(str, size)), str(cores), f"{math.prod(size) / cores:.6g}"


def figure_texts(found: FourFigures | None) -> tuple[str, ...]:
    """The figures as cells of a table, in the order of its heads."""
    if found is None:
        return ("–",) * 5
    exchange = found.exchange_megabytes_per_second
    return (
        f"{found.overall_gigaflops:.3g}",
        f"{found.compute_megaflops_per_core:.0f}",
        f"{found.compute_megaflops_per_core_without_sums:.0f}",
        f"{exchange:.0f}" if exchange > 0 else "–",
        f"{100 * found.overhead:.1f}",
    )
