"""Studies of several workloads in one ring: how they are read, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.commands.predict import algorithm
from phasewise.report.planned import with_layout
from phasewise.runs.layout import Recording
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workload.discovery import named_workload
from tests.sentences import Nearest, refused, says
from tests.unit.ring_study import study, tables

REFUSED: list[tuple[dict[str, Any], list[str], tuple[object, ...]]] = [
    ({"workload": ["spacecharge", "colision"]}, [], ('"colision"', Nearest("collision"))),
    ({"workload": ["halo", "collision"]}, [], ('"halo"', '"collision"', "ring", "bunches")),
    ({"workload": ["spacecharge", "halo"]}, [], ('"halo"', "ring", "no bunches")),
    (
        {"workload": ["collision", "spacecharge", "collision"]},
        [],
        ("workload", '"collision"', "twice"),
    ),
    ({"workload": []}, [], ("workload", "empty")),
    ({"workload": ["collision", 2]}, [], ("workload", "names", '["collision", 2]')),
    ({"bunch": {"macroparticles": 9}}, [], ("[bunch]", "another workload", "bunches")),
    ({"lattice": None}, [], ("[lattice]", "missing", "[[lattice.element]]")),
    ({"solver": None}, [], ("[solver]", "missing", "kicks", "grid")),
    (
        {},
        ["solver.boundaries=periodic", "solver.period=10.0"],
        ("solver.boundaries", '"periodic"', "ring", "[bunch]"),
    ),
    ({"beam": None}, [], ("[beam.1]", "missing")),
    ({"ip": None}, [], ("[ip.1]", "missing")),
    ({}, ["communication.reduce=direct"], ("communication", '"reduce"', "node_size", "collision")),
    (
        {},
        ["communication.collision.charge=direct"],
        ("communication.collision", '"charge"', "reduce", "broadcast"),
    ),
    (
        {},
        ["communication.spacecharge.node_size=2"],
        ("communication.spacecharge", '"node_size"', "charge", "field"),
    ),
    ({}, ["records.tracked=2"], ("records", '"tracked"', "collision", "checkpoint_every")),
    ({}, ["records.collision.tracked=2000"], (2000, 1000, "macroparticles", "beam")),
]


@pytest.mark.parametrize(("more", "overrides", "facts"), REFUSED)
def test_what_cannot_be_a_ring_gets_one_sentence(
    more: dict[str, Any], overrides: list[str], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        Study.from_dict(tables(*overrides, **more))


def test_each_part_reads_its_own_tables_and_keys() -> None:
    ring = study(
        "records.collision.tracked=3",
        "communication.collision.reduce=direct",
        "communication.spacecharge.charge=hypercube",
        "communication.node_size=2",
    )
    lines = ring.parameters().splitlines()
    assert "workload = spacecharge collision" in lines
    assert "beam.2.macroparticles = 1000" in lines
    assert "collision.records.tracked = 3" in lines
    assert "collision.communication.reduce = direct" in lines
    assert "spacecharge.communication.charge = hypercube" in lines
    assert "communication.node_size = 2" in lines
    assert "spacecharge.solver.kicks = 2" in lines
    assert len(ring.derived()["warnings"]) == 2
    assert ring.derived()["spacecharge"]["gamma"] == pytest.approx(7.5 / 1.8)


def test_a_resolved_ring_is_the_same_ring() -> None:
    ring = study("records.collision.moments_order=4", "communication.spacecharge.field=direct")
    again = Study.from_dict(ring.resolved())
    assert again.parameters() == ring.parameters()
    assert again.resolved() == ring.resolved()
    assert pickle.loads(pickle.dumps(ring.workload)) == ring.workload


def test_a_stored_ring_means_what_its_parts_meant() -> None:
    stored = study().resolved()
    del stored["ip"]["1"]["planes"]
    collision = Study.from_stored(stored).model.parts["collision"]
    assert collision.ips[0].planes == "pair"


def test_the_parts_may_stand_in_any_order_and_a_list_of_one_is_that_one() -> None:
    turned = study(workload=["collision", "spacecharge"])
    assert "workload = collision spacecharge" in turned.parameters()
    assert named_workload(["halo"]) is named_workload("halo")


def test_a_choice_of_a_run_that_tunes_itself_is_that_of_every_part() -> None:
    given = study("communication.collision.phase.reduce_row.algorithm=mpi").communication
    chosen = given.tunable() | {"collision.reduce": "mpi", "spacecharge.charge": "direct"}
    assert given.algorithms().keys() - chosen.keys() == {"collision.reduce_row.algorithm"}
    assert given.changed(chosen).tunable() == chosen != given.tunable()


def test_one_algorithm_for_all_phases_is_refused() -> None:
    with refused("--algorithm", "all phases"):
        algorithm(study().workload, "mpi")


def test_every_part_says_what_does_not_fit_the_ranks() -> None:
    ring = study(
        "solver.kind=2.5d",
        "communication.spacecharge.decomposition=pencils",
    )
    with refused("communication.decomposition", '"pencils"', "solver.kind", '"3d"', '"2.5d"'):
        ring.check_ranks(4)
    with refused("communication.process_grid", '"2x2"', 8, 3, '["2x1", "1x1"]'):
        study('communication.collision.process_grid="2x2"').check_ranks(3)


def test_a_report_gives_the_plan_another_layout_under_the_name_of_the_host() -> None:
    given = study("communication.collision.layout=random").parameters()
    expected = study("communication.collision.layout=column-first").parameters()
    changed = with_layout(given, "column-first")
    assert sorted(changed.splitlines()) == sorted(expected.splitlines()) != sorted(given)


def test_only_errors_of_the_workload_that_makes_the_bunches_are_those_of_all_ranks() -> None:
    ring, alone = (
        own.part(StateKeeping) for own in (study().workload, named_workload("collision"))
    )
    assert ring.FAILS_ALIKE == alone.FAILS_ALIKE != ()


def test_a_beam_that_is_not_tracked_has_no_space_charge() -> None:
    ring = study("ip.1.model=weak-strong", "ip.1.strong_beam=1")
    assert [bunch.number for bunch in ring.workload.bunches(ring.model)] == [2]
    rows = ring.workload.part(Recording).rows(ring)
    assert "spacecharge/beam2/mean" in rows and "spacecharge/beam1/mean" not in rows


def test_an_arc_of_the_collision_may_stand_beside_the_lattice() -> None:
    ring = study(arc={"tune": [0.31, 0.32], "synchrotron_tune": 0.01})
    assert "collision.line.1.1.1.element = twiss" in ring.parameters()
    assert "collision.line.1.1.1.element = matrix" in study().parameters()


def test_check_shows_every_part_and_the_optics_of_the_lattice(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert main(["check", str(repository / "examples/ion-collider/study.toml")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    says(shown, "point 1", "strong-strong", "120 elements", "503.04 m", "83.84 m")
    says(shown, "β at the start [m]", "15.29992, 15.34838", "-1.524794, 1.523552")
