"""What `phasewise check` and a report say of halo exchanges."""

from __future__ import annotations

from phasewise.output import engineering
from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.common.reporting import CommonReporting
from phasewise.workloads.halo.model import model_of


class HaloChecking(Checking):
    """The sizes that follow from the keys."""

    def sentence(self, study: Study) -> str:
        model = model_of(study)
        message, array = (engineering(n, "B") for n in (model.message_bytes, model.memory_bytes))
        return f"{message} a message; {model.cells} × {model.cells} cells a rank, with halo {array}"


class HaloReporting(CommonReporting):
    """The size of a message."""

    def tiles(self, run: ReportedRun) -> list[Tile]:
        halo = run.study["halo"]
        size = f"{halo['word_size'] * halo['words']} B"
        return [Tile("Words of a message", str(halo["words"]), size), *super().tiles(run)]
