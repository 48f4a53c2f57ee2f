"""Any MPI program is recorded as it is: all of its messages, its output, its status."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from phasewise.cli import main
from phasewise.recorder.phases import regions_at, traffic_of
from phasewise.recorder.requests import Ends
from phasewise.runs.lock import Lock
from phasewise.traces.records import read_communication
from tests.mpi.recorded import LIBRARIES, SOURCES, YIELDING, built, checked, ranks_of, record

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no MPI library with a compiler is here")
TURNS = 20_000
"""Messages of each rank in the ring of ends.c."""
AHEAD = 1000
LATER_CLOCK = ["unshare", "-T", "--monotonic", str(AHEAD), "--fork"]
"""What starts a process whose clock is so many seconds ahead."""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def ends(programs: Path) -> Path:
    return built(programs, "ends.c", LIBRARIES[0])


@pytest.mark.parametrize("library", LIBRARIES)
def test_calls_of_every_group_are_followed(library: str, programs: Path, tmp_path: Path) -> None:
    program = built(programs, "groups.c", library)
    command = ranks_of(library, 3, program, tmp_path / "file")
    summary = record(tmp_path / "run", command, "--phases", "pcontrol")
    found = checked(tmp_path / "run")
    # The program counts its own messages.
    words = next(line for line in summary["said"].splitlines() if line.startswith("sent "))
    assert [summary["messages"], summary["bytes"]] == [int(word) for word in words.split()[1:]]
    assert sum(messages for messages, _ in traffic_of(found.files).values()) == summary["messages"]
    assert (summary["not_recorded"], summary["traced_until"]) == ([], None)
    phases = {phase.name: phase for phase in read_communication(tmp_path / "run").phases}
    # Six messages of blocking() and six of posted() are in the region, on each rank.
    assert phases["two ranks"].messages.tolist() == [12, 12, 12]
    for file, calls in zip(found.files, found.matching.calls, strict=True):
        at, rows = calls.named({"Sendrecv"}), file.statistics
        functions = {number for number, name in file.functions.items() if name == "MPI_Sendrecv"}
        rows = rows[np.isin(rows["function"], list(functions))]
        assert sorted(regions_at(calls)[at]) == sorted(np.repeat(rows["region"], rows["calls"]))
    assert phases["outside, one-sided"].bytes.sum() == 3 * 8
    assert phases["outside, files"].bytes.tolist() == [100, 100, 100]


@pytest.mark.parametrize("library", LIBRARIES)
def test_unusual_calls_count_as_what_they_are(library: str, programs: Path, tmp_path: Path) -> None:
    program = built(programs, "unusual.c", library)
    summary = record(tmp_path / "run", ranks_of(library, 3, program), "--phases", "call")
    checked(tmp_path / "run")
    assert (summary["not_recorded"], summary["traced_until"]) == ([], None)
    phases = {phase.name: phase for phase in read_communication(tmp_path / "run").phases}
    assert phases["MPI_Get_accumulate"].bytes.tolist() == [0, 0, 0]
    assert phases["MPI_Barrier"].calls.tolist() == [1, 1, 1]
    # Ranks 1 and 2 give an integer each; each side gives the counts of its own ranks.
    assert phases["MPI_Gather"].bytes.tolist() == [0, 4, 4]
    assert phases["MPI_Reduce_scatter"].bytes.tolist() == [8, 8, 8]


@pytest.mark.parametrize("interface", ["MPIF", "USE_MPI", "USE_F08"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_programs_in_fortran_are_recorded_by_each_interface(
    library: str, interface: str, programs: Path, tmp_path: Path
) -> None:
    program = built(programs, "ring.F90", library, f"-D{interface}")
    summary = record(tmp_path / "run", ranks_of(library, 3, program))
    checked(tmp_path / "run")
    called = {site["call"]: site["calls"] for site in summary["sites"]}
    assert called == {
        "MPI_Irecv": 30,
        "MPI_Isend": 30,
        "MPI_Waitall": 30,
        "MPI_Sendrecv": 3,
        "MPI_Barrier": 3,
        "MPI_Allreduce": 3,
    }
    assert summary["messages"] == 3 * 11 and summary["bytes"] == 3 * 11 * 64
    assert {Path(site["file"]).name for site in summary["sites"]} == {"ring.F90"}


@pytest.mark.parametrize("library", LIBRARIES)
def test_threads_that_call_mpi_at_once_are_followed(
    library: str, programs: Path, tmp_path: Path
) -> None:
    program = built(programs, "threads.c", library)
    summary = record(tmp_path / "run", ranks_of(library, 2, program))
    assert summary["messages"] == 2 * 4 * 200
    assert len(checked(tmp_path / "run").files[0].calls) >= 4


@pytest.mark.parametrize("how", ["chdir", "close", "fork", "file size", "status"])
def test_what_a_program_does_to_its_process_leaves_the_record_whole(
    how: str, ends: Path, tmp_path: Path
) -> None:
    status = 3 if how == "status" else 0
    command = ranks_of(LIBRARIES[0], 2, ends, how)
    summary = record(tmp_path / "run", command, status=status)
    assert (summary["status"], summary["messages"]) == (status, 2 * TURNS)
    if how == "file size":
        assert summary["traced_until"] is not None
    else:
        checked(tmp_path / "run")


@pytest.mark.parametrize(
    ("how", "status", "words"),
    [
        ("kill", 137, ["rank 0 was killed", "in MPI_Recv, for rank 1", "rank 1 was killed"]),
        ("abort", 7, ["rank 0 called MPI_Abort with code 7", "rank 1 was killed", "MPI_Barrier"]),
        ("exit", 1, ["rank 0 ended without MPI_Finalize"]),
    ],
)
@pytest.mark.skipif("openmpi" not in LIBRARIES, reason="the statuses are Open MPI's")
def test_a_program_that_ends_early_leaves_all_that_it_did(
    how: str, status: int, words: list[str], ends: Path, tmp_path: Path
) -> None:
    summary = record(tmp_path / "run", ranks_of("openmpi", 2, ends, how), status=status)
    assert summary["messages"] == 2 * TURNS
    checked(tmp_path / "run")
    said = " ".join(summary["not_recorded"])
    assert [word for word in words if word not in said] == []


def test_waiting_is_that_for_the_partner_who_comes_late(ends: Path, tmp_path: Path) -> None:
    summary = record(tmp_path / "run", ranks_of(LIBRARIES[0], 2, ends, "late"))
    matching = checked(tmp_path / "run").matching
    source = (SOURCES / "ends.c").read_text().splitlines()

    def waited(code: str) -> float:
        line = next(k for k, text in enumerate(source, 1) if code in text)
        return sum(site["waiting"] for site in summary["sites"] if site["line"] == line)

    def began(rank: int, name: str, which: int = 0) -> float:
        place = matching.calls[rank].named({name})[which]
        return float(matching.clocks[rank].of(matching.calls[rank].start[place]))

    # A receive, a sum and a synchronous send wait until the other rank begins, as recorded.
    until = {
        "MPI_Recv(&in, 1, MPI_DOUBLE, 1, 1": began(1, "Send") - began(0, "Recv"),
        "MPI_Allreduce(": abs(began(1, "Allreduce") - began(0, "Allreduce")),
        "MPI_Ssend(": began(0, "Recv", 1) - began(1, "Ssend"),
    }
    for code, seconds in until.items():
        # The times of the trace are in ns.
        assert waited(code) == pytest.approx(max(seconds, 0.0), abs=1e-8)
    # A wait lies within its call.
    assert all(site["waiting"] <= site["seconds"] + 1e-9 for site in summary["sites"])


def has_time_namespaces() -> bool:
    """Whether a process of this person may have a clock of its own."""
    if shutil.which("unshare") is None:
        return False
    return not subprocess.run([*LATER_CLOCK, "true"], capture_output=True).returncode


@pytest.mark.skipif(not has_time_namespaces(), reason="unshare -T is not allowed")
@pytest.mark.parametrize("library", LIBRARIES)
def test_no_message_arrives_before_it_is_sent_though_a_clock_is_far_ahead(
    library: str, programs: Path, tmp_path: Path
) -> None:
    program = built(programs, "ends.c", library, "-DTURNS=1000")
    ahead = [*LATER_CLOCK, program]
    record(tmp_path / "run", [*ranks_of(library, 1, program), ":", "-n", 1, *ahead])
    found = checked(tmp_path / "run")
    assert found.files[1].head.began - found.files[0].head.began > AHEAD * 1e9 / 2
    matching = found.matching

    def times(ends: Sequence[Ends], call: str, when: str) -> NDArray[np.float64]:
        rows = zip(matching.clocks, matching.calls, ends, strict=True)
        own = [clock.of(getattr(calls, when)[getattr(end, call)]) for clock, calls, end in rows]
        return np.concatenate(own)

    sent = times(matching.ends[0], "call", "start")
    arrived = times(matching.ends[1], "done", "end")
    of_messages = arrived[matching.matched.receive] - sent[matching.matched.send]
    assert len(of_messages) == 2 * 1000 and (of_messages > 0.0).all()
    # Messages take microseconds, or what a rank has to wait for a core.
    assert np.median(of_messages) < 0.1


def test_the_trace_ends_at_its_limit_and_the_statistics_go_on(ends: Path, tmp_path: Path) -> None:
    command = ranks_of(LIBRARIES[0], 2, ends)
    summary = record(tmp_path / "run", command, "--limit", "0.1")
    assert summary["messages"] == 2 * TURNS
    assert 0 < summary["traced_until"] < summary["seconds"]
    assert summary["trace_bytes"] <= 2 * 100_000
    assert all(site["waiting"] is None for site in summary["sites"])


@pytest.mark.skipif(len(LIBRARIES) < 2, reason="two libraries are needed")
def test_a_launcher_of_another_library_is_named(programs: Path, tmp_path: Path) -> None:
    program = built(programs, "ring.F90", "mpich", "-DMPIF")
    summary = record(tmp_path / "run", ranks_of("openmpi", 2, program))
    assert "2 processes ran as one rank each" in summary["not_recorded"][0]


def test_programs_without_mpi_and_commands_that_are_none_get_one_sentence(tmp_path: Path) -> None:
    without = record(tmp_path / "run", ["sh", "-c", "ls / > /dev/null; exit 5"], status=5)
    assert "status 5 before any rank had begun with MPI" in without["error"]
    none = record(tmp_path / "run", ["true"])
    assert none["error"] == "the program made no call of MPI_Init: nothing was recorded"
    # A variable of the command itself takes the place of that of the recorder.
    left_out = record(tmp_path / "run", ["env", "LD_PRELOAD=", "true"])
    assert "which leaves the recorder out: set LD_PRELOAD in the environment" in left_out["error"]
    missing = record(tmp_path / "run", ["no-such-command"], status=2)
    assert "there is no command no-such-command" in missing["error"]


def test_a_command_in_the_wrong_place_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "-n", "2", "./a"]) == 2
    assert "the command, with its own options, comes after --" in capfd.readouterr().err
    monkeypatch.setenv("PMI_SIZE", "2")
    assert main(["record", "--out", str(tmp_path / "run"), "true"]) == 2
    assert "put it before the launcher" in capfd.readouterr().err


def test_a_folder_in_use_is_refused(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "run" / ".lock")
    assert lock.take()
    try:
        refused = record(tmp_path / "run", ["true"], status=1)
    finally:
        lock.release()
    assert "another run is writing to" in refused["error"]


@pytest.mark.skipif("openmpi" not in LIBRARIES, reason="the counts are Open MPI's")
@pytest.mark.parametrize(
    ("program", "messages"),
    [(["lmp", "-in", "/usr/share/lammps/examples/melt/in.melt", "-log", "none"], 8448)],
)
def test_other_programs_have_the_messages_that_open_mpi_counts(
    program: list[str], messages: int, tmp_path: Path
) -> None:
    if shutil.which(program[0]) is None or not Path(program[2]).is_file():
        pytest.skip(f"{program[0]} is not here")
    counted = tmp_path / "counted"
    counted.mkdir()
    monitoring = ["pml_monitoring_enable", "2", "pml_monitoring_enable_output", "3"]
    monitoring += ["pml_monitoring_filename", str(counted / "prof")]
    options = [w for n, v in zip(monitoring[::2], monitoring[1::2], strict=True) for w in (n, v)]
    words = [w for k in range(0, len(options), 2) for w in ("--mca", *options[k : k + 2])]
    command = ["mpiexec.openmpi", "-n", 4, "--oversubscribe", *words, *program]
    summary = record(tmp_path / "run", command)
    assert summary["messages"] == messages
    found = checked(tmp_path / "run")
    own: dict[tuple[int, int], tuple[int, int]] = {}
    for path in counted.iterdir():
        for line in path.read_text().splitlines():
            if line.startswith("E\t"):
                _, source, target, size, times = line.split("\t")[:5]
                own[int(source), int(target)] = int(times.split()[0]), int(size.split()[0])
    assert traffic_of(found.files) == own


def test_an_ls_in_a_wrapper_script_works(ends: Path, tmp_path: Path) -> None:
    script = tmp_path / "wrapped"
    script.write_text(f'#!/bin/sh\nls / > /dev/null || exit 9\nexec {ends} "$@"\n')
    script.chmod(0o755)
    summary = record(tmp_path / "run", ranks_of(LIBRARIES[0], 2, script))
    assert summary["messages"] == 2 * TURNS


def test_a_recorded_program_finds_the_functions_of_its_library_alone(tmp_path: Path) -> None:
    """Others do what an older library lacks in another way, as mpi4py does."""
    source = tmp_path / "asks.c"
    source.write_text(
        "#include <dlfcn.h>\n#include <mpi.h>\n#include <stdio.h>\n"
        "int main(int count, char** words) {\n  MPI_Init(&count, &words);\n"
        '  fputs(dlsym(RTLD_DEFAULT, "MPI_Send_c") ? "yes" : "no", stderr);\n'
        "  return MPI_Finalize();\n}\n"
    )
    for library in LIBRARIES:
        program = built(tmp_path, str(source), library)
        bare = ranks_of(library, 1, program)
        words = list(map(str, bare))
        done = subprocess.run(words, capture_output=True, text=True, check=True, env=YIELDING)
        summary = record(tmp_path / library, bare)
        assert summary["said"].startswith(done.stderr)


def test_the_stub_needs_no_library_of_mpi() -> None:
    from phasewise.recorder.building import built_libraries, stub_of

    libraries = built_libraries()
    if not libraries:
        pytest.skip("no recorder is built")
    listed = subprocess.run(
        ["readelf", "-d", str(stub_of(libraries))], capture_output=True, text=True, check=True
    )
    assert "mpi" not in listed.stdout.lower().replace("phasewise", "")
