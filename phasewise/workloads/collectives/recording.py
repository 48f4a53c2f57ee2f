"""Datasets that collectives record: the results of the checks."""

from __future__ import annotations

from phasewise.driver import Communicator, Run
from phasewise.errors import RunError
from phasewise.mpi.ranks import AgreedError
from phasewise.runs.layout import Dataset, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.collectives.model import model_of

WRONG = Dataset((), "Values of all ranks that differ from what is due.", kind="i8")
CHECKSUM = Dataset((), "Sum of the values of all ranks modulo 2^53.", kind="i8")


def rows(study: Study) -> dict[str, Dataset]:
    """What the checks found, where they are asked for."""
    return {"wrong": WRONG, "checksum": CHECKSUM} if model_of(study).verify else {}


def check(study: Study) -> None:
    """StudyError if this build lacks the protocol."""
    chosen = study.communication.tunable()
    check_protocol("put" if chosen["algorithm"] == "put" else chosen["protocol"])


def snap(run: Run, _comm: Communicator, study: Study, _write: Write) -> None:
    """End the run if values are wrong; the count is the same on every rank."""
    wrong = int(run.record()["wrong"]) if model_of(study).verify else 0
    if wrong:
        raise AgreedError(
            f"{wrong} values were wrong after exchange {run.turn - 1}", RunError.exit_status
        )
