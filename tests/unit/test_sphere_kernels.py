"""Kernels of shallow water: however they loop over the levels, the bits are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core, load_planner
from phasewise.study import Study
from phasewise.workloads.sphere.communication import FIXED_LEVELS, MOST_BLOCKS
from tests.sentences import refused


def study(levels: int, **communication: Any) -> Study:
    """Timesteps of the flow over a mountain at T10."""
    own = {"case": "williamson-5", "truncation": 10, "timestep": 1800.0, "levels": levels}
    tables = {"workload": "sphere", "timesteps": 3, "sphere": own, "communication": communication}
    return Study.from_dict(tables)


def state(of: Study) -> list[Any]:
    """All coefficients after three timesteps."""
    run: Any = load_core().start(of.parameters(), 1)
    for _ in range(3):
        run.step()
    rows = run.state()["coefficients"]
    return [np.asarray(rows[name]) for name in sorted(rows)]


@pytest.mark.parametrize("levels", [1, 18])
@pytest.mark.parametrize("sums", ["order-free", "plain"])
def test_kernels_change_no_bit(levels: int, sums: str) -> None:
    fast = state(study(levels, sums=sums))
    for kernel in ("plain", "fixed"):
        for padding in (True, False):
            found = state(study(levels, sums=sums, kernel=kernel, padding=padding))
            assert all(np.array_equal(a, b) for a, b in zip(fast, found, strict=True))


def test_sums_without_rounding_are_right() -> None:
    """They differ from plain sums by rounding alone. The largest numbers are those of the
    geopotential, 1e5 m²/s², whose rounding also reaches the vorticity, of 1e-5 /s.
    """
    exact, plain = (np.concatenate(state(study(2, sums=sums))) for sums in ("order-free", "plain"))
    assert np.abs(exact - plain).max() < 1e-13 * np.abs(plain).max()


def test_the_core_has_the_levels_and_blocks_that_studies_accept() -> None:
    def plan(levels: int, **communication: Any) -> None:
        load_planner().plan(study(levels, **communication).parameters(), 1)

    for levels in FIXED_LEVELS:
        plan(levels, kernel="fixed")
        with pytest.raises(ValueError, match="compiled for"):
            plan(levels + 1, kernel="fixed")
    plan(1, legendre="ring", blocks=MOST_BLOCKS)
    more = study(1).parameters().replace("blocks = 4", f"blocks = {MOST_BLOCKS + 1}")
    with pytest.raises(ValueError, match="blocks"):
        load_planner().plan(more, 1)


def test_levels_that_are_not_compiled_in_are_refused() -> None:
    with refused("communication.kernel", "fixed", "18", "5"):
        study(5, kernel="fixed").check_ranks(1)
