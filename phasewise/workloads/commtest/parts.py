"""What `phasewise check` and a report say of exchanges between pairs."""

from __future__ import annotations

from phasewise.output import engineering
from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workloads.common.reporting import CommonReporting
from phasewise.workloads.commtest.model import model_of


class CommtestChecking(Checking):
    """The sizes that follow from the keys."""

    def sentence(self, study: Study) -> str:
        model = model_of(study)
        size, memory = (engineering(n, "B") for n in (model.bytes, model.memory_bytes))
        return f"{model.messages} × {size} one way; {memory} of memory a rank"


class CommtestReporting(CommonReporting):
    """The message."""

    def tiles(self, run: ReportedRun) -> list[Tile]:
        keys = run.study["commtest"]
        between = f"{keys['operator']} between {keys['pairs']}"
        return [Tile("Message", engineering(keys["bytes"], "B"), between), *super().tiles(run)]
