"""Particles from files: a beam whose `distribution` is "file"."""

from __future__ import annotations

from pathlib import Path
from tokenize import TokenError
from zipfile import BadZipFile

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

UNREADABLE = (
    *(OSError, ValueError, TypeError, LookupError, ArithmeticError, AttributeError),
    *(EOFError, MemoryError, SyntaxError, RecursionError, BadZipFile, TokenError),
)
"""What NumPy raises on a file that is not what its name says."""

MOST_DELTA = 1.0
"""A particle with more than twice the beam's momentum is not one of this beam: its unit must be
wrong.
"""


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


def check_files(study: Study) -> None:
    """StudyError if the particles of a beam cannot be read from its file."""
    for beam in collision_of(study).beams:
        if beam.distribution == "file" and not beam.strong:
            read_particles(beam)


def read_particles(beam: Beam) -> Floats:
    """(N, 6) coordinates x, px, y, py, z, delta [m, 1] from the file of `beam`.

    The file is openPMD (.h5), NumPy (.npy) or text (.txt) with six columns. StudyError if the file
    cannot be read, or does not hold `macroparticles` finite rows of six, each of a particle that
    moves forward.
    """
    path, where = beam.particles, f"beam.{beam.number}.particles"
    if path is None:
        raise StudyError(f"{where}, the file, is missing")
    try:
        rows = _read(path, beam)
    except PhasewiseError as error:
        raise StudyError(f"{where}: {error}") from error
    except UNREADABLE as error:
        raise StudyError(f"{where}: {path} cannot be read ({_short(error)})") from error
    _check_shape(rows, beam, f"{where}: {path}")
    _check_rows(rows, where, path)
    return rows


def _check_shape(rows: Floats, beam: Beam, what: str) -> None:
    if rows.ndim != 2 or rows.shape[1] != 6:
        shape = " x ".join(map(str, rows.shape))
        raise StudyError(
            f"{what} holds {shape} numbers; rows of {', '.join(COORDINATES)} are needed"
        )
    if len(rows) != beam.macroparticles:
        raise StudyError(
            f"{what} holds {len(rows)} particles, and beam.{beam.number}.macroparticles is "
            f"{beam.macroparticles}"
        )


def _check_rows(rows: Floats, where: str, path: Path) -> None:
    """StudyError if a row is not finite, or if its momentum cannot be that of a particle of this
    beam.
    """
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if len(bad):
        raise StudyError(f"{where}: row {bad[0] + 1} of {path} is not finite")
    px, py, delta = rows[:, 1], rows[:, 3], rows[:, 5]
    bad = np.flatnonzero((delta <= -1) | (delta > MOST_DELTA))
    if len(bad):
        raise StudyError(
            f"{where}: row {bad[0] + 1} of {path} has delta = {delta[bad[0]]:.3g}, and a momentum "
            f"above 0 and up to {1 + MOST_DELTA:g} times the beam's is needed: is its unit right?"
        )
    bad = np.flatnonzero(np.hypot(px, py) >= 1 + delta)
    if len(bad):
        row = bad[0] + 1
        raise StudyError(f"{where}: row {row} of {path} moves across the beam, not along it")


def _read(path: Path, beam: Beam) -> Floats:
    suffix = path.suffix.lower()
    if suffix in HDF5_SUFFIXES:
        columns = read_species(path, beam)
        return np.stack([columns[name] for name in COORDINATES], axis=1)
    if suffix == ".npy":
        # The file is mapped, so that a length that it does not have is found before memory is
        # taken.
        given = np.load(path, mmap_mode="r", allow_pickle=False)
        if not isinstance(given, np.ndarray) or given.dtype.kind not in "fiu":
            raise StudyError(f"{path} is not an array of real numbers")
        _check_shape(given, beam, str(path))
        return np.array(given, dtype=np.float64)
    if suffix == ".txt":
        return np.asarray(np.loadtxt(path, dtype=np.float64, ndmin=2))
    raise StudyError(f"{path} has an unknown ending; accepted: {', '.join(SUFFIXES)}")


def _short(error: BaseException) -> str:
    return str(error).split("\n", 1)[0].rstrip(".") or type(error).__name__
