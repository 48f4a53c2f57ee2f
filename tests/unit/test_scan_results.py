"""What is made of the points of a scan: means, table, convergence, pictures."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from phasewise.errors import RunError
from phasewise.scanning.axes import read_axis
from phasewise.scanning.convergence import converge
from phasewise.scanning.definition import Definition, Samples
from phasewise.scanning.folder import State
from phasewise.scanning.results import ScanResults, scan_point
from phasewise.scanning.shown import orders, shown, sizes
from phasewise.scanning.summing_up import sum_up
from phasewise.scanning.table import check_parquet, write_tables
from tests.sentences import Nearest, one_sentence, refused, says
from tests.unit.study_tables import build


def summary(value: float) -> dict[str, Any]:
    beam = {"emittance": [1e-10, 2e-10, 3e-5], "emittance_growth": [None] * 3, "losses": 0}
    return {
        "turns": 3,
        "luminosity": {"mean": value, "last": value, "nominal": 1e34, "unit": "cm^-2 s^-1"},
        "beams": [beam, beam],
        "communication": {"ranks": 1},
    }


def made(folder: Path, *words: str, failed: tuple[int, ...] = (), **settings: Any) -> ScanResults:
    """A scan whose luminosity is 1e34 (1 + slices^-2 + 0.01 seed)."""
    definition = Definition(build(), tuple(map(read_axis, words)), **settings)
    points = []
    for point in definition.points:
        size = (sizes([point.values.get("ip.1.slices", 1), 1]) or [1.0])[0]
        state = State("complete", summary=summary(1e34 * (1 + size**-2 + 0.01 * point.seed)))
        if point.number in failed:
            state = State("failed", "it was killed")
        points.append(scan_point(point, folder / f"{point.number}", state))
    return ScanResults(definition, folder, tuple(points), folder / "table.csv")


def test_means_are_over_seeds_with_their_standard_error(tmp_path: Path) -> None:
    first, second = made(tmp_path, "ip.1.slices=1,2", seeds=3).means("luminosity.mean")
    assert (first.values, first.count) == ({"ip.1.slices": 1}, 3)
    assert first.mean == pytest.approx(2.04e34)
    # Three seeds 1e32 apart have a standard deviation of 1e32.
    assert second.error == pytest.approx(1e32 / 3**0.5)
    one = made(tmp_path, "ip.1.slices=1,2").means("luminosity.mean")[0]
    assert np.isnan(one.error)


def test_numbers_in_a_name_may_count_as_those_of_a_study(tmp_path: Path) -> None:
    found = made(tmp_path, "ip.1.slices=1,2")
    assert found.named("beam.2.emittance.0") == "beams.1.emittance.0"
    assert found.named("beams.1.emittance.0") == "beams.1.emittance.0"
    assert found.column("beam.1.emittance.1").tolist() == [2e-10, 2e-10]
    assert list(shown(found, ["beam.1.emittance.0"])) == ["beams.0.emittance.0"]


def test_a_result_that_is_not_there_is_named(tmp_path: Path) -> None:
    found = made(tmp_path, "ip.1.slices=1,2", failed=(1,))
    assert np.isnan(found.column("luminosity.mean")).tolist() == [True, False]
    with refused("result", '"luminosity.men"', nearest="luminosity.mean"):
        found.column("luminosity.men")


def test_the_table_has_a_row_for_each_point(tmp_path: Path) -> None:
    found = made(tmp_path, "ip.1.slices=[4,1],[2,1]", failed=(2,))
    path = write_tables(tmp_path, found.points, parquet=False)
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["ip.1.slices"] for row in rows] == ["[4, 1]", "[2, 1]"]
    assert [row["status"] for row in rows] == ["complete", "failed"]
    assert [row["why"] for row in rows] == ["", "it was killed"]
    assert (rows[0]["beams.1.emittance.0"], rows[1]["beams.1.emittance.0"]) == ("1e-10", "")
    assert not [name for name in rows[0] if name.startswith("communication")]


def test_a_table_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    found = made(tmp_path, "ip.1.slices=1,2")
    (tmp_path / "table.csv").mkdir()
    with refused("table", tmp_path, "written", "points", "kept", by=RunError):
        write_tables(tmp_path, found.points, parquet=False)
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_parquet_is_there_where_pyarrow_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("phasewise.scanning.table.find_spec", lambda _name: None)
    with refused("--parquet", "pyarrow", "pip install pyarrow", "CSV"):
        check_parquet()
    package, module = ModuleType("pyarrow"), ModuleType("pyarrow.parquet")
    package.table = dict  # type: ignore[attr-defined]
    package.parquet = module  # type: ignore[attr-defined]
    written: dict[str, Any] = {}

    def write(table: dict[str, Any], path: Path) -> None:
        written.update(table)
        path.write_bytes(b"PAR1")

    module.write_table = write  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyarrow", package)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", module)
    found = made(tmp_path, "ip.1.slices=1,2.5,quiet", failed=(3,))
    write_tables(tmp_path, found.points, parquet=True)
    assert (tmp_path / "table.parquet").read_bytes() == b"PAR1"
    assert written["ip.1.slices"] == ["1", "2.5", "quiet"]
    assert written["turns"] == [3, 3, None]


def test_a_curve_of_known_order_gives_its_limit() -> None:
    n = np.array([4.0, 6.0, 12.0])
    noise = np.array([-0.3, 0.1, 0.2])
    # What seeds add to all sizes alike does not change how far the finest value is off.
    values = (5 + 3 * n**-2)[:, None] + noise
    found = converge("slices", "y", 2, n.tolist(), values)
    assert found is not None
    assert found.limit == pytest.approx(5)
    assert found.distance == pytest.approx(3 / 144 / 5)
    assert found.bound == pytest.approx(found.distance, rel=0.1)
    assert found.observed_order == pytest.approx(2, abs=1e-4)
    one_sentence(found.sentence(), "y", "slices", 12, "0.42 %", 5, "order 2")
    # Another order is noticed: the two extrapolations differ.
    other = converge("slices", "y", 1, n.tolist(), values)
    assert other is not None
    assert other.bound > 3 * other.distance


def test_noise_shows_no_order() -> None:
    n = [4.0, 6.0, 12.0]
    found = converge("slices", "y", 2, n, np.array([[5.1, 4.9], [4.9, 5.1], [5.2, 4.7]]))
    assert found is not None
    assert found.observed_order is None
    one_sentence(found.sentence(), "noise", "no order")
    assert converge("slices", "y", 2, n, np.array([[np.nan], [np.nan], [5.0]])) is None
    two = converge("slices", "y", 2, n, np.array([[np.nan], [5.1], [5.0]]))
    assert two is not None
    one_sentence(two.sentence(), "two values", "third")


def test_a_list_is_as_large_as_its_changing_entries() -> None:
    assert sizes([[64, 64], [128, 128]]) == pytest.approx([64, 128])
    assert sizes([[5, 1], [15, 1]]) == pytest.approx([5, 15])
    for values in ([1, -1], ["a", "b"], [[1, 2], 3], [True, False], [2, 2]):
        assert sizes(values) is None


def test_the_workload_knows_in_which_keys_it_converges(tmp_path: Path) -> None:
    definition = made(tmp_path, "arc.tune.0=0.3,0.31", "ip.1.slices=1,2").definition
    assert orders(definition, []) == {"ip.1.slices": 2.0}
    assert orders(definition, ["arc.tune.0:1.5"]) == {"arc.tune.0": 1.5}
    for words, facts in (
        ("ip.1.slice", ("scanned", Nearest("ip.1.slices"))),
        ("ip.1.slices:0", ("order", "number", 0, 8)),
        ("ip.1.slices:x", ("order", "number", 0, 8)),
    ):
        with refused(f"--converge {words}", *facts):
            orders(definition, [words])


def test_the_workload_says_what_is_shown_unless_it_is_asked_for(tmp_path: Path) -> None:
    found = made(tmp_path, "ip.1.slices=1,2")
    says(shown(found, [])["luminosity.mean"], "luminosity", "mean", "[cm^-2 s^-1]")
    assert list(shown(found, ["beams.0.losses"])) == ["beams.0.losses"]
    with refused("result", '"beams.7"', "luminosity.mean", "beams.0.losses"):
        shown(found, ["beams.7"])
    assert shown(made(tmp_path, "ip.1.slices=1,2", failed=(1, 2)), []) == {}


@pytest.mark.parametrize(
    ("words", "settings", "names"),
    [
        ((), {"seeds": 3}, ["luminosity.mean.png"]),
        (
            ("ip.1.slices=1,2,4",),
            {"seeds": 2},
            ["convergence-ip.1.slices.png", "luminosity.mean.png"],
        ),
        (
            ("arc.tune.0=0.3:0.32:9", "ip.1.grid=[16,16],[32,32],[64,64]"),
            {"failed": (2, 3)},
            ["convergence-ip.1.grid.png", "luminosity.mean-map.png", "luminosity.mean.png"],
        ),
        (
            ("arc.tune.0=0.3:0.32", "arc.tune.1=0.3:0.32"),
            {"samples": Samples("sobol", 8)},
            ["luminosity.mean-map.png", "luminosity.mean.png"],
        ),
        (("arc.tune.0=0.3,0.31", "a=1,2", "b=x,y"), {}, ["luminosity.mean.png"]),
    ],
)
def test_each_kind_of_scan_has_its_pictures(
    tmp_path: Path, words: tuple[str, ...], settings: dict[str, Any], names: list[str]
) -> None:
    found = sum_up(made(tmp_path, *words, **settings), ["luminosity.mean"], [])
    assert sorted(path.name for path in found.pictures) == names
    assert sorted(path.name for path in (tmp_path / "pictures").iterdir()) == names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in found.pictures)
