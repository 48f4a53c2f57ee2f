"""Tables as a person sees them: units in brackets, the terminal's width, one turn."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from phasewise.mpi.launch import Host, rank_variables
from phasewise.output import print_table
from phasewise.workload.discovery import workloads

TEXT = "a [m] \\[m] [bold] :smile:"


def test_brackets_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(TEXT, [TEXT, TEXT], [[TEXT, TEXT]])
    assert capsys.readouterr().out.count(TEXT) == 5


@pytest.mark.parametrize("columns", [60, 140])
def test_ranks_print_as_wide_as_the_terminal_of_the_command(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    variables = rank_variables(Host(2, False, False), 2, 1)
    # mpiexec gives its ranks a terminal, of a kind that takes no colours where this has none.
    assert variables["TERM"] == "dumb"
    script = "from phasewise.output import print_table; print_table('', ['x' * 200], [['']])"
    mine, theirs = pty.openpty()
    subprocess.run([sys.executable, "-c", script], env=os.environ | variables, stdout=theirs)
    os.close(theirs)
    lines = os.read(mine, 1 << 16).decode().splitlines()
    os.close(mine)
    assert max(map(len, lines)) == columns


def test_one_is_not_several() -> None:
    for workload in workloads().values():
        assert workload.unit.of(1) == f"1 {workload.unit.one}"
        assert workload.unit.of(2) == f"2 {workload.unit.many}"
