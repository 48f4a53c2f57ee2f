"""The four figures by which the source judges a machine (Allalen, Brehm, Stüben, SGI User Group
2008), with the flops as it counts them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from phasewise.study.study import Study
from phasewise.traces.records import CommunicationRecord
from phasewise.workloads.qcd.model import Qcd, model_of

HOPPING_FLOPS = 1320
"""Of the hopping matrix, a site of one parity; the source counts 1296."""
ITERATION_FLOPS, CLOVER_ITERATION_FLOPS = 5520, 7728
"""Of an iteration of conjugate gradients, an even site, without clover term and with it, as the
source counts them.
"""

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


def iteration_flops(model: Qcd) -> int:
    """Of an iteration, an even site."""
    return CLOVER_ITERATION_FLOPS if model.quarks.has_clover else ITERATION_FLOPS


def convention(flops: int) -> str:
    """A sentence on how the flops are counted."""
    kind = "with" if flops == CLOVER_ITERATION_FLOPS else "without"
    return (
        f"By {flops} flops an even site and iteration, as the source counts, {kind} clover "
        "term; there 1296 are the hopping matrix's for a site and 552 the clover term's, of which "
        f"kernels here count {HOPPING_FLOPS} and 504"
    )


def four_figures(
    flops: float, cores: int, seconds: float, inside: float, moved: float, sums: float = 0.0
) -> dict[str, float]:
    """Of so many flops on all cores in `seconds`, of which a process is `inside` the exchanges of
    faces [s], in which it sends and receives `moved` bytes, and in `sums` over all ranks [s]:
    overall rate, compute rate of a core outside of its exchanges, with sums in its time, as the
    source has it, and without; bytes per second in exchanges, and their share of the time.
    """
    outside, each = max(seconds - inside, LEAST), flops / cores / 1e6
    return {
        "overall_gigaflops": flops / seconds / 1e9,
        "compute_megaflops_per_core": each / outside,
        "compute_megaflops_per_core_without_sums": each / max(outside - sums, LEAST),
        "exchange_megabytes_per_second": moved / inside / 1e6 if inside > 0 else 0.0,
        "overhead": inside / seconds,
    }


def recorded_figures(study: Study, record: CommunicationRecord) -> dict[str, float] | None:
    """Those of a run, means over its ranks; None where no computation took time in it, or flops of
    its solver are not counted.
    """
    model = model_of(study)
    inside, sums, moved, computing = 0.0, 0.0, 0.0, 0.0
    for phase in record.phases:
        seconds = float(phase.communicating.mean())
        computing += float(phase.computing.mean())
        if phase.name.startswith(HALO):
            inside += seconds
            moved += 2.0 * float(phase.bytes.mean())
        elif phase.name.startswith(SUM):
            sums += seconds
    iterations = record.pieces.get("iteration", 0.0) * record.turns
    if model.solver.method != "cg" or computing == 0 or iterations == 0:
        return None
    flops = iteration_flops(model) * iterations * model.sites / 2
    return four_figures(flops, record.ranks * record.threads, record.seconds, inside, moved, sums)


def volume_texts(size: Sequence[int], cores: int) -> tuple[str, ...]:
    """Lattice, cores and sites of each as cells of a table, the first of its heads."""
    return "×".join(map(str, size)), str(cores), f"{math.prod(size) / cores:.6g}"


def figure_texts(found: Mapping[str, float] | None) -> tuple[str, ...]:
    """The figures as cells of a table, in the order of its heads."""
    if found is None:
        return ("–",) * 5
    exchange = found["exchange_megabytes_per_second"]
    return (
        f"{found['overall_gigaflops']:.3g}",
        f"{found['compute_megaflops_per_core']:.0f}",
        f"{found['compute_megaflops_per_core_without_sums']:.0f}",
        f"{exchange:.0f}" if exchange > 0 else "–",
        f"{100 * found['overhead']:.1f}",
    )
