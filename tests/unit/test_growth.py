"""Growth rates come with error bars that hold, and with the noise floor of macroparticles."""

from contextlib import redirect_stderr
from io import StringIO

import numpy as np
import pytest

from phasewise.analysis.growth_rate import growth_rate
from phasewise.runs.results import Results
from phasewise.runs.summary import finite, show_summary, summarise
from phasewise.workloads.collision.analysis.luminosity_history import luminosity_history
from phasewise.workloads.collision.analysis.moments import sampling_error, shape
from phasewise.workloads.collision.summary import outside_warning
from tests.sentences import one_sentence, says
from tests.unit.synthetic_run import GROWTH, make_study, write_run

TURN = np.arange(1000.0)


def test_a_straight_line_gives_its_own_rate_per_turn_and_per_hour():
    growth = growth_rate(TURN, 2e-9 * (1 + 1e-6 * TURN), revolution_frequency=11245.0)
    # A line through exact points: rounding of 1e-16 over a span of 1e-3 leaves 1e-12.
    assert growth.per_turn == pytest.approx(1e-6, rel=1e-9)
    assert growth.per_hour == pytest.approx(1e-6 * 11245 * 3600, rel=1e-9)
    assert growth.start == pytest.approx(2e-9)
    np.testing.assert_allclose(growth.line(TURN), 2e-9 * (1 + 1e-6 * TURN), rtol=1e-12)


def test_the_first_tenth_is_left_out():
    value = 1 + 1e-6 * TURN
    value[:99] += 0.5
    assert growth_rate(TURN, value).per_turn == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("memory", [0.0, 0.8, -0.5])
def test_the_error_bar_holds_for_correlated_residuals(memory):
    # Newey-West is biased low by about (memory time)/(span) and the 200 trials know the scatter
    # to 5 %: a quarter is asked, where plain least squares is off by √((1+ρ)/(1-ρ)), 3 at 0.8.
    rng = np.random.default_rng(3)
    trials = []
    for _ in range(200):
        noise = rng.normal(size=len(TURN))
        for n in range(1, len(noise)):
            noise[n] += memory * noise[n - 1]
        trials.append(growth_rate(TURN, 1 + 1e-3 * noise))
    scatter = np.std([trial.per_turn for trial in trials])
    assert np.median([trial.error for trial in trials]) == pytest.approx(scatter, rel=0.25)


def test_too_few_or_broken_points_give_no_rate():
    assert growth_rate(TURN[:8], np.ones(8)) is None
    assert growth_rate(TURN, np.full(1000, np.nan)) is None


def test_the_sampling_error_of_an_emittance_is_one_over_root_n():
    # 2000 trials know a standard deviation to 1/√4000 = 1.6 %; four of those, plus 1/N terms.
    rng = np.random.default_rng(4)
    sample = rng.normal(size=(2000, 2, 400))
    emittance = np.sqrt(np.linalg.det([np.cov(points) for points in sample]))
    assert np.std(emittance) / np.mean(emittance) == pytest.approx(sampling_error(400), rel=0.07)


def test_luminosity_per_second_needs_bunches_and_frequency():
    value = np.full(100, 3.8e31)
    plain = luminosity_history(np.arange(100.0), value, 4e31)
    assert plain.unit == "m^-2 per crossing" and plain.nominal == 4e31
    full = luminosity_history(np.arange(100.0), value, 4e31, 2808, 11245.0)
    assert full.unit == "cm^-2 s^-1"
    assert full.mean == pytest.approx(3.8e31 * 2808 * 11245 / 1e4)


def test_the_shape_of_a_bunch_follows_from_its_moments():
    covariance = np.zeros((1, 6, 6))
    covariance[0] = np.diag([4.0, 1, 4, 1, 1, 1])
    covariance[0, 0, 2] = covariance[0, 2, 0] = 2.0
    moment4 = 3 * np.diagonal(covariance, axis1=1, axis2=2) ** 2
    found = shape(covariance, np.zeros((1, 6)), moment4)
    assert found.size[0, 0] == 2.0
    assert found.correlation[0, 0, 2] == 0.5
    assert found.tilt[0] == pytest.approx(np.pi / 4)
    np.testing.assert_allclose(found.excess_kurtosis, 0, atol=1e-12)


@pytest.fixture(scope="module")
def summary_of_a_run(tmp_path_factory):
    """A run of 200 turns whose last one left 3 deposits of beam 1 outside the mesh."""
    folder = tmp_path_factory.mktemp("run")
    # 200 turns times ξ = 0.016 show the modes.
    study = write_run(folder, turns=200, outside=3, beam__1__bunch_population=6.5e11)
    with Results(folder) as results, redirect_stderr(StringIO()) as said:
        return study, summarise(results), said.getvalue()


def test_the_summary_gives_every_growth_with_its_error_and_noise_floor(summary_of_a_run):
    _, summary, _ = summary_of_a_run
    for beam in summary["beams"]:
        for plane in range(3):
            # Six standard errors: fits of white noise pass with a probability of 1 - 1e-8.
            error = beam["emittance_growth_error"][plane]
            assert abs(beam["emittance_growth"][plane] - GROWTH) < 6 * error
        assert beam["emittance_noise_floor"][0] > 0
        assert beam["emittance_noise_floor"][2] is None
        assert beam["emittance_noise_floor_why"] == ""


def test_the_table_shows_errors_and_noise_floors(summary_of_a_run, capsys):
    study, summary, _ = summary_of_a_run
    show_summary(finite(summary), study.resolved())
    shown = capsys.readouterr().out
    beam = summary["beams"][0]
    floor = f"({beam['emittance_noise_floor'][0]:.2g})"
    assert f"± {beam['emittance_growth_error'][0]:.2g} {floor}" in shown
    assert f"± {summary['coherent_modes']['x']['yokoya_error']:.2g}" in shown


def test_a_run_without_a_noise_floor_gives_the_reason(tmp_path, capsys):
    study = write_run(tmp_path, turns=20)
    with Results(tmp_path) as results:
        summary = summarise(results)
    assert summary["beams"][0]["emittance_noise_floor"] == [None] * 3
    show_summary(finite(summary), study.resolved())
    says(capsys.readouterr().out, "20 turns", "ξ")


def test_charge_outside_the_mesh_is_one_warning_with_count_and_share(summary_of_a_run):
    study, summary, said = summary_of_a_run
    # 20 000 particles, 200 turns, two planes of each slice, as the field is interpolated in z.
    share = 3 / (20_000 * 200 * 2 * study.ips[0].slices[0])
    assert summary["beams"][0]["outside_share"] == pytest.approx([share], rel=1e-12)
    one_sentence(said, 3, "beam 1", "ip.1", f"{100 * share:.2g} %", "mesh_extent")


def test_a_run_starts_with_the_warnings_that_check_gives():
    study = make_study(10, ip__1__mesh_extent=3.0)
    assert any("ip.1.mesh_extent = 3" in sentence for sentence in study.derive().warnings)
    assert study.derive().warnings == study.derived()["warnings"]
    assert outside_warning([{"outside": [0], "outside_share": [0.0]}] * 2) == ""
