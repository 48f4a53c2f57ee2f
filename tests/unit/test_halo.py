"""The workload `halo`: its keys, what is refused, what its messages are, and what is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import phasewise
from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.runs.layout import check_schedule, fault_of, row_layout
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate, candidates, heads_of
from phasewise.tuning.search import CandidateSearch, Problem
from phasewise.workload.protocols import available, comparable
from phasewise.workloads.halo import bench
from tests.sentences import Nearest, one_sentence, refused, says

PROTOCOLS = set(comparable())


def study(words: int = 8, rows: int = 1, **communication: Any) -> Study:
    """A small study."""
    halo = {"words": words, "rows": rows}
    return Study.from_dict(
        {"workload": "halo", "exchanges": 5, "halo": halo, "communication": communication}
    )


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study(12, 2, process_grid="4x2", protocol="persistent", node_size=2, tune="auto")
    assert given.parameters().splitlines() == [
        "turns = 5",
        "seed = 1",
        "workload = halo",
        "halo.words = 12",
        "halo.rows = 2",
        "halo.word_size = 8",
        "halo.at_once = 0",
        "halo.verify = 1",
        "communication.process_grid = 4 2",
        "communication.protocol = persistent",
        "communication.node_size = 2",
    ]
    assert "communication.process_grid = 0 0\n" in study().parameters()
    assert given.exchanges == 5
    assert Study.from_dict(given.resolved()) == given
    assert given.derived() == {
        "message_bytes": 96,
        "cells": 6,
        "memory_bytes": 800,
        "warnings": [],
    }


@pytest.mark.parametrize(
    ("keys", "facts"),
    [
        ({"words": 0}, ("halo.words = 0", 1)),
        ({"words": 524_289}, ("halo.words = 524289", 524288)),
        ({"words": 7, "rows": 2}, ("halo.words = 7", "even", 4)),
        ({"words": 2, "rows": 2}, ("halo.words = 2", "even", 4)),
        ({"rows": 3}, ("halo.rows = 3", 2)),
        ({"process_grid": "4by2"}, ('communication.process_grid = "4by2"', "Px x Py", '"4x2"')),
        ({"process_grid": "0x2"}, ('communication.process_grid = "0x2"', "Px x Py")),
        ({"process_grid": "2000x2000"}, ('"2000x2000"', "4000000 ranks", 1000000)),
        ({"protocol": "sendrec"}, ("communication.protocol", '"sendrec"', Nearest("sendrecv"))),
        ({"schedule": "ring"}, ("communication", '"schedule"')),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    keys: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(**keys)


def test_the_size_of_the_messages_is_needed() -> None:
    with refused("halo.words", "missing"):
        Study.from_dict({"workload": "halo", "exchanges": 1})


@pytest.mark.parametrize(
    ("grid", "ranks", "nearest"), [("4x2", 6, "3x2"), ("1x8", 6, "1x6"), ("8x1", 7, "7x1")]
)
def test_a_process_grid_of_other_ranks_names_the_nearest_that_fits(
    grid: str, ranks: int, nearest: str
) -> None:
    given = study(process_grid=grid)
    given.check_ranks(8)
    with refused(f'communication.process_grid = "{grid}"', "8 ranks", ranks, f'"{nearest}"'):
        given.check_ranks(ranks)


def test_an_array_beyond_the_memory_is_warned_of_and_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The pages of a large array's edges; this machine has less memory than they take, or is said
    # to have.
    monkeypatch.setattr("os.sysconf", lambda _name: 2**15)
    large = study(524_288)
    (warning,) = large.derive().warnings
    one_sentence(warning, "halo.words = 524288", "2.16 GB")
    with refused("halo.words = 524288", "2.16 GB"):
        check_schedule(large)
    check_schedule(study())


@pytest.mark.parametrize(
    ("ranks", "grid", "given"),
    [(6, "3x2", "auto"), (12, "4x3", "auto"), (8, "2x4", "2x4"), (5, "5x1", "auto")],
)
def test_a_plan_has_two_messages_along_each_side_that_is_wider_than_one(
    ranks: int, grid: str, given: str
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    planned = plan(study(48, 2, process_grid=given), ranks)
    assert planned["process_grid"] == grid
    wide = {n for n, size in zip(("halo_x", "halo_y"), grid.split("x"), strict=True) if size != "1"}
    found = {phase["name"]: phase for phase in planned["phases"]}
    assert set(found) == {"checks", *wide}
    for name in wide:
        assert (found[name]["messages"], found[name]["bytes_per_rank"]) == (2, 2 * 8 * 48)


def test_both_messages_go_to_the_same_rank_where_the_grid_is_two_wide() -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    traffic = core.traffic(study(process_grid="2x3").parameters(), 6)
    columns = (traffic[name].tolist() for name in ("from", "to", "messages", "bytes"))
    found = set(zip(*columns, strict=True))
    along_x = {(rank, rank ^ 1, 2, 128) for rank in range(6)}
    along_y = {(rank, (rank + step) % 6, 1, 64) for rank in range(6) for step in (2, 4)}
    assert found == along_x | along_y


def test_a_tuner_compares_every_grid_in_every_protocol() -> None:
    found = candidates(study(), 6, phasewise.machines.load_machine("bassi"))
    grids = {"1x6", "2x3", "3x2", "6x1"}
    assert heads_of(study()) == ("process_grid", "protocol")
    assert {candidate.columns() for candidate in found} == {
        (g, v) for g in grids for v in PROTOCOLS
    }
    assert all(isinstance(candidate, PlainCandidate) for candidate in found)


def test_a_search_without_single_keys_to_change_does_not_speak_of_them() -> None:
    said: list[str] = []
    problem = Problem(study(), phasewise.machines.load_machine("bassi"), 4, model="1b")
    assert CandidateSearch(problem, said.append).run()
    (sentence,) = said
    one_sentence(sentence, "1b", f"{3 * len(PROTOCOLS)} candidates")


class WrongRun:
    """A run whose last exchange left two cells wrong."""

    turn = 3

    def record(self) -> dict[str, Any]:
        return {"wrong": 2.0, "checksum": 0.0}


def test_wrong_cells_end_a_run_in_a_sentence() -> None:
    says(fault_of(study(), WrongRun().record()), 2, "cells", "wrong")
    assert fault_of(study(), {"wrong": 0, "checksum": 7}) == ""


def test_without_checks_nothing_but_the_number_is_recorded() -> None:
    assert set(row_layout(study())) == {"exchange", "wrong", "checksum"}
    unchecked = {"words": 8, "verify": False}
    given = Study.from_dict({"workload": "halo", "exchanges": 5, "halo": unchecked})
    assert set(row_layout(given)) == {"exchange"}


def test_check_shows_the_sizes(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(repository / "examples/halo/study.toml")]) == 0
    shown = capsys.readouterr().out
    says(shown, "1000 exchanges", "1.02 kB", "128 × 128 cells", "135 kB")


def test_bench_gives_a_curve_for_each_protocol(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert [bench.WORDS[0], bench.WORDS[-1], len(bench.WORDS)] == [2, 2**15, 15]
    monkeypatch.setattr(bench, "WORDS", (2, 4, 256, 2**15))
    assert main(["bench", "halo", "--turns", "1", "--set", "halo.rows=2", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["ranks"], result["grid"]) == (1, [1, 1])
    assert {curve["protocol"] for curve in result["curves"]} == set(available())
    for curve in result["curves"]:
        # Two rows: from 4 words on.
        assert curve["words"] == [4, 256, 2**15]
        assert all(0 < low <= high for low, high in zip(curve["low"], curve["high"], strict=True))
        assert min(curve["seconds"]) > 0 and len(curve["seconds"]) == 3


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["halo", "halo.words=0"], ("halo.words = 0", 1)),
        (["halo", "halo.words=500000"], ("halo.words = 500000", "bench", "bytes")),
        (["halo", "halo.words=abc"], ("halo.words", "integer", '"abc"')),
        (["halo", "halo=3"], ("halo", "table", 3)),
        (["halo", "halo.words=2", "halo.rows=2"], ("halo.words = 2", "even", 4)),
        (["halo", "communication=1"], ("communication", "table", 1)),
        (["commtest", "commtest.bytes=abc"], ("commtest.bytes", "integer", '"abc"')),
        (["commtest", "commtest.bytes=1000000000"], ("lengths", "bench", "268435456 bytes")),
        (["collectives", "collectives=12"], ("collectives", "table", 12)),
    ],
)
def test_bench_says_in_one_sentence_what_is_set_wrong(
    words: list[str], facts: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    name, *sets = words
    given = [word for one in sets for word in ("--set", one)]
    assert main(["bench", name, *given]) == 2
    one_sentence(capsys.readouterr().err, *facts)
