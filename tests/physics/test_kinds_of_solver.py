"""Solvers of space charge in two and a half dimensions, and frozen ones, beside the whole one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.constants import CLASSICAL_ELECTRON_RADIUS, ELECTRON_MASS
from tests.physics.test_space_charge import LENGTH, SIZE, kicked, tables

PIPE = 0.02
"""Its radius [m]."""


def kick_of(solver: dict[str, Any], **bunch: Any) -> Any:
    """The momenta [px, py, δ] and places of the particles, by number, after a kick."""
    given = tables(macroparticles=100_000, **bunch)
    given["solver"] = {"kicks": 1, **solver}
    study = phasewise.Study.from_dict(given)
    c = kicked(study)
    order = np.argsort(c["id"])
    found = {name: np.array(c[name])[order] for name in ("px", "py", "delta", "x", "y", "z")}
    return study, found


def off(one: Any, other: Any, name: str) -> float:
    """Rms difference of a momentum over its rms."""
    return float((one[name] - other[name]).std() / other[name].std())


GRID = [48, 48, 32]


def test_a_long_bunch_has_the_same_field_across_in_every_solver() -> None:
    _, whole = kick_of({"grid": GRID})
    _, planes = kick_of({"grid": GRID, "kind": "2.5d"})
    _, frozen = kick_of({"kind": "frozen"})
    for name in ("px", "py"):
        # γσz is a thousand times the width; cells of 0.3 rms along z average 1/24 of their square
        # more in three dimensions.
        assert off(planes, whole, name) < 0.01
        # Deposit, differences and interpolation add 2/3 h² to σ², with h up to 0.22 rms.
        assert (frozen[name] @ planes[name]) / (planes[name] @ planes[name]) == pytest.approx(
            1, abs=2 / 3 * 0.22**2
        )
        # That at large amplitudes, and the noise of 100 000 quiet particles on 70 000 nodes.
        assert off(frozen, planes, name) < 0.05
    assert not planes["delta"].any() and not frozen["delta"].any()


def test_along_the_bunch_mesh_and_closed_form_agree_within_a_pipe() -> None:
    _, planes = kick_of({"grid": [32, 32, 64], "kind": "2.5d", "pipe_radius": PIPE})
    study, frozen = kick_of({"kind": "frozen", "pipe_radius": PIPE})
    near = np.abs(planes["z"]) < 1.5 * LENGTH
    slope = (planes["delta"][near] @ frozen["delta"][near]) / (
        frozen["delta"][near] @ frozen["delta"][near]
    )
    # Each of deposit, differences and interpolation adds h²/6 of the second derivative of the
    # density's slope, up to three times the slope; h up to 0.15 rms.
    assert slope == pytest.approx(1, abs=1.5 * 0.15**2)
    # -∂/∂z of 2λ(U + ln b) on the axis, U = γ/2 - ln(√2 σ).
    axis = (np.hypot(frozen["x"], frozen["y"]) < 0.02 * SIZE) & near
    radius = CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / study.bunch.mass
    factor = study.bunch.bunch_population * radius * 1e-3
    factor /= study.bunch.beta_gamma**2 * study.bunch.gamma
    z = frozen["z"][axis] / LENGTH
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) / LENGTH
    potential = np.euler_gamma / 2 - math.log(math.sqrt(2) * SIZE / PIPE)
    expected = 2 * factor * z / LENGTH * density * potential
    # The measured sizes, of a quiet bunch; 0.02² / 4 of the potential across.
    assert axis.sum() > 10 and frozen["delta"][axis] == pytest.approx(expected, rel=5e-3, abs=1e-15)


def test_within_a_long_uniform_ellipsoid_the_force_along_z_has_its_closed_form() -> None:
    study, planes = kick_of(
        {"grid": [40, 40, 80], "kind": "2.5d", "pipe_radius": PIPE}, distribution="uniform"
    )
    # With s = 1 - z²/zm²: λ = 3s/4zm, a² = s a0², u = 2λ(1/2 - ρ²/2a² + ln(b/a)) in the beam, of
    # which λ/a² does not depend on z, so that ∂u/∂z = (3s'/4zm)(2 ln(b/a0) - ln s).
    most, radius = math.sqrt(5) * LENGTH, math.sqrt(5) * SIZE
    z = planes["z"]
    inside = (np.hypot(planes["x"], planes["y"]) < 0.5 * radius) & (np.abs(z) < 0.6 * most)
    s, slope = 1 - (z / most) ** 2, -2 * z / most**2
    u_z = 0.75 * slope / most * (2 * math.log(PIPE / radius) - np.log(s))
    factor = study.bunch.bunch_population * 1e-3 / study.bunch.beta_gamma**2 / study.bunch.gamma
    factor *= CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / study.bunch.mass
    expected = (-factor * u_z)[inside]
    found = planes["delta"][inside]
    assert (found @ expected) / (expected @ expected) == pytest.approx(1, abs=0.01)


def test_sizes_that_are_given_are_those_that_are_measured() -> None:
    _, measured = kick_of({"kind": "frozen"})
    _, given = kick_of({"kind": "frozen", "sizes": [SIZE, SIZE, LENGTH]})
    # 100 000 quiet particles: better than N^-1/2 = 3e-3.
    assert off(given, measured, "px") < 3e-3


def test_a_frozen_coasting_beam_is_as_dense_everywhere() -> None:
    coasting = {"kind": "frozen", "boundaries": "periodic", "period": 2.0, "pipe_radius": PIPE}
    given = tables(coasting=True)
    del given["bunch"]["bunch_length"]
    given["solver"] = {"kicks": 1, **coasting}
    study = phasewise.Study.from_dict(given)
    c = kicked(study)
    near = np.hypot(c["x"], c["y"]) < 0.1 * SIZE
    factor = study.bunch.bunch_population * 1e-3 / study.bunch.beta_gamma**2 / study.bunch.gamma
    factor *= CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / study.bunch.mass
    # 2λ x/2σ², up to the fourth of 0.1².
    assert c["px"][near] == pytest.approx(factor / 2.0 * c["x"][near] / SIZE**2, rel=5e-3)
    assert not c["delta"].any()
