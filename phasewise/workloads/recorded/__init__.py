"""An MPI program of others that was recorded, replayed as one turn."""

from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.recorded.model import (
    Recorded,
    RecordedCommunication,
    check_ranks,
    parameters,
    study_of_folder,
)

WORKLOAD = Workload.of_table(
    "recorded", "recorded programs", Recorded, RecordedCommunication,
    unit=Unit("run", "runs"),
    parameters=parameters,
    check_ranks=check_ranks,
    study_of_folder=study_of_folder,
    in_threads=lambda model: model.in_threads,
)  # fmt: skip
