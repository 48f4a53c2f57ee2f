"""What an ocean keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import Floats
from tests.physics.ocean import FLAT, GLOBE, Sea

WINDY = {**GLOBE, "wind": 1.0}


def contents(sea: Sea, name: str) -> float:
    """The sum of a tracer over the sea."""
    ny = sea.model.size[1]
    latitude = np.radians(-76.0 + (np.arange(ny) + 0.5) * 152.0 / ny)
    thickness = np.broadcast_to(
        np.array(sea.model.thicknesses)[:, None, None], sea.field(name).shape
    ).copy()
    thickness[0] += np.nan_to_num(sea.field("surface"))
    cells = np.cos(latitude)[:, None] * thickness
    return float(np.nansum(cells * sea.field(name)))


@pytest.mark.parametrize("advection", ["upwind", "centred"])
def test_volume_and_tracers_are_kept(advection: str) -> None:
    sea = Sea({**WINDY, "advection": advection})
    before = {name: contents(sea, name) for name in ("temperature", "salinity")}
    record = sea.step()
    first = record["volume"]
    record = sea.step(24)
    assert record["largest_speed"] > 0.01
    assert record["volume"] == pytest.approx(first, rel=1e-13)
    for name, content in before.items():
        # Sums over 2 000 cells have errors of 1e-14.
        assert contents(sea, name) == pytest.approx(content, rel=1e-13)


def test_the_volume_is_kept_whatever_the_residual_is() -> None:
    keys = {name: value for name, value in WINDY.items() if name != "tolerance"}
    sea = Sea({**keys, "iterations": 2})
    first = sea.step()["volume"]
    record = sea.step(10)
    assert record["residual"] > 1e-6
    assert record["volume"] == pytest.approx(first, rel=1e-13)


@pytest.mark.parametrize("advection", ["upwind", "centred"])
def test_a_constant_tracer_stays_constant(advection: str) -> None:
    sea = Sea({**WINDY, "advection": advection, "vertical_diffusivity": 0.1})
    temperature = sea.field("temperature")
    sea.set(salinity=np.full_like(temperature, 35.0))
    record = sea.step(25)
    assert record["largest_speed"] > 0.01
    salinity = sea.field("salinity")
    assert float(np.nanmax(abs(salinity - 35.0))) < 35.0 * 1e-13
    assert float(np.nanmax(abs(sea.field("temperature") - temperature))) > 1e-3


STILL: dict[str, dict[str, Any]] = {
    "warm everywhere": {**GLOBE, "initial": "rest", "wind": 0.0},
    "layers over a rough bottom": {
        **FLAT, "grid": [20, 16, 6], "mask": "continents", "sea": 0.6, "periodic": "x",
        "initial": "stratified", "coriolis": 1e-4,
        "viscosity": 1e4, "diffusivity": 1e3,
    },
}  # fmt: skip


@pytest.mark.parametrize("case", STILL)
def test_an_ocean_at_rest_stays_at_rest(case: str) -> None:
    sea = Sea(STILL[case])
    record = sea.step(5)
    for name in ("surface", "u", "v"):
        values: Floats = sea.field(name)
        assert not np.nan_to_num(values).any(), name
    assert record["kinetic_energy"] == 0.0
    assert record["iterations"] == 0


def test_an_ocean_of_one_level_keeps_its_tracers() -> None:
    sea = Sea({**WINDY, "grid": [28, 22, 1]})
    before = {name: contents(sea, name) for name in ("temperature", "salinity")}
    sea.step(10)
    for name, content in before.items():
        assert contents(sea, name) == pytest.approx(content, rel=1e-13)


def test_a_residual_is_found_after_the_last_iteration() -> None:
    wave = {"initial": "wave", "wave_numbers": [1, 1], "baroclinic": False}
    own = {"grid": [16, 12, 1], "solver": "pcsi", "iterations": 25}
    sea = Sea({key: value for key, value in FLAT.items() if key != "tolerance"} | wave | own)
    assert list(sea.step()["residuals_at"]) == [0, 10, 20, 25]


def test_a_flow_in_balance_with_the_surface_is_steady() -> None:
    """A jet along x on a turning plane: f u = -g ∂η/∂y on the B-grid."""
    keys = {**FLAT, "grid": [8, 32, 1], "baroclinic": False, "coriolis": 1e-4}
    sea = Sea(keys)
    y = 2 * np.pi * (np.arange(32) + 0.5) / 32
    height = np.repeat((1e-4 * np.cos(y))[:, None], 8, axis=1)
    rows = sea.run.state()["columns"]
    ids = np.asarray(rows["id"], np.int64)
    flat = height.ravel()[ids]
    sea.run.restore("columns", ids, {"surface": flat, "surface_before": flat})
    dy = 8.0e5 / 32
    u = -9.80616 / 1e-4 * (np.roll(height, -1, axis=0) - height) / dy
    sea.set(u=u[None])
    sea.step(20)
    # Terms that are not linear are of the order of u²/(g η), 1e-8.
    assert sea.field("u")[0] == pytest.approx(u, abs=1e-6 * float(abs(u).max()))
    assert sea.field("surface") == pytest.approx(height, abs=1e-6 * 1e-4)
