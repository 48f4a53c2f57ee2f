"""Growth rates come with error bars that hold, and with the noise floor of macroparticles."""

from contextlib import redirect_stderr
from io import StringIO

import numpy as np
import pytest
from scipy.signal import lfilter

from phasewise.analysis.growth_rate import growth_rate
from phasewise.runs.results import Results
from phasewise.runs.summary import finite, show_summary, summarise
from phasewise.workloads.collision.analysis.both_beams import alike, both_beams
from phasewise.workloads.collision.analysis.luminosity_history import luminosity_history
from phasewise.workloads.collision.analysis.moments import sampling_error, shape
from phasewise.workloads.collision.analysis.setting import setting
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


def scatter_and_claim(noise):
    """Scatter of the growth in 150 trials of noise over its claimed error, and the share of trials
    within two errors of their mean. 150 trials know a scatter to 6 % and a share of 90 % to 2.5 %.
    """
    rng = np.random.default_rng(3)
    trials = [growth_rate(TURN, 1 + 1e-6 * noise(rng)) for _ in range(150)]
    rates, errors = (np.array([getattr(t, name) for t in trials]) for name in ("per_turn", "error"))
    within = np.abs(rates - rates.mean()) < 2 * errors
    return rates.std() / np.sqrt(np.mean(errors**2)), within.mean()


def autoregressive(rng, memory):
    """Normal noise of unit variance, a part `memory` of which is kept from turn to turn."""
    fresh = rng.normal(size=len(TURN) + 500) * np.sqrt(1 - memory**2)
    return lfilter([1], [1, -memory], fresh)[500:]


def walk(rng):
    return np.cumsum(rng.normal(size=len(TURN)))


SLOW = {
    "a walk": walk,
    "a walk under noise": lambda rng: walk(rng) + 10 * rng.normal(size=len(TURN)),
    "a walk under beating": lambda rng: (
        walk(rng) + 30 * np.cos(0.3 * TURN + 2 * np.pi * rng.random())
    ),
    "a walk with steps of 20 turns": lambda rng: np.cumsum(autoregressive(rng, 0.95)),
    "a walk that filaments": lambda rng: walk(rng) + 60 * np.exp(-TURN / 300),
    "emittance that is damped over the record": lambda rng: autoregressive(rng, 0.999),
}


@pytest.mark.parametrize("noise", SLOW.values(), ids=SLOW.keys())
def test_the_error_bar_takes_in_noise_as_slow_as_the_record(noise):
    ratio, within = scatter_and_claim(noise)
    assert 0.7 < ratio < 1.3
    assert within > 0.84


@pytest.mark.parametrize("memory", [0.0, 0.8, -0.5])
def test_noise_that_is_fast_alone_makes_the_error_bar_too_large_not_too_small(memory):
    # Eight coefficients cannot exclude a walk as strong as their noise.
    ratio, within = scatter_and_claim(lambda rng: autoregressive(rng, memory))
    assert 0.2 < ratio < 1.0
    assert within > 0.93


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


def test_beams_that_hand_emittance_on_have_large_errors_and_a_sum_that_is_known_well():
    rng = np.random.default_rng(5)
    handed, shared = 1e-5 * walk(rng), 1e-6 * walk(rng)
    line = 1 + 1e-6 * TURN
    found = both_beams(TURN, 2e-9 * (line + shared + handed), line + shared - handed, True, None)
    assert found.growth.error < 0.3 * found.difference_error / 2
    assert abs(found.growth.per_turn - 1e-6) < 3 * found.growth.error
    assert not found.disagree and found.sentence("x") == ""


def test_equal_beams_that_grow_differently_are_said_to():
    rng = np.random.default_rng(6)
    noise = 1e-5 * rng.normal(size=(2, len(TURN)))
    lines = 1 + 1e-6 * TURN + noise[0], 1 - 1e-6 * TURN + noise[1]
    found = both_beams(TURN, *lines, True, None)
    assert found.difference == pytest.approx(2e-6, rel=0.02)
    says(found.sentence("y"), "equal", "y", f"{found.difference:.2g}")
    assert not both_beams(TURN, *lines, False, None).disagree


def test_beams_are_alike_if_nothing_but_their_charge_differs():
    def machine(**changes):
        study = make_study(10, **changes)
        return setting(study.resolved(), study.derived())

    assert alike(*machine(beam__2__particle="antiproton").beams)
    assert not alike(*machine(beam__2__macroparticles=10_000).beams)
    assert not alike(*machine(beam__2__normalized_emittance=[3.75e-6, 3.7e-6]).beams)


def test_the_summary_and_its_table_give_the_growth_of_the_sum(summary_of_a_run, capsys):
    study, summary, _ = summary_of_a_run
    both = summary["both_beams"]
    for plane in range(3):
        error = both["emittance_growth_error"][plane]
        assert abs(both["emittance_growth"][plane] - GROWTH) < 6 * error
    show_summary(
        finite(summary | {"both_beams": both | {"disagree": ["they differ"]}}), study.resolved()
    )
    shown = capsys.readouterr().out
    assert "sum of both" in shown and f"± {both['emittance_growth_error'][0]:.2g}" in shown
    assert "they differ" in shown


def test_a_run_without_a_noise_floor_gives_the_reason(tmp_path, capsys):
    study = write_run(tmp_path, turns=20)
    with Results(tmp_path) as results:
        summary = summarise(results)
    assert summary["beams"][0]["emittance_noise_floor"] == [None] * 3
    show_summary(finite(summary), study.resolved())
    says(capsys.readouterr().out, "20 turns", "ξ")


def test_charge_outside_the_mesh_is_one_warning_with_count_and_share(summary_of_a_run):
    study, summary, said = summary_of_a_run
    # 20 000 particles, 200 turns, the planes at both ends of each slice, which neighbours share.
    share = 3 / (20_000 * 200 * (study.ips[0].slices[0] + 1))
    assert summary["beams"][0]["outside_share"] == pytest.approx([share], rel=1e-12)
    one_sentence(said, 3, "beam 1", "ip.1", f"{100 * share:.2g} %", "mesh_extent")


def test_a_run_starts_with_the_warnings_that_check_gives():
    study = make_study(10, ip__1__mesh_extent=3.0)
    assert any("ip.1.mesh_extent = 3" in sentence for sentence in study.derive().warnings)
    assert study.derive().warnings == study.derived()["warnings"]
    assert outside_warning([{"outside": [0], "outside_share": [0.0]}] * 2) == ""
