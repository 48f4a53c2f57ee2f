"""A gas whose arrays stand in Python: `Hydro` takes them to a later time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from phasewise.driver import Core, Floats, StatefulRun, load_core
from phasewise.errors import RunError
from phasewise.mpi.ranks import collectively
from phasewise.runs.layout import fault_of
from phasewise.runs.simulation import start_run
from phasewise.study import Study
from phasewise.workloads.hydro.coordinates import CARTESIAN
from phasewise.workloads.hydro.faces import centres_of
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.problems import FILE
from phasewise.workloads.hydro.zones import (
    POSITIVE,
    SET,
    VELOCITIES,
    in_shape,
    whole_rows,
)

Rows = dict[str, Floats]


class Hydro:
    """A gas on a grid of one to three axes, advanced by the piecewise parabolic method.

    >>> x = (np.arange(400) + 0.5) / 400
    >>> gas = Hydro(np.where(x < 0.5, 1.0, 0.125), np.where(x < 0.5, 1.0, 0.1))
    >>> gas.advance(0.2)
    >>> gas.density, gas.velocity[0]

    Under mpiexec each rank gives the same whole arrays and gets whole arrays back, and all ranks
    call the same methods.
    """

    def __init__(
        self,
        density: ArrayLike,
        pressure: ArrayLike,
        velocity: Sequence[ArrayLike] | ArrayLike = (),
        *,
        low: ArrayLike | None = None,
        high: ArrayLike | None = None,
        coordinates: str = CARTESIAN,
        boundaries: Any = None,
        gamma: float = 1.4,
        courant: float = 0.5,
        communication: dict[str, Any] | None = None,
        threads: int = 1,
        **more: Any,
    ) -> None:
        """The gas at time 0.

        Args:
            density: Means over zones, (n1,), (n1, n2) or (n1, n2, n3).
            pressure: The same of the pressure.
            velocity: An array for each axis; without them the gas is at rest.
            low: The lower bound of each axis, 0 by default.
            high: The upper bound, by default 1 along the first axis and zones as wide along others.
            coordinates: "cartesian", "cylindrical", "spherical" or "axisymmetric".
            boundaries: As the study's key hydro.boundaries; outflow by default.
            gamma: Ratio of specific heats.
            courant: The share of a zone that sound, or gas, crosses in a timestep at most.
            communication: Keys of [communication].
            threads: Threads of this process.
            more: Other keys of [hydro], such as riemann or gravity.

        Raises:
            StudyError: A key cannot be used on this grid.
            ValueError: Arrays have different shapes, or values that no gas has.
        """
        arrays = _arrays(density, pressure, velocity)
        zones = arrays["density"].shape
        given = {"low": low, "high": high, "boundaries": boundaries} | more
        own = {name: value for name, value in given.items() if value is not None}
        self._tables = {
            "workload": "hydro",
            "timesteps": 2**31 - 1,
            "hydro": {
                "problem": FILE, "file": "arrays", "zones": list(zones), "gamma": gamma,
                "coordinates": coordinates, "courant": courant, **own,
            },
            "communication": communication or {},
        }  # fmt: skip
        self._core: Core = load_core()
        self._threads = threads
        self._timesteps = 0
        self._record: dict[str, Any] = {}
        self._model = model_of(self._study(0.0))
        self._rows = self._first_rows(arrays)

    def _study(self, until: float) -> Study:
        own = {**cast(dict[str, Any], self._tables["hydro"]), "until": until}
        return Study.from_dict(self._tables | {"hydro": own})

    def _first_rows(self, arrays: dict[str, Floats]) -> Rows:
        """The rows of all zones at time 0."""
        rows = {name: values.T.ravel() for name, values in arrays.items()}
        for name in POSITIVE:
            floor = getattr(self._model, f"{name}_floor")
            floored = np.full(len(rows[name]), float((rows[name] < floor).sum()))
            rows[f"{name}_floors"], rows[name] = floored, np.maximum(rows[name], floor)
        return rows

    @property
    def time(self) -> float:
        """The time of the arrays."""
        return float(self._rows["time"][0]) if "time" in self._rows else 0.0

    @property
    def timesteps(self) -> int:
        """The number of timesteps done."""
        return self._timesteps

    @property
    def density(self) -> Floats:
        """Means over zones, in the shape of the grid."""
        return self._field("density")

    @property
    def pressure(self) -> Floats:
        """The same of the pressure."""
        return self._field("pressure")

    @property
    def velocity(self) -> Floats:
        """(3, …): the velocities along the axes."""
        return np.stack([self._field(name) for name in VELOCITIES])

    @property
    def record(self) -> dict[str, Any]:
        """What the last timestep recorded (docs/hydro.md); empty before the first."""
        return dict(self._record)

    def centres(self, axis: int) -> Floats:
        """The centres of zones along an axis, from 0."""
        return centres_of(self._model, axis)

    def _field(self, name: str) -> Floats:
        return in_shape(self._rows[name], self._model.zones)

    def advance(self, until: float) -> None:
        """Take the gas to a time; RunError if a timestep cannot be done. Collective."""
        if until <= self.time:
            raise ValueError(f"until = {until:g} must be after the time of the gas, {self.time:g}")
        study, core = self._study(until), self._core
        study.check_ranks(core.size())
        run = cast(
            StatefulRun,
            collectively(core, lambda: start_run(core, study.parameters(), self._threads)),
        )
        self._load(run)
        try:
            while not run.finished:
                run.step()
                if fault := fault_of(study, run.record()):
                    raise RunError(f"timestep {run.turn}: {fault}")
        except (MemoryError, RuntimeError, ValueError) as error:
            raise RunError(f"timestep {run.turn} cannot be done: {error}") from error
        self._record, self._timesteps = run.record(), run.turn
        self._rows = self._whole(run)

    def _load(self, run: StatefulRun) -> None:
        """Give a run its zones, and the number of timesteps that are done."""
        here = run.state()[SET]
        numbers = np.ascontiguousarray(here["id"], dtype=np.int64)
        columns = {name: np.asarray(here[name]) for name in here if name != "id"}
        for name, values in self._rows.items():
            columns[name] = np.ascontiguousarray(values[numbers])
        run.set_turn(self._timesteps)
        run.restore(SET, numbers, columns)

    def _whole(self, run: StatefulRun) -> Rows:
        """The rows of all zones on every rank, by their numbers."""
        names = [name for name in run.state()[SET] if name != "id"]
        whole = whole_rows(run, self._core, names)
        parts = {name: b"" if whole is None else whole[name].tobytes() for name in names}
        return {name: np.frombuffer(self._core.broadcast(parts[name])) for name in names}


def _arrays(
    density: ArrayLike, pressure: ArrayLike, velocity: Sequence[ArrayLike] | ArrayLike
) -> dict[str, Floats]:
    """The fields as arrays of one shape; ValueError if they are no gas."""
    found = {
        "density": np.asarray(density, dtype=np.float64),
        "pressure": np.asarray(pressure, dtype=np.float64),
    }
    shape = found["density"].shape
    given = list(cast(Any, velocity))
    if isinstance(velocity, np.ndarray) and velocity.shape == shape and len(shape) == 1:
        given = [velocity]  # along the only axis
    if len(given) > len(VELOCITIES):
        raise ValueError(f"velocity has {len(given)} arrays; give one for each of at most 3 axes")
    for name, values in zip(VELOCITIES, given, strict=False):
        found[name] = np.asarray(values, dtype=np.float64)
    for name in VELOCITIES:
        found.setdefault(name, np.zeros(shape))
    for name, values in found.items():
        if values.shape != shape:
            raise ValueError(f"{name} has the shape {values.shape}, and density has {shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} has values that are not finite numbers")
        if name in POSITIVE and (values < 0).any():
            zone = tuple(int(at) for at in np.unravel_index(int(np.argmin(values)), shape))
            raise ValueError(f"{name} is {values[zone]:g} in zone {zone}; it must not be negative")
    return found
