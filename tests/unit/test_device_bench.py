"""`bench collision`: its beams, and on a device its roof, its rows, and its memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import phasewise
from phasewise.cli import main
from phasewise.runs.roof import of_device
from phasewise.runs.timing import _kernel
from phasewise.workloads.collision.bench import ROWS, collision_case

pytest.importorskip("phasewise._core", reason="the core is not built")

SMALL = ("--set", "beam.1.macroparticles=4000", "--set", "ip.1.slices=3", "--turns", "1")


class Device:
    """A device with round rates."""

    def measure_device(self, cuda: bool, number: int = 0) -> dict[str, Any]:
        return {
            "name": "a GPU" if cuda else "emulated",
            "bytes_per_second": 1e12,
            "flops_per_second": 1e13,
            "additions_per_second": 1e10,
        }


def bench(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["bench", "collision", "--case", "small", *SMALL, *words, "--json"]) == 0
    result: dict[str, Any] = json.loads(capsys.readouterr().out)
    return result


def encounter(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in row["kernels"] if one["name"] == "encounter")
    return found


def on_mesh(result: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in result["rows"] if row["row"] not in ("gaussian", "weak-strong")]


def test_many_additions_bound_a_kernel_of_a_device() -> None:
    roof = of_device(Device(), "cuda")
    counts = {
        "name": "encounter",
        "items": 1e6,
        "flops": 60e6,
        "bytes": 88e6,
        "additions": 4e6,
        "single": False,
        "calls": 1.0,
        "working_sets": 48e6,
        "seconds": 8e-4,
    }
    found = _kernel(counts, None, 1, roof, {})
    # 4e6 additions take 0.4 ms, the bytes 0.09 ms, the flops 0.006 ms.
    assert (found["bound"], found["level"]) == ("additions", "memory")
    assert found["roof_share"] == pytest.approx(0.5)


def test_a_case_has_a_row_for_each_kind_of_slice(capsys: pytest.CaptureFixture[str]) -> None:
    result = bench(capsys)
    assert [row["row"] for row in result["rows"]] == list(ROWS)
    assert (result["device"], result["device_bytes"]) == ("cpu", 0)
    assert result["seconds_per_turn"] == result["rows"][0]["seconds_per_turn"]
    one, two, kicked, shared = (encounter(row)["additions"] for row in on_mesh(result))
    # Deposits at four nodes of each plane that is laid.
    assert two == kicked == 2 * one == 8 * encounter(result["rows"][0])["items"]
    assert shared == one
    both, tracked = (
        next(one["items"] for one in row["kernels"] if one["name"] == "gaussian_encounter")
        for row in result["rows"]
        if row["row"] in ("gaussian", "weak-strong")
    )
    assert both == 2 * tracked == 2 * 4000 * 3


def test_a_key_that_is_given_leaves_the_rows_that_differ(
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = ("ip.1.interpolation='linear'", "ip.1.planes='pair'")
    result = bench(capsys, *(word for change in given for word in ("--set", change)))
    plain, kicked = on_mesh(result)
    assert encounter(plain)["additions"] == encounter(kicked)["additions"]


def test_the_bench_of_a_device_has_its_roof_and_counts_its_buffers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    result = bench(capsys, "--device", "emulated")
    assert (result["device"], result["roof"]["name"]) == ("emulated", "emulated")
    assert result["roof"]["additions_per_second"] > 0
    assert [copy["bytes"] for copy in result["roof"]["copies"]] == [
        64.0 * 4**k for k in range(len(result["roof"]["copies"]))
    ]
    assert result["device_bytes"] > result["particle_bytes"]
    for row in on_mesh(result):
        assert encounter(row)["seconds"] > 0


def test_the_case_eic_has_the_beams_of_the_example(repository: Path) -> None:
    example = phasewise.load(repository / "examples/eic/study.toml").given
    case = collision_case("eic")
    for tables in (example, case):
        for beam in tables["beam"].values():
            del beam["macroparticles"]
    for part in ("beam", "ring", "arc"):
        assert case[part] == example[part]
    of_case, of_example = case["ip"]["1"], example["ip"]["1"]
    assert {key: of_case[key] for key in of_example} == of_example
