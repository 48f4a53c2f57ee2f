"""Exchanges between pairs on several ranks: records, plan, bench, and simulated machines."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasewise.models.plan import plan
from phasewise.runs.results import Results
from phasewise.study import Study, load
from phasewise.traces.records import read_communication
from phasewise.workload.protocols import available
from tests.commands import printed
from tests.mpi.whole_run import ran

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
simulated = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

STUDY = """
workload = "commtest"
exchanges = 6
commtest = { bytes = 1000, pairs = "i-(i+1)", window = 4 }
communication.packet = 300
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "commtest.toml"
    path.write_text(STUDY)
    return path


@mpi
@pytest.mark.parametrize("operator", ["swap", "echo", "stream"])
def test_what_is_recorded_is_what_is_planned(study: Path, tmp_path: Path, operator: str) -> None:
    sets = [f"commtest.operator={operator}"]
    for protocol in ("irecv-isend", "put", "persistent"):
        out = tmp_path / protocol
        given = [*sets, f"communication.protocol={protocol}"]
        ran(study, "--ranks", 3, "--out", out, "--quiet", *(w for s in given for w in ("--set", s)))
        phase = read_communication(out).phase(operator)
        assert phase is not None
        own = load(study, given)
        for rank in range(3):
            every = {p["name"]: p for p in plan(own, 3, rank=rank)["phases"]}
            due = every.get(operator, {"messages": 0, "bytes_per_rank": 0})
            assert phase.messages[rank] == 6 * due["messages"]
            assert phase.bytes[rank] == 6 * due["bytes_per_rank"]
        with Results(out) as results:
            assert results.rows("wrong").tolist() == [0] * 6
        summary = json.loads((out / "summary.json").read_text())
        assert (summary["exchanges"], summary["wrong"]) == (6, 0)


def bytes_sent(**keys: Any) -> int:
    """What both ranks of a pair send in an exchange, as the core counts it."""
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    own = Study.from_dict({"workload": "commtest", "exchanges": 1, "commtest": keys})
    return int(core.traffic(own.parameters(), 2)["bytes"].sum())


@mpi
def test_bench_gives_a_curve_for_each_operator_and_protocol() -> None:
    words = ["bench", "commtest", "--ranks", "2", "--turns", "2", "--json"]
    words += ["--set", "commtest.bytes=4096", "--set", "commtest.window=2"]
    done = subprocess.run(
        [sys.executable, "-m", "phasewise", *words], capture_output=True, text=True, timeout=150
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["reference"], result["ranks"]) == ("hardware", 2)
    operators = ("swap", "echo", "stream")
    found = {(curve["operator"], curve["protocol"]) for curve in result["curves"]}
    assert found == {(name, protocol) for name in operators for protocol in available()}
    sent = {name: bytes_sent(operator=name, bytes=4096, window=2) for name in operators}
    for curve in result["curves"]:
        (low,), (seconds,), (high,) = (curve[name] for name in ("low", "seconds", "high"))
        assert 0 < low <= seconds <= high
        # The 8 bytes that answer a stream do not count: 1e-3 of it.
        expected = pytest.approx(sent[curve["operator"]] / seconds, rel=1.1e-3)
        assert curve["bandwidth"] == [expected] and curve["pairs"] == "0-1"
    assert set(result["best"]) == {"4096"} and set(result["best_by_operator"]) == set(operators)


@simulated
def test_bassi_is_simulated_predicted_and_tuned(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = ("--machine", "bassi", "--ranks", 4)
    for operator in ("swap", "echo", "stream"):
        own = ("--set", f"commtest.operator={operator}")
        found = printed(
            capsys, "simulate", study, *machine, *own, "--out", tmp_path / operator, "--turns", 2
        )
        assert found["exchange_seconds"] > 0
        (predicted,) = printed(capsys, "predict", study, *machine, *own)["points"]
        assert set(predicted["phases"]) == {operator, "checks"}
    tuned = printed(capsys, "tune", study, *machine, "--verify", 0)
    assert set(tuned["choice"]) == {"protocol", "packet"}
