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
"""Flops of the hopping matrix for a site of one parity; the source counts 1296."""
ITERATION_FLOPS, CLOVER_ITERATION_FLOPS = 5520, 7728
"""Flops of an iteration of conjugate gradients for an even site, without and with clover term, as
the source counts them.
"""

HALO, SUM = "halo_", "sum_"
"""Prefixes of the names of the phases that exchange faces, and of those that sum over all ranks."""
LEAST = 1e-12
"""Lower bound [s] on the time outside of exchanges, which the bench estimates as a median minus
means.
"""

HEADS = (
    "lattice", "cores", "sites a core", "Gflop/s", "Mflop/s a core", "without sums", "MB/s",
    "overhead %",
)  # fmt: skip
"""Heads of the table of the figures against cores and volume; `EXPLAINED` explains them."""
EXPLAINED = (
    "Gflop/s: rate of all cores; Mflop/s a core: rate outside of the exchanges of faces, first "
    "with the sums over all ranks in its time, as in the source, then without them; MB/s: what a "
    "process sends and receives in these exchanges; overhead: their share of the time"
)


def iteration_flops(model: Qcd) -> int:
    """Flops of an iteration for an even site, as the source counts them."""
    clover = model.quarks is not None and model.quarks.has_clover
    return CLOVER_ITERATION_FLOPS if clover else ITERATION_FLOPS


def convention(flops: int) -> str:
    """A sentence on how the flops are counted."""
    kind = "with" if flops == CLOVER_ITERATION_FLOPS else "without"
    return (
        f"Flops are counted as in the source: {flops} for an even site and iteration {kind} "
        "clover term, based on 1296 per site for the hopping matrix and 552 for the clover term, "
        f"for which the kernels here count {HOPPING_FLOPS} and 504"
    )


def four_figures(
    flops: float, cores: int, seconds: float, inside: float, moved: float, sums: float = 0.0
) -> dict[str, float]:
    """The four figures of a computation of `flops` flops on all cores in `seconds`.

    inside: seconds that a process spends in exchanges of faces; moved: bytes that it sends and
    receives in them; sums: seconds that it spends in sums over all ranks.

    The figures are the overall rate; the compute rate of a core outside of exchanges of faces, both
    with the sums in its time, as the source has it, and without; the bytes per second in exchanges;
    and the share of the time that exchanges take.
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
    """The four figures of a run as means over its ranks. None if the run records no time of
    computation, or if the flops of its solver are not counted.
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
    """Lattice, cores and sites per core as cells of a table, in the order of `HEADS`."""
    return "×".join(map(str, size)), str(cores), f"{math.prod(size) / cores:.6g}"


def figure_texts(found: Mapping[str, float] | None) -> tuple[str, ...]:
    """The figures as cells of a table, in the order of `HEADS`."""
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
