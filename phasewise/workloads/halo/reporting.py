"""What a report on halo exchanges adds to that of every run."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun


def tiles(run: ReportedRun) -> list[Tile]:
    """Words of a message, and what the checks have found."""
    halo = run.study["halo"]
    found = [
        Tile("Words of a message", str(halo["words"]), f"{halo['word_size'] * halo['words']} B")
    ]
    if halo["verify"]:
        wrong = int(run.results.rows("wrong").sum())
        found.append(Tile("Wrong halo cells", str(wrong), "of all exchanges recorded"))
    return found
