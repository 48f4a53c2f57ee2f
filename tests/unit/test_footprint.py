"""The footprint of particles with a known detuning is that detuning."""

import numpy as np
import pytest

from phasewise.analysis.tune_footprint import Optics, tune_footprint

TURNS = 512
TUNE = (64.31, 59.69)
EMITTANCE = (5e-10, 2e-10)
OPTICS = Optics(beta=(0.55, 0.3), alpha=(0.4, -0.2), dispersion=(0.01, 0.002, 0.0, 0.0))


def tracked(amplitude, detuning, turns=TURNS, drift=0.0):
    """Coordinates (T, K, 6) of particles at so many rms (K, 2), detuned by detuning·a²/2."""
    n = np.arange(turns)[:, None]
    record = np.zeros((turns, len(amplitude), 6))
    delta = 1e-4 * np.cos(2 * np.pi * 0.002 * n)
    for plane in range(2):
        beta, alpha = OPTICS.beta[plane], OPTICS.alpha[plane]
        tune = TUNE[plane] + detuning * amplitude[:, plane] ** 2 / 2
        angle = 2 * np.pi * (tune * n + drift * n**2)
        size = amplitude[:, plane] * np.sqrt(EMITTANCE[plane] * beta)
        x, p = size * np.cos(angle), -size * (np.sin(angle) + alpha * np.cos(angle)) / beta
        record[:, :, 2 * plane] = x + OPTICS.dispersion[2 * plane] * delta
        record[:, :, 2 * plane + 1] = p + OPTICS.dispersion[2 * plane + 1] * delta
    record[:, :, 5] = delta
    return record


AMPLITUDE = np.array([[0.5, 0.5], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]])


def test_each_particle_shows_its_own_tune_and_amplitude():
    found = tune_footprint(tracked(AMPLITUDE, -1e-3), TUNE, EMITTANCE, OPTICS)
    expected = (np.array(TUNE) - 1e-3 * AMPLITUDE**2 / 2) % 1
    # One complex line each, its dispersion taken off: a thousandth of a bin is ample.
    np.testing.assert_allclose(found.tune, expected, atol=1e-3 / TURNS)
    np.testing.assert_allclose(found.amplitude, AMPLITUDE, rtol=1e-4)
    assert found.resolution == 1 / TURNS


def test_regular_motion_has_no_diffusion_and_a_drifting_tune_has():
    still = tune_footprint(tracked(AMPLITUDE, -1e-3), TUNE, EMITTANCE, OPTICS)
    # A half record finds a line to 1e-3 of its bin of 2/T.
    assert np.all(still.diffusion < np.log10(2e-3 / TURNS))
    # Phase n²·drift is a tune of 2·drift·n: between the halves' centres it changes by drift·T.
    drift = 1e-7
    moving = tune_footprint(tracked(AMPLITUDE, 0.0, drift=drift), TUNE, EMITTANCE, OPTICS)
    expected = np.log10(np.sqrt(2) * drift * TURNS)
    np.testing.assert_allclose(moving.diffusion, expected, atol=np.log10(1.1))


BARE = (0.28, 0.31)


def kicked(xi: float) -> np.ndarray:
    """Coordinates (T, 1, 6) of a particle at 1.3 and 0.9 rms that meets a round Gaussian beam with
    the parameter ξ in each turn: Δp = -8πξ x (1 - exp(-r²/2))/r², in rms of size and angle.
    """
    record = np.zeros((4096, 1, 6))
    phasors = np.array([1.3, 0.9], dtype=complex)
    turning = np.exp(-2j * np.pi * np.array(BARE))
    for turn in range(len(record)):
        record[turn, 0, 0:4:2], record[turn, 0, 1:4:2] = phasors.real, phasors.imag
        square = phasors.real @ phasors.real
        kick = 8 * np.pi * xi * np.expm1(-square / 2) / square
        phasors = turning * (phasors + 1j * kick * phasors.real)
    return record


def test_a_chaotic_particle_diffuses_and_a_regular_one_does_not() -> None:
    optics = Optics(beta=(1.0, 1.0))
    regular, chaotic = (
        tune_footprint(kicked(xi), BARE, (1.0, 1.0), optics, reach=0.25).diffusion[0]
        for xi in (0.005, 0.4)
    )
    assert regular < -5 < chaotic


def test_lost_particles_are_left_out():
    record = tracked(AMPLITUDE, -1e-3)
    record[200:, 1] = np.nan
    found = tune_footprint(record, TUNE, EMITTANCE, OPTICS)
    assert list(found.particle) == [0, 2, 3]


@pytest.mark.parametrize(
    "record",
    [tracked(AMPLITUDE, 0.0, turns=63), np.zeros((512, 0, 6)), np.full((512, 2, 6), np.nan)],
)
def test_a_short_or_empty_record_has_no_footprint(record):
    assert tune_footprint(record, TUNE, EMITTANCE, OPTICS) is None
