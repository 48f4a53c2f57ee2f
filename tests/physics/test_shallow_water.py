"""Shallow water on the sphere: Williamson's cases against known solutions. The digits of case 5 are
compared by examples/williamson-5.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import phasewise
from phasewise.driver import load_core
from phasewise.workloads.sphere.grid import gaussian_latitudes, latitudes_of, longitudes_of

pytest.importorskip("phasewise._core", reason="the core is not built")

DAY = 86400.0
RADIUS, ROTATION, GRAVITY = 6.37122e6, 7.292e-5, 9.80616


def ran(timesteps: int, records: dict[str, Any] | None = None, **own: Any) -> phasewise.Results:
    """A run to its end."""
    study = {"workload": "sphere", "timesteps": timesteps, "sphere": own, "records": records or {}}
    return phasewise.run(phasewise.Study.from_dict(study))


@pytest.mark.parametrize("angle", [0.0, math.pi / 4, math.pi / 2 - 0.05])
def test_case_2_stays_as_it_is(angle: float) -> None:
    timestep = 2400.0
    steps = round(5 * DAY / timestep)
    own: dict[str, Any] = {
        "case": "williamson-2",
        "truncation": 21,
        "timestep": timestep,
        "angle": angle,
    }
    with ran(steps, **own) as results:
        # The fields have degrees up to 2, so that rounding alone moves them.
        assert results.rows("l2")[-1, 0] < 1e-11
        assert results.rows("linf")[-1, 0] < 1e-10


def test_the_error_of_the_bell_of_case_1_falls_with_the_truncation() -> None:
    errors = []
    for truncation, timestep in ((21, 3600.0), (42, 1800.0)):
        steps = round(12 * DAY / timestep)
        own: dict[str, Any] = {
            "case": "williamson-1",
            "truncation": truncation,
            "timestep": timestep,
        }
        with ran(steps, angle=math.pi / 2 - 0.05, **own) as results:
            assert results.rows("mass")[-1, 0] == pytest.approx(results.rows("mass")[0, 0])
            errors.append(float(results.rows("l2")[-1, 0]))
    # The bell is twice differentiable at its edge in no direction: the error falls at least with
    # the first power of M.
    assert errors[0] < 0.5
    assert errors[1] < 0.5 * errors[0]


def test_a_wave_of_case_6_moves_east_at_its_speed() -> None:
    # A Rossby-Haurwitz wave moves with the angular velocity [R (3 + R) ω - 2 Ω] / [(1 + R)(2 + R)]
    # (Haurwitz 1940) where the flow has no divergence, as here where gravity is strong.
    rate, r = 7.848e-6, 4
    speed = (r * (3 + r) * rate - 2 * ROTATION) / ((1 + r) * (2 + r))
    own: dict[str, Any] = {
        "case": "williamson-6",
        "truncation": 21,
        "timestep": 900.0,
        "gravity": 1e4,
    }
    with ran(96, {"maps_every": 48}, **own) as results:
        row = int(np.abs(latitudes_of(32) - 45.0).argmin())
        phases = []
        for turn in results.snapshots("maps"):
            vorticity = results.array(f"maps/{turn}/vorticity")[0, row]
            phases.append(-np.angle(np.fft.rfft(vorticity)[r]) / r)
        moved = (phases[1] - phases[0]) % (2 * math.pi / r)
        # The depth varies by a² ω Ω / g = 2 m of 8 km, a share of 3e-4; leapfrog's phase error is
        # (R c Δt)²/6 = 1e-5 of the speed c.
        assert moved / (48 * 900.0) == pytest.approx(speed, rel=0.01)


def test_levels_are_the_same_as_alone_and_explicit_steps_agree_with_implicit_ones() -> None:
    own: dict[str, Any] = {"case": "williamson-5", "truncation": 21}
    with (
        ran(6, levels=3, amplitudes=[0.5, 1.0, 0.25], timestep=600.0, **own) as several,
        ran(6, timestep=600.0, **own) as alone,
        ran(36, timestep=100.0, scheme="explicit", **own) as explicit,
    ):
        for name in ("mass", "energy", "potential_enstrophy"):
            assert several.rows(name)[:, 1].tolist() == alone.rows(name)[:, 0].tolist()
        energy = alone.rows("energy")[-1, 0]
        # The schemes differ by the terms Δt² of gravity waves, whose energy is small.
        assert explicit.rows("energy")[-1, 0] == pytest.approx(energy, rel=1e-4)


@pytest.mark.parametrize(
    ("case", "scheme", "beyond"),
    [
        ("williamson-1", "explicit", 1.5),
        ("williamson-5", "explicit", 1.1),
        ("williamson-5", "semi-implicit", 2.0),
        ("galewsky", "explicit", 1.5),
        ("williamson-6", "semi-implicit", 2.5),
    ],
)
def test_the_largest_timestep_is_near_the_limit(case: str, scheme: str, beyond: float) -> None:
    own = {"case": case, "truncation": 21, "timestep": 1.0, "scheme": scheme}
    study = phasewise.Study.from_dict({"workload": "sphere", "timesteps": 1, "sphere": own})
    most = study.model.largest_timestep
    # The sum of two frequencies that never meet in one wave leaves up to a factor of two.
    usual = last_mass(study, most / 4)
    assert last_mass(study, 0.99 * most) == pytest.approx(usual, rel=1e-3)
    # Beyond it rounding alone is larger than the mean, or no number is left.
    assert not abs(last_mass(study, beyond * most)) < 2 * usual


def last_mass(study: phasewise.Study, timestep: float) -> float:
    """The mean depth [m] after 300 timesteps of this length [s], which no check has seen."""
    given = f"sphere.timestep = {study.model.timestep!r}\n"
    text = study.parameters().replace(given, f"sphere.timestep = {timestep!r}\n")
    run: Any = load_core().start(text)
    for _ in range(300):
        run.step()
        if not math.isfinite(run.record()["mass"][0]):
            break
    return float(run.record()["mass"][0])


def test_galewskys_jet_without_its_bump_stays_and_has_its_mean_depth() -> None:
    own: dict[str, Any] = {
        "case": "galewsky",
        "truncation": 42,
        "timestep": 600.0,
        "perturbed": False,
    }
    with ran(36, {"maps_every": 36}, **own) as results:
        assert results.rows("mass")[-1, 0] == pytest.approx(10000.0, rel=1e-9)
        surface = results.array("maps/35/surface")[0]
        u, v = (results.array(f"maps/35/{name}")[0] for name in ("u", "v"))
        # h₀ of the paper, for a mean depth of 10 km: the depth south of the jet.
        assert surface[-1].mean() == pytest.approx(10158.186, abs=0.5)
        north, (start, end) = np.radians(latitudes_of(64)), (math.pi / 7, math.pi * 5 / 14)
        within = (north > start) & (north < end)
        jet = np.exp(4 / (end - start) ** 2 + 1 / ((north - start) * (north - end))[within])
        # The jet has more degrees than the truncation holds.
        np.testing.assert_allclose(u[within, 0], 80.0 * jet, atol=1.0)
        # What the truncation leaves out of the balance moves the fluid by mm/s.
        assert np.abs(v).max() < 0.05


def test_the_depth_beside_galewskys_jet_follows_from_its_mean() -> None:
    own = {"case": "galewsky", "truncation": 42, "timestep": 600.0, "perturbed": False}
    study = {"workload": "sphere", "timesteps": 1, "sphere": own}
    depth = phasewise.Simulation(phasewise.Study.from_dict(study)).field("h")[0]
    # h₀ of the paper's formula for a mean depth of 10 km.
    assert depth[-1] == pytest.approx(10158.18617, abs=1e-5)
    weight = gaussian_latitudes(64)[1]
    # The grid integrates degrees up to 127 of a jet that has more.
    assert 0.5 * weight @ depth.mean(axis=1) == pytest.approx(10000.0, abs=1e-2)


def test_fields_of_a_file_run_as_their_case_does(tmp_path: Path) -> None:
    sine = gaussian_latitudes(32)[0][:, None]
    cosine = np.sqrt(1 - sine**2)
    east = np.radians(longitudes_of(64))[None, :]
    speed = 2 * math.pi * RADIUS / (12 * DAY)
    fall = (RADIUS * ROTATION * speed + speed**2 / 2) * sine**2
    with h5py.File(tmp_path / "case-2.h5", "w") as file:
        file["u"] = speed * cosine + 0 * east
        file["v"] = np.zeros((32, 64))
        file["h"] = (2.94e4 - fall) / GRAVITY + 0 * east
    own: dict[str, Any] = {"truncation": 21, "timestep": 1200.0}
    path = str(tmp_path / "case-2.h5")
    with ran(4, case="file", file=path, **own) as read, ran(4, case="williamson-2", **own) as known:
        for name in ("mass", "energy", "potential_enstrophy"):
            # The fields are rounded otherwise.
            assert read.rows(name) == pytest.approx(known.rows(name), rel=1e-13)
