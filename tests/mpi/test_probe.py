"""Machines measured: simulated ones give what they were made from, this one gives what it has."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.machines import find, load_machine
from phasewise.machines.measure import Measurement
from phasewise.machines.schema import OVERHEADS
from phasewise.machines.smpirun import simulated_tree
from phasewise.machines.targets import HardwareTarget, find_driver
from phasewise.mpi.launch import launch_command, without_mpi
from phasewise.workload.protocols import PROTOCOLS
from tests.sentences import command_refused, one_sentence, says, sentence_of

HEADER = 16
"""Bytes that SimGrid adds to a message."""

BUSY = 0.1
"""Seconds that an exchange may take where other processes have the processor meanwhile."""


def simulated() -> bool:
    try:
        simulated_tree()
    except RunError:
        return False
    return True


def driver() -> bool:
    try:
        find_driver()
    except RunError:
        return False
    return shutil.which("mpiexec") is not None


needs_simgrid = pytest.mark.skipif(not simulated(), reason="SimGrid's build is missing")
needs_driver = pytest.mark.skipif(not driver(), reason="the driver or mpiexec is missing")


def samples_of(path: Path) -> list[str]:
    """The lines of the samples beside a machine's file."""
    return path.with_suffix(".samples.jsonl").read_text(encoding="utf-8").splitlines()


def measured(machine: str, ranks: int, folder: Path, twin: str = "plain") -> Path:
    path = folder / f"{machine}.toml"
    words = [
        "--machine",
        machine,
        "--ranks",
        str(ranks),
        "--twin",
        twin,
        "--quick",
        "-o",
        str(path),
    ]
    assert main(["machine", "measure", *words]) == 0
    return path


@needs_simgrid
@pytest.mark.parametrize("name", ["seaborg", "bassi", "jacquard"])
def test_probing_a_twin_gives_the_papers_table(name: str, tmp_path: Path) -> None:
    machine = load_machine(name)
    found = load_machine(str(measured(name, 2 * machine.node_ranks, tmp_path)))
    assert found.paper == machine.paper and found.network == machine.network
    rows = {
        "ping_ping": find(found.curves, "ping-ping", "network"),
        "parallel_inter": find(found.curves, "parallel", "network", pairs=machine.node_ranks),
        "parallel_intra": find(found.curves, "parallel", "node", pairs=machine.node_ranks),
    }
    for row, curve in rows.items():
        assert curve is not None and not curve.noisy and curve.bends == ()
        line = machine.paper[row]
        assert curve.bandwidth == pytest.approx(line.bandwidth, rel=1e-3)
        # The twin has one latency between nodes, that of parallel ping-ping. Simulated times are
        # rounded to 1e-9 s.
        if row != "ping_ping":
            header = HEADER / line.bandwidth
            assert curve.latency == pytest.approx(line.latency + header, rel=2e-3)


@needs_simgrid
def test_the_protocol_of_a_full_twin_is_found(tmp_path: Path) -> None:
    found = load_machine(str(measured("jacquard", 4, tmp_path, "full")))
    curve = find(found.curves, "ping-ping", "network")
    assert curve is not None
    # Quick probes refine once: a change is found between neighbouring sizes.
    sizes = np.array(curve.sizes)
    for change in found.protocol.sizes:
        after = sizes[sizes + HEADER >= change][0]
        assert any(change / 8 <= bend <= max(after, change) for bend in curve.bends)
    assert found.measured is not None and found.measured.twin == "full"


@needs_simgrid
def test_a_simulated_machine_gives_the_same_file_twice(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        path = measured("jaguar", 8, tmp_path / name)
        texts.append([path.read_text(), path.with_suffix(".samples.jsonl").read_text()])
    assert texts[0] == texts[1]


@needs_simgrid
def test_the_command_says_what_it_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "small.toml"
    words = ["--machine", "jacquard", "--ranks", "4", "--quick", "--json", "-o", str(path)]
    assert main(["machine", "measure", *words]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["name"], said["reference"], said["ranks"]) == ("jacquard", "simulator", 4)
    assert said["noisy"] == [] and len(said["curves"]) == len(load_machine(str(path)).curves)
    assert all(Path(name).is_file() for name in said["files"])
    samples = [json.loads(line) for line in samples_of(path)]
    assert {(s["benchmark"], s["bytes"]) for s in samples} >= {("ping-pong", 0), ("grid", 4194304)}


def test_a_file_that_is_no_machines_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, lost = ["machine", "measure", "--machine", "bassi", "-o"], tmp_path / "no" / "x.toml"
    command_refused(capsys, [*words, tmp_path / "x.json"], tmp_path / "x.json", ".toml")
    command_refused(capsys, [*words, lost], lost.parent)
    words = ["machine", "measure", "--ranks", "1", "-o", tmp_path / "x.toml"]
    command_refused(capsys, words, "--ranks 2")


def test_a_folder_that_takes_no_file_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[int] = []
    monkeypatch.setattr("phasewise.commands.machine.measure_here", lambda *_: started.append(1))
    # Nobody, root neither, makes a file in /proc.
    words, folder = ["machine", "measure", "--ranks", "2", "-o"], tmp_path / "folder.toml"
    command_refused(capsys, [*words, "/proc/here.toml"], "file", "/proc", status=1)
    folder.mkdir()
    command_refused(capsys, [*words, folder], folder, "folder")
    assert started == []


@needs_driver
def test_samples_are_kept_where_the_kernels_cannot_be_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(ranks: int, *_given: object) -> None:
        raise RunError(f"no kernels on {ranks} ranks")

    monkeypatch.setattr("phasewise.machines.measuring.measure_kernels", fail)
    path = tmp_path / "here.toml"
    assert main(["machine", "measure", "--ranks", "2", "--quick", "-o", str(path)]) == 1
    says(sentence_of(capsys.readouterr().err), "no kernels on 2 ranks")
    samples = [json.loads(line) for line in samples_of(path)]
    assert {sample["benchmark"] for sample in samples} == {"ping-pong", "ping-ping", "parallel"}
    assert not path.exists()


@needs_driver
def test_this_machines_messages_are_measured_from_common_starts() -> None:
    target = HardwareTarget(2, 1)
    measurement = Measurement(target, True, lambda _: None)
    curves = measurement.measure()
    assert {curve.name for curve in curves} == {
        "ping-pong node", "ping-ping node", "parallel node, 2",
    }  # fmt: skip
    for curve in curves:
        assert curve.sizes[0] == 0 and curve.sizes[-1] == 4 * 2**20
        # No memory of today moves 4 MiB in less than 4 µs, and none takes a second.
        assert 4e-6 < curve.seconds[-1] < 1.0
    for _, sample in measurement.samples.taken:
        assert len(sample.seconds) >= 20
        assert (sample.seconds > 0).all() and (sample.skew >= 0).all()
    rates = target.rates
    assert rates.flops > 1e8 and rates.bandwidth > 1e8
    # A call takes more than a few instructions.
    message = dict(zip(OVERHEADS, rates.calls.message, strict=True))
    usual = ("two-sided", "persistent", "derived", "one-sided")
    assert all(1e-9 < message[name] < 1e-4 for name in usual)
    # Co-arrays and OpenSHMEM may be missing.
    assert all(0.0 <= message[name] < 1e-4 for name in ("coarray", "shmem"))
    assert 0.0 <= rates.calls.round < 1e-4
    exchange = dict(zip(PROTOCOLS, rates.calls.exchange, strict=True))
    echo = dict(zip(PROTOCOLS, rates.calls.echo, strict=True))
    for name in ("irecv-isend", "fence", "shared"):
        assert 1e-8 < exchange[name] < BUSY and 1e-8 < echo[name] < BUSY
    assert rates.types is not None and rates.copies is not None
    assert rates.types.spans == rates.copies.spans
    assert 0.0 <= rates.types.message < 1e-4 and all(0.0 <= s < 1e-4 for s in rates.types.seconds)
    assert rates.copies is not None and all(0.0 < s < 1e-5 for s in rates.copies.seconds)
    # A block takes longer the longer it is, and longer to another rank's memory than within one's.
    blocks = rates.copies
    assert len(blocks.sizes) == len(blocks.within) == len(blocks.across) > 5
    assert blocks.within[0] < blocks.within[-1] and blocks.across[0] < blocks.across[-1]
    assert all(a >= w > 0 for a, w in zip(blocks.across, blocks.within, strict=True))


@needs_driver
@pytest.mark.parametrize(
    ("ways", "facts"),
    [
        ("pattern exchange\nsizes 8\nto 1 -1\nfrom -1 -1\n", ("expect", "rank 1", "rank 0")),
        ("pattern exchange\nsizes 8\nto -1 -1\nfrom -1 0\n", ("expects", "rank 1", "rank 0")),
        ("pattern exchange\nsizes 8\nto -1 -1\nfrom 2 -1\n", ("expects", "rank 0", "rank 2")),
        ("pattern bounce\nsizes 8\nto 1 -1\nfrom -1 0\n", ("bounces", "rank 0", "rank 1", -1)),
    ],
)
def test_patterns_in_which_a_rank_would_wait_for_ever_are_refused(
    ways: str, facts: tuple[object, ...], tmp_path: Path
) -> None:
    (tmp_path / "patterns").write_text(ways)
    words = [str(find_driver()), "--probe", str(tmp_path / "patterns"), "--out", str(tmp_path)]
    command, environment = launch_command(words, 2, 1)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode != 0
    says(done.stderr, "pattern", *facts)


@needs_driver
@pytest.mark.parametrize(
    ("patterns", "facts"),
    [
        ("pattern exchange\nsizes 8\nto 1 0\nfrom 1 0\n", ("pattern", "2 ranks", 1)),
        ("pattern exchange\nsizes 8\nto 0\nfrom -1\n", ("pattern", "rank 0", "expect")),
        ("pattern dance\n", ("line 1", "dance", "exchange", "bounce")),
        ("sizes 8\n", ("line 1", "sizes", "before", "pattern")),
        ("pattern bounce\nsizes eight\n", ("line 2", "sizes", "numbers")),
        ("pattern exchange\nsizes 2147483648\nto 0\nfrom 0\n", ("line 2", 2147483648, "MPI")),
        ("pattern exchange\nsizes -8\nto 0\nfrom 0\n", ("line 2", -8, "MPI")),
        ("rythm 3\n", ("line 1", "rythm")),
        ("repetitions 0 1\n", ("repetitions", "smallest", 1, "largest")),
    ],
)
def test_patterns_that_cannot_be_executed_are_refused(
    patterns: str, facts: tuple[object, ...], tmp_path: Path
) -> None:
    (tmp_path / "patterns").write_text(patterns)
    command = [str(find_driver()), "--probe", str(tmp_path / "patterns"), "--out", str(tmp_path)]
    done = subprocess.run(
        command, env=without_mpi(os.environ), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    one_sentence(done.stderr, *facts)
