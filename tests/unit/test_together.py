"""`bench --together`: a serial case alone, beside copies of it that run in step."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.mpi.copies import InStep, run_copies
from phasewise.report.benching import Bench
from phasewise.report.beside_copies import compared, rates_of
from phasewise.workload.discovery import find_workload
from tests.sentences import refused, says

pytest.importorskip("phasewise._core", reason="the core is not built")


def test_rates_together_are_means_over_the_copies() -> None:
    found = compared({"a": 4.0, "b": 2.0, "c": 1.0}, [{"a": 3.0, "b": 2.0}, {"a": 1.0, "b": 2.0}])
    assert found == {
        "copies": 2,
        "alone": {"a": 4.0, "b": 2.0},
        "together": {"a": 2.0, "b": 2.0},
        "ratio": {"a": 0.5, "b": 1.0},
    }


def test_the_rates_of_a_bench_follow_from_its_seconds() -> None:
    collision, halo = (find_workload(name).part(Bench) for name in ("collision", "halo"))
    assert rates_of(collision, {"seconds_per_turn": 0.25}) == {"turns per second": 4.0}
    curve = {"protocol": "put", "words": [2, 4], "seconds": [0.5, 0.25]}
    assert rates_of(halo, {"curves": [curve]}) == {"put 2": 2.0, "put 4": 4.0}
    point = {"operator": "swap", "protocol": "put", "bytes": 8, "seconds": 0.5}
    assert rates_of(halo, {"curves": [point]}) == {"swap put 8": 2.0}
    with refused("bench collision", "rate", "--together"):
        rates_of(collision, {})


def test_a_copy_waits_at_its_barrier_until_it_is_released() -> None:
    (wait, release), (arrived, arrive) = os.pipe(), os.pipe()
    core = InStep(None, wait, arrive)  # type: ignore[arg-type]
    os.write(release, b".")
    core.barrier()
    assert os.read(arrived, 10) == b"."
    os.close(release)
    with refused("copy", "ended", by=RunError):
        core.barrier()


def test_a_copy_that_fails_ends_all_with_its_sentence() -> None:
    argv = ["bench", "halo", "--set", "halo.rows=3", "--json"]
    with refused("halo.rows", 3, 2, by=RunError):
        run_copies(argv, 2)


def test_bench_together_gives_the_ratio_and_a_page_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    argv = ["bench", "halo", "--turns", "1", "--set", "halo.words=2", "--together", "--ranks", "2"]
    assert main([*argv, "--json", "--html", str(page)]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["copies"] == 2 and result["ranks"] == 1
    assert result["alone"].keys() == result["together"].keys() == result["ratio"].keys()
    assert len(result["ratio"]) > 10 and min(result["ratio"].values()) > 0
    shares = [f"{100 * share:.0f}" for share in result["ratio"].values()]
    says(page.read_text(), "2 copies at once", "speed", *shares[:6])
