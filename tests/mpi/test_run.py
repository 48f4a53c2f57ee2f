"""Whole runs on one and several ranks: same numbers, clean stops, a sentence for every fault."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.errors import StoppedError
from phasewise.runs.results import Results
from tests.mpi.whole_run import LONG, STUDY, command, differing, ran, run
from tests.sentences import Nearest, one_sentence, says, sentence_of

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(STUDY)
    return path


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The study's run on a single rank with a single thread."""
    folder = tmp_path_factory.mktemp("reference")
    (folder / "small.toml").write_text(STUDY)
    ran(folder / "small.toml", "--out", folder / "out", "--quiet")
    return folder / "out"


@pytest.mark.parametrize(("ranks", "threads"), [(1, 3), (2, 1), (3, 2), (4, 1), (7, 1)])
def test_records_are_the_same_bit_for_bit_on_any_ranks_and_threads(
    study, tmp_path, reference, ranks, threads
):
    out = tmp_path / "out"
    ran(study, "--ranks", ranks, "--threads", threads, "--out", out, "--quiet")
    assert differing(reference, out) == []
    with Results(out) as results:
        assert results.attributes["ranks"] == ranks
        assert results.attributes["threads"] == threads


def test_the_study_exercises_what_the_comparison_is_about(reference):
    results = Results(reference)
    assert results.turn.tolist() == list(range(12))
    assert results.beam(1).losses[-1] > 0
    assert np.isfinite(results.beam(1).moment4).all()
    assert results.luminosity[:, 0].min() > 0
    assert results.snapshots("slices") == [0, 5, 10]
    assert results.snapshots("field") == [11]
    for beam in (1, 2):
        assert results.field(11, beam=beam)["charge"].sum() != 0


@pytest.mark.parametrize(("before", "after"), [(1, 3), (3, 2), (2, 1)])
def test_a_resumed_run_is_the_same_bit_for_bit_on_other_ranks(
    study, tmp_path, reference, before, after
):
    out = tmp_path / "out"
    plan = ("--set", "records.field=false")
    ran(study, "--ranks", before, "--out", out, "--set", "turns=8", *plan)
    # Of turns 6 and 7 the records are written, the checkpoints stand at 6 and 8; fall back to 6.
    (out / "checkpoint" / "turn-000000000008.h5").write_bytes(b"cut short")
    done = run(study, "--ranks", after, "--out", out, "--resume")
    assert done.returncode == 0, done.stderr
    says(done.stderr, "turn-000000000008.h5", "damaged", "turn-000000000006.h5")
    assert differing(reference, out) == []


def test_a_resumed_run_may_divide_and_exchange_its_work_in_another_way(study, tmp_path, reference):
    out = tmp_path / "out"
    plan = ("--set", "records.field=false")
    ran(study, "--out", out, "--set", "turns=6", *plan)
    other = (
        *('communication.process_grid="1x2"', 'communication.reduce="direct"'),
        *('communication.transpose="bruck"', 'communication.crossing="4b"'),
        *('communication.phase.broadcast_row.algorithm="mpi"', "communication.overlap=true"),
        'ip.1.green_function="every-step"',
    )
    ran(study, "--ranks", 4, "--out", out, "--resume", *(w for k in other for w in ("--set", k)))
    assert differing(reference, out) == []
    with Results(out) as results:
        assert results.attributes["ranks"] == 4


def wait_for_turns(out, turns, process):
    """Wait until a run that goes on has recorded so many turns."""
    end = time.monotonic() + 40
    while time.monotonic() < end:
        assert process.poll() is None, process.stderr.read()
        if (out / "records.h5").exists():
            try:
                with Results(out) as results:
                    if len(results) >= turns:
                        return
            except phasewise.RunError:
                pass  # caught while the file is being laid out
        time.sleep(0.05)
    pytest.fail("the run recorded nothing")


def own_lines(error):
    """Lines that are not warnings of libevent, which Open MPI's launcher uses: a rank that ends as
    the launcher writes to it makes it print one.
    """
    return [line for line in error.splitlines() if not line.startswith("[warn] Epoll")]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_turn_writes_a_checkpoint_and_says_how_to_go_on(
    study, tmp_path, ranks, number
):
    out = tmp_path / "out"
    words = ["--out", out, *LONG]
    if ranks > 1:
        words += ["--ranks", ranks]
    with subprocess.Popen(command(study, *words), stderr=subprocess.PIPE, text=True) as process:
        wait_for_turns(out, 5, process)
        process.send_signal(number)
        error = process.communicate(timeout=20)[1]
    assert process.returncode == StoppedError.exit_status
    turn = len(Results(out))
    says(sentence_of(error), "signal", "turn", "--resume")
    assert len(own_lines(error)) <= 2
    (checkpoint,) = (out / "checkpoint").iterdir()
    assert checkpoint.name == f"turn-{turn:012d}.h5"
    ran(study, "--out", out, "--resume", "--set", f"turns={turn + 2}")
    assert Results(out).turn.tolist() == list(range(turn + 2))


def ranks_of(launcher):
    """Process ids of the ranks under a launcher, found by parentage."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(status.parent.name)] = int(fields[1])
    mpiexec = [pid for pid, parent in parents.items() if parent == launcher]
    return [pid for pid, parent in parents.items() if parent in mpiexec]


def alive(pid):
    """Whether a process runs: a dead one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends_within(pids, seconds):
    """Whether all these processes end in this time; their launcher does not wait for the last
    of them to be gone.
    """
    until = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_a_killed_rank_takes_all_others_along_within_seconds_and_is_named(study, tmp_path):
    out = tmp_path / "out"
    words = ("--ranks", 3, "--out", out, *LONG, "--set", "records.checkpoint_every=2")
    with subprocess.Popen(command(study, *words), stderr=subprocess.PIPE, text=True) as process:
        wait_for_turns(out, 5, process)
        recorded = len(Results(out))
        ranks = ranks_of(process.pid)
        assert len(ranks) == 3
        os.kill(ranks[1], signal.SIGKILL)
        since = time.monotonic()
        error = process.communicate(timeout=20)[1]
    assert time.monotonic() - since < 10
    assert process.returncode == 1
    says(sentence_of(error), "signal 9", "rank")
    assert ends_within(ranks, 10)
    assert len(Results(out)) >= recorded
    ran(study, "--out", out, "--resume", "--set", f"turns={recorded + 8}")


def test_when_the_launcher_is_killed_no_rank_stays_behind(study, tmp_path):
    out = tmp_path / "out"
    words = ("--ranks", 2, "--out", out, *LONG)
    with subprocess.Popen(command(study, *words), stderr=subprocess.DEVNULL, text=True) as process:
        wait_for_turns(out, 1, process)
        ranks = ranks_of(process.pid)
        assert len(ranks) == 2
        process.kill()
    assert ends_within(ranks, 10), "a rank is still there"


FAILING = """
import sys
from phasewise import Simulation, load
from phasewise.driver import load_core
from phasewise.mpi.ranks import together

def body():
    simulation = Simulation(load(sys.argv[1]))
    for turn in range(1000):
        simulation.step()
        if turn == 3 and core.rank() == 1:
            raise ValueError("the callback of rank 1\\nis wrong")

core = load_core()
together(core, body, "--json" in sys.argv)
"""


def mpiexec(ranks, *words, **options):
    environment = os.environ | {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    start = ["mpiexec", "-n", str(ranks), *map(str, words)]
    return subprocess.run(
        start, capture_output=True, text=True, timeout=60, check=False, env=environment, **options
    )


def test_an_exception_on_one_rank_ends_all_with_its_number_and_without_a_traceback(study):
    done = mpiexec(3, sys.executable, "-c", FAILING, study)
    assert done.returncode == 1
    sentence = sentence_of(done.stderr)
    says(sentence, "rank 1", "ValueError: the callback of rank 1 is wrong")


def test_an_exception_on_one_rank_is_one_object_in_json(study):
    done = mpiexec(3, sys.executable, "-c", FAILING, study, "--json")
    said = json.loads(done.stdout)
    assert said.keys() == {"error", "status"} and said["status"] == 1
    one_sentence(said["error"], "rank 1", "ValueError: the callback of rank 1 is wrong")


def test_mpiexec_may_start_the_command_itself(study, tmp_path, reference):
    done = mpiexec(2, *command(study, "--out", tmp_path / "out", "--json"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["turns"] == 12
    assert differing(reference, tmp_path / "out") == []


def test_ranks_asked_for_within_mpiexec_must_be_those_there_are(study, tmp_path):
    done = mpiexec(2, *command(study, "--ranks", 3, "--out", tmp_path / "out"))
    assert done.returncode == 2
    says(sentence_of(done.stderr), "--ranks 3", "mpiexec", 2)


@pytest.mark.parametrize("ranks", [(), ("--ranks", 3)])
@pytest.mark.parametrize(
    ("override", "facts"),
    [
        ("ip.1.slicez=4", ("ip.1", '"slicez"', Nearest("slices"))),
        ("records.slices_every=1", ("records.slices_every", 1, 100000, 10)),
    ],
)
def test_a_bad_study_is_one_sentence_on_any_number_of_ranks(
    study, tmp_path, ranks, override, facts
):
    words = ("--set", "turns=100000", "--set", override, "--out", tmp_path / "out")
    done = run(study, *words, *ranks)
    assert done.returncode == 2
    one_sentence(done.stderr, *facts)
    assert done.stdout == ""


def test_a_bad_study_under_mpiexec_is_said_once(study, tmp_path):
    done = mpiexec(3, *command(study, "--set", "turns=-1", "--out", tmp_path / "out"))
    assert done.returncode == 2
    assert done.stderr.count("phasewise: ") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("ranks", [1, 2])
def test_resuming_what_was_never_run_is_one_sentence(study, tmp_path, ranks):
    done = run(study, "--ranks", ranks, "--out", tmp_path / "none", "--resume")
    assert done.returncode == 1
    one_sentence(done.stderr, tmp_path / "none", "no run", "--resume")


@pytest.mark.parametrize("ranks", [(), ("--ranks", 3)])
def test_beams_without_a_size_end_the_run_in_one_sentence(study, tmp_path, ranks):
    single = ("beam.1.macroparticles=1", "beam.2.macroparticles=1", "ip.1.slices=1")
    words = [w for key in (*single, "records.tracked=0") for w in ("--set", key)]
    done = run(study, *words, "--out", tmp_path / "out", "--json", *ranks)
    assert done.returncode == 1
    # the study was warned of before: hardly a particle in a slice
    beside = ("warning: ", "process grid ")
    lines = [line for line in done.stderr.splitlines() if not line.startswith(beside)]
    (said,) = lines
    says(said, "beams", "size")
    assert json.loads(done.stdout) == {"error": said.removeprefix("phasewise: "), "status": 1}


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 6 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", disk]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root, and a machine that lets it")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


@pytest.mark.parametrize("ranks", [(), ("--ranks", 2)])
def test_a_full_disk_ends_the_run_in_one_sentence_and_keeps_the_records(study, small_disk, ranks):
    out = small_disk / "out"
    done = run(study, *LONG, "--set", "records.tracked=300", "--out", out, *ranks)
    assert done.returncode == 1
    says(sentence_of(done.stderr), out / "records.h5", "disk", "full", "kept")
    assert len(Results(out)) > 0


def test_json_is_one_object_with_the_promised_names_and_nothing_else(study, tmp_path):
    done = ran(study, "--ranks", 2, "--out", tmp_path / "out", "--json")
    summary = json.loads(done.stdout)
    assert set(summary) == {
        *("turns", "seconds_per_turn", "luminosity", "beams", "both_beams", "coherent_modes"),
        *("communication", "core_share"),
    }
    assert {"mean", "last", "nominal", "unit"} <= set(summary["luminosity"])
    assert {"emittance", "emittance_growth", "losses", "sizes"} <= set(summary["beams"][0])
    assert {"sigma", "pi", "xi", "yokoya"} <= set(summary["coherent_modes"]["x"])
    assert json.loads((tmp_path / "out" / "summary.json").read_text()) == summary
    results = Results(tmp_path / "out")
    frequency = results.derived["beams"][0]["revolution_frequency"]
    # 1e-4: m⁻² in cm⁻².
    rate = results.luminosity[:, 0].mean() * 2808 * frequency * 1e-4
    assert summary["luminosity"]["mean"] == pytest.approx(rate, rel=1e-12)
    assert summary["luminosity"]["unit"] == "cm^-2 s^-1"
