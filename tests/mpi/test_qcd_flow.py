"""The gradient flow on several ranks: the bits of one rank, and the messages of the plan."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.mpi.scripts import printed
from tests.mpi.test_told_once import COUNTS, agreeing

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

STUDY = """
from phasewise.study import Study


def study(rectangles=False, **own):
    return Study.from_dict({
        "workload": "qcd", "solves": 1, "lattice": {"size": [4, 4, 6, 8]},
        "gauge": {"start": "hot"}, "quarks": {"kappa": 0.12}, "solver": {"iterations": 1},
        "measure": {"flow": {"step": 0.1, "until": 0.2}, "rectangles": rectangles},
        "communication": own,
    })
"""
BITS = (
    STUDY
    + """
import hashlib
import json
import numpy as np
from phasewise.driver import load_core

core = load_core()


def bits(threads, **own):
    run = core.start(study(**own).parameters(), threads)
    run.step()
    record, found = run.record(), hashlib.sha256()
    for name in sorted(record):
        if name.startswith("flow_"):
            found.update(np.ascontiguousarray(record[name]).tobytes())
    return found.hexdigest()


found = [bits(1), bits(2), bits(1, kernel="plain"), bits(1, rectangles=True)]
if core.rank() == 0:
    print(json.dumps(found))
"""
)
SENT = (
    COUNTS
    + STUDY
    + """
for rectangles in (False, True):
    parameters = study(rectangles=rectangles).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), found, expected)
    assert core.size() == 1 or "sum_flow" in found
print("agrees")
"""
)


def hashes(ranks: int, repository: Path) -> list[str]:
    found: list[str] = json.loads(printed(["-c", BITS], ranks, repository))
    return found


def test_the_flow_has_the_same_bits_on_any_ranks(repository: Path) -> None:
    alone = hashes(1, repository)
    assert len(set(alone)) == 1
    for ranks in (2, 3, 4, 6, 8):
        assert hashes(ranks, repository) == alone


def test_what_the_flow_records_is_what_is_planned(repository: Path) -> None:
    assert agreeing(SENT, 6, repository) == 6
