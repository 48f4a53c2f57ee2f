"""What a report on gas dynamics adds to that of every run."""

from __future__ import annotations

import math

import numpy as np

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import scientific
from phasewise.workloads.hydro import pictures
from phasewise.workloads.hydro.planes import fields, model_in, time_text


class HydroReporting(Reporting):
    """What a report shows of it."""

    CHAPTERS = (
        Chapter(
            "gas",
            "Gas",
            (
                ("profiles", "Profiles", pictures.draw_profiles),
                ("space-time", "Space and time", pictures.draw_space_time),
                ("conserved", "Mass and energy", pictures.draw_conserved),
                ("timesteps", "Timesteps", pictures.draw_timesteps),
                ("l1", "Error of the density", pictures.draw_errors),
            ),
        ),
    )
    FIELDS = fields()

    def tiles(self, run: ReportedRun) -> list[Tile]:
        """The grid, the time that was reached, the drift of the energy, floors, and the error where
        a solution is known.
        """
        model, results = model_in(run), run.results
        drift = abs(float(pictures.relative_drift(results.rows("energy"))[-1]))
        timesteps = run.workload.unit.of(int(run.turn[-1]) + 1)
        found = [
            Tile(*model.tile),
            Tile("Time", time_text(float(results.rows("time")[-1])), timesteps),
            Tile("Energy", f"{float(results.rows('energy')[-1]):.6g}",
                 f"drift {scientific(drift, 2)}"),
        ]  # fmt: skip
        floors = int(np.sum(results.rows("floors")[-1]))
        if floors:
            found.append(Tile("Set to the floor", str(floors), "densities and pressures"))
        error = float(results.rows("l1")[-1]) if results.holds("l1") else math.nan
        if math.isfinite(error):
            found.append(Tile("L1 error", scientific(error, 3), "of the density"))
        return found
