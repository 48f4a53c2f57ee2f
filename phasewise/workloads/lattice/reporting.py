"""What a report on lattice QCD adds to that of every run."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reporting import Chapter
from phasewise.workloads.lattice.report import pictures
from phasewise.workloads.lattice.report.solves_run import SolvesRun
from phasewise.workloads.lattice.report.tables import result_tables

__all__ = ["CHAPTERS", "REPORTED", "tiles"]

REPORTED = SolvesRun

CHAPTERS = (
    Chapter(
        "results",
        "Results",
        (
            ("residual", "Residual", pictures.draw_residual),
            ("pion", "Correlator of the pion", pictures.draw_pion),
            ("effective-mass", "Effective mass", pictures.draw_effective_mass),
            ("plaquettes", "Plaquettes", pictures.draw_plaquettes),
            ("polyakov", "Polyakov loops", pictures.draw_polyakov),
        ),
        result_tables,
    ),
)


def tiles(run: SolvesRun) -> list[Tile]:
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
