"""Ensembles of configurations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.errors import StudyError
from phasewise.workloads.qcd.fields.links import Links


class Ensemble:
    """Files of links, one for each configuration; links are read one after another."""

    def __init__(self, files: Iterable[str | Path], process_grid: str = "auto") -> None:
        """The files in order; StudyError if there is none."""
        self.files = tuple(map(Path, files))
        self.process_grid = process_grid
        if not self.files:
            raise StudyError("an ensemble needs one file of links at least")

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[Links]:
        for path in self.files:
            yield Links.read(path, process_grid=self.process_grid)

    def measure(self, function: Callable[[Links], ArrayLike]) -> NDArray[Any]:
        """What a function gives for each configuration, (N, ...)."""
        return np.array([np.asarray(function(links)) for links in self])
