"""Links of SU(3) as arrays."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phasewise.driver import load_core, load_planner
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively
from phasewise.workloads.qcd.fields.flow import Flow
from phasewise.workloads.qcd.fields.part import (
    LINK,
    ComplexField,
    Part,
    extents_of,
    part_of,
    reals,
    run_of,
)
from phasewise.workloads.qcd.flow_scales import times_of
from phasewise.workloads.qcd.gauge.files import UNITARY, open_links
from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.shared import read_own_links
from phasewise.workloads.qcd.gauge.writing import write_own_links
from phasewise.workloads.qcd.grids import Extents

MEASURED: dict[str, dict[str, Any]] = {"quarks": {"kappa": 0.1}, "measure": {"rectangles": True}}
"""Tables of a run that measures links."""


class Links:
    """The links of a lattice, U_µ(x), as they are in SU(3).

    `array` holds those of this rank, complex, of the shape (T, Z, Y, X, 4, 3, 3): the sites along
    t, z, y and x, the direction x, y, z, t of the link, and its rows and columns. It cannot be
    written to. Under mpiexec each rank has its part (`part`), and all ranks call the same methods.
    """

    def __init__(self, array: ArrayLike, process_grid: str = "auto") -> None:
        """Links from an array of the whole lattice, (T, Z, Y, X, 4, 3, 3), the same on all ranks.

        Links that are not quite in SU(3) are put into it: the first row keeps its direction, and
        the others follow.

        Args:
            array: Complex numbers.
            process_grid: Ranks along x, y, z and t, as "1x1x2x2"; "auto": the least surface.

        Raises:
            StudyError: The array has another shape, or its links are far from SU(3), or the ranks
                do not divide the lattice.
        """
        whole = np.asarray(array)
        if whole.ndim != 7 or whole.shape[4:] != LINK or 0 in whole.shape:
            raise StudyError(
                f"links have the shape {whole.shape}, and not (T, Z, Y, X, 4, 3, 3): the sites "
                "along t, z, y and x, four directions, rows and columns"
            )
        size = extents_of(whole.shape[3::-1])
        part = part_of(size, process_grid, load_core())
        own = np.array(part.own(whole), dtype=np.complex128, order="C")
        collectively(load_core(), lambda: _into_special_unitary(own))
        self._take(part, own)

    def _take(self, part: Part, array: ComplexField) -> None:
        self.part = part
        self.array = array
        self.array.flags.writeable = False

    @classmethod
    def _of(cls, part: Part, array: ComplexField) -> Links:
        found = cls.__new__(cls)
        found._take(part, array)
        return found

    @classmethod
    def read(
        cls, path: str | Path, size: Iterable[int] | None = None, process_grid: str = "auto"
    ) -> Links:
        """Links from a file of any format (docs/qcd.md), verified as `phasewise gauge check` does;
        each rank reads its own.

        Args:
            path: The file.
            size: The lattice's extents along x, y, z and t, where the file does not give them.
            process_grid: As for an array.

        Raises:
            StudyError: The file cannot be read, or is not what it says.
        """
        comm = load_core()
        known = None if size is None else extents_of(size)
        stored = collectively(comm, lambda: open_links(Path(path), known))
        part = part_of(stored.size, process_grid, comm)
        links = read_own_links(stored, part.origin, part.extents, comm)
        return cls._of(part, links.view(np.complex128).reshape(*part.shape, *LINK))

    @classmethod
    def cold(cls, size: Iterable[int], process_grid: str = "auto") -> Links:
        """Unit matrices on a lattice of even extents along x, y, z and t."""
        return cls._started(extents_of(size), "cold", 1, process_grid)

    @classmethod
    def hot(cls, size: Iterable[int], seed: int = 1, process_grid: str = "auto") -> Links:
        """Random matrices by Haar's measure, the same on any ranks, as `gauge.start = "hot"`."""
        return cls._started(extents_of(size), "hot", seed, process_grid)

    @classmethod
    def _started(cls, size: Extents, start: str, seed: int, process_grid: str) -> Links:
        part = part_of(size, process_grid, load_core())
        run = run_of(part, {"gauge": {"start": start}, "quarks": {"kappa": 0.1}}, seed=seed)
        array = np.asarray(run.links()).view(np.complex128).reshape(*part.shape, *LINK)
        return cls._of(part, array.copy())

    @property
    def size(self) -> Extents:
        """The extents of the lattice along x, y, z and t."""
        return self.part.size

    def measure(self) -> dict[str, Any]:
        """`plaquette`, `plaquette_space`, `plaquette_time`, `rectangle` and `link_trace`, 1 for
        unit matrices, and `polyakov`, complex (4,), along x, y, z and t; collective. They have the
        same bits on any ranks.
        """
        run = run_of(self.part, MEASURED)
        run.set_links(reals(self.array))
        run.take_links()
        record = run.record()
        space, time = (float(record[f"plaquette_{one}"]) for one in ("space", "time"))
        loops = np.asarray(record["polyakov"])
        return {
            "plaquette": 0.5 * (space + time),
            "plaquette_space": space,
            "plaquette_time": time,
            "rectangle": float(record["rectangle"]),
            "link_trace": float(record["link_trace"]),
            "polyakov": loops[:, 0] + 1j * loops[:, 1],
        }

    def flow(self, until: float, step: float = 0.02) -> Flow:
        """What the gradient flow of Wilson's action makes of the links (M. Lüscher, JHEP 08 (2010)
        071), by its integrator of third order; collective. The bits are the same on any ranks.

        Args:
            until: The flow time at the end, in lattice units.
            step: The length of a step; above 0.1 it is unstable.

        Raises:
            StudyError: The step or the time cannot be used.
        """
        if not until > 0:
            raise StudyError(f"a flow until {until} has no step; give a time above 0")
        tables: dict[str, Any] = {
            "quarks": {"kappa": 0.1},
            "measure": {"flow": {"step": step, "until": until}},
        }
        run = run_of(self.part, tables)
        run.set_links(reals(self.array))
        run.take_links()
        series = {
            name: np.asarray(run.record()[f"flow_{name}"])
            for name in ("energy_space", "energy_time", "charge", "plaquette")
        }
        return Flow(time=times_of(step, len(series["charge"])), **series)

    def write(self, path: str | Path, format: str = "ildg", **form: Any) -> None:  # noqa: A002
        """Write a file as `phasewise gauge convert` does; collective.

        Args:
            path: The file, which appears when it is whole.
            format: "ildg", "milc" or "nersc".
            form: `precision`, `rows` and `byte_order`, as far as the format has them.

        Raises:
            StudyError: The format has no such form.
            RunError: The disk refuses.
        """
        links = self.array.view(np.float64).reshape(*self.part.shape, *LINK, 2)
        own = self.part
        write_own_links(
            Path(path), form_of(format, **form), own.size, own.origin, links, load_core()
        )


def _into_special_unitary(links: ComplexField) -> None:
    """Put links into SU(3) in place; StudyError if they are not near it."""
    if not np.isfinite(links).all():
        raise StudyError("the links are not finite")
    core: Any = load_planner()
    unitary, special, of_double, special_of_double = core.into_special_unitary(
        links.view(np.float64)
    )
    most = max(of_double, special_of_double)
    if max(unitary, special) > UNITARY["single"] or most > UNITARY["double"]:
        raise StudyError(
            f"the links are not SU(3): U U† differs from 1 by up to {unitary:.2g}, and third rows "
            f"from those that give determinant 1 by up to {special:.2g}"
        )
