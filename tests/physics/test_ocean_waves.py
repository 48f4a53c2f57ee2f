"""Waves, friction and gyres of an ocean against theory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import Floats
from tests.physics.ocean import FLAT, Sea

GRAVITY = 9.80616
WAVE = {
    **FLAT, "grid": [24, 20, 3], "baroclinic": False, "implicitness": 0.5, "initial": "wave",
    "wave_height": 1e-4,
}  # fmt: skip
"""So low that what is not linear stays below 1e-7 of the linear terms."""


def wave_numbers(sea: Sea, waves: tuple[int, int]) -> tuple[float, float]:
    """κ with ∂/∂x = iκ on the B-grid, along x and y: a difference along one axis and a mean along
    the other.
    """
    (nx, ny, _), (length, width) = sea.model.size, sea.model.extent
    dx, dy = length / nx, width / ny
    half_x, half_y = math.pi * waves[0] / nx, math.pi * waves[1] / ny
    return (
        2.0 / dx * math.sin(half_x) * math.cos(half_y),
        2.0 / dy * math.sin(half_y) * math.cos(half_x),
    )


def amplitudes(sea: Sea, timesteps: int) -> Floats:
    """The share of the first wave in the surface after each timestep."""
    first = sea.field("surface")
    found = [1.0]
    for _ in range(timesteps):
        sea.step()
        found.append(float((first * sea.field("surface")).sum() / (first**2).sum()))
    return np.array(found)


def matrix_of(
    kappa: tuple[float, float], depth: float, coriolis: float, dt: float, theta: float
) -> Any:
    """What a timestep makes of u, v and the surface of one wave (core/ocean/barotropic.hpp)."""
    u, v, height = np.eye(3, dtype=complex)
    x, y = 1j * kappa[0], 1j * kappa[1]
    turn = 0.5 * coriolis * dt
    along = coriolis * dt * v - GRAVITY * dt * x * height
    across = -coriolis * dt * u - GRAVITY * dt * y * height
    ahead_u = u + (along + turn * across) / (1.0 + turn**2)
    ahead_v = v + (across - turn * along) / (1.0 + turn**2)
    scale = theta * GRAVITY * dt
    squares = theta * dt * depth * scale * (kappa[0] ** 2 + kappa[1] ** 2)
    flow = x * (theta * ahead_u + (1 - theta) * u) + y * (theta * ahead_v + (1 - theta) * v)
    after = height - dt * depth * flow / (1.0 + squares)
    return np.array(
        [ahead_u - scale * x * (after - height), ahead_v - scale * y * (after - height), after]
    )


@pytest.mark.parametrize("waves", [(1, 0), (0, 2), (3, 2), (7, 5)])
@pytest.mark.parametrize("baroclinic", [False, True])
def test_a_wave_has_the_frequency_of_the_grid(waves: tuple[int, int], baroclinic: bool) -> None:
    """tan(ω Δt/2) = ½ Δt √(gH) κ: the scheme is Crank and Nicolson's with θ = ½."""
    sea = Sea({**WAVE, "wave_numbers": list(waves), "baroclinic": baroclinic})
    found = amplitudes(sea, 40)
    # c(n+1) + c(n-1) = 2 cos(ω Δt) c(n) for a standing wave.
    middle, around = found[1:-1], found[2:] + found[:-2]
    cosine = 0.5 * float((middle * around).sum() / (middle**2).sum())
    dt, kappa = sea.model.timestep, math.hypot(*wave_numbers(sea, waves))
    omega = 2.0 / dt * math.atan(0.5 * dt * math.sqrt(GRAVITY * 4000.0) * kappa)
    assert math.acos(cosine) / dt == pytest.approx(omega, rel=1e-6)


@pytest.mark.parametrize("theta", [0.5, 0.6, 1.0])
@pytest.mark.parametrize("coriolis", [-1.2e-4, 3e-4])
def test_a_wave_on_a_turning_plane_is_that_of_the_scheme(theta: float, coriolis: float) -> None:
    waves = (2, 3)
    sea = Sea({**WAVE, "wave_numbers": [2, 3], "coriolis": coriolis, "implicitness": theta})
    matrix = matrix_of(wave_numbers(sea, waves), 4000.0, coriolis, sea.model.timestep, theta)
    found, state = amplitudes(sea, 30), np.array([0, 0, 1], dtype=complex)
    for amplitude in found:
        assert amplitude == pytest.approx(state[2].real, abs=1e-7)
        state = matrix @ state


def test_a_wave_has_the_frequency_of_the_grid_to_second_order_in_time() -> None:
    """ω² = f² + gH κ², with the errors of both halves of the time scheme, (ω Δt)²/12 and less."""
    waves, coriolis = (2, 3), 1.2e-4
    errors = []
    for dt in (80.0, 40.0):
        keys = {**WAVE, "wave_numbers": [2, 3], "coriolis": coriolis, "timestep": dt}
        sea = Sea(keys)
        kappa = wave_numbers(sea, waves)
        omega = math.sqrt(coriolis**2 + GRAVITY * 4000.0 * (kappa[0] ** 2 + kappa[1] ** 2))
        # Differences have no share of the steady current: c(n+1) + c(n-1) = 2 cos(ω Δt) c(n).
        change = np.diff(amplitudes(sea, int(3.0 * math.pi / (omega * dt))))
        middle, around = change[1:-1], change[2:] + change[:-2]
        cosine = 0.5 * float((middle * around).sum() / (middle**2).sum())
        # The wave neither grows nor decays: its factor in a timestep has the magnitude 1.
        assert around == pytest.approx(2.0 * cosine * middle, abs=1e-9 * abs(middle).max())
        errors.append(abs(math.acos(cosine) / dt / omega - 1.0))
    assert errors[0] < (omega * 80.0) ** 2 / 6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


MODES = {**FLAT, "grid": [6, 4, 12], "depth": 600.0, "timestep": 3600.0}


@pytest.mark.parametrize("mode", [1, 5, 11])
@pytest.mark.parametrize("field", ["temperature", "u"])
@pytest.mark.parametrize("kernel", ["fast", "plain"])
def test_a_vertical_mode_decays_as_implicit_mixing_has_it(
    mode: int, field: str, kernel: str
) -> None:
    """1/(1 + κ λ Δt) with λ = (4/Δz²) sin²(mπ/2N): no flux passes the surface and the bottom."""
    mixing = "vertical_diffusivity" if field == "temperature" else "vertical_viscosity"
    sea = Sea({**MODES, mixing: 0.05}, {"kernel": kernel})
    shape = np.cos(mode * math.pi * (np.arange(12) + 0.5) / 12)
    sea.set(**{field: np.broadcast_to(shape[:, None, None], (12, 4, 6))})
    rate = 0.05 * (4.0 / 50.0**2) * math.sin(mode * math.pi / 24) ** 2
    for timesteps in (1, 2, 3):
        sea.step()
        factor = (1.0 + rate * sea.model.timestep) ** -timesteps
        # Advected by no flow, and u is the same at all places.
        assert sea.field(field)[:, 2, 3] == pytest.approx(factor * shape, abs=1e-12)


def stommel(cells: int, r: float) -> float:
    """The largest error of the transport's streamfunction over its largest value, on a basin
    whose coast goes through the centres of the outermost cells, as the B-grid has it.
    """
    length, beta, depth, wind, dt = 1.0e6, 2.0e-11, 500.0, 1e-6, 1.0e4
    side = length * cells / (cells - 1)
    sea = Sea(
        {
            **FLAT, "grid": [cells, cells, 3], "extent": [side, side], "periodic": "none",
            "baroclinic": False, "depth": depth, "coriolis": 1e-4, "beta": beta,
            "drag": r * depth, "wind": wind, "wind_profile": "gyre", "timestep": dt,
            "implicitness": 1.0, "tolerance": 1e-12,
        }
    )  # fmt: skip
    sea.step(int(16.0 / r / dt))
    dx = length / (cells - 1)
    # ψ at the centres of cells: v of the corners between rows is its difference along x.
    v = sea.field("v")[0]
    sums = np.concatenate([np.zeros((cells, 1)), np.cumsum(v[:, :-1] * dx, axis=1)], axis=1)
    psi = np.zeros((cells, cells))
    for j in range(1, cells):  # ½ (ψ(j-1) + ψ(j)) is the sum, and ψ(0) = 0
        psi[j] = 2.0 * sums[j - 1] - psi[j - 1]
    x = np.linspace(0.0, 1.0, cells) * length
    y = np.linspace(0.0, 1.0, cells)
    # Drag after Coriolis' force makes β larger by ½ r Δt.
    steep = beta * (1.0 + 0.5 * r * dt)
    curl = wind / 1026.0 / depth * math.pi / length
    k = math.pi / length
    root = math.sqrt((0.5 * steep / r) ** 2 + k**2)
    a, b = -0.5 * steep / r + root, -0.5 * steep / r - root
    p = (1.0 - math.exp(b * length)) / (math.exp(a * length) - math.exp(b * length))
    along = 1.0 - p * np.exp(a * x) - (1.0 - p) * np.exp(b * x)
    exact = curl / (r * k**2) * np.outer(np.sin(math.pi * y), along)
    return float(abs(psi - exact).max() / abs(exact).max())


def test_the_gyre_of_stommel_converges_with_second_order() -> None:
    """r ∇²ψ + β ∂ψ/∂x = curl τ/(ρH) (Stommel, Trans. Am. Geophys. Union 29 (1948) 202)."""
    coarse, fine = stommel(21, 2e-6), stommel(41, 2e-6)
    assert coarse < 0.1
    assert math.log2(coarse / fine) == pytest.approx(2.0, abs=0.25)
