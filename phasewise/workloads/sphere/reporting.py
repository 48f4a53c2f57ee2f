"""What a report on shallow water adds to that of every run."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import scientific
from phasewise.study import Study
from phasewise.workloads.sphere import pictures
from phasewise.workloads.sphere.maps import fields, time_text
from phasewise.workloads.sphere.model import model_of


class SphereReporting(Reporting):
    """What a report shows of it."""

    CHAPTERS = (
        Chapter(
            "flow",
            "Flow",
            (
                ("invariants", "Drift of the invariants", pictures.draw_invariants),
                ("errors", "Errors", pictures.draw_norms),
                ("stations", "Stations", pictures.draw_stations),
                ("spectrum", "Spectrum of the kinetic energy", pictures.draw_spectrum),
            ),
        ),
    )
    FIELDS = fields()

    def tiles(self, run: ReportedRun) -> list[Tile]:
        """Truncation and grid, the time that was simulated, and how well mass is conserved."""
        model = model_of(Study.from_dict(run.study, run.directory))
        seconds = (int(run.turn[-1]) + 1) * model.timestep
        mass = run.results.rows("mass")[:, 0]
        drift = abs(float(pictures.relative_drift(mass)[-1]))
        found = [
            Tile(*model.tile),
            Tile("Simulated", time_text(seconds), f"{model.case}, Δt {model.timestep:g} s"),
            Tile("Mean depth", f"{float(mass[-1]):.6f} m", f"drift {scientific(drift, 2)}"),
        ]
        if run.results.holds("l2"):
            error = float(run.results.rows("l2")[-1, 0])
            found.append(Tile("l2 error of the depth", scientific(error, 3)))
        return found
