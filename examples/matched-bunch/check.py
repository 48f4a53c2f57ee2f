"""A bunch that is matched with its charge keeps its sizes and its emittances."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import elliprd

import phasewise
import phasewise._core as core
from phasewise.constants import SPEED_OF_LIGHT, classical_radius

STUDY = Path(__file__).parent / "study.toml"
FREE_ENERGY = 0.0224
"""U/w0 of a waterbag: the field energy that it has beyond that of a uniform beam, of the same rms
size (Wangler, "RF Linear Accelerators" (2008), section 9.13).
"""


def matched(study: phasewise.Study) -> Any:
    """Second moments of the matched bunch, and the phases of a period of its modes."""
    found = core.matched_with_charge(study.parameters())
    return found["columns"] @ found["columns"].T, found["phases"]


def strength(study: phasewise.Study) -> float:
    """N r0/(β²γ²) [m]: times the field of a unit charge in the rest frame it is dp/ds."""
    bunch = study.bunch
    return float(bunch.bunch_population * classical_radius(bunch.mass) / bunch.beta_gamma**2)


def period(study: phasewise.Study, moments: Any) -> Any:
    """Moments behind a period by the envelope equations, with the ellipsoid's force throughout."""
    bunch = study.bunch
    rest = np.array([1.0, 1.0, bunch.gamma])
    # Mean line density of a waterbag over that of an ellipsoid, across.
    across = 512 / 693 / (5 * math.pi / 16) ** 2 / math.sqrt(8) / (3 / (5 * math.sqrt(5)))
    share = np.array([across, across, 1.0])
    slip = np.array([1.0, 1.0, bunch.gamma**-2])

    def change(_s: float, flat: Any, k1: float) -> Any:
        m = flat.reshape(6, 6)
        a, b, c = 5 * np.diagonal(m)[::2] * rest**2
        force = [elliprd(b, c, a), elliprd(a, c, b), elliprd(a, b, c)]
        force *= strength(study) * share * rest**2
        matrix = np.zeros((6, 6))
        for plane, k in enumerate((-k1, k1, 0.0)):
            matrix[2 * plane, 2 * plane + 1] = slip[plane]
            matrix[2 * plane + 1, 2 * plane] = k + force[plane]
        return (matrix @ m + m @ matrix.T).ravel()

    for element in study.lattice.elements:
        if element["kind"] == "cavity":
            gap = np.eye(6)
            wave = 2 * math.pi * element["frequency"] / (bunch.velocity * SPEED_OF_LIGHT)
            gap[5, 4] = -element["voltage"] * wave / (bunch.velocity**2 * bunch.energy)
            moments = gap @ moments @ gap.T
            continue
        span, k1 = (0, element["length"]), element.get("k1", 0.0)
        found = solve_ivp(change, span, moments.ravel(), args=(k1,), rtol=1e-9, atol=1e-16)
        moments = found.y[:, -1].reshape(6, 6)
    return moments


def noise(study: phasewise.Study, sizes: Any) -> float:
    """Largest relative growth of the emittance that a finite number of macroparticles explains.

    In the rest frame each is a rod of a cell's length l and width h, with the field 2/(l r), and
    1/r² beyond r = l. Places that are drawn anew for each kick, of density n, make
    <Ex²> = (4πn/l)[ln(l/h) + 1/3], and grow the emittance by β <Δpx²>/2 a kick. Cells are shared
    by neighbours, which makes it less.
    """
    bunch, solver = study.bunch, study.solver
    rest = sizes * [1, 1, bunch.gamma]
    # A waterbag ends at √8 rms, two cells within the edges of its mesh.
    cells = 2 * math.sqrt(8) * rest / (np.array(solver.grid) - 4)
    width, length = math.sqrt(cells[0] * cells[1]), cells[2]
    density = bunch.macroparticles / (4 / 3 * math.pi * 5**1.5 * rest.prod())
    field = 4 * math.pi * density / length * (math.log(length / width) + 1 / 3)
    kick = strength(study) * study.kick_length / bunch.macroparticles
    emittance = bunch.geometric_emittance[0]
    beta = sizes[0] * sizes[1] / emittance
    return float(study.turns * solver.kicks * beta / 2 * kick**2 * field / emittance)


def free_energy(study: phasewise.Study, phase: float) -> float:
    """Relative growth if the bunch became uniform: √(1 + (U/w0)(k0²/k² - 1)/2) - 1."""
    bare = core.lattice_optics(study.parameters(), [0.0])["tune_x"]
    return math.sqrt(1 + FREE_ENERGY / 2 * ((bare / phase) ** 2 - 1)) - 1


def test_the_matched_bunch_solves_the_envelope_equations() -> None:
    study = phasewise.load(STUDY, ["solver.kicks=200"])
    moments, _ = matched(study)
    after = period(study, moments)
    # 200 kicks a period err by 1/200² of it, and edges of quadrupoles lie within a part.
    scale = np.sqrt(np.outer(np.diagonal(moments), np.diagonal(moments)))
    assert np.abs((after - moments) / scale).max() < 1e-4


def test_a_thousand_periods_do_not_change_the_emittance() -> None:
    study = phasewise.load(STUDY)
    assert study.turns == 1000
    moments, phases = matched(study)
    sizes = np.sqrt(np.diagonal(moments))
    simulation = phasewise.Simulation(study)
    rows = []
    for _ in range(study.turns):
        simulation.step()
        record = simulation.record()
        rows.append([*record["beam1/emittance"], *np.sqrt(np.diagonal(record["beam1/covariance"]))])
    found = np.array(rows)
    level = noise(study, sizes[::2]) + free_energy(study, phases[0])
    assert level < 0.025
    start, end = found[:20].mean(axis=0), found[-20:].mean(axis=0)
    # The tunes of x and y are alike, so that the planes exchange emittance; its mean stays.
    growth = (end[0] + end[1]) / (start[0] + start[1]) - 1
    assert abs(growth) < level and abs(end[2] / start[2] - 1) < level
    # A bunch of 20 000 macroparticles has sizes within 1/√N of the matched ones, and its breathing
    # with that grows as its emittances do.
    assert np.abs(found[:20, 3::2] / sizes[::2] - 1).max() < 20_000**-0.5
    assert np.abs(found[:, 3::2] / sizes[::2] - 1).max() < 20_000**-0.5 + level
    assert record["beam1/losses"] == 0


def test_a_bunch_that_is_matched_without_its_charge_breathes() -> None:
    study = phasewise.load(STUDY, ['bunch.matched="lattice"', "bunch.momentum_spread=2.96e-3"])
    simulation = phasewise.Simulation(study)
    sizes = []
    for _ in range(40):
        simulation.step()
        sizes.append(simulation.record()["beam1/covariance"][0, 0] ** 0.5)
    # β of the two differ by some per cent, as their tunes do.
    assert max(sizes) / min(sizes) > 1.04
