"""Ranks that a workload says are alike do the same work, however a study is divided."""

from __future__ import annotations

from typing import Any

import pytest

from phasewise.study import Study
from tests.unit.study_tables import tables

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

# Grids and slices that the processes do not divide, so that shares are of several sizes.
ODD: dict[str, Any] = {"ip__1__grid": [37, 22], "ip__1__slices": [7, 5]}
EVERY_STEP = {"ip__1__green_function": "every-step"}

CASES: dict[str, tuple[dict[str, Any], int]] = {
    "three ranks": ({}, 3),
    "unequal beams": ({"communication__process_grid": ["2x2", "1x3"]}, 7),
    "more columns than slices": ({"communication__process_grid": "9x1"}, 18),
    "tall columns": ({"communication__process_grid": "1x16", **EVERY_STEP}, 32),
    "more processes than rows": ({"communication__process_grid": "1x41"}, 82),
    "random layout": (
        {"communication__process_grid": "3x4", "communication__layout": "random"},
        24,
    ),
    "overlap": ({"communication__process_grid": "3x5", "communication__overlap": True}, 30),
    "soft-gaussian": ({"ip__1__model": "soft-gaussian"}, 11),
    "slices measured": ({"records__slices_every": 1}, 10),
}


@pytest.mark.parametrize(("changes", "ranks"), CASES.values(), ids=list(CASES))
def test_the_work_of_ranks_that_stand_for_others_is_that_of_all(
    changes: dict[str, Any], ranks: int
) -> None:
    text = Study.from_dict(tables(**{**ODD, **changes})).parameters()
    # To the last bit: totals and the largest share of each kernel.
    assert core.work(text, ranks, {"green": 2.0}) == core.work(
        text, ranks, {"green": 2.0}, each=True
    )


def test_of_a_halo_one_rank_stands_for_all() -> None:
    text = Study.from_dict({"workload": "halo", "exchanges": 5, "halo": {"words": 64}}).parameters()
    assert core.work(text, 6) == core.work(text, 6, each=True)


def test_ranks_of_unequal_work_are_not_alike() -> None:
    text = Study.from_dict(tables(**{**ODD, "communication__process_grid": "3x4"})).parameters()
    loads = {kernel["name"]: kernel["load"] for kernel in core.work(text, 24)}
    # 37 rows on 4 processes: ten of the largest over the mean; slices add to it.
    assert loads["solve"] > 10 / (37 / 4)
