"""What a report on collectives adds to that of every run."""

from __future__ import annotations

from phasewise.output import engineering
from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun


def tiles(run: ReportedRun) -> list[Tile]:
    """The collective, and what the checks have found."""
    keys = run.study["collectives"]
    found = [Tile("Collective", keys["operator"], engineering(keys["bytes"], "B"))]
    if keys["verify"]:
        wrong = int(run.results.rows("wrong").sum())
        found.append(Tile("Wrong values", str(wrong), "of all exchanges recorded"))
    return found
