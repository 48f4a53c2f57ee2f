"""The state of a run's columns, which follows from the seed at its start."""

from __future__ import annotations

from phasewise.runs.state import StateKeeping


class AtmosphereStateKeeping(StateKeeping):
    """Where its state comes from."""

    FAILS_ALIKE = ("timestep ", "the column ", "atmosphere.")
