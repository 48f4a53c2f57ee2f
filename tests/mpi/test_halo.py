"""Halo exchanges on several ranks: records, checkpoints, and the plan against what was sent."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.models.plan import plan
from phasewise.runs.results import Results
from phasewise.study import load
from phasewise.traces.records import read_communication
from phasewise.workload.protocols import comparable
from tests.commands import printed
from tests.mpi.whole_run import datasets, ran
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")
HEADER = 16
"""Bytes that SimGrid adds to a message."""

mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
simulated = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

STUDY = """
workload = "halo"
exchanges = 20
[halo]
words = 12
rows = 2
[records]
checkpoint_every = 8
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "halo.toml"
    path.write_text(STUDY)
    return path


def checksums(ranks: int, exchanges: int) -> list[int]:
    """Sum of all halo cells: each cell of a rank's edges stands in one halo for each edge it is in,
    and every exchange adds 7 to it. Of a row of n ranks' 6 x 6 cells.
    """
    n, px = 6, ranks
    x, y = np.meshgrid(np.arange(n * px), np.arange(n))
    edge = [np.isin(place % n, (0, 1, n - 2, n - 1)).astype(int) for place in (x, y)]
    cells, times = y * n * px + x, sum(edge)
    return [int(((cells + 7 * k) * times).sum()) for k in range(exchanges)]


@mpi
def test_a_run_speaks_of_exchanges_and_of_no_turns(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    out = tmp_path / "out"
    keys = ("--set", "exchanges=60", "--set", 'communication.tune="auto"')
    done = ran(study, "--ranks", 2, "--out", out, *keys)
    text = done.stdout + done.stderr
    says(text, "60 exchanges", "2 ranks", "an exchange")
    assert not re.search(r"\bturns?\b", text)
    content = json.loads((out / "communication.json").read_text())
    assert (content["unit"], content["exchanges"]) == (["exchange", "exchanges"], 60)


@mpi
def test_a_run_goes_on_from_its_checkpoint_on_other_ranks(study: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran(study, "--ranks", 2, "--out", out, "--quiet", "--set", "exchanges=16")
    # The grid is another one, and with it the cells of later exchanges.
    ran(study, "--ranks", 3, "--out", out, "--quiet", "--resume")
    with Results(out) as results:
        assert results.turn.tolist() == list(range(20))
        assert results.rows("wrong").tolist() == [0] * 20
        expected = checksums(2, 20)[:16] + checksums(3, 20)[16:]
        assert results.rows("checksum").tolist() == expected
    summary = json.loads((out / "summary.json").read_text())
    assert (summary["exchanges"], summary["wrong"]) == (20, 0)
    assert main(["report", str(out)]) == 0
    says((out / "report.html").read_text().lower(), "wrong", "cells")


@mpi
@pytest.mark.parametrize("protocol", ["irecv-isend", "sendrecv", "persistent"])
def test_what_is_recorded_is_what_is_planned(study: Path, tmp_path: Path, protocol: str) -> None:
    sets = ["--set", f"communication.protocol={protocol}"]
    ran(study, "--ranks", 4, "--out", tmp_path / "out", "--quiet", *sets)
    record = read_communication(tmp_path / "out")
    assert record.process_grid == ((2, 2),)
    assert record.algorithms == {"protocol": protocol}
    planned = {p["name"]: p for p in plan(load(study), 4)["phases"]}
    for name in ("halo_x", "halo_y"):
        phase = record.phase(name)
        assert phase is not None
        assert phase.messages.tolist() == [20 * planned[name]["messages"]] * 4
        assert phase.bytes.tolist() == [20 * planned[name]["bytes_per_rank"]] * 4 == [20 * 192] * 4


@mpi
def test_a_run_that_tunes_itself_tries_the_protocols(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PHASEWISE_CACHE", str(tmp_path / "cache"))
    sets = ["--set", "exchanges=60", "--set", "communication.tune=auto"]
    ran(study, "--ranks", 2, "--out", tmp_path / "tuned", "--quiet", *sets)
    ran(study, "--ranks", 2, "--out", tmp_path / "plain", "--quiet", *sets[:2])
    tried = json.loads((tmp_path / "tuned" / "tuning.json").read_text())["candidates"]
    assert {e["changes"].get("protocol") for e in tried} >= {"sendrecv", "persistent"}
    assert datasets(tmp_path / "tuned") == datasets(tmp_path / "plain")


@simulated
def test_bassi_is_simulated_predicted_and_tuned(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = ("--machine", "bassi", "--ranks", 6)
    for protocol in ("irecv-isend", "sendrecv", "persistent"):
        found = printed(
            capsys, "simulate", study, *machine, "--turns", 2,
            "--set", f"communication.protocol={protocol}", "--out", tmp_path / protocol,
        )  # fmt: skip
        assert found["exchanges"] == 2
        assert found["algorithms"] == {"protocol": protocol}
        assert found["exchange_seconds"] > found["floor_seconds"] > 0
        compared = printed(capsys, "compare", tmp_path / protocol)
        assert set(compared["points"][0]["phases"]) >= {"halo_x", "halo_y"}
    (predicted,) = printed(capsys, "predict", study, *machine)["points"]
    assert set(predicted["phases"]) == {"halo_x", "halo_y", "checks"}
    assert predicted["exchange_seconds"] > 0
    tuned = printed(capsys, "tune", study, *machine, "--verify", 0)
    assert set(tuned["choice"]) == {"process_grid", "protocol"}
    assert len(tuned["candidates"]) == 4 * len(comparable())
    # All six ranks are in one node, where fewer messages are faster: those along one side.
    assert tuned["choice"]["process_grid"] in ("1x6", "6x1")


@simulated
@pytest.mark.parametrize("rows", [1, 2])
def test_copying_takes_as_long_in_a_prediction_as_in_a_simulation(
    study: Path, capsys: pytest.CaptureFixture[str], rows: int
) -> None:
    given = ("--machine", "bassi", "--ranks", 16, "--set", "halo.words=4096")
    given = (*given, "--set", "halo.verify=false", "--set", f"halo.rows={rows}")
    found = printed(capsys, "simulate", study, *given, "--turns", 16)
    (predicted,) = printed(capsys, "predict", study, *given)["points"]
    copying = found["turn_seconds"] - found["communication_seconds"]
    # The first exchange begins with the last rank, some latencies after the others; in 16 exchanges
    # that counts little.
    assert predicted["computation_seconds"] == pytest.approx(copying, abs=1e-6)


@simulated
@pytest.mark.parametrize("words", [12, 2048])
def test_an_exchange_within_a_node_takes_a_latency_and_the_bytes_of_both_messages(
    study: Path, capsys: pytest.CaptureFixture[str], words: int
) -> None:
    found = printed(
        capsys, "simulate", study, "--machine", "bassi", "--ranks", 8, "--twin", "plain",
        "--skeleton", "--no-computation", "--set", f"halo.words={words}",
        "--set", "halo.verify=false",
    )  # fmt: skip
    line = load_machine("bassi").paper["parallel_intra"]
    # Both messages leave at once, and share what a rank can send.
    expected = line.seconds(2 * (8 * words + HEADER))
    assert found["phases"] == pytest.approx({"halo_x": expected, "halo_y": expected}, rel=1e-3)
