"""What a compiled run of shallow water adds to those of all workloads
(core/sphere/bindings.cpp).
"""

from __future__ import annotations

from typing import Protocol

from phasewise.driver import Floats, StatefulRun


class SphereRun(StatefulRun, Protocol):
    """A run of shallow water as Python sees it: this rank's latitudes."""

    @property
    def latitudes(self) -> list[int]: ...
    @property
    def mountain_is_missing(self) -> bool: ...
    def field(self, name: str) -> Floats: ...
    def set_mountain(self, mountain: Floats) -> None: ...
    def set_fields(self, u: Floats, v: Floats, h: Floats, mountain: Floats) -> None: ...
