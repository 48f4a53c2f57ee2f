"""What a workload records if its exchanges are verified, item by item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.errors import StudyError
from phasewise.runs.layout import Dataset, Recording
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol


class CommonRecording(Recording):
    """The number of wrong items and their sum, where the study verifies them."""

    def rows(self, study: Study) -> Mapping[str, Dataset]:
        what = self.workload.verifies
        if not what or not study.model.verify:
            return {}
        wrong = f"How many {what} of all ranks were wrong."
        return {
            "wrong": Dataset((), wrong, kind="i8"),
            "checksum": Dataset((), f"Sum of the {what} of all ranks modulo 2^53.", kind="i8"),
        }

    def check(self, study: Study) -> None:
        """StudyError if this machine cannot run the study, or the build lacks its protocol."""
        if sentence := getattr(study.model, "excess", ""):
            raise StudyError(sentence)
        if protocol := study.communication.tunable().get("protocol"):
            check_protocol(protocol)

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        wrong = int(record.get("wrong", 0))
        return f"{wrong} {self.workload.verifies} were wrong" if wrong else ""
