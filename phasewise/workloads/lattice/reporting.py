"""What a report on lattice QCD adds to that of every run."""

from __future__ import annotations

import math

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter
from phasewise.report.tables import Table
from phasewise.traces.records import CommunicationRecord
from phasewise.workloads.lattice import pictures
from phasewise.workloads.lattice.four_figures import (
    CLOVER_ITERATION_FLOPS,
    ITERATION_FLOPS,
    four_figures,
)


def tables(run: ReportedRun) -> list[Table]:
    """The source's four figures."""
    record = run.communication
    iterations = int(run.results.rows("iterations").sum())
    if record is None or iterations == 0 or run.study["solver"]["method"] != "cg":
        return []
    quarks = run.study["quarks"]
    clover = any(quarks.get(f"clover_{planes}") for planes in ("spatial", "temporal"))
    per_site = CLOVER_ITERATION_FLOPS if clover else ITERATION_FLOPS
    flops = per_site * math.prod(run.study["lattice"]["size"]) / 2 * iterations
    cores = record.ranks * int(run.performance.get("threads") or 1)
    seconds = float(record.rank_seconds.mean())
    halos, sums = _seconds_in(record, "halo"), _seconds_in(record, "sum")
    moved = 2 * sum(float(p.bytes.mean()) for p in record.phases if p.name.startswith("halo"))
    found = four_figures(flops, cores, seconds, halos, moved)
    without = four_figures(flops, cores, seconds, halos + sums, moved)
    rows = (
        ("overall [Gflop/s]", f"{found['overall_gigaflops']:.3g}"),
        (
            "outside of exchanges of faces, with sums [Mflop/s a core]",
            f"{found['compute_megaflops_per_core']:.4g}",
        ),
        ("outside of sums too [Mflop/s a core]", f"{without['compute_megaflops_per_core']:.4g}"),
        (
            "sent and received in exchanges [MB/s a process]",
            f"{found['exchange_megabytes_per_second']:.4g}",
        ),
        ("overhead [%]", f"{100 * found['overhead']:.3g}"),
    )
    note = (
        f"By {per_site} flops an even site and iteration, as the source counts; of the whole run, "
        "with what is measured on the links."
    )
    return [Table(f"The source's four figures, {cores} cores", ("", ""), rows, note)]


def _seconds_in(record: CommunicationRecord, kind: str) -> float:
    """In phases of a kind, the mean of the ranks."""
    return sum(float(p.communicating.mean()) for p in record.phases if p.name.startswith(kind))


CHAPTERS = (
    Chapter(
        "solves",
        "Solves",
        (
            ("residuals", "Residuals", pictures.draw_residuals),
            ("pion", "Pion", pictures.draw_pion),
            ("loops", "Plaquettes and Polyakov loops", pictures.draw_loops),
        ),
        tables,
    ),
)


def tiles(run: ReportedRun) -> list[Tile]:
    """The lattice, its plaquette, and how well it was solved."""
    size = "×".join(map(str, run.study["lattice"]["size"]))
    space, time = (float(run.results.rows(f"plaquette_{kind}")[-1]) for kind in ("space", "time"))
    iterations = int(run.results.rows("iterations").sum())
    residual = float(run.results.rows("residual").max())
    return [
        Tile("Lattice", size, f"κ = {run.study['quarks']['kappa']:g}"),
        Tile("Plaquette", f"{0.5 * (space + time):.6f}", f"space {space:.6f}, time {time:.6f}"),
        Tile("Iterations", str(iterations), f"largest residual {residual:.2g}"),
    ]
