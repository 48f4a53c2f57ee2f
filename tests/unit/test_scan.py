"""Scans with real runs: from the command line, in parts, from Python, killed and gone on with."""

from __future__ import annotations

import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.mpi.guard import members
from phasewise.runs.checkpoint import find_checkpoints
from phasewise.scanning.scan import Request
from phasewise.traces.records import read_communication
from tests.sentences import Nearest, command_refused, refused, says
from tests.unit.study_tables import json_as_toml, tables, write

pytest.importorskip("phasewise._core", reason="the core is not built")

SMALL: dict[str, Any] = {
    "turns": 2,
    "beam__1__macroparticles": 100,
    "ip__1__grid": [16, 16],
    "ip__1__slices": 1,
}
LATEST = 60.0
"""Seconds until a busy machine has done its part."""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return write(tmp_path, json_as_toml(tables(**SMALL)))


def scan(study: Path, *words: str) -> int:
    return main(command(study, *words))


def command(study: Path, *words: str) -> list[str]:
    return ["scan", str(study), "--out", str(study.parent / "out"), *words]


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "table.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_scan_runs_its_points_in_parts_and_none_twice(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--over", "ip.1.slices=1,[2,1],0", "--json", "--plot", "luminosity.mean"]
    assert scan(study, *words, "--part", "1/2") == 1
    first = json.loads(capsys.readouterr().out)
    assert [point["status"] for point in first["points"]] == ["complete", "waiting", "failed"]
    assert scan(study, *words, "--part", "2/2") == 1
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    last = captured.err.splitlines()[-1]
    assert last.startswith("phasewise: ")
    says(last, "1 of 3", "ip.1.slices", 0, "table", "same command")
    assert found["keys"] == ["ip.1.slices"]
    assert [point["values"]["ip.1.slices"] for point in found["points"]] == [1, [2, 1], 0]
    assert [point["status"] for point in found["points"]] == ["complete", "complete", "failed"]
    one = found["points"][1]
    assert one["seed"] == 3
    assert one["luminosity"]["mean"] > 1e33
    assert phasewise.open_results(one["folder"]).study["ip"]["1"]["slices"] == [2, 1]
    assert [row["status"] for row in rows(study.parent / "out")] == [
        *("complete", "complete", "failed")
    ]
    times = [path.stat().st_mtime_ns for path in study.parent.glob("out/points/*/summary.json")]
    assert scan(study, "--over", "ip.1.slices=1,[2,1],0", "--quiet") == 1
    again = [path.stat().st_mtime_ns for path in study.parent.glob("out/points/*/summary.json")]
    assert (len(times), again) == (2, times)
    out = study.parent / "out"
    words = command(study, "--over", "ip.1.slices=1,[2,1]")
    command_refused(capsys, words, out, "another scan", "--over ip.1.slices", "--out")
    words = command(study, "--over", "ip.1.slices=1,[2,1],0", "--set", "turns=3")
    command_refused(capsys, words, out, "another scan", "turns", 2, 3, "--out")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("--over ip.1.slics=5,9", ("ip.1.slics=5", "ip.1", '"slics"', Nearest("slices"))),
        ("--over arc.tnue.0=5,9", ("arc.tnue.0=5", "arc", '"tnue"', Nearest("tune"))),
        ("--over ip.1.slices=1:2000:2000", (2000, 1000, "--yes")),
        ("--over ip.1.slices=1 --part 3/2", ("--part 3/2", "I/N", 1, "N")),
        ("--over ip.1.slices=1 --converge a", ("--converge a", "scanned", "ip.1.slices")),
        ("--over ip.1.slices=1:2 --random 2 --sobol 2", ("--random", "--sobol", "one")),
        ("--sed 3", ("--sed", Nearest("--seeds"))),
    ],
)
def test_misuse_is_one_sentence_and_leaves_no_folder(
    study: Path, words: str, facts: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command_refused(capsys, command(study, *words.split()), *facts)
    assert not (study.parent / "out").exists()


def test_a_folder_of_something_else_is_left_alone(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (study.parent / "out").mkdir()
    (study.parent / "out" / "mine").touch()
    words, out = command(study, "--seeds", "2"), study.parent / "out"
    command_refused(capsys, words, out, "folder", "mine", "--out")
    (out / "mine").rename(out / "scan.json")
    command_refused(capsys, words, out / "scan.json", "damaged", "--out")


def test_a_study_of_python_is_scanned_with_seeds(tmp_path: Path) -> None:
    given = tables(**SMALL) | {"title": 'a "study" of Python'}
    given["beam"]["1"]["normalized_emittance"] = np.full(2, 3.75e-6)
    study = phasewise.Study.from_dict(given)
    found = phasewise.scan(
        study,
        {"ip.1.slices": np.array([2])},
        seeds=2,
        out=tmp_path / "out",
        plot=["luminosity.mean"],
    )
    assert found.complete
    assert [(p.values, p.seed) for p in found.points] == [
        ({"ip.1.slices": 2}, 3),
        ({"ip.1.slices": 2}, 4),
    ]
    column = found.column("luminosity.mean")
    (mean,) = found.means("luminosity.mean")
    assert (mean.mean, mean.count) == (pytest.approx(column.mean()), 2)
    assert mean.error == pytest.approx(abs(column[1] - column[0]) / 2)
    with refused("scan", "folder", "out"):
        phasewise.scan(study, seeds=2)


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
def test_points_on_several_ranks_and_threads_have_the_same_bits(study: Path) -> None:
    found = []
    for name, words in (("one", ()), ("two", ("--ranks", "2", "--threads", "2"))):
        out = study.parent / name
        given = ["--seeds", "1", "--out", str(out), "--plot", "luminosity.mean", "--quiet"]
        assert main(["scan", str(study), *given, *words]) == 0
        found.append(phasewise.open_results(out / "points/0001"))
    one, two = found
    assert (one.attributes["ranks"], two.attributes["ranks"]) == (1, 2)
    assert two.attributes["threads"] == 2
    np.testing.assert_array_equal(one.luminosity, two.luminosity)


@pytest.mark.parametrize(
    ("asked", "at_a_time"),
    [
        ({}, 8),
        ({"ranks": 2}, 4),
        ({"ranks": 3, "threads": 2}, 1),
        ({"ranks": 16}, 1),
        ({"ranks": 4, "jobs": 5}, 5),
    ],
)
def test_as_many_points_run_as_have_the_cores_of_their_ranks(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, int], at_a_time: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    assert Request(out=Path("here"), **asked).points_at_a_time() == at_a_time


def test_points_whose_process_grid_has_other_ranks_are_refused(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command(study, "--over", 'communication.process_grid="1x2"', "--ranks", "6")
    command_refused(capsys, words, "no point", "communication.process_grid", '"1x2"', 4, 6, "1x3")


def wait_until(true: Callable[[], object]) -> None:
    last = time.monotonic() + LATEST
    while not true():
        assert time.monotonic() < last
        time.sleep(0.02)


def test_a_killed_scan_goes_on_from_the_checkpoints_of_its_points(tmp_path: Path) -> None:
    study = write(tmp_path, json_as_toml(tables(**SMALL, records__checkpoint_every=10)))
    out = tmp_path / "out"
    words = [sys.executable, "-m", "phasewise", "scan", str(study), "--out", str(out)]
    words += ["--seeds", "2", "--jobs", "2", "--set", "turns=500", "--quiet"]
    words += ["--plot", "luminosity.mean"]
    error = kill(words, signal.SIGTERM, lambda: all(last_checkpoints(out)))
    assert error.startswith("phasewise: ")
    says(error, "signal", "0 of 2", "same command")
    assert [row["status"] for row in rows(out)] == ["unfinished", "unfinished"]
    first = last_checkpoints(out)
    kill(
        words,
        signal.SIGKILL,
        lambda: all(a > b for a, b in zip(last_checkpoints(out), first, strict=True)),
    )
    assert not list(out.glob("points/*/summary.json"))
    assert not list(out.rglob("*.partial"))
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=2 * LATEST)
    assert done.returncode == 0
    says(done.stderr, "2 of 2", "complete")
    assert sorted(path.name for path in (out / "points").iterdir()) == ["0001", "0002"]
    # The last process recorded the messages of only those turns that were left.
    assert read_communication(out / "points/0002").turns < 500
    whole = phasewise.run(phasewise.load(study, ["turns=500", "seed=4"]))
    assert np.array_equal(phasewise.open_results(out / "points/0002").luminosity, whole.luminosity)


def last_checkpoints(out: Path) -> list[str]:
    """The names of the newest checkpoints of both points; empty where there is none."""
    found = [find_checkpoints(out / f"points/000{number}/checkpoint") for number in (1, 2)]
    return [paths[0].name if paths else "" for paths in found]


def kill(words: list[str], number: signal.Signals, ready: Callable[[], object]) -> str:
    """Send a signal to a scan once it is ready, wait until its runs have ended; its last words."""
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        wait_until(ready)
        sessions = children_of(process.pid)
        process.send_signal(number)
        assert process.stderr is not None
        error = process.stderr.read().splitlines()
    wait_until(lambda: not any(map(members, sessions)))
    return error[-1] if error else ""


def children_of(pid: int) -> list[int]:
    listing = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8")
    return [int(word) for word in listing.split()]


def test_a_full_disk_costs_no_point_that_is_complete(study: Path) -> None:
    out = study.parent / "out"
    words = [sys.executable, "-m", "phasewise", "scan", str(study), "--out", str(out), "--seeds"]
    words += ["1", "--quiet", "--json", "--plot", "luminosity.mean"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, resource.RLIM_INFINITY))

    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=LATEST, preexec_fn=limit
    )
    assert (done.returncode, "Traceback" in done.stderr) == (1, False)
    (point,) = json.loads(done.stdout)["points"]
    assert point["status"] == "failed"
    says(point["why"], "largest", "size")
    assert not list(out.rglob("*.partial"))
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, timeout=LATEST, env=environment
    )
    assert done.returncode == 0
    assert [row["status"] for row in rows(out)] == ["complete"]
    assert not (out / "points/0001/failure.json").exists()
