"""What a report on exchanges between pairs adds to that of every run."""

from __future__ import annotations

from phasewise.output import engineering
from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun


def tiles(run: ReportedRun) -> list[Tile]:
    """The message, and what the checks have found."""
    keys = run.study["commtest"]
    size = engineering(keys["bytes"], "B")
    found = [Tile("Message", size, f"{keys['operator']} between {keys['pairs']}")]
    if keys["verify"]:
        wrong = int(run.results.rows("wrong").sum())
        found.append(Tile("Wrong bytes", str(wrong), "of all exchanges recorded"))
    return found
