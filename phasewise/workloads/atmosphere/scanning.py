"""What a scan of atmospheres shows first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.scanning.shown import Scanning


class AtmosphereScanning(Scanning):
    """The results that a scan compares."""

    def headlines(self, summary: Mapping[str, Any]) -> dict[str, str]:
        """Loads, what moved, and seconds."""
        return {
            "load_before": "load before, largest over mean",
            "load_after": "load after, largest over mean",
            "moved": "columns moved in a timestep",
            "seconds_per_timestep": "seconds a timestep",
        }
