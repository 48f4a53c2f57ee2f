"""What `phasewise check`, records and a report say of collectives."""

from __future__ import annotations

from phasewise.output import engineering
from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.collectives.model import model_of
from phasewise.workloads.common.recording import CommonRecording
from phasewise.workloads.common.reporting import CommonReporting


class CollectivesChecking(Checking):
    """What follows from the keys."""

    def sentence(self, study: Study) -> str:
        model = model_of(study)
        return f"{model.values} doubles; algorithms: {', '.join(model.algorithms)}"


class CollectivesRecording(CommonRecording):
    """The algorithm `put` is also a protocol, which the build may lack."""

    def check(self, study: Study) -> None:
        if study.communication.tunable()["algorithm"] == "put":
            check_protocol("put")
        else:
            super().check(study)


class CollectivesReporting(CommonReporting):
    """The collective."""

    def tiles(self, run: ReportedRun) -> list[Tile]:
        keys = run.study["collectives"]
        size = engineering(keys["bytes"], "B")
        return [Tile("Collective", keys["operator"], size), *super().tiles(run)]
