"""What a report on an atmosphere's columns adds to that of every run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import scientific
from phasewise.report.tables import Table
from phasewise.workloads.atmosphere import crossover_picture, pictures, seasons
from phasewise.workloads.atmosphere.maps import fields, hour_text, model_in, study_of
from phasewise.workloads.atmosphere.table import OF_PHYSICS, AtmosphereTable


class AtmosphereReporting(Reporting):
    """What a report shows of it."""

    CHAPTERS = (
        Chapter(
            "balance",
            "Balance",
            (
                ("columns", "Columns and ranks", pictures.draw_columns),
                ("loads", "Load of each rank", pictures.draw_loads),
                ("moves", "Columns that move", pictures.draw_moves),
                ("recorded-loads", "Load and moved columns in time", pictures.draw_recorded),
                ("seasons", "Load of each scheme", seasons.draw_seasons),
                ("crossover", "Which scheme pays", crossover_picture.draw_crossover),
            ),
        ),
        Chapter(
            "climate",
            "Climate",
            (("budget", "Radiation, temperature and water", pictures.draw_climate),),
        ),
    )
    FIELDS = fields()

    def tiles(self, run: ReportedRun) -> list[Tile]:
        """The grid, the time of day, the loads, what moved, and the energy budget."""
        model, results = model_in(run), run.results
        before, after, moved = (
            float(np.mean(results.rows(name))) for name in ("load_before", "load_after", "moved")
        )
        scheme = study_of(run).communication.tunable()["balance"]
        found = [
            Tile(*model.tile),
            _time(model, int(run.turn[-1]) + 1),
            Tile("Load", f"{before:.3f} → {after:.3f}", f"largest over mean, {scheme}"),
            Tile("Moved", f"{moved:.4g}", "columns in a timestep"),
        ]
        if results.holds("energy_residual"):
            residual = float(np.abs(results.rows("energy_residual")).max())
            found.append(Tile("Energy", f"{scientific(residual, 2)} W/m²", "largest residual"))
        return found

    def study_tables(self, run: ReportedRun) -> list[Table]:
        """The study; with costs from a file without the keys of the physics."""
        tables = super().study_tables(run)
        if model_in(run).costs is None:
            return tables
        return [
            replace(one, rows=tuple(row for row in one.rows if row[0] not in OF_PHYSICS))
            if one.title == "atmosphere"
            else one
            for one in tables
        ]


def _time(model: AtmosphereTable, done: int) -> Tile:
    """The time after so many timesteps, or their number where costs come from a file."""
    if model.costs is not None:
        return Tile("Timesteps", str(done), "of the costs of the file")
    return Tile("Time", hour_text(model, done), f"Δt {model.timestep:g} s")
