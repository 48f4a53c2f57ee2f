"""What a report on lattice QCD adds to that of every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.reporting import Chapter, Reporting
from phasewise.report.style import with_error
from phasewise.workloads.qcd import pictures, update_pictures
from phasewise.workloads.qcd.ensemble_statistics import configurations, ensemble_of, is_chain
from phasewise.workloads.qcd.flow_picture import draw_flow
from phasewise.workloads.qcd.report_tables import pion_tables, solve_tables
from phasewise.workloads.qcd.update_tables import ensemble_tables, ensemble_tiles

OF_QUARKS = ("residuals", "pion")
"""Pictures of solves on configurations: of every study of solves with quarks, and of trajectories
that measure a pion.
"""
OF_HMC = ("energy-change", "forces")
"""Pictures of trajectories that are accepted or rejected."""
OF_CONFIGURATIONS = ("histories", "autocorrelation", "charge")
"""Pictures of several configurations, whether a run makes them or reads them."""
OF_SOLVES = "iterations"
"""The picture of trajectories with quarks."""

SOLVES = Chapter(
    "solves",
    "Solves",
    (
        ("residuals", "Residuals", pictures.draw_residuals),
        ("pion", "Pion", pictures.draw_pion),
        ("flow", "Gradient flow", draw_flow),
        ("loops", "Plaquettes and Polyakov loops", pictures.draw_loops),
    ),
    solve_tables,
)
TRAJECTORIES = Chapter(
    "trajectories",
    "Trajectories",
    (
        ("histories", "Histories", update_pictures.draw_histories),
        ("autocorrelation", "Autocorrelation", update_pictures.draw_autocorrelation),
        ("energy-change", "Change of the energy", update_pictures.draw_energy_change),
        ("charge", "Topological charge", update_pictures.draw_charge),
        ("forces", "Forces", update_pictures.draw_forces),
        (OF_SOLVES, "Iterations", update_pictures.draw_iterations),
    ),
    ensemble_tables,
)
OF_FILES = Chapter(
    SOLVES.name,
    SOLVES.title,
    (
        *SOLVES.figures,
        *(one for one in TRAJECTORIES.figures if one[0] in OF_CONFIGURATIONS),
    ),
    lambda run: [*solve_tables(run), *ensemble_tables(run)],
)
"""Solves on the links of several files."""
MEASUREMENTS = Chapter("measurements", "Measurements", SOLVES.figures, pion_tables)
"""What was measured on the configurations that a run made."""


class QcdReporting(Reporting):
    """What a report shows of it."""

    CHAPTERS = (TRAJECTORIES, MEASUREMENTS, SOLVES)

    def chapters(self, run: ReportedRun) -> tuple[Chapter, ...]:
        """The trajectories and what was measured on them, or the solves, without the pictures that
        the study cannot have.
        """
        study = run.study
        without = set(() if study.get("quarks") else (*OF_QUARKS, OF_SOLVES))
        if not is_chain(run.results):
            several = configurations(run.results) > 1
            return (_without(OF_FILES if several else SOLVES, without),)
        if study["update"]["method"] != "hmc":
            without.update(OF_HMC)
        if not study["measure"].get("pion"):
            without.update(OF_QUARKS)
        return _without(TRAJECTORIES, without), _without(MEASUREMENTS, without)

    def tiles(self, run: ReportedRun) -> list[Tile]:
        """The lattice, its plaquette, and how well it was solved or how the trajectories went."""
        return ensemble_tiles(run) if is_chain(run.results) else _tiles_of_solves(run)


def _without(chapter: Chapter, names: set[str]) -> Chapter:
    figures = tuple(figure for figure in chapter.figures if figure[0] not in names)
    return Chapter(chapter.name, chapter.title, figures, chapter.tables)


def _tiles_of_solves(run: ReportedRun) -> list[Tile]:
    study: Mapping[str, Any] = run.study
    size = "×".join(map(str, study["lattice"]["size"]))
    quarks = study.get("quarks")
    found = [
        Tile("Lattice", size, f"κ = {quarks['kappa']:g}" if quarks else "no quarks"),
        _plaquette(run),
    ]
    if not quarks:
        return found
    iterations = int(run.results.rows("iterations").sum())
    residual = float(run.results.rows("residual").max())
    return [*found, Tile("Iterations", str(iterations), f"largest residual {residual:.2g}")]


def _plaquette(run: ReportedRun) -> Tile:
    """The mean over several files with its error, or that of the last solve's links."""
    count = configurations(run.results)
    if count > 1:
        mean = ensemble_of(run.results)["plaquette"]
        return Tile("Plaquette", with_error(mean["mean"], mean["error"]), f"of {count} files")
    space, time = (float(run.results.rows(f"plaquette_{kind}")[-1]) for kind in ("space", "time"))
    about = f"space {space:.6f}, time {time:.6f}"
    return Tile("Plaquette", f"{0.5 * (space + time):.6f}", about)
