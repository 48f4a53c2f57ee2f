"""What a report shows of a run whose exchanges are verified, item by item."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Reporting


class CommonReporting(Reporting):
    """A tile with the number of wrong items."""

    def tiles(self, run: ReportedRun) -> list[Tile]:
        if not self.workload.verifies or not run.results.holds("wrong"):
            return []
        wrong = str(int(run.results.rows("wrong").sum()))
        return [
            Tile(
                f"Wrong {self.workload.verifies}",
                wrong,
                f"of all {self.workload.unit.many} recorded",
            )
        ]
