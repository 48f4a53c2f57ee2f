"""What a report on an ocean adds to that of every run."""

from __future__ import annotations

import numpy as np

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import scientific
from phasewise.workloads.ocean import pictures
from phasewise.workloads.ocean.planes import fields, model_in, time_text


class OceanReporting(Reporting):
    """What a report shows of it."""

    CHAPTERS = (
        Chapter(
            "ocean",
            "Ocean",
            (
                ("mask", "Land, blocks and ranks", pictures.draw_mask),
                ("residuals", "Residuals", pictures.draw_residuals),
                ("iterations", "Iterations and speed", pictures.draw_iterations),
                ("conserved", "Volume, heat and salt", pictures.draw_conserved),
            ),
        ),
    )
    FIELDS = fields()

    def tiles(self, run: ReportedRun) -> list[Tile]:
        """The grid, the time that was simulated, iterations, and how well volume is conserved."""
        model, results = model_in(run), run.results
        iterations = np.asarray(results.rows("iterations"))
        volume = np.asarray(results.rows("volume"))
        drift = abs(float(volume[-1] / volume[0] - 1.0))
        residual = float(np.asarray(results.rows("residual")).max())
        seconds = (int(run.turn[-1]) + 1) * model.timestep
        return [
            Tile(*model.tile),
            Tile("Simulated", time_text(seconds), f"Δt {model.timestep:g} s"),
            Tile("Iterations", f"{float(iterations.mean()):.4g}",
                 f"of a solve, largest residual {scientific(residual, 2)}"),
            Tile("Volume", f"{scientific(float(volume[-1]), 4)} m³",
                 f"drift {scientific(drift, 2)}"),
        ]  # fmt: skip
