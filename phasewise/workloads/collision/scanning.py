"""What a scan of colliding beams shows, and the keys in which a collision converges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.scanning.shown import Scanning


class CollisionScanning(Scanning):
    """What a scan shows of it."""

    ORDERS = {
        # Cloud-in-cell deposit and linear interpolation err by the square of the mesh step.
        r"ip\.\d+\.grid(\.\d)?": 2.0,
        # A sum over the centres of slices of a smooth bunch errs by the square of their length.
        r"ip\.\d+\.slices(\.\d)?": 2.0,
        # A mean over seeds errs by the square of the noise where it is not linear in it: by 1/N.
        r"beam\.\d\.macroparticles": 1.0,
    }

    def headlines(self, summary: Mapping[str, Any]) -> dict[str, str]:
        """Luminosity; emittances and their growth in x and y of both beams."""
        found = {"luminosity.mean": f"luminosity, mean [{summary['luminosity']['unit']}]"}
        for index in range(len(summary["beams"])):
            for place, plane in enumerate("xy"):
                of = f"{plane} of beam {index + 1}"
                found[f"beams.{index}.emittance.{place}"] = f"emittance {of}, last [m]"
                name = f"beams.{index}.emittance_growth.{place}"
                found[name] = f"growth of emittance {of}, per turn"
        return found
