"""The unit in which luminosities are shown."""

from __future__ import annotations

from typing import Any

PER_SECOND = "cm^-2 s^-1"
PER_CROSSING = "m^-2 per crossing"
PER_SQUARE_CENTIMETRE = 1e-4


class LuminosityUnit:
    """Unit of the luminosities shown: per second if the study gives ring and bunches."""

    def __init__(self, study: dict[str, Any], derived: dict[str, Any]) -> None:
        bunches = study["ring"].get("bunches")
        frequency = derived["beams"][0]["revolution_frequency"]
        known = bunches is not None and frequency is not None
        self.factor = bunches * frequency * PER_SQUARE_CENTIMETRE if known else 1.0
        self.name = PER_SECOND if known else PER_CROSSING

    def show(self, per_crossing: float) -> str:
        """A luminosity per crossing [m⁻²] in this unit."""
        return f"luminosity {per_crossing * self.factor:.4g} {self.name}"
