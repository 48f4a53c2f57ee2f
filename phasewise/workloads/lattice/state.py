"""Links that come from a file at the start of a run."""

from __future__ import annotations

from typing import Any, Protocol, cast

import numpy as np

from phasewise.driver import Communicator, Run
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.study import Study
from phasewise.workloads.lattice.gauge.files import (
    FORMATS,
    UNITARY,
    check_special,
    check_sums,
    found_checksums,
    open_links,
)
from phasewise.workloads.lattice.gauge.stored import Floats, Stored
from phasewise.workloads.lattice.grids import Extents
from phasewise.workloads.lattice.model import model_of


class LatticeRun(Run, Protocol):
    """A run of solves as Python sees it (core/lattice/bindings.cpp)."""

    @property
    def extents(self) -> Extents: ...
    @property
    def origin(self) -> Extents: ...
    def set_links(self, links: Floats) -> None: ...


def load(run: Run, comm: Communicator, study: Study) -> None:
    """Read this rank's part of the links from their file; collective."""
    model = model_of(study)
    if model.gauge.file is None:
        return
    own, path = cast(LatticeRun, run), model.gauge.file
    stored = collectively(comm, lambda: open_links(path))
    if stored.size != tuple(model.lattice.size):
        sizes = ["×".join(map(str, size)) for size in (stored.size, model.lattice.size)]
        raise StudyError(
            f"{path} has a lattice of {sizes[0]} sites, and lattice.size is {sizes[1]}"
        )
    links = collectively(comm, lambda: _checked_part(own, stored))
    part = found_checksums(stored, own.origin, own.extents)
    parts = comm.gather(" ".join(map(str, part)).encode())
    on_rank_zero(comm, lambda: _check_sums(stored, parts))
    own.set_links(links)


def _checked_part(run: LatticeRun, stored: Stored) -> Floats:
    """This rank's links; StudyError if they are not SU(3)."""
    links = stored.read(run.origin, run.extents)
    matrices: Any = links[..., 0] + 1j * links[..., 1]
    product = matrices @ np.conj(np.swapaxes(matrices, -1, -2))
    deviation = float(np.abs(product - np.eye(3)).max())
    if not deviation <= UNITARY[stored.precision]:
        raise StudyError(
            f"{stored.path} has links that are not SU(3), or not finite: U U† differs from 1 by "
            f"{deviation:.2g}"
        )
    check_special(stored, links)
    return np.ascontiguousarray(links)


def _check_sums(stored: Stored, parts: list[bytes]) -> None:
    numbers = [tuple(map(int, part.split())) for part in parts]
    check_sums(stored, FORMATS[stored.format].combined(numbers))
