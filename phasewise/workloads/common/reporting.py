"""The tiles of a report on a study of one table, and on exchanges that are verified."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Reporting
from phasewise.study import Study
from phasewise.workload.table import OneTable


class CommonReporting(Reporting):
    """The model's own tile, and one with the number of wrong items."""

    def tiles(self, run: ReportedRun) -> list[Tile]:
        model = Study.from_dict(run.study, run.directory).model
        own = model.tile if isinstance(model, OneTable) else None
        found = [] if own is None else [Tile(*own)]
        if not self.workload.verifies or not run.results.holds("wrong"):
            return found
        wrong = str(int(run.results.rows("wrong").sum()))
        what, recorded = self.workload.verifies, f"of all {self.workload.unit.many} recorded"
        return [*found, Tile(f"Wrong {what}", wrong, recorded)]
