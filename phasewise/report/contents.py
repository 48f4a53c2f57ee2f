"""What a report contains, from top to bottom, and writing it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from phasewise.errors import RunError
from phasewise.report import bunches, communication, fields, history, modes, timeline
from phasewise.report.communication_tables import communication_tables
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.page import Page, Section, Tile, render
from phasewise.report.reported_run import RunFolder
from phasewise.report.style import scientific, unit_text, with_error
from phasewise.report.tables import cost_tables, result_tables, study_tables
from phasewise.runs.disk import replace_text

Draw = Callable[[RunFolder], Drawing | Missing]

# Sections with their figures: name, title, and what draws it.
FIGURES: dict[str, tuple[tuple[str, str, Draw], ...]] = {
    "results": (
        ("luminosity", "Luminosity", history.draw_luminosity),
        ("emittances", "Emittances", history.draw_emittances),
        ("sizes", "Sizes and shape", history.draw_sizes),
        ("losses", "Losses", history.draw_losses),
    ),
    "modes": (
        ("centroids", "Centroids", history.draw_centroids),
        ("spectra", "Spectra of the σ and π modes", modes.draw_spectra),
        ("footprint", "Tune footprint", modes.draw_footprint),
    ),
    "bunches": (
        ("phase-space", "Phase space", bunches.draw_phase_space),
        ("density", "Density", bunches.draw_density),
    ),
    "collision": (
        ("field", "Field of a slice", fields.draw_field),
        ("pair-luminosity", "Luminosity of the slice pairs", fields.draw_pair_luminosity),
        ("slices", "Slices", fields.draw_slices),
    ),
    "communication": (
        ("volume", "Volume between ranks", communication.draw_volume),
        ("phase-times", "Phase times against ranks", communication.draw_phase_times),
        ("tasks", "Tasks in time", timeline.draw_tasks),
        ("states", "Busy, overhead and idle in time", timeline.draw_states),
        ("utilisation", "Utilisation count", timeline.draw_utilisation),
    ),
}
TITLES = {
    "results": "Results",
    "modes": "Coherent modes and tunes",
    "bunches": "Particles",
    "collision": "Collision",
    "communication": "Communication",
}
# Sections of a run of messages alone, which recorded no beams.
OF_MESSAGES = ("communication",)


@dataclass(frozen=True)
class Report:
    """A report as written."""

    path: Path
    pictures: Path
    figures: tuple[Figure, ...]
    warnings: tuple[str, ...]


def make_report(
    directory: str | Path, output: str | Path | None = None, compare: Sequence[str | Path] = ()
) -> Report:
    """Read, analyse, draw and write the report of a run's folder; its pictures go beside it.

    The communication of the runs in the folders `compare` is shown beside this one's. RunError
    where a file cannot be read or written; the run's folder itself is only read.
    """
    run = RunFolder(directory, compare)
    path = Path(output) if output is not None else run.directory / "report.html"
    pictures = path.parent / "pictures"
    try:
        pictures.mkdir(exist_ok=True)
        drawn = {
            section: tuple(
                make_figure(name, title, partial(draw, run), pictures)
                for name, title, draw in entries
            )
            for section, entries in FIGURES.items()
            if run.has_records or section in OF_MESSAGES
        }
        page = compose(run, drawn)
        replace_text(path, render(page))
    except OSError as error:
        failed = error.filename or path
        raise RunError(f"the report cannot be written to {failed}: {error.strerror}") from None
    finally:
        run.close()
    figures = tuple(figure for section in drawn.values() for figure in section)
    return Report(path, pictures, figures, page.warnings)


def compose(run: RunFolder, drawn: dict[str, tuple[Figure, ...]]) -> Page:
    """The page of a run from its figures by section."""
    tables = {"results": result_tables, "communication": communication_tables}
    sections = [
        Section(name, TITLES[name], tuple(tables[name](run)) if name in tables else (), figures)
        for name, figures in drawn.items()
    ]
    sections.append(Section("study", "Study", tuple(study_tables(run))))
    cost = tuple(cost_tables(run))
    if cost:
        sections.append(Section("cost", "Where the time went", cost))
    return Page(
        title=str(run.study["title"]),
        subtitle=_subtitle(run),
        tiles=tuple(_tiles(run)) if run.has_records else (),
        warnings=tuple(_warnings(run, drawn)),
        sections=tuple(sections),
        study=run.study,
    )


def _subtitle(run: RunFolder) -> str:
    record = run.communication
    simulated = f" · {record.source}" if record is not None and record.simulated else ""
    if not run.has_records:
        assert record is not None
        ranks = _count(record.ranks, "rank")
        return f"{record.turns} of {run.study['turns']} turns, messages alone · {ranks}{simulated}"
    attributes = run.results.attributes
    ranks, threads = attributes.get("ranks", 1), attributes.get("threads", 1)
    return (
        f"{len(run.turn)} of {run.study['turns']} turns · {_count(ranks, 'rank')} × "
        f"{_count(threads, 'thread')} · phasewise {attributes.get('version', '')} · "
        f"started {attributes.get('created', 'at an unknown time')}{simulated}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _warnings(run: RunFolder, drawn: dict[str, tuple[Figure, ...]]) -> list[str]:
    warnings = []
    if run.has_records and not run.results.complete:
        warnings.append(
            f"This run is not complete: {len(run.turn)} of {run.study['turns']} turns are recorded."
        )
    warnings += [f.warning for figures in drawn.values() for f in figures if f.warning]
    return warnings + [str(warning) for warning in run.derived.get("warnings", ())]


def _tiles(run: RunFolder) -> list[Tile]:
    tiles = []
    for k, found in enumerate(run.luminosity, 1):
        if found is not None and k <= 2:
            unit = unit_text(found.unit)
            name = "Luminosity" if len(run.luminosity) == 1 else f"Luminosity, IP {k}"
            aside = f"{100 * found.mean / found.nominal:.2f} % of nominal" if found.nominal else ""
            tiles.append(Tile(f"{name} [{unit}]", scientific(found.mean), aside))
    for plane in "xy":
        modes = getattr(run.modes, plane)
        if modes.yokoya is not None:
            factor = with_error(modes.yokoya, modes.yokoya_error)
            aside = f"σ {modes.sigma.frequency:.5f}, π {modes.pi.frequency:.5f}"
            tiles.append(Tile(f"Yokoya factor, {plane}", factor, aside))
    for plane in "xy":
        fits = [getattr(beam, plane) for beam in run.growth]
        rates = [fit for fit in fits if fit.growth is not None]
        if rates:
            worst = max(rates, key=lambda fit: fit.growth.per_turn)
            value = with_error(worst.growth.per_turn, worst.growth.error)
            floor = worst.noise_floor
            aside = f"noise floor {scientific(floor, 2)}" if floor else "largest of the two beams"
            tiles.append(Tile(f"ε {plane} growth per turn", value, aside))
    seconds = run.results.seconds_per_turn
    if math.isfinite(seconds):
        tiles.append(Tile("Time per turn", f"{scientific(seconds, 3)} s"))
    return tiles
