"""What a scan of oceans shows first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.scanning.shown import Scanning


class OceanScanning(Scanning):
    """The results that a scan compares."""

    def headlines(self, summary: Mapping[str, Any]) -> dict[str, str]:
        """Iterations, residual and speeds."""
        return {
            "solver.iterations_per_solve": "iterations of a solve",
            "solver.residual": "largest residual",
            "seconds_per_timestep": "seconds a timestep",
            "largest_speed": "largest speed [m/s]",
        }
