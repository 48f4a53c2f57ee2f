"""A rank that fails or is killed ends all ranks with its number, and leaves whole files behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from phasewise.runs.folder import RECORD_FILE
from phasewise.runs.results import Results
from tests.mpi.test_run import ends_within, ranks_of, wait_for_turns
from tests.mpi.whole_run import STUDY, command
from tests.sentences import says, sentence_of

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

ENDLESS = ["turns=100000", "records.slices_every=0", "records.pair_luminosity_every=0"]
SECONDS = 15
"""Within which all ranks are gone: mpiexec gives them 5 s between asking and killing."""

FAULT = '''
"""A run of which one rank does at one turn what `fault` says."""
import os, resource, signal, sys
from phasewise.cli import parse
from phasewise.driver import load_core
from phasewise.mpi.ranks import together
from phasewise.commands.run import _run_here

rank, turn, fault, *words = sys.argv[1:]

class Core:
    def __init__(self, core):
        self._core = core
        self._failed = False
    def __getattr__(self, name):
        return getattr(self._core, name)
    def current_phase(self):
        return "reduce_row" if self._failed else self._core.current_phase()
    def start(self, parameters, threads):
        if fault == "no memory from the start" and self._core.rank() == int(rank):
            let_it_grow(8 << 20)  # the MPI library needs some, a mesh needs more
        if fault == "no memory":
            # Without particles and meshes a turn needs memory for its messages alone.
            parameters += "simulated.skeleton = 1\\n"
        return Driver(self._core.start(parameters, threads), self)

def let_it_grow(size):
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + size, now + size))

class Driver:
    def __init__(self, driver, core):
        self._driver, self._core = driver, core
    def __getattr__(self, name):
        return getattr(self._driver, name)
    def step(self):
        if self._core.rank() == int(rank) and self._driver.turn == int(turn):
            if fault == "no memory":
                let_it_grow(2**20)
            if fault == "raise":
                self._core._failed = True
                raise RuntimeError("no memory\\nfor a message")
        self._driver.step()
    def communication(self, events):
        if fault == "die at the end" and self._core.rank() == int(rank):
            os.kill(os.getpid(), signal.SIGKILL)
        return "{}", b"event"

core = Core(load_core())
options = parse(words)
together(core, lambda: _run_here(options, core), options.json)
'''


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(STUDY)
    return path


def overrides(*given: str) -> list[str]:
    return [word for key in given for word in ("--set", key)]


def with_fault(ranks: int, *words: object) -> subprocess.CompletedProcess[str]:
    """A run with the fault in it, started as `phasewise run` starts its ranks."""
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    options = mpiexec_options(machine, ranks, 1, open_mpi)
    return subprocess.run(
        [path, *options, sys.executable, "-c", FAULT, *map(str, words)],
        env=without_mpi(os.environ) | rank_variables(machine, ranks, 1),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def files_are_whole(out: Path) -> None:
    """Every file of the folder is one that a reader accepts, under the name that it has."""
    with Results(out) as results:
        assert results.turn.tolist() == list(range(len(results)))
    for path in out.glob("*.json"):
        json.loads(path.read_text())
    assert [path.name for path in out.rglob("*.partial")] == []


@pytest.mark.parametrize("ranks", [4, 7])
def test_a_rank_that_fails_in_a_phase_ends_all_with_its_number_and_the_phase(
    study: Path, tmp_path: Path, ranks: int
) -> None:
    out = tmp_path / "out"
    done = with_fault(ranks, 3, 5, "raise", "run", study, "--out", out, *overrides(*ENDLESS))
    assert done.returncode == 1
    says(sentence_of(done.stderr), "rank 3", "reduce_row", "turn 5", "no memory for a message")
    files_are_whole(out)


@pytest.mark.parametrize(
    ("keys", "phase"),
    [
        (("communication.process_grid=2x1",), "reduce_row"),
        (('communication.process_grid="1x2"',), "reduce_column"),
        (('communication.reduce="direct"', "communication.overlap=true"), "reduce"),
    ],
)
def test_a_rank_without_memory_for_a_message_ends_all_with_its_number_and_the_phase(
    study: Path, tmp_path: Path, keys: tuple[str, ...], phase: str
) -> None:
    # A message of half a mesh of a slice, some 8 MB, does not fit into the 1 MB left to the rank.
    keys = (*keys, *ENDLESS, "ip.1.grid=[1024, 2048]", "records.field=false")
    words = ["run", study, "--out", tmp_path / "out", *overrides(*keys)]
    done = with_fault(4, 2, 0, "no memory", *words)
    assert done.returncode == 1
    says(sentence_of(done.stderr), "rank 2", phase, "memory", "turn 0")


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_without_memory_for_its_meshes_leaves_no_other_waiting(
    study: Path, tmp_path: Path, rank: int
) -> None:
    # The points differ in slices, so in process grids, for which the ranks have to meet each time.
    mesh = "{beta=[0.55, 0.55], grid=[1024, 1024], slices="
    keys = (f"ip.1={mesh}3}}", f"ip.2={mesh}1}}", "records.field=false", *ENDLESS)
    words = ["run", study, "--out", tmp_path / "out", *overrides(*keys)]
    done = with_fault(3, rank, -1, "no memory from the start", *words)
    assert done.returncode == 1
    sentence = sentence_of(done.stderr)
    says(sentence, "memory", "study", *([f"rank {rank}"] if rank else []))


def rank_of(pid: int) -> int:
    """The rank that a process is, from what the launcher told it."""
    pairs = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    (value,) = [p for p in pairs if p.startswith((b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK="))]
    return int(value.partition(b"=")[2])


@pytest.mark.parametrize(
    ("ranks", "killed", "number"),
    [
        (2, 0, signal.SIGSEGV),
        (4, 3, signal.SIGKILL),
        (7, 0, signal.SIGKILL),
        (7, 6, signal.SIGSEGV),
    ],
)
def test_a_rank_that_is_killed_ends_all_with_its_number(
    study: Path, tmp_path: Path, ranks: int, killed: int, number: signal.Signals
) -> None:
    out = tmp_path / "out"
    words = ["--ranks", ranks, "--out", out, "--json", *overrides(*ENDLESS)]
    with subprocess.Popen(
        command(study, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        wait_for_turns(out, 1, process)
        pids = {rank_of(pid): pid for pid in ranks_of(process.pid)}
        assert sorted(pids) == list(range(ranks))
        os.kill(pids[killed], number)
        since = time.monotonic()
        text, error = process.communicate(timeout=60)
    assert time.monotonic() - since < SECONDS
    assert process.returncode == 1
    sentence = sentence_of(error)
    says(sentence, f"rank {killed}", f"signal {int(number)}")
    # mpiexec does not always know the process.
    assert set(re.findall(r"process (\d+)", sentence)) <= {str(pids[killed])}
    assert json.loads(text) == {"error": sentence, "status": 1}
    assert ends_within(pids.values(), SECONDS)
    assert not (out / RECORD_FILE).exists()
    files_are_whole(out)


@pytest.mark.parametrize("killed", [0, 2])
def test_a_rank_that_dies_while_the_records_are_gathered_leaves_none(
    study: Path, tmp_path: Path, killed: int
) -> None:
    out = tmp_path / "out"
    words = ["run", study, "--out", out, *overrides("turns=3", "records.field=false")]
    done = with_fault(3, killed, -1, "die at the end", *words)
    assert done.returncode == 128 + signal.SIGKILL
    says(done.stderr, f"rank {killed}")
    assert not (out / RECORD_FILE).exists()
    files_are_whole(out)
