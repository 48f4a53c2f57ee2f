"""What a scan is over: values of keys from words, ranges and their samples, points in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.scanning.axes import Axis, axis_of, read_axis
from phasewise.scanning.definition import Definition, Samples
from phasewise.study import load
from tests.sentences import refused
from tests.unit.study_tables import build, json_as_toml, tables, write


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("5,9", (5, 9)),
        ("[15,1],[5, 5]", ([15, 1], [5, 5])),
        ("[15,1]", ([15, 1],)),
        ("0.300:0.302:3", (0.3, 0.301, 0.302)),
        ("5:9:3", (5, 7, 9)),
        ("0:1:3", (0.0, 0.5, 1.0)),
        ("quiet,gaussian", ("quiet", "gaussian")),
        ('"a,b",c', ("a,b", "c")),
        ("true,false", (True, False)),
    ],
)
def test_words_become_values(words: str, values: tuple[Any, ...]) -> None:
    found = read_axis(f" ip.1.slices = {words}")
    assert (found.key, found.values) == ("ip.1.slices", values)
    assert list(map(type, found.values)) == list(map(type, values))


def test_a_range_is_whole_where_its_ends_are() -> None:
    assert read_axis("a=5:9") == Axis("a", (), 5, 9, True)
    assert read_axis("a=5:9.0") == Axis("a", (), 5, 9, False)
    assert [read_axis("a=5:9").sample(x) for x in (0.0, 0.19, 0.21, 0.999)] == [5, 5, 6, 9]


def test_values_of_python_are_taken_as_they_are() -> None:
    assert axis_of("a", np.array([1.5, 2.0])).values == (1.5, 2.0)
    assert axis_of("a", [[15, 1], [5, 5]]).values == ([15, 1], [5, 5])
    assert axis_of("a", 3).values == (3,)
    assert axis_of("a", "5,9").values == (5, 9)


ACCEPTED = ("list", "START:END:COUNT", "LOW:HIGH", "--random", "--sobol")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("ip.1.slices", ("--over ip.1.slices", "key", "values", "ip.1.slices=5,9")),
        ("=5", ("--over =5", "key", "values", "ip.1.slices=5,9")),
        ("ip..slices=5", ('"ip..slices"', "key", "ip.1.slices", "arc.tune.0")),
        ("a=5,,9", ("--over a=5,,9", "read", *ACCEPTED)),
        ("a=[5,9", ("--over a=[5,9", "read", *ACCEPTED)),
        ("a=5,5", ("--over a", 5, "twice")),
        ("a=0:1:1", ("--over a=0:1:1", 1, 2, 100000)),
        ("a=0:1:1e9", ("--over a=0:1:1e9", "1e9", 2, 100000)),
        ("a=0:1:1000000000", ("--over a=0:1:1000000000", 1000000000, 2, 100000)),
        ("a=0:1:2:3", ("--over a=0:1:2:3", *ACCEPTED)),
        ("a=1:0", ("--over a=1:0", "range", "larger")),
        ("a={b=1}", ("--over a", "table", "number", "word", "list")),
        ("a=2024-01-01", ("--over a", "2024-01-01", "number", "word", "list")),
    ],
)
def test_words_that_are_no_values_are_named(words: str, facts: tuple[object, ...]) -> None:
    with refused(*facts):
        read_axis(words)


def points(*words: str, **settings: Any) -> list[tuple[dict[str, Any], int]]:
    axes = tuple(map(read_axis, words))
    return [(p.values, p.seed) for p in Definition(build(), axes, **settings).points]


def test_points_are_all_combinations_the_seed_fastest() -> None:
    found = points("arc.tune.0=0.3,0.31", "ip.1.slices=5,9", seeds=2)
    values = [(v["arc.tune.0"], v["ip.1.slices"], seed) for v, seed in found]
    assert values[:5] == [(0.3, 5, 3), (0.3, 5, 4), (0.3, 9, 3), (0.3, 9, 4), (0.31, 5, 3)]
    assert len(values) == 8
    assert points("seed=7,8") == [({"seed": 7}, 7), ({"seed": 8}, 8)]


@pytest.mark.parametrize("kind", ["random", "sobol"])
def test_samples_lie_in_their_ranges_and_are_the_same_each_time(kind: str) -> None:
    words = ("arc.tune.0=0.30:0.32", "ip.1.slices=2:4", "beam.1.mass_number=1,2")
    found = points(*words, samples=Samples(kind, 12, 5))
    assert found == points(*words, samples=Samples(kind, 12, 5))
    assert found != points(*words, samples=Samples(kind, 12, 6))
    assert len(found) == 24
    assert {v["ip.1.slices"] for v, _ in found} == {2, 3, 4}
    assert all(0.30 <= v["arc.tune.0"] < 0.32 for v, _ in found)
    # Each sample comes with each listed value.
    assert [v["arc.tune.0"] for v, _ in found[:12]] == [v["arc.tune.0"] for v, _ in found[12:]]


@pytest.mark.parametrize(
    ("words", "settings", "facts"),
    [
        ([], {}, ("--over KEY=VALUES", "--seeds N")),
        (["a=1,2", "a=3"], {}, ("--over a", "twice")),
        (["seed=1,2"], {"seeds": 2}, ("--over seed", "--seeds")),
        (["a=1:2"], {}, ("--over a", "range", "--random N", "--sobol N", "START:END:COUNT")),
        (["a=1,2"], {"samples": Samples("sobol", 4)}, ("--sobol", "range", "--over KEY=LOW:HIGH")),
    ],
)
def test_parts_that_do_not_go_together_are_named(
    words: list[str], settings: dict[str, Any], facts: tuple[str, ...]
) -> None:
    with refused(*facts):
        Definition(build(), tuple(map(read_axis, words)), **settings)


def test_many_points_need_to_be_wanted() -> None:
    axes = (read_axis("a=1:40:40"), read_axis("b=1:26:26"))
    many = Definition(build(), axes)
    with refused(1040, 1000, "--yes"):
        many.check_count(yes=False)
    many.check_count(yes=True)
    with refused(1040000, 100000):
        Definition(build(), axes, seeds=1000).check_count(yes=True)


def test_the_study_of_a_point_has_its_values() -> None:
    axes = (read_axis("arc.tune.0=64.3"), read_axis("ip.1.slices=[4,1]"))
    definition = Definition(build(), axes, seeds=2)
    point = definition.points[1]
    found = definition.study_of(point).resolved()
    assert (found["seed"], found["ip"]["1"]["slices"]) == (4, [4, 1])
    assert found["arc"]["1"]["tune"] == [64.3, 59.32]
    assert point.overrides == ["arc.tune.0=64.3", "ip.1.slices=[4, 1]", "seed=4"]
    assert definition.study.resolved()["arc"]["1"]["tune"] == [64.31, 59.32]


def test_an_override_sets_one_entry_of_a_list(tmp_path: Path) -> None:
    path = write(tmp_path, json_as_toml(tables()))
    assert load(path, ["arc.tune.1=59.3"]).resolved()["arc"]["2"]["tune"] == [64.31, 59.3]
    for index in ("2", "-1", "x"):
        with refused(f"--set arc.tune.{index}=59.3", "arc.tune", 0, 1, f'"{index}"'):
            load(path, [f"arc.tune.{index}=59.3"])
    with refused("--set arc.tune.0.1=59.3", "arc.tune.0", 64.31, "table"):
        load(path, ["arc.tune.0.1=59.3"])
