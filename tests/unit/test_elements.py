"""Elements of the arc against closed-form physics; one test runs over every element."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core
from tests.unit.arc_text import BEAM, TWISS, Value, line

Floats = NDArray[np.float64]
EPSILON = np.finfo(float).eps
SPEED_OF_LIGHT = 299792458.0
RMS = np.array([1e-4, 1e-4, 1e-4, 1e-4, 0.05, 1e-3])  # m and 1

SYMPLECTIC_FORM = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
RF: dict[str, Value] = {
    "element": "rf",
    "voltage": 16e6,
    "frequency": 400e6,
    "phase": 0.0,
    "slip": 3.2e-4,
    "circumference": 26659.0,
}
DAMPING: dict[str, Value] = {
    "element": "damping",
    "turns": [100.0, 50.0, 25.0],
    "beta": [0.5, 0.01],
    "alpha": [0.2, -0.1],
    "dispersion": [0.1, 0.02, -0.03, 0.01],
    "equilibrium": [1e-8, 1e-10, 5e-3, 1e-3],
}
OPEN: Value = [1.0, 1.0]  # m


def skew_matrix() -> list[float]:
    """A symplectic 6 × 6 matrix that couples all planes: the exponential of J times symmetric."""
    a = np.random.default_rng(1).normal(size=(6, 6)) * 0.3
    generator = SYMPLECTIC_FORM @ (a + a.T)
    power, matrix = np.eye(6), np.eye(6)
    for k in range(1, 40):
        power = power @ generator / k
        matrix = matrix + power
    return [float(v) for v in matrix.ravel()]


# Every element of docs/flat-parameters.md, here in a setting in which it is symplectic.
CONSERVATIVE: dict[str, Mapping[str, Value]] = {
    "twiss": TWISS,
    "synchrotron": {"element": "synchrotron", "tune": 0.0019, "beta_z": 668.0},
    "rf": RF,
    "rf off crest": {**RF, "phase": 0.44, "slip": -3.2e-4},
    "damping switched off": {**DAMPING, "turns": [0.0, 0.0, 0.0]},
    "aperture": {"element": "aperture", "shape": "ellipse", "half_width": OPEN},
    "square aperture": {"element": "aperture", "shape": "rectangle", "half_width": OPEN},
    "feedback": {"element": "feedback", "gain": [0.1, 0.2], "noise": [0.0, 0.0], "beta": OPEN},
    "noise": {"element": "noise", "amplitude": [1e-6, 1e-6, 1e-6, 1e-6]},
    "matrix": {"element": "matrix", "matrix": skew_matrix()},
    "second-order": {"element": "second-order", "matrix": skew_matrix(), "tensor": [0.0] * 216},
}


def push(
    text: str, c: Floats, turn: int = 0, beam: int = 1, segment: int = 1, first: int = 0
) -> Floats:
    ids = np.arange(first, first + c.shape[1], dtype=np.uint32)
    return np.asarray(core.push_line(text, beam, segment, c, ids, turn))


def bunch(count: int = 1000, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).normal(size=(6, count)) * RMS[:, None]


def particle(**values: float) -> Floats:
    c = np.zeros((6, 1))
    for name, value in values.items():
        c[["x", "px", "y", "py", "z", "delta"].index(name)] = value
    return c


def symplectic_defect(text: str, point: Floats, h: float) -> float:
    """Largest |JᵀSJ - S| in units of RMS, J by central differences of h RMS.

    All displaced particles go through one push, so that whatever acts on the beam as a whole is one
    constant kick.
    """
    steps = np.concatenate([np.diag(h * RMS), -np.diag(h * RMS)], axis=1)
    image = push(text, np.ascontiguousarray(point[:, None] + steps))
    jacobian = (image[:, :6] - image[:, 6:]) / (2 * h)
    area = np.sqrt(np.repeat(RMS[0::2] * RMS[1::2], 2))
    expected = RMS[:, None] * SYMPLECTIC_FORM * RMS
    defect = jacobian.T @ SYMPLECTIC_FORM @ jacobian - expected
    return float(np.max(np.abs(defect) / (area[:, None] * area)))


@pytest.mark.parametrize("name", CONSERVATIVE)
def test_every_element_is_symplectic(name: str) -> None:
    text = line(CONSERVATIVE[name])
    point = RMS * np.array([0.7, -0.4, 0.5, 0.9, -0.6, 0.8])
    # The differences err by h² and by rounding, 1e-16/h of the ratio of the largest to the smallest
    # coordinate that mix, 1e3: at h = 1e-4 both stay below 1e-7.
    defects = [symplectic_defect(text, point, h) for h in (1e-1, 1e-2, 1e-4)]
    assert defects[2] < 1e-7
    # A defect of the map itself would not fall with h².
    assert defects[1] < 0.02 * defects[0] + 1e-9


def test_damping_is_not_symplectic() -> None:
    quiet = {**DAMPING, "equilibrium": [0.0, 0.0, 0.0, 0.0]}
    # Areas shrink by λ² = exp(-2/25) in the longitudinal plane.
    assert symplectic_defect(line(quiet), RMS, 1e-2) == pytest.approx(-np.expm1(-2 / 25), rel=1e-6)


@pytest.mark.parametrize("name", [*CONSERVATIVE, "damping"])
def test_a_lost_particle_stays_lost_and_harms_no_other(name: str) -> None:
    element = CONSERVATIVE.get(name, DAMPING)
    c = bunch(300)
    c[:, 17] = np.nan
    after = push(line(element), c)
    assert np.all(np.isnan(after[:, 17]))
    assert np.all(np.isfinite(np.delete(after, 17, axis=1)))


# But for the feedback, which asks where the others are.
@pytest.mark.parametrize("name", [*sorted(CONSERVATIVE.keys() - {"feedback"}), "damping"])
def test_a_particle_moves_by_the_same_bits_alone_or_among_others(name: str) -> None:
    text = line(CONSERVATIVE.get(name, DAMPING))
    c = bunch(603)
    parts = [(0, 1), (1, 4), (4, 291), (291, 603)]
    pieces = [push(text, np.ascontiguousarray(c[:, a:b]), first=a) for a, b in parts]
    assert np.array_equal(np.concatenate(pieces, axis=1), push(text, c))


def phase_advance(after: Floats, beta: float, alpha: float) -> float:
    """Turns by which a particle that started at X > 0, P = 0 advanced; P falls first."""
    x, p = after[0, 0] / np.sqrt(beta), (alpha * after[0, 0] + beta * after[1, 0]) / np.sqrt(beta)
    return float(np.arctan2(-p, x) / (2 * np.pi)) % 1.0


def twiss(**changes: Value) -> str:
    plain: dict[str, Value] = {
        "element": "twiss",
        "beta0": [0.55, 0.4],
        "beta1": [0.55, 0.4],
        "alpha0": [0.0, 0.0],
        "alpha1": [0.0, 0.0],
        "phase": [64.31, 59.32],
    }
    return line({**plain, **changes})


def test_the_twiss_map_has_its_tune_clockwise_in_phase_space() -> None:
    after = push(twiss(), particle(x=1e-5))
    # The reduction of 64.31 turns keeps 64 · 2^-53.
    assert phase_advance(after, 0.55, 0.0) == pytest.approx(0.31, abs=1e-13)
    after = push(twiss(phase=[0.0, 0.25]), particle(y=1e-5))
    assert after[3, 0] == pytest.approx(-1e-5 / 0.4, rel=4 * EPSILON)


def test_a_positive_chromaticity_raises_the_tune_of_a_particle_of_positive_delta() -> None:
    after = push(twiss(chromaticity=[2.0, 0.0]), particle(x=1e-5, delta=1e-3))
    assert phase_advance(after, 0.55, 0.0) == pytest.approx(0.312, abs=1e-13)


def test_detuning_raises_the_tune_by_the_coefficient_times_the_action() -> None:
    jx, jy = 1e-8, 4e-8
    start = particle(x=np.sqrt(2 * jx * 0.55), y=np.sqrt(2 * jy * 0.4))
    after = push(twiss(detuning=[4e4, 2e4, 2e4, 0.0]), start)
    assert phase_advance(after, 0.55, 0.0) == pytest.approx(0.31 + 4e4 * jx + 2e4 * jy, abs=1e-13)


def test_the_twiss_map_keeps_both_actions() -> None:
    def actions(c: Floats, end: str) -> Floats:
        beta, alpha = np.array(TWISS["beta" + end]), np.array(TWISS["alpha" + end])
        d = np.array(TWISS["dispersion" + end]).reshape(2, 2)
        x = c[[0, 2]] - d[:, :1] * c[5]
        p = alpha[:, None] * x + beta[:, None] * (c[[1, 3]] - d[:, 1:] * c[5])
        return np.asarray((x**2 + p**2) / (2 * beta[:, None]))

    before = bunch()
    # The dispersion, up to 15 rms of x, is taken off and added: some 100 roundings of J.
    after = push(line(TWISS), before)
    assert np.allclose(actions(after, "1"), actions(before, "0"), rtol=1e-10, atol=1e-20)


def test_a_particle_on_the_dispersion_orbit_stays_on_it() -> None:
    d0, d1 = np.array(TWISS["dispersion0"]), np.array(TWISS["dispersion1"])
    start = particle(delta=1e-3)
    start[:4, 0] = d0 * 1e-3
    after = push(line(TWISS), start)
    assert after[:4, 0] == pytest.approx(d1 * 1e-3, rel=8 * EPSILON)
    assert after[5, 0] == 1e-3


def test_above_transition_a_particle_of_positive_delta_falls_behind() -> None:
    linear = push(line(CONSERVATIVE["synchrotron"]), particle(delta=1e-4))
    assert linear[4, 0] == pytest.approx(-668 * np.sin(2 * np.pi * 0.0019) * 1e-4, rel=1e-12)
    rf = push(line({**RF, "voltage": 0.0}), particle(delta=1e-4))
    assert rf[4, 0] == pytest.approx(-3.2e-4 * 26659.0 * 1e-4, rel=1e-12)


def test_the_rf_bucket_has_the_synchrotron_tune_of_theory() -> None:
    gamma = BEAM["energy"] / BEAM["mass"]
    beta = np.sqrt(1 - gamma**-2)
    kick = 16e6 / (beta**2 * BEAM["energy"]) * 2 * np.pi * 400e6 / (beta * SPEED_OF_LIGHT)
    expected = np.arccos(1 - kick * 3.2e-4 * 26659.0 / 2) / (2 * np.pi)
    h = 1e-6
    trace = (push(line(RF), particle(z=h))[4, 0] + push(line(RF), particle(delta=h))[5, 0]) / h
    # 1 - cos μ = 3e-4 of rounding 1e-16, and the sine's cubic term (k z)² = 1e-10.
    assert np.arccos(trace / 2) / (2 * np.pi) == pytest.approx(expected, rel=1e-9)


def test_the_reference_particle_of_an_rf_off_crest_keeps_its_energy() -> None:
    assert np.all(push(line({**RF, "phase": 0.44}), particle()) == 0)


def test_damping_takes_amplitudes_down_with_tau_and_emittances_with_half_of_it() -> None:
    element = {**DAMPING, "equilibrium": [0.0] * 4, "dispersion": [0.0] * 4}
    before = bunch()
    after = push(line(element), before)
    for rows, tau in ((slice(0, 2), 100), (slice(2, 4), 50), (slice(4, 6), 25)):
        assert np.allclose(after[rows], before[rows] * np.exp(-1 / tau), rtol=1e-13, atol=1e-17)
        ratio = np.linalg.det(np.cov(after[rows])) / np.linalg.det(np.cov(before[rows]))
        assert np.sqrt(ratio) == pytest.approx(np.exp(-2 / tau), rel=1e-11)


def normalised(c: Floats) -> Floats:
    """Coordinates at DAMPING's place in units of their equilibrium rms."""
    d = np.array(DAMPING["dispersion"])[:, None]
    beta, alpha = np.array(DAMPING["beta"])[:, None], np.array(DAMPING["alpha"])[:, None]
    ex, ey, sz, sd = np.array(DAMPING["equilibrium"])
    b = c[:4] - d * c[5]
    x = b[0::2] / np.sqrt(beta)
    p = alpha * x + b[1::2] * np.sqrt(beta)
    z = c[4] + d[1] * b[0] - d[0] * b[1] + d[3] * b[2] - d[2] * b[3]
    root = np.sqrt([[ex], [ey]])
    return np.concatenate([x / root, p / root, [z / sz, c[5] / sd]])


def test_damping_with_excitation_leads_to_the_equilibrium() -> None:
    element = {**DAMPING, "turns": [2.0, 1.5, 1.0]}
    c = 3 * bunch(20_000)
    for turn in range(40):
        c = push(line(element), c, turn)
    u = normalised(c)
    # What is left of the start is e^-20; covariances of N samples scatter by N^-1/2 (2/N for the
    # variances, 1/N otherwise): 5 rms.
    assert np.abs(np.cov(u) - np.eye(6)).max() < 5 * np.sqrt(2 / 20_000)
    assert np.abs(u.mean(axis=1)).max() < 5 / np.sqrt(20_000)


def test_excitation_alone_makes_the_emittance_grow_linearly() -> None:
    element = {**DAMPING, "turns": [1e4, 1e4, 1e4]}
    c = np.zeros((6, 20_000))
    variances = []
    for turn in range(30):
        c = push(line(element), c, turn)
        variances.append(normalised(c).var(axis=1))
    turns = np.arange(1, 31)[:, None]
    # 1 - exp(-2n/τ) is 2n/τ but for n/τ = 0.3 %; a variance scatters by sqrt(2/N), here 5 rms.
    growth = np.array(variances) / (2e-4 * turns)
    assert np.abs(growth - 1).max() < 0.003 + 5 * np.sqrt(2 / 20_000)


def deviates(
    beam: int = 1, segment: int = 1, seed: int = 1, turn: int = 0, place: int = 1
) -> Floats:
    """z after one excitation: the second of two in a line where place is 2, the first otherwise."""
    text = line(*[DAMPING] * place, beam=beam, segment=segment, seed=seed)
    if segment > 1:
        text = text.replace(f"line.{beam}.1.count = 0", f"line.{beam}.1.count = 1")
    c = np.zeros((6, 4000))
    last = push(text, c, turn, beam, segment)
    if place == 2:
        first = push(line(DAMPING, beam=beam, seed=seed), c, turn, beam)
        last = last - first * np.array([0.99, 0.99, 0.98, 0.98, 0.96, 0.96])[:, None]
    return np.asarray(last[4])


@pytest.mark.parametrize(
    "other", [{"beam": 2}, {"segment": 2}, {"seed": 2}, {"turn": 1}, {"place": 2}], ids=str
)
def test_beams_segments_seeds_turns_and_places_draw_other_numbers(other: dict[str, int]) -> None:
    assert abs(np.corrcoef(deviates(), deviates(**other))[0, 1]) < 4 / np.sqrt(4000)


@pytest.mark.parametrize(("shape", "corner_lives"), [("ellipse", False), ("rectangle", True)])
def test_an_aperture_loses_what_is_outside(shape: str, corner_lives: bool) -> None:
    c = np.zeros((6, 5))
    c[0] = [0.99e-3, 1.01e-3, 0.0, 0.0, 0.9e-3]
    c[2] = [0.0, 0.0, -1.99e-3, -2.01e-3, -1.8e-3]
    after = push(line({"element": "aperture", "shape": shape, "half_width": [1e-3, 2e-3]}), c)
    lives = ~np.isnan(after)
    assert np.all(lives == [True, False, True, False, corner_lives])
    assert np.array_equal(after[lives], c[lives])


def test_a_feedback_damps_the_centroid_by_half_its_gain_a_turn() -> None:
    gain = 0.05
    element = {"element": "feedback", "gain": [gain, gain], "beta": [0.55, 0.4]}
    arc = {"element": "twiss", "beta0": [0.55, 0.4], "beta1": [0.55, 0.4], "phase": [0.31, 0.32]}
    text = line(element, arc)
    start = particle(x=1e-5, y=1e-5)
    matrix = np.stack([push(text, particle(**{k: 1.0}))[:2, 0] for k in ("x", "px")], axis=1)
    # det = 1 - g, so that both eigenvalues have the modulus sqrt(1 - g) = 1 - g/2 + …
    assert np.abs(np.linalg.eigvals(matrix)) == pytest.approx([np.sqrt(1 - gain)] * 2, rel=1e-12)
    c = start
    for turn in range(400):
        c = push(text, c, turn)
    amplitude = np.hypot(c[0], 0.55 * c[1])[0] / 1e-5
    # The ellipse is off round by the order of the gain.
    assert amplitude == pytest.approx((1 - gain) ** 200, rel=2 * gain)


def test_a_feedback_keeps_the_shape_of_the_bunch_and_its_noise_has_the_rms_asked_for() -> None:
    element = {"element": "feedback", "gain": [0.1, 0.1], "noise": [2e-6, 0.0], "beta": [0.5, 0.5]}
    c = bunch()
    after = push(line(element), c)
    assert np.allclose(np.cov(after), np.cov(c), rtol=1e-12)
    kicks = [push(line(element), np.zeros((6, 1)), turn)[1, 0] for turn in range(2000)]
    # The rms of 2000 deviates scatters by 1/sqrt(4000).
    assert np.std(kicks) == pytest.approx(0.1 * 2e-6 / 0.5, rel=4 / np.sqrt(4000))


def test_noise_moves_the_whole_beam_by_one_deviate_a_turn() -> None:
    rms = [1e-6, 2e-6, 3e-6, 4e-6]
    text = line({"element": "noise", "amplitude": rms})
    kicks = np.stack([push(text, np.zeros((6, 3)), turn)[:4] for turn in range(2000)])
    assert np.all(kicks == kicks[:, :, :1])
    assert np.allclose(kicks[:, :, 0].std(axis=0), rms, rtol=4 / np.sqrt(4000), atol=0)
    correlation = np.corrcoef(kicks[:, :, 0].T) - np.eye(4)
    assert np.abs(correlation).max() < 5 / np.sqrt(2000)


def test_matrix_and_second_order_maps_are_what_their_coefficients_say() -> None:
    random = np.random.default_rng(2)
    matrix, tensor = random.normal(size=(6, 6)), random.normal(size=(6, 6, 6))
    c = random.normal(size=(6, 50))
    first = push(line({"element": "matrix", "matrix": matrix.ravel().tolist()}), c)
    assert np.allclose(first, matrix @ c, rtol=0, atol=1e-13)
    values: dict[str, Value] = {
        "matrix": matrix.ravel().tolist(),
        "tensor": tensor.ravel().tolist(),
    }
    second = push(line({"element": "second-order", **values}), c)
    expected = matrix @ c + np.einsum("ijk,jn,kn->in", tensor, c, c)
    assert np.allclose(second, expected, rtol=0, atol=1e-12)


def test_elements_act_in_their_order() -> None:
    a, b = np.random.default_rng(3).normal(size=(2, 6, 6))
    maps = [{"element": "matrix", "matrix": [float(v) for v in m.ravel()]} for m in (a, b)]
    c = bunch(7)
    assert np.allclose(push(line(*maps), c), b @ (a @ c), rtol=1e-12, atol=1e-14)
