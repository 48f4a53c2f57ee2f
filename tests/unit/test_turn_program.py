"""The messages that models are given of a turn: those of the plan, whatever stands for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from phasewise.study import Study, load
from tests.unit.study_tables import tables

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

FOLDER = Path(__file__).resolve().parents[2]
COLUMNS = ("bytes", "count", "inter", "distance", "active")


def study(**communication: Any) -> Study:
    changes = {f"communication__{key}": value for key, value in communication.items()}
    return Study.from_dict(tables(**changes))


def paper(**communication: str) -> Study:
    overrides = [f'communication.{key}="{value}"' for key, value in communication.items()]
    return load(FOLDER / "examples/paper/study.toml", overrides)


def sizes_by_messages(
    study: Study, ranks: int, node: int, meshes: float = 0.0
) -> dict[str, Counter[int]]:
    """Of each phase, messages by their bytes, as the models are given them."""
    found = {}
    for phase in core.messages(study.parameters(), ranks, node, {"green": meshes}):
        found[phase["name"]] = Counter[int]()
        for size, count in zip(phase["bytes"].tolist(), phase["count"].tolist(), strict=True):
            found[phase["name"]][size] += count
    return found


def planned(study: Study, ranks: int, node: int) -> list[dict[str, Any]]:
    phases: list[dict[str, Any]] = core.plan(study.parameters(), ranks, node)["phases"]
    return phases


def sizes_by_plan(study: Study, ranks: int, node: int) -> dict[str, Counter[int]]:
    """The same of the plan, without what is the library's or of a new mesh only."""
    return {
        phase["name"]: Counter(dict(phase["sizes"]))
        for phase in planned(study, ranks, node)
        if phase["messages"] and not phase["library"] and phase["per"] == "turn"
    }


CASES = {
    "hypercube": (study(), 8),
    "mesh": (study(reduce="mesh", broadcast="mesh"), 16),
    "slice by slice": (study(reduce="mesh", broadcast="mesh", aggregate=False), 12),
    "unequal grids": (study(process_grid=["2x2", "1x3"]), 7),
    "row-first": (study(layout="row-first", process_grid="4x2"), 16),
    "random": (study(layout="random", process_grid="2x4"), 16),
    "all pairs": (study(crossing="4b", broadcast="mesh"), 12),
    "reduced by the library": (study(reduce="mpi"), 8),
    "shared by the library": (study(broadcast="mpi", transpose="alltoallw"), 12),
    "the paper's": (paper(), 64),
    "the paper's, hypercube": (paper(reduce="hypercube", broadcast="hypercube"), 32),
}


@pytest.mark.parametrize(("case", "ranks"), CASES.values(), ids=list(CASES))
def test_what_models_are_given_of_a_phase_is_what_the_plan_says(case: Study, ranks: int) -> None:
    found, expected = sizes_by_messages(case, ranks, 4), sizes_by_plan(case, ranks, 4)
    assert expected
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(("case", "ranks"), CASES.values(), ids=list(CASES))
def test_only_what_the_plan_calls_the_librarys_comes_beside_it(case: Study, ranks: int) -> None:
    library = {p["name"] for p in planned(case, ranks, 4) if p["library"] and p["per"] == "turn"}
    assert set(sizes_by_messages(case, ranks, 4)) == library | set(sizes_by_plan(case, ranks, 4))


@pytest.mark.parametrize("communication", [{}, {"reduce": "hypercube", "broadcast": "hypercube"}])
def test_grids_that_stand_for_others_add_up_at_1024_ranks(communication: dict[str, str]) -> None:
    # Of the grids of a step that are sent one by one two are built.
    case = paper(**communication)
    found, expected = sizes_by_messages(case, 1024, 8), sizes_by_plan(case, 1024, 8)
    assert {name: found[name] for name in expected} == expected


def test_new_meshes_add_so_many_times_the_messages_of_a_green_function() -> None:
    case = study(process_grid="2x4")
    green = next(p for p in planned(case, 16, 4) if p["per"] == "mesh")
    none, one, half = (sizes_by_messages(case, 16, 4, meshes) for meshes in (0.0, 1.0, 0.5))
    assert green["name"] not in none
    assert one == {**none, green["name"]: Counter(dict(green["sizes"]))}
    assert half == {**none, green["name"]: Counter({s: n / 2 for s, n in green["sizes"]})}


@pytest.mark.parametrize("node", [1, 2, 8])
def test_messages_that_leave_the_node_are_those_that_the_plan_counts(node: int) -> None:
    case = study(reduce="mesh", broadcast="mesh", layout="row-first")
    expected = {phase["name"]: phase for phase in planned(case, 16, node)}
    for phase in core.messages(case.parameters(), 16, node):
        if expected[phase["name"]]["library"]:
            continue
        leaving = float(phase["count"] @ phase["inter"])
        assert leaving == expected[phase["name"]]["inter_node"]
        assert float(phase["count"].sum()) - leaving == expected[phase["name"]]["intra_node"]
        # At least the sender itself is active, and it does not send to itself.
        assert (phase["active"] >= 1).all()
        assert (phase["distance"] >= 1).all()


def test_all_columns_of_a_phase_have_an_entry_for_each_kind() -> None:
    for phase in core.messages(study().parameters(), 8, 4):
        assert len({len(phase[name]) for name in COLUMNS}) == 1
        kinds = list(zip(*(phase[name] for name in COLUMNS if name != "count"), strict=True))
        assert len(kinds) == len(set(kinds)) > 0


def test_one_rank_is_given_no_messages() -> None:
    assert core.messages(study().parameters(), 1, 1) == []
