"""Shallow water at the edges: the smallest truncations, and other ways to exchange before and
between the timesteps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_core
from phasewise.study import Study


def study(truncation: int, levels: int = 1, **communication: Any) -> Study:
    """Timesteps of the flow over a mountain."""
    own = {
        "case": "williamson-5",
        "truncation": truncation,
        "timestep": 900.0,
        "levels": levels,
    }
    tables = {"workload": "sphere", "timesteps": 4, "sphere": own, "communication": communication}
    return Study.from_dict(tables)


def started(of: Study) -> Any:
    return load_core().start(of.parameters(), 1)


def state(run: Any) -> list[Any]:
    rows = run.state()["coefficients"]
    return [np.asarray(rows[name]) for name in sorted(rows)]


@pytest.mark.parametrize("truncation", [1, 2, 3])
def test_the_smallest_truncations_keep_their_mass(truncation: int) -> None:
    run = started(study(truncation))
    masses = []
    for _ in range(4):
        run.step()
        masses.append(float(np.ravel(run.record()["mass"])[0]))
    assert masses == pytest.approx([masses[0]] * 4, rel=1e-14)


@pytest.mark.parametrize("when", [0, 2])
def test_another_way_to_exchange_keeps_the_bits(when: int) -> None:
    """Before the first timestep and between timesteps, with rows that become longer or shorter."""
    steady = started(study(10, levels=18))
    for first, other in (
        ({"padding": False}, {"padding": True}),
        ({"padding": True}, {"padding": False, "kernel": "fixed", "blocks": 64}),
        ({}, {"legendre": "ring", "kernel": "plain"}),
    ):
        run = started(study(10, levels=18, **first))
        changed = study(10, levels=18, **other).communication.exchanges()
        steady = started(study(10, levels=18))
        for number in range(4):
            if number == when:
                run.set_communication(changed)
            run.step()
            steady.step()
            assert np.array_equal(run.record()["energy"], steady.record()["energy"])
        assert all(np.array_equal(a, b) for a, b in zip(state(run), state(steady), strict=True))


def test_a_change_of_exchange_keeps_what_was_measured() -> None:
    run = started(study(10))
    run.step()
    energy, surface = run.record()["energy"], np.asarray(run.field("surface"))
    run.set_communication(study(10, legendre="hypercube").communication.exchanges())
    assert np.array_equal(run.record()["energy"], energy)
    assert np.array_equal(run.field("surface"), surface)


def test_levels_that_no_kernel_is_compiled_for_are_refused_by_a_run() -> None:
    run = started(study(5, levels=5))
    changed = study(5, levels=5, kernel="fixed").communication.exchanges()
    with pytest.raises(
        ValueError, match="fixed is compiled for 1, 18, 66 and 96 levels, not for 5"
    ):
        run.set_communication(changed)
    run.step()
