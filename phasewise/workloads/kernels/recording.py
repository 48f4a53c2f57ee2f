"""Datasets that serial kernels record: how well they solved their problem."""

from __future__ import annotations

from phasewise.driver import Communicator, Run
from phasewise.errors import RunError
from phasewise.mpi.ranks import AgreedError
from phasewise.runs.layout import Dataset, Write
from phasewise.study import Study
from phasewise.workloads.kernels.model import model_of

ACCEPTED = 30.0
"""LAPACK's own tests accept ratios below it."""

RESIDUAL = Dataset((), "Test ratio of the result, the largest of all ranks.")


def rows(study: Study) -> dict[str, Dataset]:
    """The test ratio, where it is asked for."""
    return {"residual": RESIDUAL} if model_of(study).verify else {}


def snap(run: Run, _comm: Communicator, study: Study, _write: Write) -> None:
    """End the run if the result is wrong; the test ratio is the same on every rank."""
    model = model_of(study)
    ratio = run.record()["residual"] if model.verify else 0.0
    if not ratio < ACCEPTED:
        raise AgreedError(
            f"{model.kernel} of {model.library}, n = {model.n}, has a test ratio of {ratio:.3g} "
            f"after turn {run.turn - 1}; below {ACCEPTED:.0f} is accepted",
            RunError.exit_status,
        )
