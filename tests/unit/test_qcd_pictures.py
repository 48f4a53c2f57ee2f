"""The report's pictures of solves."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.workloads.qcd.effective_masses import PionSamples, effective_masses
from phasewise.workloads.qcd.four_figures import four_figures
from phasewise.workloads.qcd.pictures import shown_solves
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")

STUDY = """
workload = "qcd"
solves = 2
[lattice]
size = [2, 2, 2, 8]
[gauge]
start = "hot"
[quarks]
kappa = 0.1
clover = 1.0
[solver]
tolerance = 1e-8
"""


def test_the_effective_mass_of_a_cosh_and_of_an_exponential_is_its_own() -> None:
    times = np.arange(12)
    _, around = effective_masses(np.cosh(0.7 * (times - 6)))
    assert around[1:] == pytest.approx(0.7, abs=1e-12)
    assert math.isnan(around[0])
    forwards, _ = effective_masses(np.exp(-0.7 * times))
    assert forwards[:-1] == pytest.approx(0.7, abs=1e-12)
    assert math.isnan(forwards[-1])


def test_the_effective_mass_has_the_jackknife_error_over_configurations() -> None:
    times = np.arange(12)
    random = np.random.default_rng(1)
    scales = 1 + 0.01 * random.normal(size=(20, 1))
    noise = 1 + 1e-3 * random.normal(size=(20, 12))
    one = np.exp(-0.4 * times) * scales * noise
    found = PionSamples(one)
    assert found.errors is not None
    # A common factor drops out of the mass, and the errors of two times add up in squares.
    expected = np.std(noise[:, 4] - noise[:, 5], ddof=1) / math.sqrt(20)
    assert found.errors[1][0, 4] == pytest.approx(expected, rel=2e-2)
    assert found.masses[0, 4] == pytest.approx(0.4, abs=5 * expected)
    assert PionSamples(one[:1]).errors is None


def test_curves_are_spread_over_the_run() -> None:
    assert shown_solves(3) == [0, 1, 2]
    many = shown_solves(1000)
    assert (many[0], many[-1], len(many)) == (0, 999, 8)


def test_the_overall_rate_is_cores_times_compute_rate_less_overhead() -> None:
    found = four_figures(4e9, 8, 2.0, 0.5, 1e6)
    whole = 8 * found["compute_megaflops_per_core"] * (1 - found["overhead"]) / 1e3
    assert found["overall_gigaflops"] == pytest.approx(whole)
    assert found["exchange_megabytes_per_second"] == pytest.approx(2.0)


@pytest.mark.parametrize("pion", ["", '[measure]\npion = "point"\n'])
def test_a_report_has_the_pictures_of_what_was_measured(pion: str, tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY + pion)
    out = tmp_path / "out"
    assert main(["run", str(path), "--out", str(out), "--quiet"]) == 0
    assert main(["report", str(out)]) == 0
    names = {picture.stem for picture in (out / "pictures").iterdir()}
    assert {"residuals", "loops"} <= names and ("pion" in names) == bool(pion)
    page = (out / "report.html").read_text()
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    assert any("measure.pion" in caption for caption in captions) == (not pion)
    # Clover terms count more flops.
    says(page, 7728)
