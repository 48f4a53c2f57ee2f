"""The propagator of a quark as an array, and in a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import h5py
import numpy as np

from phasewise.driver import load_core
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.runs.disk import DAMAGE, damage_reason, disk_reason, replacing_hdf5
from phasewise.workloads.qcd.fields.part import SPINOR, ComplexField, Part, extents_of, part_of
from phasewise.workloads.qcd.grids import Extents

DATASET = "propagator"
AXES = "t z y x sink_spin sink_colour source_spin source_colour"


@dataclass(frozen=True)
class Propagator:
    """S(x, source) of a quark.

    Attributes:
        array: This rank's part, (T, Z, Y, X, 4, 3, 4, 3): the sites along t, z, y and x, spin and
            colour at the sink, spin and colour of the source.
        part: The sites of this rank.
        site: The site x, y, z, t of the source; its time counts for any source.
        phases: Those of the boundary, in units of π.
        iterations: Iterations of all twelve solves.
        residual: The largest ‖b - D x‖/‖b‖.
    """

    array: ComplexField
    part: Part
    site: Extents
    phases: tuple[float, ...]
    iterations: int
    residual: float

    def write(self, path: str | Path) -> None:
        """Write all ranks' parts to an HDF5 file, which appears when it is whole; collective.

        Its dataset `propagator`, complex (T, Z, Y, X, 4, 3, 4, 3), has the attributes `axes`,
        `size`, `source`, `phases`, `iterations` and `residual`. RunError if the disk refuses.
        """
        comm = load_core()
        origins = [
            tuple(json.loads(one)) for one in comm.gather(json.dumps(self.part.origin).encode())
        ]
        with ExitStack() as stack:
            file = on_rank_zero(comm, lambda: stack.enter_context(_written(Path(path))))
            data = on_rank_zero(comm, lambda: self._dataset(file))
            for time in range(self.part.extents[3]):
                parts = comm.gather(self.array[time].tobytes())
                slices = zip(origins, parts, strict=True)
                on_rank_zero(comm, partial(self._put, data, time, slices))
            on_rank_zero(comm, stack.close)

    def _dataset(self, file: h5py.File) -> h5py.Dataset:
        shape = (*reversed(self.part.size), *SPINOR, *SPINOR)
        data = file.create_dataset(DATASET, shape, np.complex128)
        data.attrs.update(
            {
                "axes": AXES,
                "size": self.part.size,
                "source": self.site,
                "phases": self.phases,
                "iterations": self.iterations,
                "residual": self.residual,
            }
        )
        return data

    def _put(
        self, data: h5py.Dataset, time: int, slices: Iterable[tuple[tuple[int, ...], bytes]]
    ) -> None:
        """Write a time slice of each rank's part, given with the origin of the part."""
        shape = self.array.shape[1:]
        lz, ly, lx = shape[:3]
        for (x, y, z, t), part in slices:
            values = np.frombuffer(part, np.complex128).reshape(shape)
            data[t + time, z : z + lz, y : y + ly, x : x + lx] = values

    @classmethod
    def read(cls, path: str | Path, process_grid: str = "auto") -> Propagator:
        """A propagator that `write` left, on any ranks, each of which reads its part; StudyError if
        the file is none.
        """
        return collectively(load_core(), lambda: cls._read(Path(path), process_grid))

    @classmethod
    def _read(cls, path: Path, process_grid: str) -> Propagator:
        try:
            with h5py.File(path, "r") as file:
                data = file[DATASET]
                size = extents_of(int(one) for one in data.attrs["size"])
                part = part_of(size, process_grid, load_core())
                array = np.asarray(data[part.slices], np.complex128)
                x, y, z, t = (int(one) for one in data.attrs["source"])
                phases = tuple(float(one) for one in data.attrs["phases"])
                iterations, residual = data.attrs["iterations"], data.attrs["residual"]
        except DAMAGE as error:
            raise StudyError(f"{path} is no file of a propagator: {damage_reason(error)}") from None
        wanted = (*part.shape, *SPINOR, *SPINOR)
        if array.shape != wanted:
            raise StudyError(
                f"{path} is no file of a propagator: a part of it has the shape {array.shape}, not "
                f"{wanted}"
            )
        return cls(array, part, (x, y, z, t), phases, int(iterations), float(residual))


@contextmanager
def _written(path: Path) -> Iterator[h5py.File]:
    try:
        with replacing_hdf5(path) as file:
            yield file
    except OSError as error:
        raise RunError(f"{path} cannot be written: {disk_reason(error)}") from None
