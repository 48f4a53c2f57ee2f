"""What a checkpoint of space charge keeps: the compiled run gives its particles as rows."""

from phasewise.runs.state import StateKeeping


class SpaceChargeStateKeeping(StateKeeping):
    """Where its state comes from."""

    FAILS_ALIKE = ("the bunch has no finite size",)
    """A mesh's errors: they follow from a box that every rank has alike."""
