"""A lattice's layout from a file: which rank has which place, and files that say nothing of it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.driver import load_planner
from phasewise.models.plan import plan
from phasewise.study import Study
from phasewise.study.laboratory import placed
from phasewise.tables.writing import document
from phasewise.tuning.candidates import PlainCandidate
from tests.sentences import refused

pytest.importorskip("phasewise._core", reason="the core is not built")

RANKS = 16
TABLES: dict[str, Any] = {
    "workload": "qcd",
    "solves": 1,
    "lattice": {"size": [4, 4, 8, 8]},
    "quarks": {"kappa": 0.12},
    "solver": {"iterations": 2},
}
GRID = {"process_grid": "1x2x2x4"}


def study(folder: Path, layout: str, **keys: Any) -> Study:
    return Study.from_dict({**TABLES, "communication": {**GRID, **keys, "layout": layout}}, folder)


def written(folder: Path, numbers: Any) -> str:
    (folder / "places.txt").write_text("# rank by rank\n" + "".join(f"{n}\n" for n in numbers))
    return "places.txt"


def pairs(own: Study) -> list[tuple[int, int, int]]:
    """Who sends how much to whom."""
    found = load_planner().traffic(own.parameters(), RANKS, 1)
    names = [name for name in ("from", "to", "bytes") if name in found]
    return sorted(zip(*(np.asarray(found[name]).tolist() for name in names), strict=True))


def t_first() -> list[int]:
    """Numbers, with x fastest, of the places in the order with t fastest."""
    x, y, z, t = 1, 2, 2, 4
    return [
        i + x * (j + y * (k + z * n))
        for i in range(x) for j in range(y) for k in range(z) for n in range(t)
    ]  # fmt: skip


def test_a_file_may_say_what_a_word_says(tmp_path: Path) -> None:
    for word, numbers in (("x-first", range(RANKS)), ("t-first", t_first())):
        own = study(tmp_path, written(tmp_path, numbers))
        assert pairs(own) == pairs(study(tmp_path, word))
    assert pairs(study(tmp_path, "x-first")) != pairs(study(tmp_path, "t-first"))


def test_ranks_have_the_places_of_their_lines(tmp_path: Path) -> None:
    numbers = list(range(RANKS))
    random.Random(5).shuffle(numbers)
    own = study(tmp_path, written(tmp_path, numbers))
    # Rank r does what the rank at its place does with x fastest.
    moved = [
        (numbers.index(a), numbers.index(b), n) for a, b, n in pairs(study(tmp_path, "x-first"))
    ]
    assert pairs(own) == sorted(moved)
    assert own.parameters().count("communication.layout = file\n") == 1
    assert f"communication.places = {' '.join(map(str, numbers))}\n" in own.parameters()
    assert Study.from_dict(own.resolved()) == own
    phases = ("name", "bytes", "messages")
    sent = [[{key: p.get(key) for key in phases} for p in plan(s, RANKS)["phases"]]
            for s in (own, study(tmp_path, "x-first"))]  # fmt: skip
    assert sent[0] == sent[1]


KEY = "communication.layout"


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        ("0\n1\n1\n3\n", ("line 3", "place 1", "line 2")),
        ("0\n1\n4\n3\n", ("line 3", "place 4", "4 ranks", 0, 3)),
        ("0\n1\n-2\n3\n", ("line 3", '"-2"', "whole", 0)),
        ("0 1\n2 3\n", ("line 1", '"0 1"', "whole", 0)),
        ("0\n1.0\n", ("line 2", '"1.0"', "whole", 0)),
        ("0\n١\n", ("line 2", '"١"', "whole", 0)),
        ("12345678901\n", ("line 1", '"12345678901"', "whole", 0)),
        ("# nothing\n\n", ("no place", "number", "rank")),
    ],
)
def test_a_wrong_file_is_one_sentence_with_its_line(
    lines: str, facts: tuple[object, ...], tmp_path: Path
) -> None:
    (tmp_path / "places.txt").write_text(lines)
    with refused(KEY, tmp_path / "places.txt", *facts):
        study(tmp_path, "places.txt")


def test_a_missing_file_and_another_number_of_ranks_are_one_sentence(tmp_path: Path) -> None:
    with refused(KEY, tmp_path / "places.txt", "exist", "x-first, t-first, bricks, random"):
        study(tmp_path, "places.txt")
    with refused(KEY, "t-frist", nearest="t-first"):
        study(tmp_path, "t-frist")
    (tmp_path / "folder").mkdir()
    with refused(KEY, tmp_path / "folder", "read", "directory"):
        study(tmp_path, "folder")
    own = study(tmp_path, written(tmp_path, range(8)))
    with refused(KEY, tmp_path / "places.txt", "8 ranks", 16):
        own.check_ranks(RANKS)


@pytest.mark.parametrize(
    ("places", "facts"),
    [("0 1 2", ("3 ranks", 16)), (f"{'1 ' * 16}", ("permutation", 0, 15))],
)
def test_the_core_refuses_places_that_are_no_permutation(
    places: str, facts: tuple[object, ...], tmp_path: Path
) -> None:
    text = study(tmp_path, written(tmp_path, range(RANKS))).parameters()
    given = " ".join(map(str, range(RANKS)))
    with refused("communication.places", *facts, by=ValueError):
        load_planner().plan(text.replace(f"places = {given}", f"places = {places}"), RANKS)


def test_a_tuner_replaces_a_file_by_a_word(tmp_path: Path) -> None:
    own = study(tmp_path, written(tmp_path, t_first()))
    assert PlainCandidate((("layout", "x-first"),)).apply(own) == study(tmp_path, "x-first")


def test_a_record_has_the_places_when_the_file_is_gone(tmp_path: Path) -> None:
    own = study(tmp_path, written(tmp_path, t_first()))
    (tmp_path / "places.txt").unlink()
    x, y, z = 1, 2, 2
    places = [(n % x, n // x % y, n // (x * y) % z, n // (x * y * z)) for n in t_first()]
    record = SimpleNamespace(
        process_grid=((1, 2, 2, 4),), layout=str(tmp_path / "places.txt"), place=places, ranks=RANKS
    )
    without = study(tmp_path, "random")
    assert placed(without, record) == own.communication
    # A word is kept too.
    word = SimpleNamespace(process_grid=((1, 2, 2, 4),), layout="bricks", place=places, ranks=RANKS)
    for before in (without, own):
        assert placed(before, word) == study(tmp_path, "bricks").communication
    again = replace(own, communication=placed(without, record))
    assert pairs(again) == pairs(own)


def test_a_layout_from_a_file_is_predicted_as_the_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def seconds(layout: str) -> float:
        path = tmp_path / "study.toml"
        path.write_text(document(study(tmp_path, layout, node_size=4).resolved()))
        words = ["--machine", "bassi", "--ranks", str(RANKS), "--model", "contention", "--json"]
        assert main(["predict", str(path), *words]) == 0
        return float(json.loads(capsys.readouterr().out)["points"][0]["communication_seconds"])

    found = seconds(written(tmp_path, t_first()))
    assert found == seconds("t-first")
    mixed = seconds(written(tmp_path, [5 * n % RANKS for n in range(RANKS)]))
    assert mixed != found
