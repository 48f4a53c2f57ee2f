"""Continents from a seed, and what the core refuses by itself."""

from __future__ import annotations

import re
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.study.checking import Checking
from tests.sentences import refused, says

Levels = NDArray[np.int64]


def parameters(seed: int = 1, **keys: Any) -> str:
    return Study.from_dict(
        {"workload": "ocean", "timesteps": 1, "seed": seed, "ocean": {"grid": "x1", **keys}}
    ).parameters()


def check(study: Study) -> None:
    study.workload.part(Checking).check(study)


def levels_of(text: str) -> Levels:
    return np.asarray(cast(Any, load_core()).ocean_map(text, 1)["levels"], np.int64)


def corners(sea: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether all four cells of a corner are sea; periodic along x, with walls along y."""
    pairs = sea & np.roll(sea, -1, axis=1)
    return np.asarray(pairs[:-1] & pairs[1:])


def reached(wet: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The corners that share a cell with others, from one on."""
    found = np.zeros_like(wet)
    start = np.unravel_index(int(wet.argmax()), wet.shape)
    found[start] = True
    while True:
        rows = np.pad(found, ((1, 1), (0, 0)))
        wide = rows[:-2] | rows[1:-1] | rows[2:]
        wide = (wide | np.roll(wide, 1, axis=1) | np.roll(wide, -1, axis=1)) & wet
        if (wide == found).all():
            return found
        found = wide


@pytest.mark.parametrize("seed", [1, 7, 2**40 + 3])
@pytest.mark.parametrize("share", [0.3, 0.68])
def test_continents_leave_one_sea_of_the_wanted_share(seed: int, share: float) -> None:
    levels = levels_of(parameters(seed, sea=share))
    sea = levels > 0
    # A corner floods at most three cells at once.
    assert abs(sea.sum() - share * sea.size) <= 3
    wet = corners(sea)
    assert (reached(wet) == wet).all()
    # Every cell of the sea has a corner that moves.
    padded = np.pad(wet, ((1, 1), (0, 0)))
    around = padded[:-1] | padded[1:]
    assert ((around | np.roll(around, 1, axis=1)) >= sea).all()


def test_depths_grow_from_the_coast_to_the_deepest_level() -> None:
    levels = levels_of(parameters())
    assert levels.max() == 40
    assert levels[levels > 0].min() == 2
    steps = abs(np.diff(levels, axis=1))[(levels[:, :-1] > 0) & (levels[:, 1:] > 0)]
    assert np.median(steps) <= 1


def test_the_seed_decides_the_continents() -> None:
    one, other = levels_of(parameters(1)), levels_of(parameters(2))
    assert (one == levels_of(parameters(1, wind=0.2))).all()
    assert 0.2 < ((one > 0) != (other > 0)).mean() < 0.7


def test_a_large_grid_has_the_coasts_of_a_smaller_one() -> None:
    small = levels_of(parameters(grid=[900, 600, 4], baroclinic=False)) > 0
    large = levels_of(parameters(grid=[1800, 1200, 4], baroclinic=False)) > 0
    assert (large == np.kron(small, np.ones((2, 2), bool))).all()


@pytest.mark.parametrize("cause", ["viscosity", "diffusivity", "internal waves"])
def test_a_timestep_beyond_stability_is_refused_with_the_largest(cause: str) -> None:
    text = parameters(timestep=100.0)
    limits = cast(Any, load_core()).ocean_limits(text)
    largest = limits[cause]
    for name in set(limits) - {cause}:  # only one of them is to bind
        if name != "internal waves":
            text = re.sub(rf"(?m)^ocean.{name} = .*$", f"ocean.{name} = 0", text)
        else:
            text = re.sub(r"(?m)^ocean.initial = .*$", "ocean.initial = rest", text)
    below, above = (
        re.sub(r"(?m)^ocean.timestep = .*$", f"ocean.timestep = {factor * largest!r}", text)
        for factor in (0.999, 1.01)
    )
    levels_of(below)
    with pytest.raises(ValueError) as refused:
        levels_of(above)
    says(str(refused.value), "ocean.timestep", cause, f"give at most {largest:.4g} s")


def test_a_mask_of_land_alone_is_refused() -> None:
    text = re.sub(r"(?m)^ocean.mask = .*$", "ocean.mask = file", parameters())
    with pytest.raises(ValueError, match="land alone"):
        levels_of(f"{text}\nocean.sea_levels = 0 {320 * 384}\n")


def test_runs_of_levels_are_those_of_the_cells() -> None:
    text = re.sub(r"(?m)^ocean.mask = .*$", "ocean.mask = file", parameters())
    levels = levels_of(f"{text}\nocean.sea_levels = 0 320 7 640 3 {320 * 381}\n")
    assert (levels[0] == 0).all() and (levels[1:3] == 7).all() and (levels[3:] == 3).all()
    for wrong in ("7 5", f"41 {320 * 384}", f"3 {320 * 384 + 1}", f"3 {320 * 384} 2"):
        with pytest.raises(ValueError, match=r"ocean\.sea_levels"):
            levels_of(f"{text}\nocean.sea_levels = {wrong}\n")


def test_blocks_that_evp_cannot_solve_are_refused_before_a_run() -> None:
    given = {"workload": "ocean", "timesteps": 1}
    small = Study.from_dict(given | {"ocean": {"grid": [40, 48, 2], "evp_block": [40, 48]}})
    with refused("ocean.evp_block = 40 x 48", "too large", "largest that hold have") as said:
        check(small)
    width, height = map(int, re.findall(r"have (\d+) x (\d+) cells", str(said.value))[0])
    holding = {"grid": [40, 48, 2], "evp_block": [width, height]}
    check(Study.from_dict(given | {"ocean": holding}))
    # The run and its plan say the same.
    with pytest.raises(ValueError, match=re.escape(str(said.value))):
        load_core().start(small.parameters(), 1)


def test_a_share_without_any_sea_is_refused_by_a_check() -> None:
    dry = {"workload": "ocean", "timesteps": 1, "ocean": {"grid": [32, 24, 2], "sea": 0.001}}
    with refused("ocean.sea", "no sea", "larger"):
        check(Study.from_dict(dry))
