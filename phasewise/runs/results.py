"""Results of a run as arrays, also of one that is still going on."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Floats
from phasewise.errors import RunError
from phasewise.runs.records import open_records, reading

Integers = NDArray[np.int64]


class BeamResults:
    """Records of one beam over T turns; every access reads from the file."""

    def __init__(self, results: Results, number: int) -> None:
        self._results = results
        self.number = number

    def _rows(self, name: str) -> NDArray[Any]:
        return self._results.rows(f"beam{self.number}/{name}")

    @property
    def mean(self) -> Floats:
        """(T, 6): means of x, px, y, py, z, delta [m, 1]."""
        return self._rows("mean")

    @property
    def covariance(self) -> Floats:
        """(T, 6, 6): central second moments [m², m, 1]."""
        return self._rows("covariance")

    @property
    def moment3(self) -> Floats:
        """(T, 6): central third moments; NaN with `moments_order = 2`."""
        return self._rows("moment3")

    @property
    def moment4(self) -> Floats:
        """(T, 6): central fourth moments; NaN with `moments_order = 2`."""
        return self._rows("moment4")

    @property
    def emittance(self) -> Floats:
        """(T, 3): geometric emittances in x, y (without dispersion) and z [m]."""
        return self._rows("emittance")

    @property
    def particles(self) -> Integers:
        """(T,): living macroparticles."""
        return self._rows("particles")

    @property
    def losses(self) -> Integers:
        """(T,): macroparticles lost so far."""
        return self._rows("losses")

    @property
    def outside(self) -> Integers:
        """(T, IP): particles outside the mesh, summed over the turn's steps."""
        return self._rows("outside")

    @property
    def tracked(self) -> Floats:
        """(T, K, 6): coordinates of the K tracked particles [m, 1]; NaN once lost."""
        return self._rows("tracked")

    @property
    def size(self) -> Floats:
        """(T, 3): rms sizes in x, y and z [m]."""
        diagonal = np.diagonal(self.covariance, axis1=1, axis2=2)
        return np.sqrt(diagonal[:, [0, 2, 4]])


class Results:
    """A run's records; T turns are there, more after `refresh` while the run goes on."""

    def __init__(self, path: str | Path, keep: TemporaryDirectory[str] | None = None) -> None:
        """`path`: the run's folder or its records.h5. RunError where they cannot be read."""
        given = Path(path)
        self.path = given / "records.h5" if given.is_dir() else given
        self._keep = keep
        self._file = open_records(self.path)
        try:
            self._check()
        except RunError:
            self._file.close()
            raise

    def _check(self) -> None:
        with reading(self.path):
            missing = [name for name in ("turn", "luminosity") if name not in self._file]
        if missing:
            raise RunError(f"{self.path} holds no records: {missing[0]} is missing")
        self.refresh()

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.path.parent

    def refresh(self) -> int:
        """Look for turns recorded since; the number of turns there are now."""
        with reading(self.path):
            self._file["turn"].refresh()
            self._turns = int(self._file["turn"].shape[0])
        return self._turns

    def rows(self, name: str) -> NDArray[Any]:
        """Dataset `name`, first axis turns, such as `beam1/mean`."""
        with reading(self.path):
            if name not in self._file:
                raise RunError(f"{self.path} holds no {name}")
            dataset = self._file[name]
            dataset.refresh()
            if not dataset.size:
                return np.empty((self._turns, *dataset.shape[1:]), dataset.dtype)
            return np.asarray(dataset[: self._turns])

    def __len__(self) -> int:
        return self._turns

    @property
    def turn(self) -> Integers:
        """(T,): turn numbers, from 0; all records hold on arrival at IP 1, before the collision."""
        return self.rows("turn")

    @property
    def luminosity(self) -> Floats:
        """(T, IP): luminosity per crossing [m⁻²]."""
        return self.rows("luminosity")

    def beam(self, number: int) -> BeamResults:
        """Records of beam 1 or 2."""
        if number not in (1, 2):
            raise ValueError(f"there is no beam {number}: 1 or 2")
        return BeamResults(self, number)

    @property
    def study(self) -> dict[str, Any]:
        """The resolved study."""
        return self._json("study")

    @property
    def derived(self) -> dict[str, Any]:
        """The study's derived quantities."""
        return self._json("derived")

    def _json(self, name: str) -> dict[str, Any]:
        with reading(self.path):
            value = json.loads(self._file.attrs[name])
            if not isinstance(value, dict):
                raise TypeError(f"its attribute {name} is not an object")
            return cast(dict[str, Any], value)

    @property
    def attributes(self) -> dict[str, Any]:
        """version, created, ranks, threads, seconds_per_turn, complete."""
        names = ("version", "created", "ranks", "threads", "seconds_per_turn", "complete")
        with reading(self.path):
            values = {name: self._file.attrs[name] for name in names if name in self._file.attrs}
        return {n: v.item() if isinstance(v, np.generic) else v for n, v in values.items()}

    @property
    def complete(self) -> bool:
        """Whether the study ran to its end; seen when the file is opened."""
        with reading(self.path):
            return bool(self._file.attrs["complete"])

    @property
    def seconds_per_turn(self) -> float:
        """Wall time of a turn [s], everything included; NaN while the run goes on."""
        with reading(self.path):
            return float(self._file.attrs["seconds_per_turn"])

    def snapshots(self, kind: str) -> list[int]:
        """Turns at which `slices`, `pair_luminosity` or `field` were written."""
        with reading(self.path):
            turns = sorted(int(name) for name in self._file.get(kind, {}))
            return [turn for turn in turns if self._written(f"{kind}/{turn}")]

    def _written(self, name: str) -> bool:
        item = self._file[name]
        if hasattr(item, "refresh"):
            item.refresh()
            return bool(item.size)
        return any(self._written(f"{name}/{child}") for child in item)

    def _arrays(self, name: str) -> dict[str, Floats]:
        with reading(self.path):
            if name not in self._file or not self._written(name):
                raise RunError(f"{self.path} holds no {name}")
            return {key: np.asarray(dataset[...]) for key, dataset in self._file[name].items()}

    def slices(self, turn: int, ip: int = 1, beam: int = 1) -> dict[str, Floats]:
        """count (S,), z (S,) [m], mean (S, 4), sigma (S, 4) of the slices, head first."""
        return self._arrays(f"slices/{turn}/ip{ip}/beam{beam}")

    def pair_luminosity(self, turn: int, ip: int = 1) -> Floats:
        """(S, S): luminosity of each pair of slices, beam 1's along the first axis [m⁻²]."""
        name = f"pair_luminosity/{turn}/ip{ip}"
        with reading(self.path):
            if name not in self._file or not self._written(name):
                raise RunError(f"{self.path} holds no {name}")
            return np.asarray(self._file[name][...])

    def field(self, turn: int, ip: int = 1, beam: int = 1) -> dict[str, Floats]:
        """x, y [m], charge, potential, ex, ey of the middle slice of `beam`."""
        return self._arrays(f"field/{turn}/ip{ip}/beam{beam}")

    def dumps(self) -> list[Path]:
        """Particle dumps of the run, oldest first."""
        return sorted((self.folder / "particles").glob("turn-*.h5"))

    def particles(self, beam: int = 1, dump: Path | None = None) -> dict[str, NDArray[Any]]:
        """Particles of `beam` in a dump, the last by default: id and the six coordinates [m, 1]."""
        from phasewise.workloads.collision.openpmd import read_dump

        dumps = self.dumps() if dump is None else [dump]
        if not dumps:
            raise RunError(f"{self.folder} holds no particle dumps; set records.particles_every")
        return read_dump(dumps[-1], beam)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Results({str(self.path)!r}, {self._turns} turns)"


def open_results(path: str | Path) -> Results:
    """The results in a run's folder, or in a records file, also while the run goes on."""
    return Results(path)
