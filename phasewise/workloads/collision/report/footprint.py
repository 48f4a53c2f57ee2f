"""Picture in the tune plane: the footprint of the tracked particles of both beams."""

from __future__ import annotations

from phasewise.report.beams.colours import BEAM
from phasewise.report.beams.footprint import ShownFootprint, draw_footprints
from phasewise.report.figure import Drawing, Missing
from phasewise.workloads.collision.report.beams_run import BeamsRun


def draw_footprint(run: BeamsRun) -> Drawing | Missing:
    """Tunes of the tracked particles, coloured by their diffusion, with the resonance lines that
    cross them.
    """
    sign = -1 if run.setting.like_charges else 1
    shown = []
    for index, found in enumerate(run.footprints):
        if found is None:
            continue
        beam = run.setting.beams[index]
        machine, (x, y) = beam.tune or (0.0, 0.0), beam.xi
        shift = (sign * x, sign * y)
        shown.append(ShownFootprint(f"beam {index + 1}", BEAM[index], found, machine, shift))
    if not shown:
        return Missing(
            "Set records.tracked to some hundreds, and run 64 turns or more, to see the footprint."
        )
    return draw_footprints(shown, "machine tune shifted by the sum of ξ")
