"""The core without MPI: every command on one rank, with the numbers of MPI's one rank."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasewise.compiled import missing_features
from phasewise.driver import check_alone, step_tasks
from phasewise.errors import RunError
from tests.mpi.exchanges import ROWS
from tests.mpi.whole_run import STUDY, differing, ran
from tests.sentences import refused, says, sentence_of
from tests.unit.core_contract import CHECKS

SERIAL = {"PHASEWISE_CORE": "serial"}
HALO = """
title = "faces"
workload = "halo"
exchanges = 3
[halo]
words = 16
rows = 2
verify = true
"""


def done_with(core: str, *words: object) -> subprocess.CompletedProcess[str]:
    """`python WORDS` with a core of one's choice."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env=os.environ | {"PHASEWISE_CORE": core},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def said_with(core: str, *words: object) -> Any:
    """What `phasewise WORDS --json` prints with a core."""
    done = done_with(core, "-m", "phasewise", *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    """The only line that a command which failed wrote to standard error."""
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    return line


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(STUDY)
    return path


@pytest.mark.parametrize("transpose", ["pairwise", "alltoallw"])
def test_a_run_without_mpi_gives_the_bits_of_one_rank(
    study: Path, tmp_path: Path, transpose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--threads", 2, "--set", f"communication.transpose={transpose}", "--out")
    ran(study, *words, tmp_path / "mpi")
    monkeypatch.setenv("PHASEWISE_CORE", "serial")
    ran(study, *words, tmp_path / "serial")
    assert differing(tmp_path / "mpi", tmp_path / "serial") == []
    page = tmp_path / "page.html"
    done = done_with("serial", "-m", "phasewise", "report", tmp_path / "serial", "--output", page)
    assert done.returncode == 0, done.stderr
    assert "Luminosity" in page.read_text()


def test_halos_are_exchanged_with_oneself_without_mpi(tmp_path: Path) -> None:
    study = tmp_path / "halo.toml"
    study.write_text(HALO)
    said_with("serial", "run", study, "--out", tmp_path / "out")
    faults, _ = json.loads(done_with("serial", "-m", "tests.mpi.exchanges").stdout)[0]
    assert ROWS > 0 and faults == []


def test_what_is_computed_without_a_run_is_the_same_without_mpi(study: Path) -> None:
    for words in (
        ("check", study),
        ("plan", study, "--ranks", 4),
        ("predict", study, "--machine", "bassi", "--ranks", "2,4"),
    ):
        assert said_with("serial", *words) == said_with("mpi", *words)


def test_a_core_without_mpi_keeps_the_contract() -> None:
    done = done_with("serial", "-m", "tests.mpi.contract")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(CHECKS)}\n"


def test_importing_the_package_loads_no_core() -> None:
    words = "import sys, phasewise; assert 'phasewise._core' not in sys.modules"
    assert done_with("serial", "-c", words).returncode == 0


def test_ranks_without_mpi_are_refused_in_one_sentence(study: Path, tmp_path: Path) -> None:
    words = ("run", study, "--ranks", 2, "--out", tmp_path / "out")
    said = sentence(done_with("serial", "-m", "phasewise", *words))
    says(said, "ranks", "MPI", "install")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
def test_a_core_without_mpi_does_not_run_in_copies(study: Path, tmp_path: Path) -> None:
    words = ["-m", "phasewise", "run", str(study), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        ["mpiexec", "-n", "2", sys.executable, *words],
        env=os.environ | SERIAL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    says(sentence_of(done.stderr), "launcher", "2 ranks", "no MPI")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
@pytest.mark.parametrize("ranks", [1, 2])
def test_commands_in_the_shell_of_a_slurm_step_run(study: Path, tmp_path: Path, ranks: int) -> None:
    # Open MPI without Slurm ends a process that srun seems to have started as a rank.
    step = {"SLURM_STEP_ID": "0", "SLURM_NODELIST": "here", "SLURM_JOB_ID": "1"}
    words = ["-m", "phasewise", "run", str(study), "--out", str(tmp_path / "out")]
    words += ["--ranks", "2"] if ranks > 1 else []
    done = subprocess.run(
        [sys.executable, *words],
        env=os.environ | step, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/records.h5").exists()


def test_a_process_of_srun_is_known_from_the_script_of_a_job() -> None:
    step = {"SLURM_PROCID": "0", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "4"}
    assert step_tasks(step) == 4
    assert step_tasks(step | {"SLURM_STEP_ID": "4294967291"}) == step_tasks({}) == 0
    check_alone("", step)
    check_alone("it is not there", {})
    with refused("4 ranks", "MPI", "it is not there", by=RunError):
        check_alone("it is not there", step)


def test_a_choice_that_there_is_not_is_one_sentence(study: Path) -> None:
    said = sentence(done_with("parallel", "-m", "phasewise", "plan", study, "--ranks", "2"))
    says(said, "PHASEWISE_CORE", '"parallel"', "mpi", "mpich", "serial")


def test_a_processor_that_lacks_what_the_core_was_compiled_for_is_known(tmp_path: Path) -> None:
    needs, processor = tmp_path / "needs", tmp_path / "cpuinfo"
    needs.write_text("avx2\nfma\n")
    assert missing_features(needs, processor) == []
    processor.write_text("processor\t: 0\n")
    assert missing_features(needs, processor) == []
    processor.write_text("processor\t: 0\nflags\t\t: fpu avx2 fma\n\nflags\t\t: fpu\n")
    assert missing_features(needs, processor) == []
    processor.write_text("processor\t: 0\nflags\t\t: fpu sse4_2 fma\n")
    assert missing_features(needs, processor) == ["avx2"]
    assert missing_features(tmp_path / "none", processor) == []
