"""Results of a finished or running study as arrays."""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.driver import Floats
from phasewise.errors import RunError
from phasewise.readable import Readable, Shown
from phasewise.runs.records import open_records, read_rows, reading, text_of
from phasewise.runs.views import Views, attribute_of
from phasewise.scratch import TemporaryFolder
from phasewise.workload.discovery import workload_of
from phasewise.workload.interface import Workload

Integers = NDArray[np.int64]


class Results(Readable):
    """A run's records of T turns; during the run `refresh` finds more of them.

    Every access reads from the file, which ``close()`` or the end of a ``with`` block closes. The
    workload's `Views` add attributes, such as `luminosity` and `beam(number)` of colliding
    beams. RunError where the file is damaged or lacks what is asked for.
    """

    def __init__(self, path: str | Path, keep: TemporaryFolder | None = None) -> None:
        """`path`: the run's folder or its records.h5. RunError if they cannot be read."""
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
            self.workload = self._workload()
            needed = (self.workload.unit.one, *self.workload.needed_records)
            missing = [name for name in needed if name not in self._file]
        if missing:
            raise RunError(f"{self.path} holds no records: {missing[0]} is missing")
        self.refresh()

    def _workload(self) -> Workload:
        """The workload of the study in the file; without a study, the default one."""
        text = self._file.attrs.get("study")
        return workload_of({} if text is None else json.loads(text_of(text)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "workload" not in self.__dict__:
            raise AttributeError(name)
        instead = f": if it is a dataset, rows({name!r}) reads it"
        return attribute_of(self._view, name, f"results of {self.workload.name} have", instead)

    @property
    def _view(self) -> Any:
        """What the workload adds to the results.

        It is made anew each time, so that results without users go away at once.
        """
        return self.workload.part(Views).results_view(self)

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return self.path.parent

    def refresh(self) -> int:
        """Look for turns that were recorded since; returns the number of turns there are now."""
        with reading(self.path):
            counted = self._file[self.workload.unit.one]
            counted.refresh()
            self._turns = int(counted.shape[0])
        return self._turns

    def rows(self, name: str) -> NDArray[Any]:
        """(T, …): dataset `name`, such as `beam1/mean`; RunError where there is none."""
        with reading(self.path):
            if name not in self._file:
                raise RunError(f"{self.path} holds no {name}")
            dataset = self._file[name]
            dataset.refresh()
            _check_numbers(dataset)
            if len(dataset) < self._turns:
                many = self.workload.unit.of(self._turns)
                raise ValueError(f"{name} holds {len(dataset)} rows for {many}")
            if not dataset.size:
                return np.empty((self._turns, *dataset.shape[1:]), dataset.dtype)
            return read_rows(dataset, 0, self._turns)

    def holds(self, name: str) -> bool:
        """Whether there is a dataset `name`: the records of earlier versions may lack it."""
        with reading(self.path):
            return name in self._file

    def __len__(self) -> int:
        return self._turns

    @property
    def turn(self) -> Integers:
        """(T,): turn numbers, from 0."""
        return self.rows(self.workload.unit.one)

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
            value = json.loads(text_of(self._file.attrs[name]))
            if not isinstance(value, dict):
                raise TypeError(f"its attribute {name} is not an object")
            return cast(dict[str, Any], value)

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the file: version, created, ranks, threads, seconds_per_turn, complete."""
        seconds = f"seconds_per_{self.workload.unit.one}"
        names = ("version", "created", "ranks", "threads", seconds, "complete")
        with reading(self.path):
            values = {name: self._file.attrs[name] for name in names if name in self._file.attrs}
            return {n: _python_value(v) for n, v in values.items()}

    @property
    def complete(self) -> bool:
        """Whether the study had run to its end when the file was opened."""
        with reading(self.path):
            return bool(self._file.attrs["complete"])

    @property
    def seconds_per_turn(self) -> float:
        """Wall time of a turn [s], everything included; NaN while the run goes on."""
        with reading(self.path):
            return float(self._file.attrs[f"seconds_per_{self.workload.unit.one}"])

    def snapshots(self, kind: str) -> list[int]:
        """Turns at which snapshots of a kind were written: `slices`, `field`, …."""
        with reading(self.path):
            turns = sorted(int(name) for name in self._file.get(kind, {}))
            return [turn for turn in turns if self.written(f"{kind}/{turn}")]

    def written(self, name: str) -> bool:
        """Whether the dataset, or any below the group, of this name holds something."""
        item = self._file[name]
        if hasattr(item, "refresh"):
            item.refresh()
            return bool(item.size)
        return any(self.written(f"{name}/{child}") for child in item)

    def array(self, name: str) -> Floats:
        """A dataset that is written once; RunError where it is missing or not yet written."""
        with reading(self.path):
            if name not in self._file or not self.written(name):
                raise RunError(f"{self.path} holds no {name}")
            return _numbers(self._file[name])

    def arrays(self, name: str) -> dict[str, Floats]:
        """The datasets of a group that is written once; RunError where they are missing."""
        with reading(self.path):
            if name not in self._file or not self.written(name):
                raise RunError(f"{self.path} holds no {name}")
            return {key: _numbers(dataset) for key, dataset in self._file[name].items()}

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

    def shown(self) -> Shown:
        """What the run was, and what its records hold."""
        if not self._file:
            return Shown("results, closed", [["records", str(self.path)]])
        found, unit = self.attributes, self.workload.unit
        seconds = found.get(f"seconds_per_{unit.one}", math.nan)
        with reading(self.path):
            names = sorted(name for name in self._file if name != unit.one)
        rows = [
            ["records", str(self.path)],
            [unit.many, f"{self._turns}" + ("" if self.complete else ", not complete")],
            ["ranks × threads", f"{found.get('ranks', 1)} × {found.get('threads', 1)}"],
            [f"seconds a {unit.one}", "unknown" if math.isnan(seconds) else f"{seconds:.4g}"],
            ["holds", ", ".join(names)],
        ]
        return Shown(str(self.study.get("title") or "a run"), rows)


def _check_numbers(dataset: h5py.Dataset) -> None:
    if dataset.dtype.kind not in "biuf":
        raise TypeError(f"{dataset.name} holds no numbers")


def _numbers(dataset: h5py.Dataset) -> Floats:
    _check_numbers(dataset)
    return np.asarray(dataset[...])


def _python_value(value: Any) -> Any:
    if isinstance(value, str | bytes):
        return text_of(value)
    return value.item() if isinstance(value, np.generic) else value


def open_results(path: str | Path) -> Results:
    """The results in a run's folder or a records file, also during the run.

    Args:
        path: The run's folder, or its records.h5.

    Raises:
        RunError: There are no records there, or they are damaged.
    """
    return Results(path)
