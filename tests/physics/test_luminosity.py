"""Luminosity of a collision against the integral of two Gaussian bunches and its known limits.

N particles per bunch give the overlap of two samples with a relative error of √(2/3N): the variance
of ρ2 over the particles of beam 1 is a third of its squared mean, and likewise for beam 2. A quiet
start has less. The mesh smears each bunch by h²/6 (linear weights) or h²/4 (quadratic) in σ²; for
Gaussian bunches the luminosity is corrected for that.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import phasewise
from tests.physics.machines import study

N = 100_000
SAMPLING = math.sqrt(2 / (3 * N))
LHC = {"half_crossing_angle": 142.5e-6}


def measured(machine: phasewise.Study) -> float:
    """Luminosity of the first crossing [m⁻²]."""
    simulation = phasewise.Simulation(machine)
    simulation.step()
    return float(simulation.record()["luminosity"][0])


def smearing(nodes: int, share: float = 1 / 6) -> float:
    """What may be left of a round beam's smearing: the square of `share` of h² in σ², h at most
    1.1·12σ/nodes.
    """
    return float((share * (1.1 * 12 / nodes) ** 2) ** 2)


@pytest.mark.parametrize(
    ("slices", "angle", "derived"),
    [
        (1, 0.0, "luminosity_head_on"),
        (1, 142.5e-6, "luminosity_crossing"),
        (9, 142.5e-6, "luminosity"),
    ],
)
def test_the_lhc_collides_with_the_luminosity_that_its_parameters_give(
    slices: int, angle: float, derived: str
) -> None:
    # Without drifts along the bunch a slice sees no hourglass: its length does nothing but tilt.
    length = {} if slices > 1 else {"beta": [5500.0, 5500.0]}
    machine = study(
        beam={"macroparticles": N} if slices > 1 else {"macroparticles": N, **flat_waist()},
        ip={"half_crossing_angle": angle, "slices": slices, "grid": [128, 128]} | length,
    )
    expected = study(ip={"half_crossing_angle": angle}).derived()["ips"][0][derived]
    # Nine slices leave out what is within one: the hourglass loss, 0.4 %, over S². Like charges
    # open the bunch as they pass, by half of the disruption 4πξσz/β* = 0.6 % at its end.
    tolerance = SAMPLING + smearing(128) + 0.004 / 81
    if slices > 1:
        tolerance += 0.003
    assert measured(machine) == pytest.approx(expected, rel=tolerance)


def test_a_long_bunch_of_slices_meets_a_short_one_of_a_single_slice() -> None:
    machine = study(
        beam={"macroparticles": N, "bunch_length": 0.3},
        other={"bunch_length": 1e-3},
        ip={"half_crossing_angle": 2e-4, "slices": [9, 1], "grid": [128, 128]},
    )
    # The angle takes two thirds, and leaves of the long bunch 0.12 m, over which it opens by 1 %;
    # nine slices leave out 1/81 of that.
    expected = machine.derived()["ips"][0]["luminosity"]
    assert measured(machine) == pytest.approx(expected, rel=SAMPLING + smearing(128) + 0.01 / 81)


def flat_waist() -> dict[str, Any]:
    """The LHC's size at a β* of 5500 m: no hourglass."""
    return {"normalized_emittance": [3.75e-10, 3.75e-10]}


def test_the_lhc_chain_of_luminosities_is_that_of_the_textbook() -> None:
    machine = phasewise.Study.from_dict(
        {
            "turns": 1,
            "beam": {
                "1": {
                    "energy": 7e12,
                    "bunch_population": 1.15e11,
                    "macroparticles": 1000,
                    "normalized_emittance": [3.75e-6, 3.75e-6],
                    "bunch_length": 0.0755,
                    "momentum_spread": 1.13e-4,
                },
                "2": {"like": "beam.1"},
            },
            "ring": {"circumference": 26658.883, "bunches": 2808},
            "arc": {"tune": [64.31, 59.32]},
            "ip": {"1": {"beta": [0.55, 0.55]} | LHC},
        }
    )
    point = machine.derived()["ips"][0]
    # Four digits are given, and the revolution frequency as 11.245 kHz.
    assert point["luminosity_head_on_per_second"] == pytest.approx(1.202e34, rel=5e-4)
    assert point["luminosity_crossing_per_second"] == pytest.approx(1.009e34, rel=1e-3)
    assert point["luminosity_per_second"] == pytest.approx(1.0054e34, rel=1e-3)
    assert point["beams"][0]["xi"] == pytest.approx([0.003745, 0.003745], rel=2e-4)


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
@pytest.mark.parametrize("separation", [0.0, 1.5])
def test_a_coarse_mesh_takes_nothing_from_the_luminosity(weighting: str, separation: float) -> None:
    sigma = study().beam(1).size(0)[0]
    half = 6.0
    values = []
    for nodes in (31, 241):
        mesh = {"mesh": "fixed", "mesh_half_width": [half * sigma] * 2, "grid": [nodes, nodes]}
        machine = study(
            beam={"macroparticles": N, "bunch_length": 1e-6},
            ip=mesh | {"weighting": weighting, "separation_sigma": [0.0, separation]},
        )
        values.append(measured(machine))
    # Weights smear by s = h²/6 or h²/4 of σ² in each plane, and so the luminosity of beams that
    # meet by 3 or 4 %. For Gaussian bunches that is known; left is what linear weights smear less
    # or more by a particle's place in its cell, s²/10 of the fourth order, and the noise of
    # pairs in one cell, √(4πσ²/h²)/N = 7e-4 (241 nodes).
    s = {"cic": 1 / 6, "tsc": 1 / 4}[weighting] * (2 * half / 30) ** 2
    assert values[0] / values[1] == pytest.approx(1, abs=s**2 + 7e-4)


@pytest.mark.parametrize("interpolation", ["linear", "none"])
@pytest.mark.parametrize(("grid", "length"), [(16, 1e-6), (64, 0.0755), (16, 0.1)])
def test_beams_far_apart_have_no_negative_luminosity(
    grid: int, length: float, interpolation: str
) -> None:
    for separation in (4.0, 6.0, 10.0):
        machine = study(
            beam={"macroparticles": 5000, "bunch_length": length},
            ip={
                "separation_sigma": [0.0, separation],
                "grid": [grid, grid],
                "slices": 3,
                "interpolation": interpolation,
            },
            records={"pair_luminosity_every": 1},
        )
        simulation = phasewise.Simulation(machine)
        simulation.step()
        pairs = simulation.driver.pair_luminosity(1)
        assert pairs.min() >= 0
        # Within a factor of two where there are pairs of particles to count: 0.02 and 1e-4 of the
        # head-on luminosity, exp(-d²/4).
        if separation < 7 and grid == 64:
            expected = machine.derived()["ips"][0]["luminosity"]
            assert 0.5 < pairs.sum() / expected < 2


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
@pytest.mark.parametrize("separation", [[1.0, 0.0], [0.0, 1.5], [2.0, 1.0]])
def test_separated_bunches_lose_luminosity_by_the_gaussian_of_their_distance(
    model: str, separation: list[float]
) -> None:
    machine = study(
        beam={"macroparticles": N, "bunch_length": 1e-6},
        ip={"separation_sigma": separation, "model": model, "grid": [128, 128]},
    )
    head_on = machine.derived()["ips"][0]["luminosity_head_on"]
    distance = sum(d * d for d in separation)
    # exp(-d²/4σ²); its sampling error grows as the overlap falls, like the squared distance, and
    # what smearing leaves does too.
    factor = 1 + distance
    tolerance = factor * (SAMPLING + smearing(128))
    assert measured(machine) / head_on == pytest.approx(math.exp(-distance / 4), rel=tolerance)


@pytest.mark.parametrize(
    ("ratio", "flat"), [(0.25, 0.985353), (0.5, 0.949608), (1.0, 0.859887), (2.0, 0.705757)]
)
def test_the_hourglass_of_flat_soft_gaussian_bunches_is_that_of_the_bessel_function(
    ratio: float, flat: float
) -> None:
    # β*x ≫ σz: only the vertical size opens. √(2/π) a exp(a²) K0(a²), a = β*/(√2 σz).
    beta = 0.05
    machine = study(
        beam={"macroparticles": N, "bunch_length": ratio * beta, "bunch_population": 1e6},
        ip={"beta": [50.0, beta], "model": "soft-gaussian", "slices": 20},
    )
    head_on = machine.derived()["ips"][0]["luminosity_head_on"]
    # 20 slices: the end ones are long, and the 5 % of the charge beyond 2 rms of z lie in two.
    assert measured(machine) / head_on == pytest.approx(flat, rel=SAMPLING + 2e-3)


@pytest.mark.parametrize("model", ["strong-strong", "soft-gaussian"])
def test_luminosity_does_not_depend_on_the_number_of_slices_without_hourglass(model: str) -> None:
    values = [
        measured(
            study(
                beam={"macroparticles": N, "bunch_population": 1e6} | flat_waist(),
                ip={"beta": [5500.0, 5500.0], "slices": slices, "grid": [128, 128], "model": model}
                | LHC,
            )
        )
        for slices in (1, 10)
    ]
    # The same overlap, summed in parts; the mesh follows the bunch in one case and its slices in
    # the other, so that what is left of smearing differs, and the noise of pairs in one cell,
    # √(4πσ²/h²)/N with ten cells per σ.
    error = smearing(128) + 5e-4 if model == "strong-strong" else 2e-3
    assert values[0] == pytest.approx(values[1], rel=error)


def test_slices_of_few_particles_have_the_luminosity_of_the_beam() -> None:
    # Two particles a slice: their own mean would scatter by the rms over the square root of two.
    count, seeds = 500, range(4)
    beam = {"macroparticles": count, "distribution": "gaussian"}
    few = {"model": "soft-gaussian", "slices": 255}
    found = [measured(study(beam, ip=few, seed=seed)) for seed in seeds]
    expected = study(ip=few).derived()["ips"][0]["luminosity"]
    tolerance = 3 * math.sqrt(2 / (3 * count * len(seeds)))
    assert sum(found) / len(found) == pytest.approx(expected, rel=tolerance)
