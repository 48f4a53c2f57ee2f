"""A signal ends a bench of messages in order: it keeps what was measured."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.errors import StoppedError
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
def test_an_interrupted_bench_keeps_what_it_has_measured(tmp_path: Path) -> None:
    table = tmp_path / "curves.csv"
    words = ["bench", "collectives", "--ranks", "2", "--json", "--progress", "--csv", table]
    # So many that the first pass through all sizes takes much longer than two seconds.
    words += ["--turns", "2000"]
    with subprocess.Popen(
        [sys.executable, "-m", "phasewise", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        first = process.stderr.readline()  # of progress, after two seconds
        process.send_signal(signal.SIGINT)
        output, error = process.communicate(timeout=60)
    assert process.returncode == StoppedError.exit_status, first + error
    (sentence,) = (line for line in error.splitlines() if line.startswith("phasewise: "))
    says(sentence, "signal", "unfinished")
    result = json.loads(output)
    measured = sum(len(curve["seconds"]) for curve in result["curves"])
    assert measured > 0 and result["unfinished"] > 0
    assert len(table.read_text().splitlines()) == measured + 1
