"""Links that come from a file at the start of a run."""

from __future__ import annotations

from typing import cast

import numpy as np

from phasewise.driver import Communicator, Run
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workloads.qcd.derived import links_of_size
from phasewise.workloads.qcd.driver import QcdRun
from phasewise.workloads.qcd.gauge.files import (
    FORMATS,
    check_special,
    check_sums,
    check_unitary,
    check_values,
    finite_links,
    found_checksums,
)
from phasewise.workloads.qcd.gauge.loops import loop_sums, matrices, mean_loops
from phasewise.workloads.qcd.gauge.stored import Floats, Stored
from phasewise.workloads.qcd.model import model_of


class QcdStateKeeping(StateKeeping):
    """Where its state comes from."""

    def load(self, run: Run, comm: Communicator, study: Study) -> None:
        """Read this rank's part of the links from their file; collective. The file must hold what
        it says of itself.
        """
        model = model_of(study)
        if model.gauge.file is None:
            return
        own, path = cast(QcdRun, run), model.gauge.file
        stored = collectively(comm, lambda: links_of_size(path, model.lattice.size))
        # Sums are checked first: bytes in another order give numbers that are not finite.
        part = collectively(comm, lambda: found_checksums(stored, own.origin, own.extents))
        parts = comm.gather(" ".join(map(str, part)).encode())
        on_rank_zero(comm, lambda: _check_sums(stored, parts))
        links = collectively(comm, lambda: finite_links(stored, own.origin, own.extents))
        collectively(comm, lambda: _check_matrices(stored, links))
        if stored.plaquette is not None:
            loops = collectively(comm, lambda: loop_sums(stored, links, own.origin))
            of_all = comm.gather(" ".join(map(repr, loops)).encode())
            on_rank_zero(comm, lambda: _check_loops(stored, of_all))
        own.set_links(np.ascontiguousarray(links))


def _check_matrices(stored: Stored, links: Floats) -> None:
    """StudyError if links are not SU(3)."""
    own = matrices(links)
    # A damaged file may hold numbers of any size.
    with np.errstate(over="ignore", invalid="ignore"):
        product = own @ np.conj(np.swapaxes(own, -1, -2))
        check_unitary(stored, links, float(np.abs(product - np.eye(3)).max()))
    check_special(stored, links)


def _check_sums(stored: Stored, parts: list[bytes]) -> None:
    numbers = [tuple(map(int, part.split())) for part in parts]
    check_sums(stored, FORMATS[stored.format].combined(numbers))


def _check_loops(stored: Stored, parts: list[bytes]) -> None:
    numbers = [(float(first), float(second)) for first, second in map(bytes.split, parts)]
    check_values(stored, mean_loops(stored.size, numbers))
