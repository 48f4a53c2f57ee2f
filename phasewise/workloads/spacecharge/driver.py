"""A run of a bunch with space charge: what the compiled driver offers beyond every run."""

from __future__ import annotations

from typing import Protocol

from phasewise.driver import Arrays, Run


class SpaceChargeRun(Run, Protocol):
    """One bunch, of which each rank holds some particles."""

    def particles(self) -> Arrays: ...
