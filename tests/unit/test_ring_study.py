"""Studies of several workloads in one ring: how they are read, and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.commands.predict import algorithm
from phasewise.errors import StudyError
from phasewise.report.planned import with_layout
from phasewise.runs.layout import Recording
from phasewise.runs.state import StateKeeping
from phasewise.study import Study
from phasewise.workload.discovery import named_workload
from tests.unit.ring_study import study, tables

REFUSED: list[tuple[dict[str, Any], list[str], str]] = [
    ({"workload": ["spacecharge", "colision"]}, [], 'no workload "colision"; did you mean "coll'),
    ({"workload": ["halo", "collision"]}, [], "neither acts on the bunches of another workload"),
    ({"workload": ["spacecharge", "halo"]}, [], '"halo" cannot share a ring: it has no bunches'),
    ({"workload": ["collision", "spacecharge", "collision"]}, [], 'lists "collision" twice'),
    ({"workload": []}, [], "workload is an empty list"),
    ({"workload": ["collision", 2]}, [], "a list of names in the order of the ring"),
    ({"bunch": {"macroparticles": 9}}, [], "another workload of the ring describes the bunches"),
    ({"lattice": None}, [], r"\[lattice\] is missing"),
    ({"solver": None}, [], r"\[solver\] is missing"),
    (
        {},
        ["solver.boundaries=periodic", "solver.period=10.0"],
        'boundaries = "periodic" cannot be given in this ring',
    ),
    ({"beam": None}, [], r"\[beam.1\] is missing"),
    ({"ip": None}, [], r"\[ip.1\] is missing"),
    ({}, ["communication.reduce=direct"], 'communication: unknown key "reduce"'),
    ({}, ["communication.collision.charge=direct"], 'communication.collision: unknown key "char'),
    ({}, ["communication.spacecharge.node_size=2"], "spacecharge: unknown key"),
    ({}, ["records.tracked=2"], 'records: unknown key "tracked"'),
    ({}, ["records.collision.tracked=2000"], "more than the 1000 macroparticles"),
]


@pytest.mark.parametrize(("more", "overrides", "sentence"), REFUSED)
def test_what_cannot_be_a_ring_gets_one_sentence(
    more: dict[str, Any], overrides: list[str], sentence: str
) -> None:
    with pytest.raises(StudyError, match=sentence):
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
    with pytest.raises(StudyError, match=r"--algorithm: .* have no algorithm for all phases"):
        algorithm(study().workload, "mpi")


def test_every_part_says_what_does_not_fit_the_ranks() -> None:
    ring = study(
        "solver.kind=2.5d",
        "communication.spacecharge.decomposition=pencils",
    )
    with pytest.raises(StudyError, match=r'decomposition = "pencils" belongs to solver.kind'):
        ring.check_ranks(4)
    with pytest.raises(StudyError, match="needs 8 ranks with such a grid for each beam, not 3"):
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
    assert "Interaction point 1, strong-strong" in shown
    assert "120 elements in 503.04 m, a kick for each 83.84 m" in shown
    assert "β = [15.2999, 15.3484] m, α = [-1.52479, 1.52355]" in shown
