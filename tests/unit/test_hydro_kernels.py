"""The sweeps of gas dynamics against exact solutions, and what they conserve and repeat."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.driver import Floats
from phasewise.study import Study
from phasewise.workloads.hydro import Hydro, sedov

SYMMETRIES = {"cartesian": 1, "cylindrical": 2, "spherical": 3}
WALL = "reflecting"
ROUNDING = 2.0**-53


def study(problem: str, zones: list[int], ways: dict[str, Any] | None = None, **own: Any) -> Study:
    """A study whose last record and snapshot are at its end."""
    return Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": 100000,
            "hydro": {"problem": problem, "zones": zones, "riemann": "converged", **own},
            "records": {"snapshots": 1},
            "communication": ways or {},
        }
    )


def ends(given: Study) -> dict[str, Floats]:
    """The last density, the faces of axis 1, and what each timestep recorded."""
    with phasewise.run(given) as results:
        rows = {name: np.asarray(results.rows(name)) for name in ("mass", "energy", "l1")}
        return rows | {"density": results.fields("density")[-1], "faces": results.faces(0)}


@pytest.mark.parametrize(
    ("zones", "most"), [(100, 4.5e-3), (200, 2.5e-3), (400, 1.25e-3), (800, 6.2e-4)]
)
def test_the_error_of_sods_density_is_below_that_of_the_table(zones: int, most: float) -> None:
    assert ends(study("sod", [zones], until=0.2, courant=0.5))["l1"][-1] <= most


@cache
def blast_waves(zones: int) -> Hydro:
    x = (np.arange(zones) + 0.5) / zones
    pressure = np.where(x < 0.1, 1000.0, np.where(x < 0.9, 0.01, 100.0))
    gas = Hydro(np.ones(zones), pressure, boundaries=WALL, riemann="converged")
    gas.advance(0.038)
    return gas


@pytest.mark.parametrize(("zones", "most"), [(200, 0.13), (400, 0.07)])
def test_the_error_of_the_blast_waves_is_below_that_of_the_table(zones: int, most: float) -> None:
    fine, coarse = blast_waves(1600).density, blast_waves(zones).density
    assert np.abs(fine.reshape(zones, -1).mean(axis=1) - coarse).mean() <= most


def test_blast_waves_between_walls_conserve_mass_and_energy_to_rounding() -> None:
    gas = blast_waves(400)
    energy = (gas.pressure / 0.4 + 0.5 * gas.density * gas.velocity[0] ** 2).mean()
    near = ROUNDING * gas.timesteps
    assert gas.density.mean() == pytest.approx(1, rel=near)
    assert energy == pytest.approx((0.1 * 1000 + 0.8 * 0.01 + 0.1 * 100) / 0.4, rel=near)


@pytest.mark.parametrize(("coordinates", "near"), [("cartesian", 2e-3), ("cylindrical", 0.03),
                                                   ("spherical", 0.07)])  # fmt: skip
def test_nohs_gas_is_compressed_fourfold_in_each_dimension(coordinates: str, near: float) -> None:
    dimensions = SYMMETRIES[coordinates]
    found = ends(study("noh", [200], coordinates=coordinates, high=[1.0], until=0.6))
    density, faces = found["density"], found["faces"]
    # Behind the shock, which is at 0.2, and outside the gas that the centre has heated. The front
    # has a width, and the gas in it is compressed less than the solution has it.
    behind = density[(faces[:-1] > 0.1) & (faces[1:] < 0.18)]
    assert behind == pytest.approx(4.0**dimensions, rel=near)
    before = 4.0 ** (dimensions - 1)
    half = 0.5 * (before + 4.0**dimensions)
    assert abs(crossing(density, faces, half) - 0.2) <= 1.25 * (faces[1] - faces[0])


def crossing(density: Floats, faces: Floats, level: float) -> float:
    """The last place, on the way outwards, where the density falls below a level."""
    last = int(np.nonzero(density > level)[0][-1])
    share = (density[last] - level) / (density[last] - density[last + 1])
    return float(faces[last] + (0.5 + share) * (faces[1] - faces[0]))


@pytest.mark.parametrize("coordinates", SYMMETRIES)
def test_sedovs_shock_lies_within_a_zone_of_its_place(coordinates: str) -> None:
    given = study("sedov", [100], coordinates=coordinates)
    found = ends(given)
    own = given.model
    exact = sedov(found["faces"], own.until, own.energy, dimensions=SYMMETRIES[coordinates])
    # Halfway between the densities before and behind the shock.
    place = crossing(found["density"], found["faces"], 3.5)
    assert abs(place - exact.shock) <= found["faces"][1] - found["faces"][0]


def test_an_acoustic_wave_converges_with_the_second_order() -> None:
    errors = [ends(study("acoustic-wave", [zones]))["l1"][-1] for zones in (16, 32, 64)]
    assert np.log2(errors[0] / errors[1]) >= 2 and np.log2(errors[1] / errors[2]) >= 2


@pytest.mark.parametrize("coordinates", SYMMETRIES)
def test_a_smooth_pulse_converges_with_the_second_order_in_all_symmetries(coordinates: str) -> None:
    power = SYMMETRIES[coordinates]
    found = [pulse(coordinates, zones) for zones in (64, 128, 256)]
    differences = []
    for coarse, fine in pairwise(found):
        faces = np.linspace(0, 1, len(fine) + 1)
        volumes = np.diff(faces**power).reshape(-1, 2)
        mean = (volumes * fine.reshape(-1, 2)).sum(axis=1) / volumes.sum(axis=1)
        differences.append((volumes.sum(axis=1) * np.abs(mean - coarse)).sum())
    assert np.log2(differences[0] / differences[1]) >= 2


def pulse(coordinates: str, zones: int) -> Floats:
    """The density of a weak pulse around r = 1/2 at time 0.3, from means over volumes."""
    places = (np.arange(16 * zones) + 0.5) / (16 * zones)
    weights = (places ** (SYMMETRIES[coordinates] - 1)).reshape(zones, 16)
    density = (1 + 0.01 * np.exp(-(((places - 0.5) / 0.1) ** 2))).reshape(zones, 16)

    def mean(values: Floats) -> Floats:
        return np.asarray((weights * values).sum(axis=1) / weights.sum(axis=1))

    gas = Hydro(
        mean(density), mean(density**1.4 / 1.4), coordinates=coordinates, boundaries=WALL,
        high=[1.0], riemann="converged",
    )  # fmt: skip
    gas.advance(0.3)
    return gas.density


@pytest.mark.parametrize("coordinates", SYMMETRIES)
def test_gas_that_expands_uniformly_stays_uniform(coordinates: str) -> None:
    # u = r/(1+t): ρ = (1+t)^-n, and the uniform pressure pushes nothing.
    power, zones = SYMMETRIES[coordinates], 100
    faces = np.linspace(0, 1, zones + 1)
    volumes = np.diff(faces**power) / power
    speed = np.diff(faces ** (power + 1)) / (power + 1) / volumes
    gas = Hydro(
        np.ones(zones), np.full(zones, 0.1), [speed], coordinates=coordinates, high=[1.0],
        boundaries=[[WALL, "outflow"]],
    )  # fmt: skip
    gas.advance(0.5)
    inner = gas.density[: 2 * zones // 5]  # what the boundary does has not reached it
    assert inner == pytest.approx(1.5**-power, rel=2e-3)


def test_an_explosion_in_r_and_theta_is_the_same_in_all_directions() -> None:
    found = ends(study("evh1", [40, 12], until=0.02))
    density = found["density"]
    rounding = ROUNDING * len(found["mass"])
    assert (np.ptp(density, axis=1) <= rounding * density.max(axis=1)).all()


def states(zones: tuple[int, ...]) -> list[Floats]:
    """The density, the pressure and three velocities of a turbulent gas."""
    random = np.random.default_rng(5).random((5, *zones))
    return [0.2 + random[0], 0.2 + 3 * random[1], *(random[2:] - 0.5)]


def later(given: list[Floats], **own: Any) -> list[Floats]:
    gas = Hydro(given[0], given[1], given[2:], **own)
    gas.advance(0.05)
    return [gas.density, gas.pressure, *gas.velocity]


@pytest.mark.parametrize(
    "own",
    [{"boundaries": WALL},
     {"coordinates": "spherical", "high": [1.0, np.pi], "boundaries": WALL}],
)  # fmt: skip
def test_mirrored_gases_stay_mirrored_to_the_bit(own: dict[str, Any]) -> None:
    given = states((14, 10))[:4]
    mirrored = [values[:, ::-1] for values in given]
    mirrored[3] = -mirrored[3]
    one, other = later(given, **own), later(mirrored, **own)
    other[3] = -other[3]
    for values, again in zip(one, other, strict=True):
        assert (values == again[:, ::-1]).all()


@pytest.mark.parametrize("riemann", ["newton-8", "converged"])
@pytest.mark.parametrize("coordinates", ["cartesian", "spherical", "cylindrical"])
def test_kernels_and_batches_change_no_bit(coordinates: str, riemann: str) -> None:
    singular = coordinates == "spherical"
    own: dict[str, Any] = {
        "coordinates": coordinates, "riemann": riemann,
        "high": [1.0, np.pi if singular else 1.0, 1.0],
        "boundaries": WALL,
    }  # fmt: skip
    given = states((9, 7, 5))
    found = [
        later(given, communication={"kernel": kernel, "batch": batch}, **own)
        for kernel, batch in (("plain", 1), ("fast", 1), ("fast", 3), ("plain", 16), ("fast", 16))
    ]
    for other in found[1:]:
        assert all((a == b).all() for a, b in zip(found[0], other, strict=True))


def test_gas_beside_a_vacuum_flows_into_it() -> None:
    # At the Courant number 0.5 a face beside the vacuum would pass the face beyond it.
    x = (np.arange(40) + 0.5) / 40
    filled = np.where(x < 0.5, 1.0, 0.0)
    gas = Hydro(filled, filled, courant=0.5)
    gas.advance(0.1)
    # The rarefaction of a gas that meets nothing.
    fan = np.clip(5 / 6 - (x - 0.5) / (6 * 0.1 * 1.4**0.5), 0, 1) ** 5
    assert gas.density == pytest.approx(fan, abs=0.06)
    assert np.abs(gas.density - fan).mean() < 0.01
