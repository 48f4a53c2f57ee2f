"""The report of a run that makes configurations, from made-up records of 200 trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from matplotlib.axes import Axes
from numpy.typing import NDArray

from phasewise.errors import RunError
from phasewise.report.figure import Drawing, Missing, make_figure
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import scientific
from phasewise.workload.discovery import find_workload, workload_of
from phasewise.workloads.qcd import update_pictures
from phasewise.workloads.qcd.flow_picture import Band, draw_flow
from phasewise.workloads.qcd.histories import Histories
from phasewise.workloads.qcd.pictures import draw_loops
from phasewise.workloads.qcd.reporting import QcdReporting
from phasewise.workloads.qcd.update_summary import chain_entries
from phasewise.workloads.qcd.update_tables import ensemble_tables, ensemble_tiles
from tests.sentences import says

COUNT, START, EVERY = 200, 30, 5
FLOW_STEPS = 40
TIMES = 16
NO_PION = np.zeros(COUNT, dtype=bool)
SOLVED = np.arange(COUNT) % EVERY == 0
OF_UPDATE = ("delta_h", "accepted", "force_", "iterations_", "unconverged", "reunit", "measured")
STUDY: dict[str, Any] = {
    "workload": "qcd",
    "trajectories": COUNT,
    "lattice": {"size": [8, 8, 8, 16]},
    "gauge": {"beta": 5.5, "start": "hot", "action": "wilson"},
    "quarks": {"kappa": 0.136, "clover_spatial": 1.8, "clover_temporal": 1.8},
    "update": {"method": "hmc", "length": 1.0, "hasenbusch": [0.2], "steps": [5, 3, 4]},
    "measure": {
        "every": EVERY, "thermalisation": START, "flow_step": 0.1, "flow_until": 4.0,
        "rectangles": False, "pion": None,
    },
    "solver": {"tolerance": 1e-10},
}  # fmt: skip
WITH_PION = {**STUDY, "measure": {**STUDY["measure"], "pion": "point"}}
MONOMIALS = ("gauge", "quarks", "hasenbusch_1")


def made_up_rows() -> dict[str, NDArray[Any]]:
    """Trajectories that approach equilibrium with a time of 10, with ΔH of variance 0.5."""
    random, at = np.random.default_rng(1), np.arange(COUNT)
    noise = np.zeros(COUNT)
    for k in range(1, COUNT):
        noise[k] = 0.8 * noise[k - 1] + 0.002 * random.normal()
    plaquette = 0.55 - 0.3 * np.exp(-at / 6) + noise
    change = 0.25 + np.sqrt(0.5) * random.normal(size=COUNT)
    change[:10] = -100.0 * np.exp(-at[:10] / 3.0)
    rows: dict[str, NDArray[Any]] = {
        "trajectory": at,
        "plaquette_space": plaquette,
        "plaquette_time": plaquette,
        "link_trace": 0.1 * noise,
        "polyakov": 0.02 * random.normal(size=(COUNT, 4, 2)),
        "delta_h": change,
        "accepted": (random.uniform(size=COUNT) < np.exp(-change)).astype(float),
        "unconverged": np.zeros(COUNT),
        "reunitarised": np.zeros(COUNT),
        "measured": (at % EVERY == 0).astype(float),
    }
    for number, name in enumerate(MONOMIALS):
        rows[f"force_{name}"] = 3.0 / 3**number * (1 + noise)
        rows[f"force_max_{name}"] = 9.0 / 3**number * (1 + noise)
    for number, name in enumerate(("quarks", "hasenbusch_1")):
        rows[f"iterations_{name}"] = np.round(4000 / 4**number * (1 + 5 * noise))
    return rows | flow_rows(random, rows["measured"] > 0)


def flow_rows(random: np.random.Generator, measured: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Every fifth with a flow that reaches t²E = 0.3 near t = 3, the others NaN."""
    times = 0.1 * np.arange(FLOW_STEPS + 1)
    found = {
        f"flow_{name}": np.full((COUNT, FLOW_STEPS + 1), np.nan)
        for name in ("energy_space", "energy_time", "charge", "plaquette")
    }
    for k in np.flatnonzero(measured):
        energy = 0.03 * times**1.9 * (1 + 0.05 * random.normal()) / np.maximum(times, 0.1) ** 2
        found["flow_energy_space"][k] = found["flow_energy_time"][k] = energy / 2
        found["flow_charge"][k] = random.normal() + np.exp(-times) * random.normal()
        found["flow_plaquette"][k] = 1 - 0.4 * np.exp(-times)
    return found


class MadeUp:
    """Results with such rows."""

    def __init__(self, study: dict[str, Any], rows: dict[str, NDArray[Any]]) -> None:
        self.study, self._rows, self.workload = study, rows, workload_of(study)

    def __len__(self) -> int:
        return len(self._rows["trajectory"])

    def rows(self, name: str) -> NDArray[Any]:
        if name not in self._rows:
            raise RunError(f"the records hold no {name}")
        return self._rows[name]

    def holds(self, name: str) -> bool:
        return name in self._rows

    @property
    def turn(self) -> NDArray[Any]:
        return self._rows["trajectory"]


class MadeUpRun:
    """A run with them, as a report sees it."""

    def __init__(self, results: MadeUp) -> None:
        self.results, self.study, self.workload = results, results.study, results.workload


def run_of(
    study: dict[str, Any] = STUDY,
    without: tuple[str, ...] = (),
    more: dict[str, NDArray[Any]] | None = None,
) -> ReportedRun:
    rows = {
        name: values
        for name, values in made_up_rows().items()
        if not name.startswith(without or "-")
    }
    return cast(ReportedRun, MadeUpRun(MadeUp(study, rows | (more or {}))))


def axes_of(drawing: Drawing | Missing) -> list[Axes]:
    assert isinstance(drawing, Drawing)
    return [axis for axis in drawing.canvas.axes if axis.axison]


def test_histories_mark_the_thermalisation_and_show_what_was_measured() -> None:
    drawing = update_pictures.draw_histories(run_of())
    axes = axes_of(drawing)
    labels = [axis.get_ylabel() for axis in axes]
    assert labels == ["plaquette", "topological charge", "ΔH", "acceptance"]
    for axis in axes:
        (marked,) = axis.patches
        end = marked.get_extents().transformed(axis.transData.inverted()).x1
        assert end == pytest.approx(START - 0.5)
    says(drawing.caption, f"{START} trajectories")


def test_thermalisation_counts_in_no_mean() -> None:
    own = Histories(run_of().results)
    mean = own.mean(own.series["plaquette"])
    assert own.start == START and mean is not None
    # Of 170 trajectories with τ = (1 + 0.8)/(2 (1 - 0.8)) = 4.5 and σ = 0.002/0.6.
    expected = 0.002 / 0.6 * np.sqrt(2 * 4.5 / (COUNT - START))
    assert mean.value == pytest.approx(0.55, abs=4 * expected)
    assert mean.error == pytest.approx(expected, rel=0.6)
    assert own.spacing(own.series["charge"]) == EVERY
    assert len(own.counted(own.series["charge"])) == (COUNT - START) / EVERY


def test_the_autocorrelation_function_stands_against_trajectories() -> None:
    drawing = update_pictures.draw_autocorrelation(run_of())
    axes = axes_of(drawing)
    assert len(axes) == 3
    for axis, spacing in zip(axes, (1, EVERY, 1), strict=True):
        times, values = (np.asarray(data) for data in axis.lines[0].get_data())
        assert values[0] == 1.0 and times[1] - times[0] == spacing
        window = float(np.asarray(axis.lines[2].get_xdata())[0])
        assert window % spacing == 0 and "τ" in axis.get_title()


def test_the_change_of_the_energy_shows_acceptance_beside_theory() -> None:
    drawing = update_pictures.draw_energy_change(run_of())
    left, right = axes_of(drawing)
    # The start, with ΔH = -100, does not hide what counts.
    assert left.get_ylim()[0] > -15
    assert right.get_legend() is not None
    assert isinstance(drawing, Drawing)
    says(drawing.caption, "acceptance", "erfc")


def test_charges_have_a_histogram_of_what_counts() -> None:
    _, right = axes_of(update_pictures.draw_charge(run_of()))
    assert sum(bar.get_width() for bar in right.patches) == (COUNT - START) / EVERY
    missing = update_pictures.draw_charge(run_of(without=("flow_",)))
    assert isinstance(missing, Missing)
    says(missing.sentence, "measure.flow")


def test_each_term_of_the_action_has_its_force_and_its_iterations() -> None:
    (forces,) = axes_of(update_pictures.draw_forces(run_of()))
    _, labels = forces.get_legend_handles_labels()
    assert set(labels) == {*MONOMIALS, "largest"}
    (iterations,) = axes_of(update_pictures.draw_iterations(run_of()))
    _, labels = iterations.get_legend_handles_labels()
    assert labels == ["quarks", "hasenbusch_1"]


def test_the_flow_of_an_ensemble_is_its_mean_with_a_band() -> None:
    left, _ = axes_of(draw_flow(run_of()))
    assert len(left.collections) == 2
    curves = np.random.default_rng(2).normal(size=(400, 1))
    band = Band.of(np.hstack([curves, 2 * curves]))
    # White noise: σ/√N, whose own error is 1/√(2N), and the window adds some.
    assert band.error == pytest.approx([0.05, 0.1], rel=0.2)
    assert (Band.of(curves[:2]).error == 0).all()


def test_a_table_has_the_means_of_the_ensemble_and_one_the_terms_of_the_action() -> None:
    means, terms = ensemble_tables(run_of())
    names = [row[0] for row in means.rows]
    assert "plaquette" in names and "exp(-ΔH)" in names
    assert {row[0] for row in terms.rows} == set(MONOMIALS)
    assert {row[0] for row in terms.rows if row[3] != "–"} == {"quarks", "hasenbusch_1"}
    tiles = {tile.name: tile.value for tile in ensemble_tiles(run_of())}
    assert "±" in tiles["Plaquette"] and "%" in tiles["Acceptance"]


def test_the_report_writes_the_numbers_of_the_summary() -> None:
    run = run_of()
    # A ΔH whose exponential is no longer a number: its exp(-ΔH) counts as zero.
    changes = np.where(np.arange(COUNT) < START, 0.0, 5000.0)
    run.results.rows("delta_h")[:] = changes
    means, terms = ensemble_tables(run)
    (acceptance,) = [tile for tile in ensemble_tiles(run) if tile.name == "Acceptance"]
    says(acceptance.aside, "⟨exp(-ΔH)⟩ = 0")
    assert [row[1] for row in means.rows if row[0] == "exp(-ΔH)"] == ["0"]
    forces = {name: one["force"] for name, one in chain_entries(run.results)["monomials"].items()}
    assert {row[0]: row[1] for row in terms.rows} == {
        name: scientific(force) for name, force in forces.items()
    }


def test_loops_of_trajectories_mark_the_thermalisation() -> None:
    left, middle, plane = axes_of(draw_loops(run_of()))
    assert [len(axis.patches) for axis in (left, middle, plane)] == [1, 1, 0]


def names_of(study: dict[str, Any]) -> list[str]:
    part = QcdReporting(find_workload("qcd"))
    chapters = part.chapters(run_of(study))
    return [name for chapter in chapters for name, *_ in chapter.figures]


def test_a_report_has_the_pictures_that_its_study_can_have() -> None:
    hmc = names_of(STUDY)
    assert hmc[:6] == [
        "histories", "autocorrelation", "energy-change", "charge", "forces", "iterations",
    ]  # fmt: skip
    # Trajectories record no residuals of their own solves.
    assert "residuals" not in hmc and "pion" not in hmc
    measuring = names_of(WITH_PION)
    assert set(measuring) - set(hmc) == {"residuals", "pion"}
    quenched = names_of({**STUDY, "quarks": None})
    assert set(hmc) - set(quenched) == {"iterations"}
    bath = names_of({**STUDY, "quarks": None, "update": {"method": "heat-bath"}})
    assert set(quenched) - set(bath) == {"energy-change", "forces"}
    solves = names_of({**STUDY, "update": None, "trajectories": None, "solves": COUNT})
    assert solves == ["residuals", "pion", "flow", "loops"]


def files_of(count: int) -> dict[str, Any]:
    """The study of solves of pions on so many files in turn."""
    gauge = {**STUDY["gauge"], "start": "files", "files": [f"{k}.ildg" for k in range(count)]}
    return {**WITH_PION, "gauge": gauge, "update": None, "trajectories": None, "solves": COUNT}


def run_of_files(count: int) -> ReportedRun:
    """On each file, every value that a solve has is that of the first solve on it."""
    made = run_of(more=pion_rows(SOLVED))
    names = [*made_up_rows(), "pion", "residuals"]
    rows = {name: made.results.rows(name) for name in names if not name.startswith(OF_UPDATE)}
    turns = np.flatnonzero(SOLVED)[np.arange(COUNT) % count]
    rows = {name: values[turns] for name, values in rows.items()}
    rows |= {"iterations": np.full(COUNT, 6), "residual": np.full(COUNT, 1e-5)}
    return cast(ReportedRun, MadeUpRun(MadeUp(files_of(count), rows)))


@pytest.mark.parametrize("count", [2, 30])
def test_a_report_of_files_has_their_means_and_histories(count: int, tmp_path: Path) -> None:
    run = run_of_files(count)
    part = QcdReporting(find_workload("qcd"))
    (chapter,) = part.chapters(run)
    assert {name for name, *_ in chapter.figures} == {
        "residuals", "pion", "flow", "loops", "histories", "autocorrelation", "charge",
    }  # fmt: skip
    figures = {
        name: make_figure(name, title, lambda draw=draw: draw(run), tmp_path)
        for name, title, draw in chapter.figures
    }
    missing = {name for name, figure in figures.items() if figure.svg is None}
    assert missing == ({"autocorrelation"} if count < 4 else set())
    (means,) = ensemble_tables(run)
    (row,) = [row for row in means.rows if row[0] == "plaquette"]
    (tile,) = [tile for tile in part.tiles(run) if tile.name == "Plaquette"]
    assert row[1] == tile.value and "±" in tile.value and row[3] == str(count)
    assert "trajector" not in means.note + figures["histories"].caption
    says(means.note, "jackknife" if count < 4 else "autocorrelation, whose time is in files")


def test_solves_on_one_file_count_once() -> None:
    own = Histories(run_of_files(30).results)
    assert len(own.trajectory) == len(own.series["charge"]) == 30
    mean = own.mean(own.series["plaquette"])
    assert mean is not None
    assert mean.value == pytest.approx(own.ensemble["plaquette"]["mean"])
    assert mean.error == pytest.approx(own.ensemble["plaquette"]["error"])


def pion_rows(measured: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """What solves for a pion of mass 0.5 record on such trajectories, the others NaN."""
    times = np.arange(TIMES)
    pion, residuals = np.full((COUNT, TIMES), np.nan), np.full((COUNT, 6), np.nan)
    random = np.random.default_rng(3)
    for k in np.flatnonzero(measured):
        shape = np.cosh(0.5 * (times - TIMES / 2)) / np.cosh(0.25 * TIMES)
        pion[k] = shape * (1 + 0.02 * random.normal(size=TIMES))
        residuals[k] = 10.0 ** -np.arange(6)
    return {"pion": pion, "residuals": residuals}


@pytest.mark.parametrize(
    ("study", "solved", "missing"),
    [
        (STUDY, None, set()),
        (WITH_PION, SOLVED, set()),
        (WITH_PION, NO_PION, {"residuals", "pion"}),
    ],
    ids=["no pion", "a pion", "no pion that counts"],
)
def test_a_whole_report_is_drawn(
    study: dict[str, Any], solved: NDArray[Any] | None, missing: set[str], tmp_path: Path
) -> None:
    run = run_of(study, more={} if solved is None else pion_rows(solved))
    found = {}
    for chapter in QcdReporting(find_workload("qcd")).chapters(run):
        for name, title, draw in chapter.figures:
            found[name] = make_figure(name, title, lambda draw=draw: draw(run), tmp_path)
        assert all(table.rows for table in chapter.tables(run))
    assert {name for name, figure in found.items() if figure.svg is None} == missing
    assert all((tmp_path / f"{name}.png").stat().st_size for name in found.keys() - missing)
