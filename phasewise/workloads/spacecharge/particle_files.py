"""A bunch whose particles come from a file: `bunch.particles`."""

from __future__ import annotations

from typing import cast

import numpy as np

from phasewise.driver import Communicator, Run, StatefulRun
from phasewise.mpi.ranks import collectively
from phasewise.output import message
from phasewise.study import Study
from phasewise.workloads.common.particle_files import COORDINATES, ParticleFile
from phasewise.workloads.spacecharge.bunch import Bunch
from phasewise.workloads.spacecharge.model import model_of

ROWS = "particles"
"""The driver's name for the particles of its bunch."""


def load_particles(run: Run, comm: Communicator, study: Study) -> None:
    """Hand the driver the particles of a bunch that comes from a file; collective.

    Row i of the file is the particle of id i. The study's offset acts on them as it does on a
    generated bunch. Rank 0 says how they differ from the study's bunch.
    """
    bunch = model_of(study).bunch
    file = None if bunch is None else file_of(bunch)
    if bunch is None or file is None:
        return
    found = collectively(comm, file.read)
    for sentence in file.remarks(found) if comm.rank() == 0 else ():
        message(f"warning: {sentence}")
    driver = cast(StatefulRun, run)
    ids = np.asarray(driver.owned(ROWS), dtype=np.int64)
    rows = found.rows[ids] + np.asarray(bunch.offset)
    columns = zip(COORDINATES, np.ascontiguousarray(rows.T), strict=True)
    driver.restore(ROWS, ids, dict(columns))


def check_files(study: Study) -> tuple[str, ...]:
    """How the particles of a file differ from the study's bunch, one sentence each; StudyError if
    they cannot be read.
    """
    bunch = model_of(study).bunch
    file = None if bunch is None else file_of(bunch)
    return () if file is None else tuple(file.remarks(file.read()))


def file_of(bunch: Bunch) -> ParticleFile | None:
    """The file that holds the particles of `bunch`; None if it is generated."""
    if bunch.particles is None:
        return None
    return ParticleFile(bunch.particles, "bunch", bunch.shared, bunch.rms)
