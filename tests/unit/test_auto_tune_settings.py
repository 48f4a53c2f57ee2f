"""`tune = "auto"`: which ways to exchange are tried, the key itself, and the name of a choice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from phasewise.runs import choices as cache
from phasewise.runs.choosing import Choosing
from phasewise.study import Study
from phasewise.workload.discovery import find_workload
from phasewise.workloads.collision.tables.model import Collision, collision_of
from tests.sentences import refused
from tests.unit.fake_core import tables


def study(turns: int = 120, **communication: Any) -> Study:
    keys = {"tune": "auto"} | communication
    return Study.from_dict(tables() | {"turns": turns, "communication": keys})


def model(slices: int) -> Collision:
    plan = tables()
    plan["ip"]["1"]["slices"] = slices
    return collision_of(Study.from_dict(plan))


def test_only_ways_that_send_other_messages_are_tried() -> None:
    given = study().communication
    # A rank of each beam: a message each way, whatever the algorithm.
    assert find_workload("collision").part(Choosing).changes(
        given, model(3), [[1, 1], [1, 1]], False
    ) == [{"overlap": True}]
    row = (
        find_workload("collision").part(Choosing).changes(given, model(2), [[2, 1], [2, 1]], False)
    )
    assert {key for change in row for key in change} == {"reduce", "broadcast"}
    assert {"reduce": "direct", "broadcast": "direct"} not in row
    both = (
        find_workload("collision").part(Choosing).changes(given, model(8), [[2, 4], [2, 4]], True)
    )
    assert {"crossing": "4b"} in both
    assert {"reduce": "node-aware", "broadcast": "node-aware"} in both
    assert [c["transpose"] for c in both if "transpose" in c] == ["ring", "bruck", "alltoallw"]
    assert {"reduce": "hypercube", "broadcast": "hypercube"} not in both


def test_what_a_study_sets_for_a_phase_stays() -> None:
    given = study(phase={"reduce_row": {"algorithm": "mpi"}}).communication
    found = (
        find_workload("collision").part(Choosing).changes(given, model(8), [[2, 4], [2, 4]], True)
    )
    assert not any("reduce" in change for change in found)


def test_the_key_is_of_python_alone_and_off_by_default() -> None:
    assert study().parameters() == study(tune="off").parameters()
    assert Study.from_dict(tables()).communication.tune == "off"
    assert Study.from_dict(study().resolved()) == study()
    with refused("communication.tune", '"on"', "off", "auto"):
        study(tune="on")


def test_the_parameters_of_how_leave_out_those_of_where() -> None:
    given = study(process_grid="1x2", layout="random", phase={"green": {"algorithm": "ring"}})
    lines = given.communication.exchanges().splitlines()
    assert "communication.phase.green.algorithm = ring" in lines
    assert "communication.aggregate = 1" in lines
    places = ("process_grid", "layout", "node_size", "tune")
    assert not any(line.startswith(f"communication.{key}") for line in lines for key in places)


def test_choices_are_kept_where_the_environment_says(tmp_path: Path) -> None:
    home = {"HOME": "/home/me"}
    assert cache.folder(home) == Path("/home/me/.cache/phasewise/tuning")
    relative = home | {"XDG_CACHE_HOME": "here"}
    assert cache.folder(relative) == Path("/home/me/.cache/phasewise/tuning")
    xdg = home | {"XDG_CACHE_HOME": str(tmp_path)}
    assert cache.folder(xdg) == tmp_path / "phasewise" / "tuning"
    assert cache.folder(xdg | {"PHASEWISE_CACHE": "/own"}) == Path("/own/tuning")


def test_nodes_of_a_cluster_are_one_machine() -> None:
    class Library:
        def mpi_version(self) -> str:
            return "Open MPI v4.1.4, package: Debian"

    def facts(*hosts: str) -> dict[str, Any]:
        core: Any = Library()
        each = ({"host": host, "cores": 8, "processor": "P"} for host in hosts)
        return cache.machine_key(each, core)

    assert facts("n001.site", "n001.site", "n002.site") == facts("n117", "n117", "n118")
    assert facts("n001", "n001") != facts("n001", "n002")
    assert facts("n1")["mpi"] == "Open MPI v4.1.4"
