"""Particles of a bunch from a file, and how they differ from the bunch that the study describes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from zipfile import BadZipFile

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import PhasewiseError, StudyError
from phasewise.tables.keys import show
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.common.openpmd import read_species

COORDINATES = ("x", "px", "y", "py", "z", "delta")
"""The columns of a file, in order: m, 1, m, 1, m, 1."""
UNITS = (" m", "", " m", "", " m", "")
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

ALIKE = 1e-6
"""Relative difference up to which weights are equal: files may hold them in single precision."""
AGREEMENT = 1e-3
"""Relative difference of populations up to which there is no warning."""
MOVED = 0.1
"""Rms sizes by which a centroid, and relative difference by which a size may differ from the
study's without a warning.
"""
TINY = 1e-12
"""m and 1, up to which a mean or a size counts as 0."""
SAMPLED = 5.0
"""Standard errors of a sample's mean and size up to which there is no warning."""


@dataclass(frozen=True)
class FileParticles:
    """What a file holds."""

    rows: Floats
    """x, px, y, py, z, delta (N, 6) [m, 1]."""
    population: float | None = None
    """The number of real particles; None if the file does not say."""
    weights: Floats | None = None
    """Of each row (N,); None if all are alike."""
    drawn_from: int = 0
    """Rows of the file, where the particles are drawn from it by their weights; else 0."""


@dataclass(frozen=True)
class ParticleFile:
    """A file named by the key `particles` of a table of the study."""

    path: Path | None
    table: str
    """The table's name, such as `beam.1`."""
    bunch: SharedBunch
    rms: Sequence[float | None]
    """Rms of the study's bunch in the six coordinates; None where the study leaves it open."""
    resample: int | None = None
    """The seed by which particles are drawn from a file that weighs them; None: such a file is
    refused.
    """
    resample_key: str | None = None
    """The name of the study's key that asks for this; None: it has none."""

    @property
    def key(self) -> str:
        """The key that names the file."""
        return f"{self.table}.particles"

    def read(self) -> FileParticles:
        """Its particles.

        The file is openPMD (.h5), NumPy (.npy) or text (.txt) with six columns, to which weights
        may be a seventh. StudyError if the file cannot be read, weighs its particles unequally
        and is not to be resampled, or does not hold `macroparticles` finite rows of six, each of a
        particle that moves forward.
        """
        if self.path is None:
            raise StudyError(f"{self.key}, the file, is missing")
        try:
            found = self._read(self.path)
        except PhasewiseError as error:
            raise StudyError(f"{self.key}: {error}") from error
        except UNREADABLE as error:
            reason = _short(error)
            raise StudyError(f"{self.key}: {self.path} cannot be read ({reason})") from error
        if self.resample is not None:
            found = self._resampled(found, self.resample)
        elif found.weights is not None:
            low, high = found.weights.min(), found.weights.max()
            way = "resample the file with equal weights"
            raise StudyError(
                f"{self.key}: {self.path} weighs its macroparticles unequally, {low:.4g} to "
                f"{high:.4g} particles each, and those of a bunch must be alike: "
                + (f"give {self.resample_key} = true" if self.resample_key else way)
            )
        self._check_shape(found.rows, f"{self.key}: {self.path}")
        self._check_rows(found.rows)
        return found

    def _read(self, path: Path) -> FileParticles:
        suffix = path.suffix.lower()
        if suffix in HDF5_SUFFIXES:
            return self._read_openpmd(path)
        if suffix == ".npy":
            # The file is mapped, so that a length that it does not have is found before memory is
            # taken.
            given = np.load(path, mmap_mode="r", allow_pickle=False)
            if not isinstance(given, np.ndarray) or given.dtype.kind not in "fiu":
                raise StudyError(f"{path} is not an array of real numbers")
            if self.resample is None and given.shape[1:] != (7,):
                self._check_shape(given, str(path))
            return _with_column(np.array(given, dtype=np.float64))
        if suffix == ".txt":
            return _with_column(np.asarray(np.loadtxt(path, dtype=np.float64, ndmin=2)))
        raise StudyError(f"{path} has an unknown ending; accepted: {', '.join(SUFFIXES)}")

    def _read_openpmd(self, path: Path) -> FileParticles:
        species = read_species(path, self.bunch, self.table)
        rows = np.stack([species.columns[name] for name in COORDINATES], axis=1)
        weights = species.weights
        if weights is None:
            return FileParticles(rows)
        population = float(weights.sum())
        return FileParticles(rows, population, None if _alike(weights) else weights)

    def _resampled(self, found: FileParticles, seed: int) -> FileParticles:
        """`macroparticles` rows drawn by their weights, each as often as its share says, up to one:
        systematic resampling (J. Carpenter, P. Clifford, P. Fearnhead, IEE Proc. Radar 146 (1999)
        2).
        """
        rows = found.rows
        weights = np.ones(len(rows)) if found.weights is None else found.weights
        usable = len(rows) > 0 and np.isfinite(weights).all() and (weights >= 0).all()
        if not usable or not weights.sum() > 0:
            raise StudyError(
                f"{self.key}: {self.path} has a weight that is negative or no finite number, or no "
                "weight above 0"
            )
        wanted = self.bunch.macroparticles
        shares = np.cumsum(weights) / weights.sum()
        places = (
            np.arange(wanted) + np.random.default_rng([seed, self.bunch.number]).uniform()
        ) / wanted
        chosen = np.minimum(np.searchsorted(shares, places, side="right"), len(rows) - 1)
        # Slices and ids are without order in the file's rows.
        np.random.default_rng([seed, self.bunch.number, 1]).shuffle(chosen)
        return FileParticles(rows[chosen], found.population, drawn_from=len(rows))

    def _check_shape(self, rows: Floats, what: str) -> None:
        if rows.ndim != 2 or rows.shape[1] != 6:
            shape = " x ".join(map(str, rows.shape))
            raise StudyError(
                f"{what} holds {shape} numbers; rows of {', '.join(COORDINATES)} are needed"
            )
        if len(rows) != self.bunch.macroparticles:
            raise StudyError(
                f"{what} holds {len(rows)} particles, and {self.table}.macroparticles is "
                f"{self.bunch.macroparticles}"
            )

    def _check_rows(self, rows: Floats) -> None:
        """StudyError if a row is not finite, or if its momentum cannot be that of a particle of
        this bunch.
        """
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(bad):
            raise StudyError(f"{self.key}: row {bad[0] + 1} of {self.path} is not finite")
        px, py, delta = rows[:, 1], rows[:, 3], rows[:, 5]
        bad = np.flatnonzero((delta <= -1) | (delta > MOST_DELTA))
        if len(bad):
            raise StudyError(
                f"{self.key}: row {bad[0] + 1} of {self.path} has delta = {delta[bad[0]]:.3g}, and "
                f"a momentum above 0 and up to {1 + MOST_DELTA:g} times the beam's is needed: is "
                "its unit right?"
            )
        bad = np.flatnonzero(np.hypot(px, py) >= 1 + delta)
        if len(bad):
            row = bad[0] + 1
            raise StudyError(
                f"{self.key}: row {row} of {self.path} moves across the beam, not along it"
            )

    def remarks(self, found: FileParticles) -> Iterator[str]:
        """One sentence for each way in which the particles differ from the study's bunch."""
        with np.errstate(all="ignore"):
            yield from self._remarks(found)

    def _remarks(self, found: FileParticles) -> Iterator[str]:
        what = f"{self.key}: {self.path}"
        given = self.bunch.population
        if found.drawn_from:
            distinct = len(np.unique(found.rows, axis=0))
            yield (
                f"{what} has {found.drawn_from} rows, of which {distinct} stand for the "
                f"{self.bunch.macroparticles} macroparticles, drawn by their weights"
            )
        if found.population is not None and abs(found.population / given - 1) > AGREEMENT:
            yield (
                f"{what} holds a bunch of {found.population:.6g} particles, and "
                f"{self.table}.bunch_population is {show(given)}, which is used"
            )
        expected = [
            own if known is None else known
            for own, known in zip(found.rows.std(axis=0), self.rms, strict=True)
        ]
        yield from _centroid(found.rows, expected, what)
        yield from _sizes(found.rows, expected, what)


def _with_column(rows: Floats) -> FileParticles:
    """Rows of six, or of seven with their weights."""
    if rows.ndim != 2 or rows.shape[1] != 7:
        return FileParticles(rows)
    weights = rows[:, 6]
    return FileParticles(rows[:, :6], weights=None if _alike(weights) else weights)


def _alike(weights: Floats) -> bool:
    low, high = float(weights.min()), float(weights.max())
    return low > 0 and high - low <= ALIKE * high


def _centroid(rows: Floats, expected: Sequence[float], what: str) -> Iterator[str]:
    """Warnings on means that differ from 0, with the rms of the study's bunch."""
    mean, rms = rows.mean(axis=0), rows.std(axis=0)
    limit = MOVED + SAMPLED / math.sqrt(len(rows))
    off = [
        abs(m) > limit * max(own, one) + TINY
        for m, own, one in zip(mean, rms, expected, strict=True)
    ]
    moved = [
        f"{name} = {m:.4g}{unit}" + (f" ({m / one:.4g} rms)" if one > 0 else "")
        for name, unit, m, one, is_off in zip(COORDINATES, UNITS, mean, expected, off, strict=True)
        if is_off and name != "delta"
    ]
    if moved:
        yield f"{what} has its centroid at {', '.join(moved)}, and the study's bunch at 0"
    if off[-1]:
        yield (
            f"{what} has a mean momentum of {1 + mean[-1]:.6g} times the one that the study's "
            "energy gives"
        )


def _sizes(rows: Floats, expected: Sequence[float], what: str) -> Iterator[str]:
    """A warning on rms sizes that are not those of the study's bunch."""
    limit = MOVED + SAMPLED / math.sqrt(2 * len(rows))
    other = [
        f"{own:.4g} for {one:.4g}{unit} in {name}"
        for name, unit, own, one in zip(COORDINATES, UNITS, rows.std(axis=0), expected, strict=True)
        if abs(own - one) > limit * one + TINY
    ]
    if other:
        yield f"{what} has other rms sizes than the study's bunch: {', '.join(other)}"


def _short(error: BaseException) -> str:
    return str(error).split("\n", 1)[0].rstrip(".") or type(error).__name__
