"""Datasets that halo exchanges record: the results of the checks."""

from __future__ import annotations

from phasewise.driver import Communicator, Run
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import AgreedError
from phasewise.runs.layout import Dataset, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.halo.model import excess, model_of

WRONG = Dataset((), "Halo cells of all ranks that differ from the cell that they copy.", kind="i8")
CHECKSUM = Dataset((), "Sum of the halo cells of all ranks modulo 2^53.", kind="i8")


def rows(study: Study) -> dict[str, Dataset]:
    """What the checks found, where they are asked for."""
    return {"wrong": WRONG, "checksum": CHECKSUM} if model_of(study).verify else {}


def check(study: Study) -> None:
    """StudyError if this machine cannot hold a rank's array, or the build lacks the protocol."""
    if sentence := excess(model_of(study)):
        raise StudyError(sentence)
    check_protocol(study.communication.tunable()["protocol"])


def snap(run: Run, _comm: Communicator, study: Study, _write: Write) -> None:
    """End the run if the exchange left wrong cells; the count is the same on every rank."""
    wrong = int(run.record()["wrong"]) if model_of(study).verify else 0
    if wrong:
        raise AgreedError(
            f"{wrong} halo cells were wrong after exchange {run.turn - 1}", RunError.exit_status
        )
