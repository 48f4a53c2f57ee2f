"""What a report shows of a bunch with space charge."""

from __future__ import annotations

from phasewise.report.page import Tile
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import scientific, with_error
from phasewise.report.tables import Table
from phasewise.workloads.spacecharge.analysis import PLANES, tune_spread
from phasewise.workloads.spacecharge.report import along, losses, pictures
from phasewise.workloads.spacecharge.report.ring_run import RingRun
from phasewise.workloads.spacecharge.report.tables import result_tables, study_tables, tune_tables


class SpaceChargeReporting(Reporting):
    """What a report shows of it."""

    REPORTED = RingRun
    CHAPTERS = (
        Chapter(
            "results",
            "Results",
            (
                ("emittances", "Emittances", pictures.draw_emittances),
                ("sizes", "Sizes", pictures.draw_sizes),
                ("centroids", "Centroids", pictures.draw_centroids),
                ("losses", "Losses", losses.draw_losses),
            ),
            result_tables,
        ),
        Chapter(
            "tunes",
            "Tunes and lattice",
            (
                ("footprint", "Tune footprint", pictures.draw_footprint),
                ("lattice", "Optics and elements along the lattice", along.draw_along),
            ),
            tune_tables,
        ),
        Chapter(
            "bunches",
            "Particles",
            (
                ("phase-space", "Phase space", pictures.draw_phase_space),
                ("density", "Density", pictures.draw_density),
            ),
        ),
    )

    def study_tables(self, run: RingRun) -> list[Table]:
        """Bunch, solver, optics, and how the ranks exchange."""
        return study_tables(run)

    def tiles(self, run: RingRun) -> list[Tile]:
        """The tune shift, the growth of the emittances, the losses."""
        found: list[Tile] = []
        ring = run.ring
        if ring is not None and ring.shift is not None:
            both = ", ".join(scientific(value, 3) for value in ring.shift)
            found.append(Tile("Laslett tune shift x, y", both, _spread(run)))
        for plane, name in enumerate(PLANES[:2]):
            fits = [fit for fits in run.growth if (fit := fits[plane]) is not None]
            if fits:
                worst = max(fits, key=lambda fit: fit.per_turn)
                value = with_error(worst.per_turn, worst.error)
                found.append(Tile(f"ε {name} growth per turn", value))
        lost = sum(int(beam.losses[-1]) for beam in run.beams)
        made = sum(int(beam.particles[0] + beam.losses[0]) for beam in run.beams)
        share = f"{scientific(100 * lost / max(made, 1), 3)} % of {made}"
        return [*found, Tile("Macroparticles lost", str(lost), share)]


def _spread(run: RingRun) -> str:
    """The spread of the tunes of the tracked particles, if some were."""
    if run.ring is None or run.ring.optics is None:
        return ""
    for found in run.footprints:
        if found is not None:
            x, y = tune_spread(found, run.ring.optics).spread
            return f"rms spread {scientific(x, 2)}, {scientific(y, 2)}"
    return ""
