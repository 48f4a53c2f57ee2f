"""The candidates of a tuner: valid, distinct, as many as promised, none twice by two names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasewise.driver import load_planner
from phasewise.machines import load_machine
from phasewise.study import Study, load
from phasewise.tuning.candidates import candidates, neighbours
from phasewise.workloads.collision.tuning import (
    Candidate,
    crossing_matters,
    phase_names,
    valid_shapes,
)
from tests.sentences import refused
from tests.unit.study_tables import tables

FIVE = ("seaborg", "bassi", "jacquard", "jaguar", "bluegene-l")
TWO_BY_SIXTEEN = ((2, 16), (2, 16))


@pytest.fixture(scope="module")
def paper() -> Study:
    return load(Path(__file__).parents[2] / "examples/paper/study.toml")


def small() -> Study:
    return Study.from_dict(tables())


def traffic(study: Study, candidate: Candidate, ranks: int, node_size: int) -> tuple[bytes, ...]:
    """Who sends how much to whom."""
    applied = candidate.apply(study)
    own = replace(applied.communication, node_size=node_size)
    core: Any = load_planner()
    found = core.traffic(replace(applied, communication=own).parameters(), ranks)
    return tuple(found[name].tobytes() for name in ("from", "to", "messages", "bytes"))


@pytest.mark.parametrize("name", FIVE)
@pytest.mark.parametrize("ranks", [64, 128])
def test_there_are_more_than_a_hundred_and_not_many_more(
    name: str, ranks: int, paper: Study
) -> None:
    found = candidates(paper, ranks, load_machine(name))
    assert 100 < len(found) <= 130
    assert len({str(candidate.communication()) for candidate in found}) == len(found)


@pytest.mark.parametrize("ranks", [1, 2, 3, 7, 24])
def test_every_candidate_and_its_neighbours_are_valid_studies(ranks: int, paper: Study) -> None:
    for candidate in candidates(paper, ranks, load_machine("jacquard")):
        groups = neighbours(candidate, paper, levels=True)
        for changed in [candidate, *(other for group in groups for other in group)]:
            applied = changed.apply(paper)
            applied.check_ranks(ranks)
            assert applied.communication.padded is False


def test_every_valid_grid_and_layout_is_among_them(paper: Study) -> None:
    found = candidates(paper, 64, load_machine("bassi"))
    grids = {candidate.shapes[0] for candidate in found if candidate.shapes}
    assert grids == {(1, 32), (2, 16), (4, 8), (8, 4)}
    assert {candidate.layout for candidate in found} == {"row-first", "column-first", "random"}


def test_of_an_odd_number_of_ranks_each_beam_has_a_grid_of_its_own(paper: Study) -> None:
    assert valid_shapes(paper, 7) == [
        ((1, 4), (1, 3)),
        ((2, 2), (1, 3)),
        ((4, 1), (3, 1)),
    ]


@pytest.mark.parametrize("slices", [[8, 2], [2, 8]])
def test_a_beam_of_few_slices_has_fewer_columns(slices: list[int]) -> None:
    found = valid_shapes(Study.from_dict(tables(ip__1__slices=slices)), 16)
    pairs = [((1, 8), (1, 8)), ((2, 4), (2, 4)), ((4, 2), (2, 4)), ((8, 1), (2, 4))]
    assert found == [pair if slices[0] == 8 else pair[::-1] for pair in pairs]


def test_ranks_that_no_grid_suits_are_refused_with_those_accepted(paper: Study) -> None:
    # Halves of 514 are 257, a prime above the 256 rows of the mesh.
    with refused(514, 512, 516):
        candidates(paper, 514, load_machine("bassi"))


def test_node_aware_is_left_out_where_no_ranks_or_all_ranks_share_a_node(paper: Study) -> None:
    for name, ranks in (("jaguar", 64), ("bassi", 8)):
        found = candidates(paper, ranks, load_machine(name))
        assert not [c for c in found if "node-aware" in (c.reduce, c.broadcast)]


def test_a_study_without_a_mesh_has_one_candidate() -> None:
    study = Study.from_dict(tables(ip__1__model="soft-gaussian"))
    assert len(candidates(study, 8, load_machine("bassi"))) == 1


def test_the_crossing_is_varied_where_and_only_where_it_changes_what_is_sent(paper: Study) -> None:
    for shapes in (TWO_BY_SIXTEEN, ((1, 32), (1, 32))):
        for broadcast in ("hypercube", "mesh", "node-aware", "direct"):
            one = Candidate(shapes, broadcast=broadcast)
            other = replace(one, crossing="4b")
            differ = traffic(paper, one, 64, 8) != traffic(paper, other, 64, 8)
            assert crossing_matters(one) is differ


def test_the_layouts_of_a_single_column_are_one(paper: Study) -> None:
    found = candidates(paper, 64, load_machine("bassi"))
    assert {c.layout for c in found if c.shapes == ((1, 32), (1, 32))} == {"column-first"}
    row_first = Candidate(((1, 32), (1, 32)), "row-first")
    column_first = replace(row_first, layout="column-first")
    assert traffic(paper, row_first, 64, 8) == traffic(paper, column_first, 64, 8)


def test_neighbours_change_one_key_of_one_phase() -> None:
    candidate = Candidate(((2, 4), (2, 4)))
    groups = list(neighbours(candidate, small(), levels=True))
    every = [changed for group in groups for changed in group]
    assert len(set(every)) == len(every)
    assert candidate not in every
    words = {changed.phases[0][2] for changed in groups[0]}
    assert words == {"ring", "bruck", "alltoallw"}
    assert all(len(c.phases) == 1 or c.crossing == "4b" or c.overlap for c in every)


def test_a_phase_set_again_keeps_the_last_value() -> None:
    candidate = Candidate(TWO_BY_SIXTEEN).with_phase("solve", "algorithm", "ring")
    again = candidate.with_phase("solve", "algorithm", "bruck")
    assert again.phases == (("solve", "algorithm", "bruck"),)
    assert again.phase_value("solve", "algorithm") == "bruck"
    assert again.communication()["phase"] == {"solve": {"algorithm": "bruck"}}


def test_the_keys_that_a_choice_replaces_are_those_that_a_study_sets_otherwise() -> None:
    phase = {"solve": {"algorithm": "ring", "aggregate": False}}
    keys: dict[str, Any] = {"padded": True, "tune": "auto", "node_size": 4, "phase": phase}
    given = Study.from_dict(tables(communication=keys | {"reduce": "mesh", "crossing": "4b"}))
    chosen = Candidate(TWO_BY_SIXTEEN, crossing="4b").with_phase("solve", "aggregate", False)
    # The crossing and the aggregation are the same, and the ranks of a node stay.
    assert sorted(chosen.replaces(given)) == ["padded", "phase.solve.algorithm", "reduce", "tune"]
    assert chosen.replaces(small()) == []


def test_phases_are_those_that_the_algorithms_have() -> None:
    assert phase_names(Candidate(TWO_BY_SIXTEEN, reduce="direct", broadcast="mesh")) == [
        "green",
        "solve",
        "reduce",
        "broadcast_column",
        "broadcast_row",
    ]
    assert phase_names(Candidate(((1, 1), (1, 1)))) == []
    assert Candidate(TWO_BY_SIXTEEN, reduce="mesh").phase_value("reduce_row", "algorithm") == (
        "direct"
    )
