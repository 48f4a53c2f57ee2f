"""What a report shows of colliding beams."""

from __future__ import annotations

from phasewise.report.beams import phase_space
from phasewise.report.figure import Drawing, Missing
from phasewise.report.page import Tile
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import scientific, unit_text, with_error
from phasewise.report.tables import Table
from phasewise.workloads.collision.report import (
    densities,
    fields,
    footprint,
    history,
    luminosity,
    modes,
    radiation,
    waterfall,
)
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.report.tables import result_tables, study_tables

PLACE = "on arrival at IP 1"

RADIATION = Chapter(
    "radiation",
    "Radiation in the collisions",
    (
        ("bunch-length", "Bunch length and momentum spread", radiation.draw_lengths),
        (
            "photon-spectrum",
            "Photon spectrum against the integral",
            radiation.draw_photon_spectrum,
        ),
    ),
)


def _draw_phase_space(run: BeamsRun) -> Drawing | Missing:
    return phase_space.draw_phase_space(run.particles, PLACE)


def _draw_density(run: BeamsRun) -> Drawing | Missing:
    return phase_space.draw_density(run.particles, PLACE)


class CollisionReporting(Reporting):
    """What a report shows of it."""

    REPORTED = BeamsRun
    FIELDS = (densities.charge_density(1), densities.charge_density(2))
    CHAPTERS = (
        Chapter(
            "results",
            "Results",
            (
                ("luminosity", "Luminosity", luminosity.draw_luminosity),
                ("emittances", "Emittances", history.draw_emittances),
                ("sizes", "Sizes and shape", history.draw_sizes),
                ("losses", "Losses", history.draw_losses),
            ),
            result_tables,
        ),
        Chapter(
            "modes",
            "Coherent modes and tunes",
            (
                ("centroids", "Centroids", history.draw_centroids),
                ("spectra", "Spectra of the σ and π modes", modes.draw_spectra),
                ("waterfall", "Spectra along the run", waterfall.draw_waterfall),
                ("footprint", "Tune footprint", footprint.draw_footprint),
            ),
        ),
        Chapter(
            "bunches",
            "Particles",
            (
                ("phase-space", "Phase space", _draw_phase_space),
                ("density", "Density", _draw_density),
            ),
        ),
        Chapter(
            "collision",
            "Collision",
            (
                ("field", "Field of a slice", fields.draw_field),
                ("pair-luminosity", "Luminosity of the slice pairs", fields.draw_pair_luminosity),
                ("slices", "Slices", fields.draw_slices),
            ),
        ),
    )

    def chapters(self, run: BeamsRun) -> tuple[Chapter, ...]:
        """With that on radiation if particles radiate somewhere."""
        first, *others = self.CHAPTERS
        return (first, RADIATION, *others) if run.radiating else self.CHAPTERS

    def study_tables(self, run: BeamsRun) -> list[Table]:
        """Beams, arcs, interaction points, resolution, and how the ranks exchange."""
        return study_tables(run)

    def tiles(self, run: BeamsRun) -> list[Tile]:
        """Luminosities, Yokoya factors, the largest growth of an emittance."""
        found: list[Tile] = []
        for k, point in enumerate(run.luminosity, 1):
            if point is not None and k <= 2:
                unit = unit_text(point.unit)
                name = "Luminosity" if len(run.luminosity) == 1 else f"Luminosity, IP {k}"
                aside = (
                    f"{100 * point.mean / point.nominal:.2f} % of nominal" if point.nominal else ""
                )
                found.append(Tile(f"{name} [{unit}]", scientific(point.mean), aside))
        for plane in "xy":
            modes = getattr(run.modes, plane)
            if modes.yokoya is not None:
                factor = with_error(modes.yokoya, modes.yokoya_error)
                aside = f"σ {modes.sigma.frequency:.5f}, π {modes.pi.frequency:.5f}"
                found.append(Tile(f"Yokoya factor, {plane}", factor, aside))
        for plane in "xy":
            fits = [getattr(beam, plane) for beam in run.growth]
            rates = [fit for fit in fits if fit.growth is not None]
            if rates:
                worst = max(rates, key=lambda fit: fit.growth.per_turn)
                value = with_error(worst.growth.per_turn, worst.growth.error)
                floor = worst.noise_floor
                aside = (
                    f"noise floor {scientific(floor, 2)}" if floor else "largest of the two beams"
                )
                found.append(Tile(f"ε {plane} growth per turn", value, aside))
        return found
