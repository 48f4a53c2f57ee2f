"""A recorded program is a workload: planned, predicted, simulated and run from its folder."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.errors import RunError, StudyError
from phasewise.machines import Measured, load_machine
from phasewise.machines.calls import Overhead
from phasewise.machines.machine_file import hardware_description, measured_tables
from phasewise.machines.rank_rates import RankRates
from phasewise.machines.smpirun import simulated_tree
from phasewise.models import default_model
from phasewise.models.model import Case
from phasewise.models.plan import plan
from phasewise.models.prediction import turn_of
from phasewise.models.replayed import what_if
from phasewise.recorder.recording import read_recording
from phasewise.runs.folder import TRACE_FOLDER, RunFolder
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import load
from phasewise.study.replaying import remarks_on
from phasewise.traces.records import read_communication
from phasewise.workloads.recorded.messages import messages_of
from tests.mpi.recorded import LIBRARIES, YIELDING, built, library_of_core, ranks_of, record
from tests.sentences import command_refused, refused, says, sentence_of
from tests.unit.test_curves import curve

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no MPI library with a compiler is here")
RANKS = 4
RATES = RankRates(1e10, 5e9)
LEVELS = {
    "OMPI_MPI_THREAD_LEVEL": "1",
    "MPIR_CVAR_DEFAULT_THREAD_LEVEL": "MPI_THREAD_FUNNELED",
}
"""Variables by which MPI_Init of a library asks for MPI_THREAD_FUNNELED."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of tests/data/record/replayed.c on four ranks."""
    folder = tmp_path_factory.mktemp("replay")
    library = library_of_core()
    record(folder / "run", ranks_of(library, RANKS, built(folder, "replayed.c", library)))
    return folder / "run"


def sent(folder: Path) -> Counter[tuple[int, int, int]]:
    """How many messages go from rank to rank with so many bytes."""
    found: Counter[tuple[int, int, int]] = Counter()
    for rank, own in enumerate(messages_of(read_recording(folder))):
        rows = zip(own.sends.tolist(), own.peer.tolist(), own.bytes.tolist(), strict=True)
        found.update((rank, peer, size) for sends, peer, size in rows if sends)
    return found


def test_the_plan_has_the_messages_of_the_record(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(recorded), "--json", "--rank", "0"]) == 0
    planned = json.loads(capsys.readouterr().out)
    of_rank_0 = {k: n for k, n in sent(recorded).items() if k[0] == 0 and k[1] != 0}
    assert planned["totals"]["messages"] == sum(of_rank_0.values())
    assert planned["totals"]["bytes_per_rank"] == sum(k[2] * n for k, n in of_rank_0.items())
    calls = json.loads((recorded / "recording.json").read_text(encoding="utf-8"))["sites"]
    blocking = [site for site in calls if site["call"] in COLLECTIVES]
    assert planned["totals"]["library_calls"] == sum(site["calls"] for site in blocking) / RANKS


@pytest.mark.parametrize("library", LIBRARIES)
def test_collectives_among_neighbours_are_replayed_as_messages(
    library: str, tmp_path: Path
) -> None:
    program = built(tmp_path, "neighbours.c", library)
    record(tmp_path / "run", ranks_of(library, RANKS, program))
    row = [(a, b) for a in range(RANKS) for b in (a - 1, a + 1) if 0 <= b < RANKS]
    expected = Counter((*pair, 12) for pair in row) + Counter((*pair, 20) for pair in row)
    for rank in range(RANKS):
        expected[rank, (rank + 1) % RANKS, rank + 1] += 1
        expected[rank, (rank + 2) % RANKS, rank + 11] += 1
        for step in (1, RANKS - 1):
            expected[rank, (rank + step) % RANKS, 4] += 1
    assert sent(tmp_path / "run") == expected
    study = load(tmp_path / "run")
    assert plan(study, RANKS, 1)["totals"]["messages"] == sum(
        n for (rank, *_), n in expected.items() if rank == 1
    )
    assert turn_of(Case(study, load_machine("bassi"), RANKS), "contention").seconds > 0
    assert not remarks_on(study)


COLLECTIVES = {
    f"MPI_{name}"
    for name in (
        *("Bcast", "Reduce", "Gather", "Scatter", "Allgather", "Alltoall", "Allreduce", "Scan"),
        *("Gatherv", "Scatterv", "Allgatherv", "Iallreduce", "Ibarrier", "Barrier"),
    )
}


@pytest.mark.parametrize("machine", ["bassi", "jaguar", "modern", "frontier"])
@pytest.mark.parametrize("compute", [0.0, 1.0])
def test_contention_takes_as_long_as_the_simulated_replay(
    machine: str, compute: float, recorded: Path, tmp_path: Path
) -> None:
    simulated_tree()
    study = load(recorded, [f"recorded.compute={compute}"])
    own = load_machine(machine)
    followed = turn_of(Case(study, own, RANKS), "contention").seconds
    summary, _ = simulate(study, Request(own, RANKS), tmp_path / "out")
    # Both follow the same messages; the simulator keeps rates a little longer or shorter.
    assert followed == pytest.approx(summary["turn_seconds"], rel=0.03)


def test_a_replay_that_is_recorded_has_the_messages_of_the_record(
    recorded: Path, tmp_path: Path
) -> None:
    words = [sys.executable, "-m", "phasewise", "run", str(recorded), "--quiet"]
    command = [*words, "--set", "recorded.compute=0", "--out", str(tmp_path / "own")]
    record(tmp_path / "again", ranks_of(library_of_core(), RANKS, *command))
    mine, again = sent(recorded), sent(tmp_path / "again")
    assert mine - again == Counter()
    # What a run sends besides: its clocks, and what rank 0 gathers; nothing as long as a message.
    assert max(size for _, _, size in mine) == 200000
    assert max(size for _, _, size in again - mine) < 200000
    assert all(again[key] == mine[key] for key in mine if key[2] in (3000, 200000))


def test_computing_is_scaled_and_its_range_is_given(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["predict", str(recorded), "--machine", "bassi", "--model", "contention", "--json"]
    assert main([*given, "--recorded-on", "modern"]) == 0
    both = json.loads(capsys.readouterr().out)
    here, there = load_machine("bassi").processor, load_machine("modern").processor
    ratios = {
        "memory": there.bandwidth / here.bandwidth,
        "flops": there.flops / here.flops,
    }
    assert both["compute"] == {"recorded_on": "modern", "factors": ratios}
    assert [point["scaled_by"] for point in both["points"]] == ["memory", "flops"]
    computed = [point["computation_seconds"] for point in both["points"]]
    assert computed[1] / computed[0] == pytest.approx(ratios["flops"] / ratios["memory"])
    assert main([*given, "--compute", "2", "--what-if"]) == 0
    twice = json.loads(capsys.readouterr().out)
    (point,) = twice["points"]
    assert point["computation_seconds"] / computed[0] == pytest.approx(2 / ratios["memory"])
    assert [one["change"] for one in twice["what_if"]][:4] == [
        *("as it is", "no latency", "infinite bandwidth", "perfect balance")
    ]
    assert all(one["low"] <= one["seconds"] <= one["high"] for one in twice["what_if"])


def test_a_replay_is_followed_in_time_on_a_measured_machine_too(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    curves = [curve(benchmark=name, level="node") for name in ("ping-pong", "parallel")]
    machine = tmp_path / "here.toml"
    tables = measured_tables(Measured("hardware", RANKS), curves)
    machine.write_text(hardware_description("here", RANKS, 1, RATES, curves, {}) + tables)
    assert default_model(load_machine(str(machine))) != "contention"
    assert main(["predict", str(recorded), "--machine", str(machine), "--json"]) == 0
    assert {one["model"] for one in json.loads(capsys.readouterr().out)["points"]} == {"contention"}


def test_what_if_tells_what_costs_time(recorded: Path) -> None:
    case = Case(load(recorded, ["recorded.compute=0"]), load_machine("bassi"), RANKS)
    now, latency, bandwidth, _ = (one.seconds for one in what_if(case))
    assert latency < now and bandwidth < now
    # Only the calls are left without either.
    assert latency + bandwidth < 2 * now
    # The last rank computes (1 + 3) / mean(1, 2, 3, 4) times as long as the mean one.
    busy = Case(load(recorded), load_machine("bassi"), RANKS)
    changes = {one.change: one.seconds for one in what_if(busy)}
    assert changes["perfect balance"] < changes["as it is"]


def test_a_program_that_told_mpi_of_threads_pays_for_them(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LEVELS.items():
        monkeypatch.setitem(YIELDING, name, value)
    library = library_of_core()
    record(tmp_path / "run", ranks_of(library, RANKS, built(tmp_path, "replayed.c", library)))
    usual = replace(load_machine("bassi"), overhead=Overhead(*[1e-6] * 6))
    longer = replace(usual, overhead=Overhead(*[1e-6] * 6, threads=1e-5))
    for folder, pays in ((recorded, False), (tmp_path / "run", True)):
        study = load(folder, ["recorded.compute=0"])
        assert study.in_threads is pays
        before, after = (turn_of(Case(study, one, RANKS), "contention") for one in (usual, longer))
        assert (after.seconds > 1.5 * before.seconds) is pays
        assert pays or after.seconds == before.seconds


def test_what_cannot_be_replayed_is_said_in_one_sentence(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", str(recorded), "--machine", "bassi", "--ranks", "8"]) == 2
    assert "was recorded on 4 ranks" in capsys.readouterr().err
    other = ["predict", tmp_path, "--machine", "bassi"]
    command_refused(capsys, other, tmp_path, "without a record")
    (tmp_path / "study.toml").touch()
    command_refused(capsys, other, "without a record", tmp_path / "study.toml")
    with pytest.raises(StudyError, match="each place from 0 on once"):
        load(recorded, ['recorded.places="0,0,1,2"'])
    given = ["predict", recorded, "--machine", "bassi"]
    command_refused(capsys, [*given, "--compute", "fast"], "fast", "--compute")
    command_refused(capsys, [*given, "--compute", "memory"], "memory", "--recorded-on")
    command_refused(capsys, [*given, "--first"], "--first", "recorded program")
    here = ["simulate", str(recorded), "--machine", "bassi", "--out", str(recorded)]
    assert main(here) == 1
    says(sentence_of(capsys.readouterr().err), recorded, "record that is replayed")
    assert (recorded / TRACE_FOLDER).is_dir()
    (tmp_path / "again.toml").write_text(
        f'workload = "recorded"\nruns = 1\n[recorded]\nfolder = "{recorded}"\n'
    )
    with refused(recorded, "record that is replayed", by=RunError):
        RunFolder(recorded).prepare(load(tmp_path / "again.toml"), None, False)


def test_only_a_recorded_program_is_replayed(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = repository / "examples/halo/study.toml"
    given = ["predict", study, "--machine", "bassi", "--ranks", 4]
    for option in (["--recorded-on", "modern"], ["--compute", "2"], ["--steady"], ["--what-if"]):
        command_refused(capsys, [*given, *option], option[0], "recorded program")


def test_a_replay_that_would_wait_for_ever_is_said_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = library_of_core()
    program = built(tmp_path, "head_to_head.c", library)
    record(tmp_path / "run", ranks_of(library, 2, program))
    given = ["predict", str(tmp_path / "run"), "--machine", "bassi", "--model", "contention"]
    assert main(given) == 0
    capsys.readouterr()
    # A plain twin buffers no message.
    assert main([*given, "--twin", "plain"]) == 2
    said = sentence_of(capsys.readouterr().err)
    says(said, "on bassi rank 0 waits for ever in main until rank 1 receives 2000 bytes", "rank 1")
    simulated_tree()
    simulated = ["simulate", str(tmp_path / "run"), "--machine", "bassi", "--twin", "plain"]
    assert main(simulated) == 1
    assert "wait for each other" in capsys.readouterr().err


def test_a_collective_that_a_rank_never_waits_for_does_not_hold_it_up(tmp_path: Path) -> None:
    library = library_of_core()
    record(tmp_path / "run", ranks_of(library, 2, built(tmp_path, "unfinished.c", library)))
    study = load(tmp_path / "run")
    assert turn_of(Case(study, load_machine("bassi"), 2), "contention").seconds > 0
    # A run starts as many ranks as were recorded.
    words = [sys.executable, "-m", "phasewise", "run", tmp_path / "run", "--json"]
    again = [*map(str, words), "--out", str(tmp_path / "again")]
    subprocess.run(again, check=True, timeout=60, env=YIELDING, capture_output=True)
    assert read_communication(tmp_path / "again").ranks == 2


def test_a_damaged_program_is_refused(recorded: Path) -> None:
    study = load(recorded)
    words = dict(line.split(" = ", 1) for line in study.parameters().splitlines())
    path = Path(words["recorded.file"])
    whole = path.read_bytes()
    try:
        for end in (0, 7, 100, len(whole) // 2, len(whole) - 1):
            path.write_bytes(whole[:end])
            with pytest.raises(StudyError, match="cannot be replayed"):
                turn_of(Case(study, load_machine("bassi"), RANKS), "contention")
    finally:
        path.write_bytes(whole)


def test_ranks_in_other_places_send_the_same_messages(recorded: Path) -> None:
    places = [3, 2, 0, 1]
    text = ",".join(map(str, places))
    given, placed = load(recorded), load(recorded, [f'recorded.places="{text}"'])
    for rank, place in enumerate(places):
        one, other = (plan(*of)["totals"] for of in ((given, RANKS, rank), (placed, RANKS, place)))
        assert one == other
    assert len({plan(given, RANKS, rank)["totals"]["messages"] for rank in range(RANKS)}) > 1
    alone = load_machine("bassi")
    there = Case(load(recorded, ["recorded.compute=0"]), alone, RANKS)
    moved = Case(load(recorded, ["recorded.compute=0", 'recorded.places="3,2,1,0"']), alone, RANKS)
    # All ranks share a node of one bus, so that places do not matter but for the order of ties.
    first, second = (turn_of(case, "contention").seconds for case in (there, moved))
    assert second == pytest.approx(first, rel=0.05)
