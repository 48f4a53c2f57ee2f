"""Particles from files: a beam whose `distribution` is "file"."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from phasewise.driver import Communicator
from phasewise.mpi.ranks import collectively
from phasewise.output import message
from phasewise.study import Study
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import collision_of
from phasewise.workloads.common.particle_files import ParticleFile


def load_particles(driver: CollisionRun, comm: Communicator, study: Study) -> None:
    """Hand the driver the particles of every beam that comes from a file; collective.

    Row i of the file is the particle of id i. The study's mismatch and offset act on them as they
    do on a generated bunch. Rank 0 says how they differ from the study's bunch.
    """
    for beam in _from_files(study):
        first, last = driver.first_id(beam.number), driver.last_id(beam.number)
        file = file_of(beam, study.seed)
        found = collectively(comm, file.read)
        for sentence in file.remarks(found) if comm.rank() == 0 else ():
            message(f"warning: {sentence}")
        if beam.number in driver.beams_here:
            ids = np.arange(first, last, dtype=np.uint32)
            columns = found.rows[first:last] * beam.mismatch + beam.offset
            driver.replace_particles(beam.number, ids, *np.ascontiguousarray(columns.T))


def check_files(study: Study) -> tuple[str, ...]:
    """How the particles of files differ from the study's beams, one sentence each; StudyError if
    they cannot be read.
    """
    files = [file_of(beam, study.seed) for beam in _from_files(study)]
    return tuple(sentence for file in files for sentence in file.remarks(file.read()))


def _from_files(study: Study) -> Iterator[Beam]:
    for beam in collision_of(study).beams:
        if beam.distribution == "file" and not beam.strong:
            yield beam


def file_of(beam: Beam, seed: int = 1) -> ParticleFile:
    """The file that holds the particles of `beam`, or from which they are drawn by this seed."""
    resample = seed if beam.resample else None
    where = f"beam.{beam.number}"
    return ParticleFile(
        beam.particles, where, beam.shared, beam.rms(0), resample, f"{where}.resample"
    )
