"""What a run of collectives checks before it starts."""

from __future__ import annotations

from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.common.recording import CommonRecording


class CollectivesRecording(CommonRecording):
    """The algorithm `put` is also a protocol, which the build may lack."""

    def check(self, study: Study) -> None:
        if study.communication.tunable()["algorithm"] == "put":
            check_protocol("put")
        else:
            super().check(study)
