"""What a scan of space charge shows, and the keys in which it converges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.scanning.shown import Scanning


class SpaceChargeScanning(Scanning):
    """What a scan shows of it."""

    ORDERS = {
        # Cloud-in-cell deposit and differences of the potential err by the square of the cells.
        r"solver\.grid(\.\d)?": 2.0,
        # A kick in the middle of each part is of second order in its length.
        r"solver\.kicks": 2.0,
        # A mean over seeds errs by the square of the noise where it is not linear in it: by 1/N.
        r"bunch\.macroparticles": 1.0,
    }

    def headlines(self, summary: Mapping[str, Any]) -> dict[str, str]:
        """Tune shifts, emittances and their growth in x and y, and losses."""
        found = {}
        for place, plane in enumerate("xy"):
            found[f"laslett_tune_shift.{place}"] = f"Laslett tune shift {plane}"
        for index, beam in enumerate(summary["beams"]):
            of = "" if len(summary["beams"]) == 1 else f" of beam {index + 1}"
            for place, plane in enumerate("xy"):
                at = f"beams.{index}"
                if beam["tune_shift"] is not None:
                    name = f"{at}.tune_shift.spread.{place}"
                    found[name] = f"tune spread {plane}{of}, rms"
                found[f"{at}.emittance.{place}"] = f"emittance {plane}{of}, last [m]"
                found[f"{at}.emittance_growth.{place}"] = f"growth of ε {plane}{of}, per turn"
            found[f"beams.{index}.losses"] = f"macroparticles lost{of}"
        return found
