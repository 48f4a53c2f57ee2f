"""What ranks exchange of their devices: from device to device, or through the host."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.study import load
from tests.mpi.scripts import printed
from tests.mpi.whole_run import NEVER, STUDY, run
from tests.sentences import refused, says, sentence_of

core = pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

EMULATED = ("--device", "emulated", "--set", "turns=2", *NEVER)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_nothing_is_sent_before_it_is_made_nor_read_before_it_has_come(
    repository: Path, ranks: int
) -> None:
    assert json.loads(printed(["-m", "tests.mpi.device_exchanges"], ranks, repository, 60)) == []


@pytest.mark.parametrize(
    ("ranks", "given", "recorded"),
    [(1, "direct", None), (2, "auto", "direct"), (2, "direct", "direct"), (3, "staged", "staged")],
)
def test_a_run_records_how_its_devices_exchanged(
    study: Path, tmp_path: Path, ranks: int, given: str, recorded: str | None
) -> None:
    words = ("--set", f"run.device_buffers='{given}'", "--ranks", ranks, "--out", tmp_path / "out")
    done = run(study, *EMULATED, *words)
    assert done.returncode == 0, done.stderr
    performance = json.loads((tmp_path / "out" / "performance.json").read_text())
    assert (performance["device"], performance["device_buffers"]) == ("emulated", recorded)
    resolved = json.loads((tmp_path / "out" / "study.json").read_text())
    assert resolved["run"]["device_buffers"] == given


def test_a_library_that_cannot_send_from_a_gpu_is_one_sentence_on_all_ranks(
    study: Path, tmp_path: Path
) -> None:
    if core.takes_gpu_memory():
        pytest.skip("this MPI library sends from a GPU's memory")
    words = ("--device", "cuda", "--set", "run.device_buffers='direct'", "--ranks", 3)
    done = run(study, *words, "--out", tmp_path / "out")
    assert done.returncode == 2
    sentence = sentence_of(done.stderr)
    says(sentence, "run.device_buffers", '"direct"', "MPI library", '"staged"', '"auto"')


@pytest.mark.parametrize("device", ["cpu", "auto"])
def test_how_devices_exchange_changes_nothing_where_a_run_has_none(
    study: Path, tmp_path: Path, device: str
) -> None:
    if phasewise.Simulation(load(study, [f"run.device='{device}'"])).driver.device == "cuda":
        pytest.skip("this machine has a GPU, where the run would go")
    words = ("--device", device, "--set", "run.device_buffers='direct'", "--ranks", 2)
    done = run(study, *words, "--set", "turns=2", *NEVER, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    performance = json.loads((tmp_path / "out" / "performance.json").read_text())
    assert (performance["device"], performance["device_buffers"]) == ("cpu", None)


def test_a_protocol_that_cannot_take_messages_from_a_device_says_so() -> None:
    field = np.zeros(4)
    memory = field.view(np.uint8)
    nothing = {"team": [core.rank()], "me": 0, "nodes": [0], "adds": False, "blocks": []}
    exchange = nothing | {"protocol": "derived", "rounds": []}
    with refused('"derived"', "device", by=RuntimeError):
        core.Executor(on_device=True).run(exchange, memory, 32, memory, 32)
