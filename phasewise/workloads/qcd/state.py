"""Links that come from a file at the start of a run."""

from __future__ import annotations

from typing import cast

from phasewise.driver import Communicator, Run
from phasewise.mpi.ranks import collectively
from phasewise.output import message
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workloads.qcd.derived import files_left_out, links_of_size
from phasewise.workloads.qcd.driver import QcdRun
from phasewise.workloads.qcd.gauge.shared import read_own_links
from phasewise.workloads.qcd.model import model_of


class QcdStateKeeping(StateKeeping):
    """Where its state comes from."""

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read this rank's part of the links from their file; collective. The file must hold what
        it says of itself.
        """
        model = model_of(study)
        path = model.gauge.file_of(run.turn)
        if path is None:
            return
        left_out = files_left_out(model, study.count)
        if left_out and run.turn == 0 and comm.rank() == 0:
            message(f"warning: {left_out}")
        own = cast(QcdRun, run)
        stored = collectively(comm, lambda: links_of_size(path, model.lattice.size))
        own.set_links(read_own_links(stored, own.origin, own.extents, comm))

    def renew(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read the next configuration of an ensemble; collective."""
        files = model_of(study).gauge.files
        if files is not None and len(files) > 1:
            self.load(run, comm, study)
