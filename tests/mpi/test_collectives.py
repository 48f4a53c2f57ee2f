"""Collectives on several ranks: every value, the plan against what was sent, simulated machines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.workloads.collectives.model import OPERATORS
from tests.mpi.scripts import printed

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
simulated = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_every_value_is_right_and_every_message_planned(ranks: int, repository: Path) -> None:
    text = printed(["-m", "tests.mpi.collective_runs"], ranks, repository, seconds=170)
    assert json.loads(text) == []


@simulated
@pytest.mark.parametrize("blocking", ["true", "false"])
def test_a_twin_runs_all_operators_by_the_library(
    blocking: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text('workload = "collectives"\nexchanges = 2\ncollectives.bytes = 64\n')
    machine = ("--machine", "bassi", "--ranks", "6", "--json")
    for operator in OPERATORS:
        sets = [f"collectives.operator={operator}", f"collectives.blocking={blocking}"]
        words = [word for given in sets for word in ("--set", given)]
        out = ["--out", str(tmp_path / operator)]
        assert main(["simulate", str(path), *machine, *words, *out]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["phases"][operator.replace("-", "_")] > 0
        assert main(["predict", str(path), *machine, *words]) == 0
        (point,) = json.loads(capsys.readouterr().out)["points"]
        assert point["phases"][operator.replace("-", "_")] > 0
