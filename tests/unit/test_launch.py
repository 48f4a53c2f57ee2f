"""Launching: the command for each kind of machine, and mpiexec's words made into one sentence."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pytest

from phasewise.commands.run import run_argv
from phasewise.mpi.launch import (
    Host,
    allocated_cores,
    allocated_node_count,
    is_open_mpi,
    mpiexec_options,
    passed_on,
    rank_variables,
    this_machine,
    without_mpi,
)
from phasewise.mpi.progress import MARK, duration, relayed
from phasewise.mpi.rank_output import RankOutput
from phasewise.runs.folder import default_name
from tests.sentences import missing, one_sentence
from tests.unit.test_folder import earlier_run

LAPTOP = Host(cores=4, allocated=False, root=False)
KILLED = """--------------------------------------------------------------------------
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
--------------------------------------------------------------------------
--------------------------------------------------------------------------
mpiexec noticed that process rank 1 with PID 4711 on node box exited on signal 9 (Killed).
--------------------------------------------------------------------------"""
EXITED = """--------------------------------------------------------------------------
mpiexec detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[51231,1],2]
  Exit code:    3
--------------------------------------------------------------------------"""


def test_an_ordinary_machine_binds_nothing_and_lets_ranks_exceed_cores():
    options = mpiexec_options(LAPTOP, 4, 1, True)
    assert options == [
        *("-n", "4"),
        *("--oversubscribe", "--bind-to", "none"),
        *("--mca", "mpi_yield_when_idle", "1"),
    ]
    assert rank_variables(LAPTOP, 3, 2)["OMP_WAIT_POLICY"] == "passive"
    assert "OMP_WAIT_POLICY" not in rank_variables(LAPTOP, 2, 2)


def test_a_measurement_binds_its_ranks_and_lets_them_spin_where_there_are_cores_for_them():
    words = ["--oversubscribe", "--map-by", "slot:PE=1", "--bind-to", "core:overload-allowed"]
    options = mpiexec_options(LAPTOP, 4, 1, True, alone=True)
    assert options == ["-n", "4", *words, "--mca", "mpi_yield_when_idle", "0"]
    waiting = mpiexec_options(LAPTOP, 4, 1, True, alone=True, yields=True)
    assert (options[-1], waiting[-1], options[:-1] == waiting[:-1]) == ("0", "1", True)
    assert mpiexec_options(LAPTOP, 5, 1, True, alone=True) == mpiexec_options(LAPTOP, 5, 1, True)


def test_root_is_allowed_only_where_it_is_root():
    assert "--allow-run-as-root" in mpiexec_options(Host(4, False, True), 2, 1, True)
    assert "--allow-run-as-root" not in mpiexec_options(LAPTOP, 2, 1, True)


def test_in_an_allocation_every_rank_has_cores_for_its_threads():
    cluster = Host(cores=64, allocated=True, root=False)
    options = mpiexec_options(cluster, 16, 4, True)
    assert options == ["-n", "16", "--map-by", "slot:PE=4", "--bind-to", "core"]
    assert "--oversubscribe" in mpiexec_options(cluster, 65, 1, True)


def test_another_mpiexec_gets_only_the_number_of_ranks():
    assert mpiexec_options(LAPTOP, 8, 1, False) == ["-n", "8"]
    assert is_open_mpi("mpiexec (OpenRTE) 4.1.4")
    assert not is_open_mpi("HYDRA build details: Version: 4.0.2")


def test_nodes_of_an_allocation_are_counted(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("n1\nn1\nn2\n")
    assert allocated_node_count({}) == 1
    assert allocated_node_count({"SLURM_JOB_NUM_NODES": "12"}) == 12
    assert allocated_node_count({"PBS_NODEFILE": str(hosts)}) == 2


def test_the_cores_of_an_allocation_are_counted(tmp_path):
    assert allocated_cores({}) is None
    assert allocated_cores({"SLURM_JOB_CPUS_PER_NODE": "64(x2),32"}) == 160
    node_file = tmp_path / "nodes"
    node_file.write_text("a\na\nb\nb\n")
    assert allocated_cores({"PBS_NODEFILE": str(node_file)}) == 4
    assert allocated_cores({"PBS_NODEFILE": str(node_file), "NCPUS": "8"}) == 32
    assert this_machine({"SLURM_JOB_CPUS_PER_NODE": "6"}).allocated
    assert not this_machine({}).allocated


def test_threads_and_debugging_reach_ranks_on_other_nodes():
    variables = rank_variables(LAPTOP, 2, 2)
    assert variables["OMP_NUM_THREADS"] == "2"
    words = passed_on(variables, {"PHASEWISE_DEBUG": "1"})
    assert words[:2] == ["-x", "OMP_NUM_THREADS"]
    assert words[-2:] == ["-x", "PHASEWISE_DEBUG"]


def test_what_an_mpi_parent_leaves_behind_does_not_reach_mpiexec():
    parent = {
        "PMIX_NAMESPACE": "1",
        "PMIX_RANK": "0",
        "OMPI_MCA_ess": "singleton",
        "OMPI_MCA_btl": "self,vader",
        "PMIX_MCA_psec": "native",
        "HOME": "/",
    }
    assert set(without_mpi(parent)) == {"OMPI_MCA_btl", "PMIX_MCA_psec", "HOME"}
    alone = {"OMPI_MCA_ess_singleton_isolated": "1", "OMPI_MCA_ess": "singleton"}
    assert set(without_mpi(alone | {"OMPI_MCA_pmix": "isolated", "HOME": "/"})) == {"HOME"}
    mine = {"OMPI_MCA_orte_tmpdir_base": "/scratch"}
    assert without_mpi(mine) == mine


def test_each_rank_runs_the_same_command_without_ranks():
    options = argparse.Namespace(
        study="s.toml",
        machine=None,
        device=None,
        threads=2,
        set=["turns=5", "seed=2"],
        out="o",
        resume=True,
        json=True,
        quiet=False,
        events=500,
    )
    assert run_argv(options) == [
        *("run", "s.toml", "--threads", "2", "--set", "turns=5", "--set", "seed=2"),
        *("--out", "o", "--events", "500", "--resume", "--json"),
    ]


def taken(text, capsys):
    output = RankOutput(quiet=True)
    for line in text.split("\n"):
        output.take(line)
    return output, capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (KILLED, ("rank 1", 4711, "box", "signal 9", "Killed")),
        (EXITED, ("rank 2", "status 3")),
        ("", ("mpiexec", "status 7")),
        ("-" * 40 + "\nThere are not enough slots available\n" + "-" * 40, ("--ranks", "batch")),
        ("-" * 40 + "\nno such\nthing", ("mpiexec", "status 7", "no such thing")),
    ],
)
def test_what_mpiexec_says_of_a_dead_rank_becomes_one_sentence(text, facts, capsys):
    output, shown = taken(text, capsys)
    assert shown == ""
    assert not output.reported
    one_sentence(output.verdict(7, stopped=False), *facts)


def test_what_a_rank_says_is_shown_and_counts_as_the_reason(capsys):
    output, shown = taken("phasewise: rank 1 failed: no\n[box:12] noise\nelse\n" + KILLED, capsys)
    assert shown == "phasewise: rank 1 failed: no\nelse\n"
    assert output.reported


def test_a_rank_that_failed_in_a_phase_gives_the_object_its_sentence(capsys):
    sentence = "rank 3 failed in phase reduce_row: turn 5 cannot be done: no memory"
    output, shown = taken(f"phasewise: {sentence}", capsys)
    assert shown == f"phasewise: {sentence}\n"
    assert output.failure == sentence


def test_the_first_rank_that_failed_gives_the_object_its_sentence(capsys):
    text = "phasewise: rank 1 failed: no\nphasewise: rank 0 failed: neither"
    assert taken(text, capsys)[0].failure == "rank 1 failed: no"
    assert taken("phasewise: turns = 0 is not above 0", capsys)[0].failure is None


def test_that_signals_are_forwarded_is_not_shown(capsys):
    assert taken("mpiexec.openmpi: Forwarding signal 10 to job", capsys)[1] == ""


def test_a_killed_rank_of_unknown_process_is_named_by_its_rank(capsys):
    output, _ = taken(KILLED.replace("PID 4711", "PID 0"), capsys)
    verdict = output.verdict(137, stopped=False)
    one_sentence(verdict, "rank 1", "signal 9", "Killed")
    assert missing(verdict, "process")


def test_a_note_does_not_count_as_the_reason(tmp_path, capsys):
    out = tmp_path / "a"
    for _ in range(2):
        earlier_run(out)
    note = capsys.readouterr().err.rstrip()
    output, shown = taken(note, capsys)
    one_sentence(shown, out, tmp_path / "a.1")
    assert not output.reported


def test_progress_is_relayed_and_not_shown_as_text(capsys):
    output, shown = taken(MARK + '[3, 10, "luminosity 1", "turn"]', capsys)
    assert shown == ""
    assert not output.reported
    assert relayed(MARK + '[3, 10, "luminosity 1", "turn"]') == (3, 10, "luminosity 1", "turn")
    assert relayed(MARK + "[3, 10") is None
    assert relayed("turn 3") is None


def test_durations_read_as_people_say_them():
    said = [duration(s) for s in (0.4, 59.6, 200, 7500, 4 * 86400 + 11000)]
    assert said == ["0 s", "1 min 0 s", "3 min 20 s", "2 h 5 min", "4 d 3 h"]


def test_a_run_is_named_after_its_study(tmp_path):
    assert default_name(tmp_path / "lhc" / "study.toml") == "lhc"
    assert default_name(tmp_path / "flat.toml") == "flat"


def test_the_command_of_a_rank_is_this_python(monkeypatch, tmp_path):
    import phasewise.mpi.launch as launch

    record = tmp_path / "words"
    fake = tmp_path / "mpiexec.openmpi"
    version = '[ "$1" = --version ] && echo "Open MPI" && exit'
    fake.write_text(f'#!/bin/sh\n{version}\nprintf "%s\\n" "$@" > {record}\nexit 3\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert launch.start(["run", "s.toml"], 2, 1) == 1
    words = record.read_text().split()
    assert words[:2] == ["-n", "2"]
    assert words[-5:] == [sys.executable, "-m", "phasewise", "run", "s.toml"]
