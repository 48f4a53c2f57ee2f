"""A replay names in a sentence what it leaves out; persistent collectives are not among it."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.study import load
from phasewise.study.replaying import remarks_on
from tests.mpi.recorded import LIBRARIES, built, ranks_of, record

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no MPI library with a compiler is here")
needs_mpi_4 = pytest.mark.skipif("mpich" not in LIBRARIES, reason="no library of MPI 4 is here")


@needs_mpi_4
def test_all_that_is_left_out_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = built(tmp_path, "left_out.c", "mpich")
    record(tmp_path / "run", ranks_of("mpich", 2, program, program))
    remarks = remarks_on(load(tmp_path / "run"))
    named = sorted(remark.split(" are not replayed: ")[0] for remark in remarks[:3])
    assert named == ["calls on files", "collectives on inter-communicators", "one-sided calls"]
    assert remarks[3:] == ["1 send has no other end in the record and is not replayed"]
    # The barrier, and each start of a persistent collective: 3 sums and 4 broadcasts.
    calls = plan(load(tmp_path / "run"), 2, 1)["totals"]["library_calls"]
    assert calls == 1 + 3 + 4
    assert main(["plan", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().err
    assert [remark for remark in remarks if remark not in " ".join(said.split())] == []
    assert main(["predict", str(tmp_path / "run"), "--machine", "bassi"]) == 0


@pytest.mark.skipif("openmpi" not in LIBRARIES, reason="Open MPI is not here")
def test_ranks_that_a_program_spawns_are_named_and_not_followed(tmp_path: Path) -> None:
    program = built(tmp_path, "spawning.c", "openmpi")
    found = record(tmp_path / "run", ["mpiexec.openmpi", "--oversubscribe", "-n", 1, program])
    said = "ranks that MPI_Comm_spawn started are not followed"
    assert found["not_recorded"] == [said]
    assert remarks_on(load(tmp_path / "run")) == [said]


@needs_mpi_4
def test_a_program_of_sessions_alone_is_named(tmp_path: Path) -> None:
    program = built(tmp_path, "session.c", "mpich")
    alone = record(tmp_path / "alone", ranks_of("mpich", 2, program))
    assert "by sessions (MPI_Session_init), which are not followed" in alone["error"]
    # Beside MPI_Init, its communicators are followed.
    both = record(tmp_path / "both", ranks_of("mpich", 2, program, "world"))
    assert [s["calls"] for s in both["sites"] if s["call"] == "MPI_Bcast"] == [2]
