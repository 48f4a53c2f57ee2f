"""`results.plot` of runs of any workload, of a ring and of its parts."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib import pyplot

import phasewise
from phasewise.study import Study
from tests.unit import ring_study, spacecharge_study

pytest.importorskip("phasewise._core", reason="the core is not built")

STUDIES: dict[str, dict[str, Any]] = {
    "spacecharge": {**spacecharge_study.TABLES, "turns": 2},
    "kernels": {"workload": "kernels", "turns": 2, "kernels": {"n": 16}},
    "collectives": {"workload": "collectives", "exchanges": 2},
    "halo": {"workload": "halo", "exchanges": 2, "halo": {"words": 8}},
    "qcd": {
        "workload": "qcd", "solves": 2, "lattice": {"size": [2, 2, 2, 2]},
        "quarks": {"kappa": 0.1},
    },
    "ring": ring_study.TABLES,
}  # fmt: skip


@pytest.mark.parametrize("name", STUDIES)
def test_every_run_has_the_pictures_of_its_communication(name: str) -> None:
    with phasewise.run(Study.from_dict(STUDIES[name]), events=1000) as results:
        assert {"volume", "phase_times", "tasks", "states"} <= set(dir(results.plot))
        axes = results.plot.tasks()
        assert axes is not None
    pyplot.close("all")


def test_the_parts_of_a_ring_have_pictures_too() -> None:
    with phasewise.run(Study.from_dict(ring_study.TABLES)) as results:
        for part in ("collision", "spacecharge"):
            assert len(dir(results.part(part).plot)) > 0
        assert results.part("collision").plot.luminosity() is not None
    pyplot.close("all")
