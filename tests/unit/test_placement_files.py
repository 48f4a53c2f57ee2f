"""What the tuner writes for a launcher: ranks on nodes, and the study with the choice."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.curves import Measured
from phasewise.mpi.launch import allocated_nodes
from phasewise.study import Study, load
from phasewise.tables.writing import document
from phasewise.tuning.placement_files import Placement, place, write_all
from phasewise.workloads.collision.tuning import Candidate
from tests.sentences import refused, says
from tests.unit.study_tables import tables
from tests.unit.this_machine import measured_here


def study() -> Study:
    return Study.from_dict(tables())


def test_only_a_machine_measured_on_hardware_is_the_local_host() -> None:
    here = measured_here(16)
    assert place(here, 16, 1, {}).names == ("localhost",)
    simulated = replace(here, measured=Measured("simulator", 16, host=""))
    assert place(simulated, 16, 1, {}).names == ("node0",)


def test_launcher_files_put_each_rank_on_its_node() -> None:
    placement = Placement(("a", "b"), True, 3, 2, threads=4)
    assert placement.hostfile() == "a slots=2\nb slots=1\n"
    assert placement.machinefile() == "a:2\nb:1\n"
    assert placement.rankfile() == (
        "rank 0=+n0 slot=0-3\nrank 1=+n0 slot=4-7\nrank 2=+n1 slot=0-3\n"
    )
    assert placement.slurm() == "a\na\nb\n"


@pytest.mark.skipif(which("mpiexec.mpich") is None, reason="MPICH is not installed")
def test_mpich_starts_the_ranks_that_the_machinefile_has(tmp_path: Path) -> None:
    machines = tmp_path / "machinefile"
    machines.write_text(Placement(("localhost",), True, 3, 4).machinefile())
    words = ["mpiexec.mpich", "-f", str(machines), "sh", "-c", "echo $PMI_RANK"]
    said = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout
    assert sorted(said.split()) == ["0", "1", "2"]


def test_nodes_are_those_of_the_batch_allocation_where_it_has_enough(tmp_path: Path) -> None:
    listed = tmp_path / "nodes"
    listed.write_text("n7\nn7\nn9\n")
    environment = {"PBS_NODEFILE": str(listed)}
    assert allocated_nodes(environment) == ["n7", "n9"]
    machine = load_machine("bassi")
    assert place(machine, 16, 1, environment).names == ("n7", "n9")
    made_up = place(machine, 32, 1, environment)
    assert made_up.names == ("node0", "node1", "node2", "node3")
    comment = made_up.hostfile().splitlines()[0]
    assert comment.startswith("#")
    says(comment, "names", "node0")


def test_the_written_study_is_the_given_one_with_the_choice(tmp_path: Path) -> None:
    given = Study.from_dict(tables(title="ρ² and π", communication__padded=True))
    candidate = Candidate(((2, 4), (2, 4)), crossing="4b").with_phase("solve", "aggregate", False)
    out = tmp_path / "new" / "folder"
    names = write_all(out, given, candidate, load_machine("bassi"), (16, 1), {"machine": "bassi"})
    assert sorted(names) == sorted(path.name for path in out.iterdir())
    assert load(out / "study.toml") == candidate.apply(given)
    pasted = tmp_path / "pasted.toml"
    alone = document({k: v for k, v in given.resolved().items() if k != "communication"})
    pasted.write_text(alone + (out / "communication.toml").read_text())
    assert load(pasted) == candidate.apply(given)


def test_a_folder_that_cannot_be_written_is_a_failed_run(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with refused(file, "communication.toml", "written", by=RunError):
        write_all(file, study(), Candidate(None), load_machine("bassi"), (1, 1), {})
