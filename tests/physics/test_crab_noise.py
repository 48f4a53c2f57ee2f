"""Crab cavities in lists: places, noise and drifts, and the growth of emittance by noise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
import phasewise._core as core
from tests.physics.machines import Floats, coordinates, put, study

SPEED_OF_LIGHT = 299792458.0
PHI, FREQUENCY, LENGTH, BETA, NOISE = 12.5e-3, 197e6, 0.06, 0.8, 1e-5
K = 2 * math.pi * FREQUENCY / SPEED_OF_LIGHT
TILT = math.tan(PHI)
BEAM: dict[str, Any] = {
    "energy": 275e9,
    "macroparticles": 20_000,
    "normalized_emittance": None,
    "geometric_emittance": [11.3e-9, 1.0e-9],
    "bunch_length": LENGTH,
    "momentum_spread": 6.8e-4,
}


def machine(cavities: list[dict[str, Any]], **point: Any) -> phasewise.Study:
    """The EIC's protons, which meet nobody."""
    own = {"beta": [BETA, 0.072], "half_crossing_angle": PHI, "model": "none"} | point
    return study(BEAM, ip=own | {"crab_cavities": cavities})


def entered(plan: phasewise.Study, c: Floats, turn: int = 0, back: bool = False) -> Floats:
    """Coordinates behind the cavities before the point, or behind those after it."""
    text = plan.parameters()
    return np.asarray(core.into_collision(text, 1, 1, turn, c, back, alone=True))


def protons() -> Floats:
    rms = np.array(machine([]).beam(1).rms(0))
    return np.asarray(np.random.default_rng(2).normal(size=(6, 2000)) * rms[:, None])


TURNED = (math.cos, math.sin)
"""Position and momentum, both normalised, of a closed orbit by its phase from half the turn."""
CAVITY: dict[str, Any] = {"frequency": FREQUENCY, "strength": 1.0}


@pytest.mark.parametrize("plane", [0.0, 0.6])
def test_a_listed_cavity_does_what_the_plain_pair_does(plane: float) -> None:
    c = protons()
    listed = entered(machine([CAVITY], crossing_plane=plane), c)
    plain = core.crab(c, 1.0, FREQUENCY, PHI, plane)
    # Some roundings of the shift z tan φ.
    assert np.abs(listed - plain).max(axis=1) == pytest.approx(0, abs=1e-17)
    back = entered(machine([CAVITY], crossing_plane=plane), listed, back=True)
    assert np.abs(back - c).max(axis=1) == pytest.approx(0, abs=1e-17)


@pytest.mark.parametrize("advance", [0.25, 0.2, 0.31])
def test_a_cavity_at_a_place_tilts_the_bunch_as_far(advance: float) -> None:
    place = {"beta": 1200.0, "phase_advance": advance}
    line = np.zeros((6, 41))
    line[4] = np.linspace(-0.2, 0.2, 41)
    found = entered(machine([CAVITY | place], alpha=[0.3, 0.0]), line)
    assert found[0] == pytest.approx(-TILT * np.sin(K * line[4]) / K, rel=1e-12)
    # Δx = √(β*βc) sin 2πμ Δpx of the cavity; V gives Δpx = qV/(β²E) sin kz.
    arm = math.sqrt(BETA * 1200.0) * math.sin(2 * math.pi * advance)
    beam = machine([]).beam(1)
    voltage = TILT / (K * arm) * beam.energy * beam.beta**2
    by_voltage = [{"frequency": FREQUENCY, "voltage": voltage} | place]
    assert np.allclose(entered(machine(by_voltage, alpha=[0.3, 0.0]), line), found, rtol=1e-12)


def test_two_cavities_a_half_turn_apart_close_their_bump_and_others_do_not() -> None:
    c = protons()
    for advance, closes in ((0.25, True), (0.2, False)):
        plan = machine([CAVITY | {"beta": 1200.0, "phase_advance": advance}])
        after = entered(plan, entered(plan, c), back=True)
        apart = np.abs(after - c)[1].max() / c[1].std()
        assert (apart < 1e-12) == closes
        assert closes or apart > 0.1


@pytest.mark.parametrize("side", ["before", "behind"])
@pytest.mark.parametrize("place", [{}, {"beta": 1200.0, "phase_advance": 0.2}])
def test_a_cavity_is_symplectic(side: str, place: dict[str, Any]) -> None:
    cavity = CAVITY | place | {"side": side, "phase": 0.1}
    plan = machine([cavity], dispersion=[0.1, 0.02, 0.0, 0.0], coupling_r=[0.02, 0.1, 0.05, -0.03])
    form = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    point, h = np.array([1e-3, 2e-4, -1e-3, 1e-4, 0.03, 1e-3]), 1e-4
    steps = np.concatenate([h * np.eye(6), -h * np.eye(6)], axis=1)
    image = entered(plan, point[:, None] + steps, back=side == "behind")
    jacobian = (image[:, :6] - image[:, 6:]) / (2 * h)
    # Central differences: h²/6 times k² tan φ and the like, and rounding 1e-16/h.
    assert np.abs(jacobian.T @ form @ jacobian - form).max() < 1e-8
    assert np.abs(jacobian - np.eye(6)).max() > 1e-3


def test_a_cavity_at_a_place_kicks_what_is_there_of_the_normal_modes_of_a_coupled_beam() -> None:
    beta, advance = np.array([1200.0, 300.0]), np.array([0.2, 0.4])
    place = {"beta": list(beta), "phase_advance": list(advance)}
    cavity = CAVITY | place | {"side": "before"}
    plan = machine([cavity], coupling_r=[0.02, 0.1, 0.05, -0.03], alpha=[0.3, -0.2])
    optics = plan.beam(1).optics[0]
    # x, px, y, py at the cavity from those at the point: V⁻¹, normalised, and back by the phases.
    to_cavity = optics.unmixing.copy()
    for plane in (0, 1):
        b, a, at = optics.beta[plane], optics.alpha[plane], beta[plane]
        cosine, sine = (f(2 * math.pi * advance[plane]) for f in (math.cos, math.sin))
        turn = np.diag([math.sqrt(at), 1 / math.sqrt(at)]) @ [[cosine, -sine], [sine, cosine]]
        normal = np.array([[1 / math.sqrt(b), 0], [a / math.sqrt(b), math.sqrt(b)]])
        rows = slice(2 * plane, 2 * plane + 2)
        to_cavity[rows] = turn @ normal @ to_cavity[rows]
    c = protons()
    there = to_cavity @ c[:4]
    arm = math.sqrt(BETA * beta[0]) * math.sin(2 * math.pi * advance[0])
    there[1] -= TILT / (K * arm) * np.sin(K * c[4])
    expected = np.linalg.solve(to_cavity, there)
    assert np.abs(expected - c[:4])[2].max() > 1e-5  # the coupling tilts the bunch in y too
    assert np.abs(entered(plan, c)[:4] - expected).max(axis=1) == pytest.approx(0, abs=1e-16)


def test_a_cavity_on_one_side_tilts_the_bunch_all_around_the_ring() -> None:
    tune, advance = 0.31, 0.2
    cavity = CAVITY | {"beta": 1200.0, "phase_advance": advance, "side": "before"}
    point = {"beta": [BETA, 0.072], "half_crossing_angle": PHI, "model": "none"}
    plan = study(BEAM, arc={"tune": [tune, 0.32]}, ip=point | {"crab_cavities": [cavity]})
    z = np.linspace(-0.2, 0.2, 41)
    # The closed orbit of a kick θ: √(ββc) θ cos(πQ - 2πμ)/(2 sin πQ) a phase μ behind it, and there
    # is √(ββc) θ sin 2πμ in one passage.
    passage = -TILT * np.sin(K * z) / K / math.sin(2 * math.pi * advance)
    behind = np.array(
        [f(math.pi * (tune - 2 * advance)) / (2 * math.sin(math.pi * tune)) for f in TURNED]
    )
    kick = np.array([math.sin(2 * math.pi * advance), math.cos(2 * math.pi * advance)])
    arrives = np.zeros((6, z.size))
    arrives[:2] = np.outer((behind - kick) * [1, 1 / BETA], passage)
    arrives[4] = z
    simulation = phasewise.Simulation(plan)
    put(simulation, 1, arrives)
    simulation.step()
    after = coordinates(simulation)[:, : z.size]
    assert np.abs(arrives[0]).max() > 1e-4
    assert np.abs(after - arrives)[:2].max(axis=1) == pytest.approx(0, abs=1e-16)


def grown(cavity: dict[str, Any], passages: int = 20_000) -> tuple[float, float]:
    """Growth a passage of <x²>/2β [m] of particles along z, and its standard error."""
    plan = machine([CAVITY | cavity])
    z = np.linspace(-5, 5, 41) * LENGTH
    weight = np.exp(-0.5 * (z / LENGTH) ** 2)
    line = np.zeros((6, z.size))
    line[4] = z
    text = plan.parameters()
    x = core.passages(text, 1, 1, 0, passages, line)[:, 0]
    found = (x * x) @ weight / weight.sum() / (2 * BETA)
    return float(found.mean()), float(found.std() / math.sqrt(passages))


@pytest.mark.parametrize(
    ("noise", "expected"), [("phase_noise", 1.0797e-15), ("amplitude_noise", 6.618e-17)]
)
def test_white_noise_of_crab_cavities_makes_the_emittance_grow(noise: str, expected: float) -> None:
    sign = 1 if noise == "phase_noise" else -1
    formula = (TILT * NOISE) ** 2 * (1 + sign * math.exp(-2 * (K * LENGTH) ** 2))
    assert formula / (2 * K**2 * BETA) == pytest.approx(expected, rel=2e-4)
    growth, error = grown({noise: NOISE})
    # The square of one normal deviate a passage, the difference of both sides: √(2/20000) = 1 %.
    assert error < 0.011 * expected
    assert growth == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("noise", ["phase_noise", "amplitude_noise"])
def test_noise_that_both_sides_have_in_common_cancels(noise: str) -> None:
    growth, _ = grown({noise: NOISE, "common_noise": True}, passages=50)
    assert growth < 1e-12 * 6.6e-17


def test_a_run_with_noise_grows_by_what_the_formula_says() -> None:
    plan = machine([CAVITY | {"phase_noise": 1e-3, "amplitude_noise": 1e-3}])
    simulation = phasewise.Simulation(plan)
    squares = []
    for _ in range(40):
        simulation.step()
        record = simulation.record()
        squares.append(float(record["1/covariance"][0, 0] + record["1/mean"][0] ** 2))
    # Without an arc the displacements add up as a random walk: 2β times the growth of the
    # emittance a turn, of which 40 turns of one seed know half.
    expected = (TILT * 1e-3 / K) ** 2 * 2
    assert 0.3 < (squares[-1] - squares[0]) / 39 / expected < 3


def spectrum(low: float, high: float, density: float) -> list[list[float]]:
    return [[low, density], [0.5 * (low + high), density], [high, density]]


def errors(cavity: dict[str, Any], turns: int, of: str = "phase") -> Floats:
    """Errors of the phase [rad] or of the amplitude of the cavity before the point, turn by turn,
    from the shift at z = 0 or on the crest of the wave.
    """
    crest = of == "amplitude"
    tables = machine([]).resolved() | {"ring": {"circumference": 3833.8}}
    for own in tables["ip"]["1"]["beam"].values():
        del own["crab"]
        own["crab_cavities"] = [CAVITY | {"side": "before"} | cavity]
    text = phasewise.Study.from_dict(tables).parameters()
    still = np.zeros((6, 1))
    still[4] = math.pi / 2 / K if crest else 0
    shifts = core.passages(text, 1, 1, 0, turns, still)[:, 0, 0]
    return np.asarray(shifts * -K / TILT) - crest


@pytest.mark.parametrize("of", ["phase", "amplitude"])
def test_noise_by_a_spectrum_has_its_power_where_the_spectrum_has_it(of: str) -> None:
    revolution = SPEED_OF_LIGHT / 3833.8
    low, high, density = 0.1 * revolution, 0.3 * revolution, 1e-12
    plan = machine([])
    revolution *= plan.beam(1).beta
    found = errors({f"{of}_spectrum": spectrum(low, high, density)}, 4096, of)
    # 1024 lines of two squares each: 1/√1024 of the mean square.
    assert np.mean(found**2) == pytest.approx(density * (high - low), rel=5 / 32)
    power = np.abs(np.fft.rfft(found)) ** 2
    frequency = np.fft.rfftfreq(found.size) * revolution
    inside = (frequency > 0.98 * low) & (frequency < 1.02 * high)
    # What is cut off at the ends of the series leaks by some thousandths.
    assert power[~inside].sum() < 0.02 * power.sum()


@pytest.mark.parametrize("of", ["phase", "amplitude"])
def test_a_drift_is_linear_and_then_stays(of: str) -> None:
    found = errors({"drift": {of: 1e-3, "turns": [2, 6]}}, 9, of)
    assert found == pytest.approx([0, 0, 0, 2.5e-4, 5e-4, 7.5e-4, 1e-3, 1e-3, 1e-3], rel=1e-6)


def test_noise_depends_on_the_cavity_the_beam_and_the_point() -> None:
    cavity = CAVITY | {"phase_noise": NOISE}
    point = {"beta": [BETA, 0.072], "half_crossing_angle": PHI, "crab_cavities": [cavity] * 2}
    text = study(BEAM, arc={"tune": [0.31, 0.32]}, ip=point, points=[point]).parameters()
    still = np.zeros((6, 1))
    shifts = {
        core.into_collision(text, ip, beam, turn, still, back, alone=True)[0, 0]
        for ip in (1, 2)
        for beam in (1, 2)
        for turn in (0, 1)
        for back in (False, True)
    }
    assert len(shifts) == 16
