"""Gas under gravity, gas that enters, and gas around all angles, against what is known of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import Floats
from phasewise.workloads.hydro import Hydro

ROUNDING = 2.0**-53


def wave(zones: int) -> tuple[Floats, Floats]:
    """Density and pressure of a smooth bump along a periodic axis."""
    x = (np.arange(zones) + 0.5) / zones
    density = 1.0 + 0.3 * np.sin(2 * math.pi * x)
    return density, density**1.4


@pytest.mark.parametrize("axis", [0, 1])
def test_gas_that_falls_freely_gains_gravity_times_time(axis: int) -> None:
    fall = [0.0, 0.0, 0.0]
    fall[axis] = -0.25
    shape = (8, 8)
    gas = Hydro(
        np.ones(shape), np.ones(shape), boundaries="periodic", gravity="uniform", acceleration=fall
    )
    gas.advance(1.0)
    assert gas.velocity[axis] == pytest.approx(np.full(shape, -0.25), rel=64 * ROUNDING)
    assert gas.density == pytest.approx(np.ones(shape), rel=64 * ROUNDING)


def test_the_energy_of_a_falling_gas_is_the_work_of_gravity() -> None:
    """Momentum grows by M g t. In a box that moves along with the gas nothing is changed by a
    uniform gravity, so that the energy grows by that of the motion.
    """
    density, pressure = wave(32)
    gas = Hydro(
        density, pressure, boundaries="periodic", gravity="uniform", acceleration=[0.5, 0, 0]
    )
    still = Hydro(density, pressure, boundaries="periodic")
    for one in (gas, still):
        one.advance(0.5)
    mass, speed = gas.record["mass"], 0.5 * 0.5
    assert gas.record["momentum"][0] == pytest.approx(mass * speed, rel=1e-12)
    gained = gas.record["energy"] - still.record["energy"]
    # The work of a timestep is found from velocities at both of its ends: second order.
    assert gained == pytest.approx(0.5 * mass * speed**2, rel=0.02)


def test_gas_in_balance_with_gravity_stays_nearly_at_rest() -> None:
    """An isothermal atmosphere over three scale heights: velocities of second order in Δx."""
    largest = []
    for zones in (32, 64):
        z = (np.arange(zones) + 0.5) * 3.0 / zones
        weight = np.exp(-z)
        gas = Hydro(
            weight, weight, high=[3.0], boundaries="reflecting", gravity="uniform",
            acceleration=[-1.0, 0.0, 0.0],
        )  # fmt: skip
        gas.advance(0.5)
        inner = slice(zones // 4, -zones // 4)
        largest.append(float(np.abs(gas.velocity[0][inner]).max()))
    assert largest[1] < 0.4 * largest[0]
    assert largest[1] < 0.01


def test_a_supersonic_stream_that_enters_fills_the_grid_as_it_is() -> None:
    stream: dict[str, Any] = {"inflow": [1.0, 1.0, 3.0, 0.0, 0.0]}
    gas = Hydro(
        np.full(40, 0.5), np.full(40, 0.2), [np.full(40, 3.0)],
        boundaries=[["inflow", "outflow"]], **stream,
    )  # fmt: skip
    gas.advance(1.0)
    assert gas.density == pytest.approx(np.ones(40), abs=1e-3)
    assert gas.pressure == pytest.approx(np.ones(40), abs=1e-3)


@pytest.mark.parametrize(
    ("coordinates", "shape", "high"),
    [
        ("spherical", (8, 6, 5), [1.0, math.pi, 2 * math.pi]),
        ("cylindrical", (8, 6, 4), [1.0, 2 * math.pi, 1.0]),
        ("axisymmetric", (8, 6), [1.0, 1.0]),
    ],
)
def test_uniform_gas_at_rest_stays_so(coordinates: str, shape: Any, high: list[float]) -> None:
    ends = {
        "spherical": ["reflecting", "reflecting", "periodic"],
        "cylindrical": ["reflecting", "periodic", "periodic"],
        "axisymmetric": ["reflecting", "reflecting"],
    }[coordinates]
    gas = Hydro(np.ones(shape), np.ones(shape), high=high, coordinates=coordinates, boundaries=ends)
    gas.advance(0.25)
    assert gas.timesteps >= 3
    # Each timestep rounds the force of each face, whose areas differ.
    assert np.abs(gas.velocity).max() < 1e-12 * gas.timesteps
    assert gas.density == pytest.approx(np.ones(shape), rel=1e-12 * gas.timesteps)


def test_a_velocity_along_the_only_axis_is_an_array_itself() -> None:
    density, pressure = wave(16)
    gas = Hydro(density, pressure, np.full(16, 0.5), boundaries="periodic")
    assert gas.velocity[0].tolist() == [0.5] * 16


def test_too_many_velocities_are_refused() -> None:
    density, pressure = wave(16)
    with pytest.raises(ValueError, match="velocity has 4 arrays"):
        Hydro(density, pressure, [density] * 4)
