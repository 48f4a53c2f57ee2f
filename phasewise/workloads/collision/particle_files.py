"""Particles from files: a beam whose `distribution` is "file"."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from phasewise.driver import Communicator, Floats
from phasewise.errors import PhasewiseError, StudyError
from phasewise.mpi.ranks import collectively
from phasewise.study import Study
from phasewise.workloads.collision.driver import COORDINATES, CollisionRun
from phasewise.workloads.collision.openpmd import read_species
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import collision_of

HDF5_SUFFIXES = (".h5", ".hdf5")
SUFFIXES = (*HDF5_SUFFIXES, ".npy", ".txt")


def load_particles(driver: CollisionRun, comm: Communicator, study: Study) -> None:
    """Hand the driver the particles of every beam that comes from a file; collective.

    Row i of the file is the particle of id i. The study's mismatch and offset act on them as they
    do on a generated bunch.
    """
    for beam in collision_of(study).beams:
        if beam.distribution != "file" or beam.strong:
            continue
        first, last = driver.first_id(beam.number), driver.last_id(beam.number)
        rows = collectively(comm, lambda beam=beam: read_particles(beam))  # type: ignore[misc]
        if beam.number in driver.beams_here:
            ids = np.arange(first, last, dtype=np.uint32)
            columns = rows[first:last] * beam.mismatch + beam.offset
            driver.replace_particles(beam.number, ids, *np.ascontiguousarray(columns.T))


def read_particles(beam: Beam) -> Floats:
    """(N, 6) coordinates x, px, y, py, z, delta [m, 1] from the file of `beam`.

    openPMD (.h5), NumPy (.npy) or text (.txt) with six columns. StudyError if the file cannot be
    read, or does not hold `macroparticles` finite rows of six.
    """
    path, where = beam.particles, f"beam.{beam.number}.particles"
    if path is None:
        raise StudyError(f"{where}, the file, is missing")
    try:
        rows = _read(path, beam)
    except PhasewiseError as error:
        raise StudyError(f"{where}: {error}") from error
    except (OSError, ValueError) as error:
        raise StudyError(f"{where}: {path} cannot be read ({_short(error)})") from error
    if rows.ndim != 2 or rows.shape[1] != 6:
        shape = " x ".join(map(str, rows.shape))
        raise StudyError(
            f"{where}: {path} holds {shape} numbers; rows of {', '.join(COORDINATES)} are needed"
        )
    if len(rows) != beam.macroparticles:
        raise StudyError(
            f"{where}: {path} holds {len(rows)} particles, and beam.{beam.number}.macroparticles "
            f"is {beam.macroparticles}"
        )
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise StudyError(f"{where}: row {bad[0] + 1} of {path} is not finite")
    return rows


def _read(path: Path, beam: Beam) -> Floats:
    suffix = path.suffix.lower()
    if suffix in HDF5_SUFFIXES:
        columns = read_species(path, beam)
        return np.stack([columns[name] for name in COORDINATES], axis=1)
    if suffix == ".npy":
        return np.asarray(np.load(path, allow_pickle=False), dtype=np.float64)
    if suffix == ".txt":
        return np.asarray(np.loadtxt(path, dtype=np.float64, ndmin=2))
    raise StudyError(f"{path} has an unknown ending; accepted: {', '.join(SUFFIXES)}")


def _short(error: BaseException) -> str:
    return str(error).split("\n", 1)[0].rstrip(".")
