"""The noise floor found by short runs: what follows from the growth with two numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.study import Study, load
from phasewise.workloads.collision.analysis.noise_floor import noise_floor
from phasewise.workloads.collision.simulated_noise import simulate_noise
from phasewise.workloads.common.noise_by_number import Measured, mean_of, plane_noise
from tests.sentences import refused
from tests.unit.study_tables import tables

STUDY = """\
turns = 10
[beam.1]
particle = "proton"
energy = 7e12
bunch_population = 6.1e11
macroparticles = 64000
normalized_emittance = [3.75e-6, 3.75e-6]
bunch_length = 1e-3
momentum_spread = 1e-9
[beam.2]
like = "beam.1"
[arc]
tune = [0.31, 0.32]
[ip.1]
beta = [0.55, 0.55]
grid = [32, 32]
slices = 1
interpolation = "none"
luminosity = false
"""


def test_growth_is_divided_into_what_goes_with_the_number_and_what_does_not() -> None:
    # A floor of 2e-6 for the study's number, and 1e-5 without noise.
    shares, errors = (1 / 32, 1 / 8), (3e-6, 1e-6)
    few, many = (
        Measured(1e-5 + 2e-6 / share, error) for share, error in zip(shares, errors, strict=True)
    )
    found = plane_noise(few, many, *shares)
    assert found.floor.value == pytest.approx(2e-6)
    assert found.without.value == pytest.approx(1e-5)
    # The floor is the difference over 24, the rest 4/3 of one less 1/3 of the other.
    assert found.floor.error == pytest.approx((9e-12 + 1e-12) ** 0.5 / 24)
    assert found.without.error == pytest.approx((1e-12 + 16e-12 / 9) ** 0.5)


def test_emittances_that_are_not_finite_have_no_growth() -> None:
    with refused("--noise", "finite", by=RunError):
        mean_of([None, None])


def test_check_finds_the_noise_floor_by_runs_and_scales_it_to_the_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("64000", "800"))
    assert main(["check", str(path), "--noise", "200", "--json"]) == 0
    said = capsys.readouterr()
    noise = json.loads(said.out)["noise"]
    assert noise["macroparticles"] == [[200, 200], [800, 800]]
    assert "4 runs of 200 turns" in said.err
    # The estimate by pairs of macroparticles holds for longer runs.
    study = load(path, ["turns=1000"])
    estimate = noise_floor(study.resolved(), study.derived(), 1000).growth
    assert estimate is not None
    mean = noise["mean"]
    for plane in range(2):
        error = mean["emittance_noise_floor_error"][plane]
        assert error < 1e-4
        assert mean["emittance_noise_floor"][plane] == pytest.approx(
            estimate[0][plane], abs=3 * error
        )
    # These beams grow by noise alone.
    for beam in noise["beams"]:
        name = "emittance_growth_without_noise"
        pairs = zip(beam[name], beam[f"{name}_error"], strict=True)
        assert all(abs(value) < 4 * error for value, error in pairs)


def test_studies_without_noise_to_find_are_refused() -> None:
    plan = tables()
    plan["ip"]["1"]["model"] = "none"
    with refused("--noise", "macroparticles"):
        simulate_noise(Study.from_dict(plan), 500, print)
    one = tables()
    one["beam"]["2"]["macroparticles"] = 99
    with refused("--noise", "beam.2", 99, 100, "macroparticles"):
        simulate_noise(Study.from_dict(one), 500, print)
    with refused("--noise", "3", "turns"):
        simulate_noise(Study.from_dict(tables()), 3, print)


def test_other_workloads_have_no_noise_of_macroparticles(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(repository / "examples/halo/study.toml"), "--noise"]) == 2
    assert "--noise is for a study of bunches of macroparticles alone" in capsys.readouterr().err
