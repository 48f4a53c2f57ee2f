"""What a report on lattice QCD adds to that of every run."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter, Reporting
from phasewise.workloads.qcd import pictures
from phasewise.workloads.qcd.report_tables import result_tables


class QcdReporting(Reporting):
    """What a report shows of it."""

    CHAPTERS = (
        Chapter(
            "solves",
            "Solves",
            (
                ("residuals", "Residuals", pictures.draw_residuals),
                ("pion", "Pion", pictures.draw_pion),
                ("flow", "Gradient flow", pictures.draw_flow),
                ("loops", "Plaquettes and Polyakov loops", pictures.draw_loops),
            ),
            result_tables,
        ),
    )

    def tiles(self, run: ReportedRun) -> list[Tile]:
        """The lattice, its plaquette, and how well it was solved."""
        size = "×".join(map(str, run.study["lattice"]["size"]))
        space, time = (
            float(run.results.rows(f"plaquette_{kind}")[-1]) for kind in ("space", "time")
        )
        iterations = int(run.results.rows("iterations").sum())
        residual = float(run.results.rows("residual").max())
        return [
            Tile("Lattice", size, f"κ = {run.study['quarks']['kappa']:g}"),
            Tile("Plaquette", f"{0.5 * (space + time):.6f}", f"space {space:.6f}, time {time:.6f}"),
            Tile("Iterations", str(iterations), f"largest residual {residual:.2g}"),
        ]
