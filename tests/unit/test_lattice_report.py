"""The report of solves: its pictures, effective masses, and the source's four figures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.report.contents import make_report
from phasewise.workloads.lattice.effective_mass import exponential_mass, periodic_mass
from phasewise.workloads.lattice.four_figures import (
    CLOVER_FLOPS,
    WILSON_FLOPS,
    convention,
    four_figures,
    iteration_flops,
)

pytest.importorskip("phasewise._core", reason="the core is not built")

STUDY = """
workload = "lattice"
solves = {solves}
[lattice]
size = [4, 4, 4, 8]
[gauge]
start = "{start}"
[quarks]
kappa = 0.12
[solver]
tolerance = 1e-8
"""
PION = '[measure]\npion = "point"\n'
PICTURES = ("residual", "pion", "effective-mass", "plaquettes", "polyakov")


def run(folder: Path, pion: bool, solves: int = 1, start: str = "hot") -> Path:
    study = folder / "study.toml"
    text = STUDY.format(solves=solves, start=start)
    study.write_text(text + (PION if pion else ""))
    assert main(["run", str(study), "--out", str(folder / "run")]) == 0
    return folder / "run"


def test_a_report_of_one_solve_has_all_pictures_and_the_four_figures(tmp_path: Path) -> None:
    folder = run(tmp_path, pion=True)
    report = make_report(folder)
    drawn = {figure.name: figure for figure in report.figures}
    assert all(drawn[name].svg for name in PICTURES)
    assert all((report.pictures / f"{name}.png").stat().st_size > 0 for name in PICTURES)
    page = report.path.read_text()
    assert "The source's four figures" in page.replace("&#x27;", "'").replace("&#39;", "'")
    assert str(WILSON_FLOPS) in page and "4×4×4×8" in page


def test_a_report_without_a_pion_says_what_it_needs(tmp_path: Path) -> None:
    report = make_report(run(tmp_path, pion=False, solves=2, start="cold"))
    drawn = {figure.name: figure for figure in report.figures}
    for name in ("pion", "effective-mass"):
        assert drawn[name].svg is None and 'pion = "point"' in drawn[name].caption
    assert drawn["residual"].svg and drawn["plaquettes"].svg and drawn["polyakov"].svg


def test_what_the_phases_sent_is_as_planned(tmp_path: Path) -> None:
    run(tmp_path, pion=False)
    study = str(tmp_path / "study.toml")
    words = ["--ranks", "2", "--machine", "altix", "--out", str(tmp_path / "two")]
    assert main(["simulate", study, *words]) == 0
    page = make_report(tmp_path / "two").path.read_text()
    # One simulated solve has records, and so the four figures on the machine's cores.
    assert str(WILSON_FLOPS) in page
    assert "equal" in page and "DIFFERS" not in page


def test_effective_masses_are_those_of_one_state() -> None:
    time, mass, length = np.arange(12), 0.4, 12
    falling = np.exp(-mass * time)
    assert exponential_mass(falling) == pytest.approx(np.full(11, mass), rel=1e-13)
    around = np.cosh(mass * (time - length / 2))
    found = periodic_mass(around)
    # Away from the source, where the correlator has a kink.
    assert found[1:] == pytest.approx(np.full(11, mass), rel=1e-12)
    assert np.isnan(periodic_mass(np.cos(0.5 * time))[1:-1]).all()
    assert np.isnan(exponential_mass(np.array([1.0, 0.0, -1.0]))).all()


def test_the_four_figures_are_those_of_their_definition() -> None:
    found = four_figures(flops=4e9, cores=4, seconds=2.0, halo=0.5, sums=0.5, moved=1e6)
    assert found.overall_gigaflops == pytest.approx(2.0)
    # 1e9 flops a core in 1.5 s, and in 1 s.
    assert found.compute_megaflops_per_core == pytest.approx(1000 / 1.5)
    assert found.compute_megaflops_per_core_without_sums == pytest.approx(1000)
    assert found.exchange_megabytes_per_second == pytest.approx(2.0)
    assert found.overhead == pytest.approx(0.25)


def test_flops_are_counted_as_the_source_counts_them() -> None:
    assert iteration_flops({"kappa": 0.1}) == WILSON_FLOPS == 5520
    assert iteration_flops({"clover": 1.9}) == CLOVER_FLOPS == 7728
    assert all(word in convention(5520) for word in ("5520", "1296", "552", "1320", "504"))


def test_a_run_prints_the_names_that_scripts_rely_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.toml"
    study.write_text(STUDY.format(solves=1, start="cold") + PION)
    assert main(["run", str(study), "--json", "--out", str(tmp_path / "run")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"plaquette", "polyakov", "correlators", "solver", "communication"} <= set(found)
    assert len(found["polyakov"]) == 4 and len(found["correlators"]["pion"]) == 8
    assert {"iterations", "residual"} <= set(found["solver"])
    assert "phases" in found["communication"]


def test_bench_measures_several_cases_and_numbers_of_ranks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["bench", "lattice", "--case", "cache,small", "--turns", "1"]
    words += ["--set", "solver.iterations=3"]
    assert main([*words, "--json"]) == 0
    points = json.loads(capsys.readouterr().out)["points"]
    assert [point["case"] for point in points] == ["cache", "small"]
    for point in points:
        four = point["four_figures"]
        each = four["compute_megaflops_per_core"]
        assert four["compute_megaflops_per_core_without_sums"] >= each > 0
        assert point["process_grid"] == "1x1x1x1"
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "4×4×4×8" in shown and "8×8×8×16" in shown and "5520" in shown


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["halo", "--ranks", "1,2"], "several are for lattice"),
        (["lattice", "--ranks", "1,2", "--together"], "--together takes one --case"),
        (["lattice", "--case", "cache,smal"], 'did you mean "small"?'),
        (["lattice", "--case", "small,cache", "--set", "quarks.kapa=1"], 'did you mean "kappa"?'),
    ],
)
def test_several_measurements_that_make_no_sense_are_one_sentence(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1
