"""Every workload says which of its phases are its own exchange, whatever the variant, and a colour
for those that are to look the same in all pictures."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from phasewise.study import Study
from tests.unit import (
    ring_study,
    spacecharge_study,
    study_tables,
    test_collectives,
    test_commtest,
    test_halo,
    test_kernels,
    test_qcd_study,
)

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")


def collision(**changes: Any) -> Study:
    return Study.from_dict(study_tables.tables(**changes))


def at_once() -> Study:
    given = test_halo.study().resolved()
    return Study.from_dict({**given, "halo": {"words": 8, "at_once": True}})


VARIANTS: dict[str, Study] = {
    "halo": test_halo.study(),
    "halo at once": at_once(),
    **{
        f"commtest {way}": test_commtest.study(operator=way, pairs="i-(i+1)")
        for way in ("swap", "echo", "stream")
    },
    **{
        f"collectives {way}": test_collectives.study(operator=way)
        for way in (
            *("barrier", "broadcast", "allreduce", "reduce-scatter", "allgather", "alltoall"),
            *("alltoallv", "sum"),
        )
    },
    "collectives by our rounds": test_collectives.study(
        {"algorithm": "ring"}, operator="allgather"
    ),
    "kernels": test_kernels.study(n=20),
    "qcd": test_qcd_study.study(),
    "qcd overlapped": test_qcd_study.study(overlap=True),
    "qcd by a thread": test_qcd_study.study(overlap="thread"),
    "qcd of runs": test_qcd_study.study(blocks="runs", spinors="full", kernel="plain"),
    "spacecharge": spacecharge_study.study(),
    "spacecharge by the library": spacecharge_study.study(communication={"charge": "allreduce"}),
    "spacecharge of a long beam": spacecharge_study.study("solver.kind='2.5d'"),
    "collision": collision(),
    "collision by the library": collision(communication__reduce="mpi"),
    "collision at once": collision(communication__reduce="direct", communication__broadcast="mpi"),
    "collision crossing in columns": collision(communication__crossing="4b"),
    "ring": ring_study.study(),
}


def main_ones(phases: list[dict[str, Any]]) -> list[str]:
    return [phase["name"] for phase in phases if phase["main"]]


@pytest.mark.parametrize("study", VARIANTS.values(), ids=list(VARIANTS))
def test_some_main_phase_sends(study: Study) -> None:
    ranks = 8
    planned = core.plan(study.parameters(), ranks)["phases"]
    sending = [phase for phase in planned if phase["messages"] > 0]
    assert main_ones(sending) != []
    known = core.phases(study.parameters(), ranks)
    facts = {phase["name"]: (phase["main"], phase["colour"]) for phase in known}
    for phase in (*planned, *core.messages(study.parameters(), ranks, 1, {})):
        assert (phase["main"], phase["colour"]) == facts[phase["name"]]
    places = [list(facts).index(phase["name"]) for phase in planned]
    assert places == sorted(places)


@pytest.mark.parametrize("name", ["halo at once", "spacecharge", "ring"])
def test_the_record_of_a_rank_says_what_the_workload_says(name: str) -> None:
    text = VARIANTS[name].parameters()
    known = core.phases(text, 1)
    record = json.loads(core.start(text).communication(False)[0])
    assert record["main"] == main_ones(known)
    assert record["colours"] == {one["name"]: one["colour"] for one in known if one["colour"]}
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in record["colours"].values())


def test_the_phases_of_a_ring_are_those_of_its_workloads_under_their_names() -> None:
    known = {phase["name"]: phase for phase in core.phases(VARIANTS["ring"].parameters(), 2)}
    for name, study in (("collision", collision()), ("spacecharge", spacecharge_study.study())):
        for phase in core.phases(study.parameters(), 2):
            assert known[f"{name}.{phase['name']}"] == {**phase, "name": f"{name}.{phase['name']}"}
    assert not known["shared_records"]["main"]
