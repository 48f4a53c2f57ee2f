"""Colours and names of what the pictures of colliding beams show."""

from __future__ import annotations

BEAM = ("#2f74d0", "#d9622b")
MODES = ("#12817a", "#b3378c")
"""Colours of the sum and the difference of the centroids, neither of which is a beam."""
FLOOR = "#8a63c9"
NOMINAL = "#2c9a63"
RESONANCE = "#b0638f"
PLANE_NAMES = ("x", "y", "z")
