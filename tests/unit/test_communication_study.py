"""The study's [communication]: what is read, what reaches the driver, which grids suit a run."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from phasewise.runs.checkpoint import check_study
from phasewise.study import Study, load
from phasewise.tables.declared import schema_of
from phasewise.workloads.collision.tables.communication import PHASES, BeamCommunication
from tests.sentences import Nearest, refused
from tests.unit.study_tables import tables
from tests.unit.test_study import json_as_toml

PLACES = """# two columns of two, and one of three
1 0 0
1 1 0   # a neighbour in the row
1 0 1
1 1 1

2 0 2
2 0 1
2 0 0
"""


def build(folder: Path | str = ".", **keys: Any) -> Study:
    return Study.from_dict(tables(communication=keys), folder)


def flat(study: Study) -> dict[str, str]:
    lines = (line.split(" = ", 1) for line in study.parameters().splitlines())
    return {key: value for key, value in lines if key.startswith("communication.")}


def test_a_study_without_the_table_has_the_documented_defaults() -> None:
    assert flat(Study.from_dict(tables())) == {
        "communication.process_grid": "0 0 0 0",
        "communication.layout": "column-first",
        "communication.node_size": "0",
        "communication.reduce": "hypercube",
        "communication.broadcast": "hypercube",
        "communication.schedule": "ring",
        "communication.transpose": "pairwise",
        "communication.aggregate": "1",
        "communication.crossing": "4a",
        "communication.overlap": "0",
    }


def test_every_value_reaches_the_driver_and_resolves_to_the_same_study() -> None:
    study = build(
        process_grid=["2x2", "1x3"],
        layout="random",
        node_size=4,
        reduce="mesh",
        broadcast="mpi-gatherv",
        schedule="pairwise",
        transpose="bruck",
        aggregate=False,
        crossing="4b",
        overlap=True,
        padded=True,
        phase={
            "reduce_row": {"algorithm": "hypercube", "schedule": "ring", "aggregate": True},
            "green": {"algorithm": "ring"},
        },
    )
    assert flat(study) == {
        "communication.process_grid": "2 2 1 3",
        "communication.layout": "random",
        "communication.node_size": "4",
        "communication.reduce": "mesh",
        "communication.broadcast": "mpi-gatherv",
        "communication.schedule": "pairwise",
        "communication.transpose": "bruck",
        "communication.aggregate": "0",
        "communication.crossing": "4b",
        "communication.overlap": "1",
        "communication.padded": "1",
        "communication.phase.green.algorithm": "ring",
        "communication.phase.reduce_row.algorithm": "hypercube",
        "communication.phase.reduce_row.schedule": "ring",
        "communication.phase.reduce_row.aggregate": "1",
    }
    assert Study.from_dict(json.loads(json.dumps(study.resolved()))) == study


def test_one_text_gives_both_beams_the_same_grid() -> None:
    study = build(process_grid="8x16")
    assert flat(study)["communication.process_grid"] == "8 16 8 16"
    assert study.resolved()["communication"]["process_grid"] == "8x16"


def test_words_that_begin_with_a_digit_need_no_quotes_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(json_as_toml(tables()))
    study = load(path, ["communication.crossing=4b", "communication.process_grid=8x16"])
    assert study.communication.crossing == "4b"
    assert study.communication.process_grid == ((8, 16), (8, 16))


def test_the_green_function_is_computed_as_needed_or_in_every_step() -> None:
    assert "ip.1.green_function = as-needed\n" in Study.from_dict(tables()).parameters()
    every = Study.from_dict(tables(ip__1__green_function="every-step"))
    assert "ip.1.green_function = every-step\n" in every.parameters()
    with refused("ip.1.green_function", '"every"'):
        Study.from_dict(tables(ip__1__green_function="every"))


MISTAKES: list[tuple[dict[str, Any], tuple[object, ...]]] = [
    ({"reduc": "mesh"}, ("communication", '"reduc"', Nearest("reduce"))),
    ({"reduce": "hypercub"}, ("communication.reduce", '"hypercub"', Nearest("hypercube"))),
    ({"reduce": "mpi-gatherv"}, ("communication.reduce", '"mpi-gatherv"')),
    ({"broadcast": 4}, ("communication.broadcast", 4, "mesh", "direct", "hypercube")),
    ({"schedule": "rings"}, ("communication.schedule", '"rings"', Nearest("ring"))),
    ({"transpose": "alltoall"}, ("communication.transpose", '"alltoall"', Nearest("alltoallw"))),
    ({"crossing": "4c"}, ("communication.crossing", '"4c"', "4a", "4b")),
    ({"aggregate": 1}, ("communication.aggregate", "true", "false", 1)),
    ({"node_size": -8}, ("communication.node_size = -8", 0, "ranks")),
    ({"process_grid": "8by16"}, ('communication.process_grid = "8by16"', "Prow x Pcol", '"8x16"')),
    ({"process_grid": "0x16"}, ('communication.process_grid = "0x16"', "Prow x Pcol")),
    ({"process_grid": [8, 16]}, ("communication.process_grid = [8, 16]", "Prow x Pcol")),
    ({"process_grid": ["8x16"]}, ('communication.process_grid = ["8x16"]', '["2x2", "1x3"]')),
    (
        {"process_grid": "9999x9999"},
        ('communication.process_grid = "9999x9999"', 99980001, 1000000),
    ),
    ({"layout": "colum-first"}, ("communication.layout", "colum-first", Nearest("column-first"))),
    ({"layout": "."}, ("communication.layout", os.strerror(errno.EISDIR))),
    ({"layout": "x" * 300}, ("communication.layout", os.strerror(errno.ENAMETOOLONG))),
    ({"phase": {"sole": {}}}, ("communication.phase", '"sole"', Nearest("solve"))),
    (
        {"phase": {"reduce_row": {"algorithm": "mesh"}}},
        ("communication.phase.reduce_row.algorithm", '"mesh"', "direct"),
    ),
    ({"phase": {"green": {"schedule": "ring"}}}, ("communication.phase.green", '"schedule"')),
    (
        {"reduce": "direct", "phase": {"reduce_column": {"algorithm": "mpi"}}},
        ("communication.phase.reduce_column", 'reduce = "direct"'),
    ),
    (
        {"phase": {"broadcast": {"algorithm": "mpi"}}},
        (
            "communication.phase.broadcast",
            'broadcast = "hypercube"',
            "broadcast_column",
            "broadcast_row",
        ),
    ),
]


@pytest.mark.parametrize(("keys", "facts"), MISTAKES, ids=[str(keys)[:50] for keys, _ in MISTAKES])
def test_a_mistake_is_named_in_one_sentence(
    keys: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        build(**keys)


def test_a_layout_file_gives_every_rank_its_place_and_the_grid(tmp_path: Path) -> None:
    (tmp_path / "places.txt").write_text(PLACES)
    study = build(tmp_path, layout="places.txt")
    assert flat(study) | {
        "communication.process_grid": "2 2 1 3",
        "communication.layout": "file",
        "communication.places": "1 0 0 1 1 0 1 0 1 1 1 1 2 0 2 2 0 1 2 0 0",
    } == flat(study)
    assert Study.from_dict(study.resolved(), "/elsewhere") == study
    study.check_ranks(7)
    with refused("communication.layout", "places.txt", "7 ranks", 8):
        study.check_ranks(8)


@pytest.mark.parametrize(
    ("text", "grid", "facts"),
    [
        ("1 0 0\n3 0 0", "auto", ("line 2", '"3 0 0"', "beam", "column", "row")),
        ("# all\n1 0", "auto", ("line 2", '"1 0"', "beam", "column", "row")),
        ("1 0 zero", "auto", ("line 1", '"1 0 zero"')),
        ("1 0 -1", "auto", ("line 1", '"1 0 -1"')),
        ("1 0 0\n\n1 0 0", "auto", ("line 3", "beam 1, column 0, row 0", "line 1")),
        ("# none", "auto", ("beam column row",)),
        ("1 0 0\n1 0 1", "auto", ("beam 2",)),
        ("1 1 0", "auto", ("line 1", "beam 1, column 1, row 0", "column 0", "row 0")),
        (PLACES, "2x2", ("line 7", "beam 2, column 0, row 2", "communication.process_grid")),
        (
            "1 0 0\n1 1 1\n1 0 1\n2 0 0",
            "auto",
            ("beam 1, column 1, row 0", '["2x2", "1x1"]'),
        ),
    ],
)
def test_a_wrong_layout_file_is_named_with_its_line(
    tmp_path: Path, text: str, grid: str, facts: tuple[str, ...]
) -> None:
    (tmp_path / "places.txt").write_text(text)
    with refused("communication.layout", tmp_path / "places.txt", *facts):
        build(tmp_path, layout="places.txt", process_grid=grid)


def paper(**keys: Any) -> Study:
    """A mesh of 256 rows and eight slices."""
    return Study.from_dict(tables(ip__1__grid=[256, 64], ip__1__slices=8, communication=keys))


@pytest.mark.parametrize(
    ("ranks", "grid"),
    [
        (1, "auto"),
        (1, "1x1"),
        (2, "1x1"),
        (3, ["1x2", "1x1"]),
        (7, ["2x2", "1x3"]),
        (7, ["1x3", "2x2"]),
        (6, ["5x1", "1x1"]),
        (32, "1x16"),
        (30, "3x5"),
        (18, "1x9"),  # 256 rows over 9 processes: shares of 28 and 29
        (4096, "8x256"),
        (1001, "auto"),
    ],
)
def test_a_grid_that_suits_the_ranks_is_accepted(ranks: int, grid: Any) -> None:
    paper(process_grid=grid).check_ranks(ranks)


SHAPES = ("1x16", "2x8", "4x4", "8x2")


@pytest.mark.parametrize(
    ("ranks", "grid", "facts"),
    [
        (32, "3x5", ('"3x5"', "30 ranks", 32, *SHAPES)),
        (32, "16x1", ('"16x1"', "16 columns", "8 slices", "ip.1", *SHAPES)),
        (32, ["16x1", "1x16"], ("16 columns", "8 slices", "ip.1", *SHAPES)),
        (600, "1x300", ('"1x300"', 300, "column", "256 rows", "ip.1")),
        (600, "1x300", ("600 ranks", "8 slices", "2x150", "3x100", "4x75", "5x60", "6x50")),
        (1, "8x16", ('"8x16"', "256 ranks", 1, '"1x1"', '"auto"')),
        (7, "2x2", ('"2x2"', "8 ranks", 7, "8 slices", '["2x2", "3x1"]')),
        (8, ["2x2", "1x3"], ('["2x2", "1x3"]', "7 ranks", 8)),
        (514, "auto", ('"auto"', "514 ranks", "8 slices", "256 rows", 512, 516)),
        (10**6, "auto", ('"auto"', "1000000 ranks", 4096)),
    ],
)
def test_a_grid_that_does_not_suit_is_refused_with_the_nearest_that_do(
    ranks: int, grid: Any, facts: tuple[object, ...]
) -> None:
    with refused("communication.process_grid", *facts):
        paper(process_grid=grid).check_ranks(ranks)


def test_the_point_with_the_fewest_slices_decides() -> None:
    second = {"beta": [1.0, 1.0], "slices": 2, "grid": [64, 64]}
    changed = tables(ip__2=second, communication={"process_grid": "4x1"})
    with refused("communication.process_grid", '"4x1"', "4 columns", "2 slices", "ip.2"):
        Study.from_dict(changed).check_ranks(8)


def unequal(**keys: Any) -> Study:
    """As many slices as the paper's in beam 1, and one in beam 2."""
    return Study.from_dict(tables(ip__1__grid=[256, 64], ip__1__slices=[8, 1], communication=keys))


def test_each_beam_has_as_many_columns_as_it_has_slices_at_most() -> None:
    for ranks, grid in ((8, "auto"), (8, ["4x1", "1x4"]), (8, "1x4"), (7, ["2x2", "1x3"])):
        unequal(process_grid=grid).check_ranks(ranks)
    where, advice = ("4 columns", "1 slice", "beam 2", "ip.1"), ("[8, 1]", '["4x1", "1x4"]')
    with refused("communication.process_grid", '"4x1"', *where, *advice):
        unequal(process_grid="4x1").check_ranks(8)
    with refused("communication.process_grid", "514 ranks", "[8, 1]", "256 rows", 512):
        unequal(process_grid="auto").check_ranks(514)


def test_without_a_mesh_neither_slices_nor_rows_bound_the_grid() -> None:
    changed = tables(ip__1__model="soft-gaussian", communication={"process_grid": "100x1"})
    Study.from_dict(changed).check_ranks(200)
    with refused("communication.process_grid", "200 ranks", 100):
        Study.from_dict(changed).check_ranks(100)


def test_a_run_may_go_on_with_another_process_grid_and_other_algorithms() -> None:
    other = {"process_grid": "2x1", "reduce": "mesh", "phase": {"reduce_row": {"schedule": "ring"}}}
    study = Study.from_dict(tables(communication=other, ip__1__green_function="every-step"))
    saved = Study.from_dict(tables()).resolved()
    check_study(Path("turn-3.h5"), saved, study, 3)
    del saved["communication"], saved["ip"]["1"]["green_function"]
    check_study(Path("turn-3.h5"), saved, study, 3)
    saved["ip"]["1"]["slices"] = 5
    with refused("turn-3.h5", "ip.1.slices", 5, 4):
        check_study(Path("turn-3.h5"), saved, study, 3)


def test_every_key_and_value_is_documented(repository: Path) -> None:
    text = (repository / "docs" / "communication.md").read_text(encoding="utf-8")
    short = (repository / "docs" / "study.md").read_text(encoding="utf-8")
    for name, key in schema_of(BeamCommunication).items():
        assert f"`{name}" in text
        assert f"`{name}" in short
        for value in key.choices:
            assert f'"{value}"' in text
    for name in PHASES:
        assert f"`{name}`" in text
