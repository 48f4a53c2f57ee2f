"""Datasets that exchanges between pairs record: the results of the checks."""

from __future__ import annotations

from phasewise.driver import Communicator, Run
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import AgreedError
from phasewise.runs.layout import Dataset, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.commtest.model import excess, model_of

WRONG = Dataset((), "Bytes that arrived at all ranks and differ from those sent.", kind="i8")
CHECKSUM = Dataset((), "Sum of the bytes that arrived at all ranks modulo 2^53.", kind="i8")


def rows(study: Study) -> dict[str, Dataset]:
    """What the checks found, where they are asked for."""
    return {"wrong": WRONG, "checksum": CHECKSUM} if model_of(study).verify else {}


def check(study: Study) -> None:
    """StudyError if this machine cannot hold a rank's messages, or lacks the protocol."""
    check_protocol(study.communication.tunable()["protocol"])
    if sentence := excess(model_of(study)):
        raise StudyError(sentence)


def snap(run: Run, _comm: Communicator, study: Study, _write: Write) -> None:
    """End the run if wrong bytes arrived; the count is the same on every rank."""
    wrong = int(run.record()["wrong"]) if model_of(study).verify else 0
    if wrong:
        raise AgreedError(
            f"{wrong} bytes were wrong after exchange {run.turn - 1}", RunError.exit_status
        )
