"""A coasting beam, and bunches that meet themselves after a period."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import ELEMENTARY_CHARGE, PROTON_MASS, SPEED_OF_LIGHT
from phasewise.study.reading import apply_override

pytest.importorskip("phasewise._core", reason="the core is not built")

RADIUS, CURRENT, PERIOD = 1e-3, 0.15, 1.0
"""Of a KV beam of protons of 250 MeV [m, A], and a period of it [m]."""
DOUBLED = 10.612823670
"""Path after which its radius has doubled [m]."""


def coasting(*changes: str) -> phasewise.Study:
    """A cold KV beam in a drift."""
    gamma = 1 + 250e6 / PROTON_MASS
    speed = math.sqrt(1 - gamma**-2) * SPEED_OF_LIGHT
    tables: dict[str, Any] = {
        "workload": "spacecharge",
        "turns": 1,
        "bunch": {
            "kinetic_energy": 250e6,
            "bunch_population": CURRENT * PERIOD / (speed * ELEMENTARY_CHARGE),
            "macroparticles": 30_000,
            "quiet": True,
            "distribution": "kv",
            "coasting": True,
            "geometric_emittance": [0, 0],
            "size": [RADIUS / 2, RADIUS / 2],
        },
        "lattice": {"element": [{"kind": "drift", "length": DOUBLED}]},
        "solver": {
            "kicks": 20,
            "grid": [32, 32, 8],
            "boundaries": "periodic",
            "period": PERIOD,
        },
    }
    for change in changes:
        apply_override(tables, change)
    return phasewise.Study.from_dict(tables)


def particles(study: phasewise.Study) -> Any:
    """The particles after a turn, by their number."""
    simulation = phasewise.Simulation(study)
    simulation.step()
    found = simulation.driver.particles()
    order = np.argsort(found["id"])
    return {name: values[order] for name, values in found.items()}


def test_a_cold_coasting_beam_doubles_along_its_whole_length() -> None:
    c = particles(coasting())
    # 28 cells across err by their square at the edge, 1/14²; 20 kicks by 1/20² of the path.
    assert [c["x"].std(), c["y"].std()] == pytest.approx([RADIUS, RADIUS], rel=0.01)
    assert np.abs(c["z"]).max() <= PERIOD / 2
    ends = np.abs(c["z"]) > 0.4 * PERIOD
    # 6000 quiet particles are the fifth of the beam at the ends of the period.
    assert c["x"][ends].std() == pytest.approx(c["x"].std(), rel=0.01)


ONE_KICK = ("solver.kicks=1", "bunch.macroparticles=2000", "bunch.quiet=false")


def test_a_period_has_no_ends() -> None:
    kicked = particles(coasting(*ONE_KICK))
    # Three of eight cells further on.
    moved = particles(coasting(*ONE_KICK, f"bunch.offset=[0,0,0,0,{3 * PERIOD / 8},0]"))
    assert np.abs(moved["z"]).max() <= PERIOD / 2
    for name in ("px", "py", "delta"):
        scale = np.abs(kicked[name]).max()
        # Rounding of places, 1e-16 m among cells of 0.1 m, and of the transforms.
        assert np.abs(moved[name] - kicked[name]).max() < 1e-9 * scale
        assert np.abs(kicked[name].sum()) < 1e-10 * scale * 2000


def test_a_gaussian_beam_coasts_with_the_moments_it_is_given() -> None:
    bunch = (
        'bunch.distribution="gaussian"',
        "bunch.geometric_emittance=[1e-6,2e-6]",
        "bunch.momentum_spread=1e-3",
        "bunch.bunch_population=1.0",
        "lattice.element.0.length=1e-6",
    )
    c = particles(coasting(*ONE_KICK, *bunch, "bunch.macroparticles=40000", "bunch.quiet=true"))
    # 40 000 quiet particles: better than N^-1/2 = 5e-3.
    assert c["z"].std() == pytest.approx(PERIOD / math.sqrt(12), rel=5e-3)
    counts = np.histogram(c["z"], bins=10, range=(-PERIOD / 2, PERIOD / 2))[0]
    assert counts == pytest.approx(np.full(10, 4000), rel=0.02)
    assert c["delta"].std() == pytest.approx(1e-3, rel=0.01)
    assert abs(np.corrcoef(c["z"], c["delta"])[0, 1]) < 0.01
    assert c["x"].std() == pytest.approx(RADIUS / 2, rel=5e-3)
