"""A run of colliding beams: what the compiled driver offers beyond every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from phasewise.driver import Arrays, Floats, Run

COORDINATES = ("x", "px", "y", "py", "z", "delta")
"""Names of the six coordinates, in order: m, 1, m, 1, m, 1."""


class CollisionRun(Run, Protocol):
    """Two beams, of which each rank holds some particles; the ids of a rank's particles are
    consecutive.
    """

    @property
    def beams_here(self) -> list[int]: ...
    @property
    def device_bytes(self) -> int: ...
    @property
    def device_operations(self) -> int: ...
    def particles(self, beam: int) -> Arrays: ...
    def macroparticles(self, beam: int) -> int: ...
    def first_id(self, beam: int) -> int: ...
    def last_id(self, beam: int) -> int: ...
    def replace_particles(self, beam: int, /, *columns: NDArray[Any]) -> None: ...
    def slices(self, ip: int) -> Mapping[int, Arrays]: ...
    def pair_luminosity(self, ip: int) -> Floats: ...
    def slice_field(self, ip: int, beam: int, slice: int) -> Arrays: ...  # noqa: A002
