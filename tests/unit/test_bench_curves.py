"""Curves of benches of messages: their CSV files, their pictures, the terms of other benchmarks."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.report.conventions import Counterpart, in_convention
from phasewise.report.curve_table import table_of
from phasewise.workloads.collectives.bench import CONVENTIONS as OF_COLLECTIVES
from phasewise.workloads.collectives.model import OPERATORS
from tests.sentences import refused, says


def curve(operator: str, **columns: Any) -> dict[str, Any]:
    usual = {"operator": operator, "protocol": "put", "pairs": None, "bytes": [8, 16]}
    times = {"seconds": [2e-6, 3e-6], "low": [1e-6, 2e-6], "noisy": [False, True]}
    return usual | times | {"bandwidth": [4e6, 5e6]} | columns


RESULT = {"reference": "hardware", "ranks": 4, "curves": [curve("echo"), curve("swap")]}


def test_a_convention_keeps_what_has_a_counterpart_and_prints_its_share_of_the_time() -> None:
    found = in_convention(RESULT, "osu", {"echo": Counterpart("osu_latency", 0.5)})
    (latency,) = found["curves"]
    assert (found["convention"], latency["benchmark"]) == ("osu", "osu_latency")
    assert latency["seconds"] == [1e-6, 1.5e-6] and latency["low"] == [0.5e-6, 1e-6]
    assert latency["bandwidth"] == [4e6, 5e6] and latency["noisy"] == [False, True]


def test_several_pairs_at_once_have_no_counterpart() -> None:
    many = {**RESULT, "curves": [curve("echo", pairs="i-(i+8), i=0..7")]}
    with refused("--convention osu", "pairs"):
        in_convention(many, "osu", {"echo": Counterpart("osu_latency", 0.5)})


def test_sizes_of_all_blocks_count_all_ranks() -> None:
    both = OF_COLLECTIVES["osu"]
    scattered = {**RESULT, "curves": [curve("reduce-scatter"), curve("allreduce")]}
    sizes = {
        one["benchmark"]: one["bytes"] for one in in_convention(scattered, "osu", both)["curves"]
    }
    assert sizes == {"osu_reduce_scatter": [32, 64], "osu_allreduce": [8, 16]}
    started = in_convention({**scattered, "blocking": False}, "imb", OF_COLLECTIVES["imb"])
    assert [one["benchmark"] for one in started["curves"]] == ["Ireduce_scatter", "Iallreduce"]
    assert started["curves"][0]["bandwidth"] == [16e6, 20e6]
    assert all(set(convention) <= set(OPERATORS) for convention in OF_COLLECTIVES.values())


def test_a_table_has_a_row_for_each_size_and_the_columns_that_any_curve_has() -> None:
    packed = curve("echo", packet=4, hidden=[0.5, 0.6])
    head, *rows = table_of({**RESULT, "curves": [curve("swap"), packed]})
    assert head[:5] == ["reference", "ranks", "operator", "protocol", "packet"]
    assert len(rows) == 4 and all(len(row) == len(head) for row in rows)
    last = dict(zip(head, rows[-1], strict=True))
    assert (last["operator"], last["bytes"], last["hidden"], last["seconds"]) == (
        "echo",
        16,
        0.6,
        3e-6,
    )
    assert dict(zip(head, rows[0], strict=True))["hidden"] == ""


def test_a_bench_writes_its_curves_in_the_terms_of_another_benchmark(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    table, picture = tmp_path / "curves.csv", tmp_path / "curves.svg"
    keys = ("commtest.operator=echo", "commtest.bytes=64", "communication.protocol=irecv-isend")
    words = ["bench", "commtest", "--ranks", "2", "--turns", "5", "--json", "--convention", "osu"]
    words += [word for key in keys for word in ("--set", key)]
    assert main([*words, "--csv", str(table), "--picture", str(picture)]) == 0
    (found,) = json.loads(capfd.readouterr().out)["curves"]
    (row,) = csv.DictReader(table.read_text().splitlines())
    assert (row["benchmark"], row["convention"], int(row["bytes"])) == ("osu_latency", "osu", 64)
    assert float(row["seconds"]) == found["seconds"][0]
    # Both directions take the same time: bytes over half of the round trip.
    assert 64 / found["seconds"][0] == pytest.approx(found["bandwidth"][0])
    assert found["window"] == 64 and "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["halo", "--convention", "osu"], ("halo", "--convention", "commtest", "collectives")),
        (["commtest", "--convention", "osx"], ("osx", "did you mean", "osu")),
        (["collision", "--csv", "x"], ("collision", "--csv", "halo")),
        (["collectives", "--together", "--csv", "x"], ("--together", "--csv")),
        (["commtest", "--picture", "x.gif"], ("x.gif", ".svg")),
        (["commtest", "--csv", "nowhere/x.csv"], ("--csv", "nowhere")),
        (
            ["commtest", "--convention", "osu", "--set", "commtest.operator=swap"],
            ("osu", "swap", "echo", "stream"),
        ),
    ],
)
def test_options_that_do_not_suit_a_bench_are_refused(
    words: list[str], facts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    says(capsys.readouterr().err, *facts)
