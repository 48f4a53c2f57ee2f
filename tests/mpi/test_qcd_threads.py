"""The solver that `reproduce` times in two processes, and in two threads of one."""

from __future__ import annotations

import math
import shutil

import pytest

from phasewise.errors import RunError
from phasewise.workloads.qcd.reproduction import threads
from tests.sentences import refused

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")


@pytest.mark.parametrize(("ranks", "own"), [(2, 1), (1, 2)])
def test_both_ways_are_timed_on_the_lattice_of_the_source(
    ranks: int, own: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "SOLVES", 1)
    found = threads._measured(ranks, own)
    assert (found["lattice"], found["ranks"], found["threads"]) == ([8, 8, 8, 16], ranks, own)
    # 5520 flops an iteration and even site.
    rate = 5520 * math.prod(found["lattice"]) / 2 / found["seconds_per_iteration"] / 1e9
    assert found["four_figures"]["overall_gigaflops"] == pytest.approx(rate, rel=1e-3)
    faster = found | {"fastest_solve": found["seconds_per_solve"] / 2}
    assert threads.fastest_rate(faster) == pytest.approx(2 * rate, rel=1e-3)


def test_a_measurement_that_fails_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "CASE", "tiny")
    with refused("--case", '"tiny"', "qcd", by=RunError):
        threads._measured(1, 2)
