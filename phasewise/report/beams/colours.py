"""Colours and names that the pictures of beams of several workloads have in common."""

from __future__ import annotations

BEAM = ("#2f74d0", "#d9622b")
FLOOR = "#8a63c9"
RESONANCE = "#b0638f"
PLANE_NAMES = ("x", "y", "z")
