"""Trajectories and sweeps on several ranks: the bits of one rank, and the messages of the plan."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.mpi.scripts import printed
from tests.mpi.test_told_once import COUNTS, agreeing
from tests.mpi.whole_run import datasets, ran

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

STUDY = """
from phasewise.study import Study

QUARKS = {
    "quarks": {"kappa": 0.125, "clover": 1.5},
    "update": {
        "method": "hmc", "length": 0.3, "integrator": "leapfrog", "steps": [1, 1, 2],
        "hasenbusch": [0.3], "force_tolerance": 1e-4, "action_tolerance": 1e-6,
    },
}
QUENCHED = {"update": {"method": "hmc", "steps": [1], "integrator": "omelyan-4"}}
SWEEPS = {"update": {"method": "heat-bath", "over_relaxation": 1}}


def study(tables, action="wilson", measure=None, solver=None, **own):
    return Study.from_dict({
        "workload": "qcd", "trajectories": 3, "lattice": {"size": [4, 4, 6, 8]},
        "gauge": {"start": "hot", "beta": 5.5, "action": action}, **tables,
        "measure": measure or {}, "communication": own, **({"solver": solver} if solver else {}),
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


def bits(turns, threads, tables, **own):
    run = core.start(study(tables, **own).parameters(), threads)
    found = hashlib.sha256()
    for _ in range(turns):
        run.step()
        record = run.record()
        for name in sorted(record):
            found.update(np.ascontiguousarray(record[name]).tobytes())
    return found.hexdigest()


FLOW = {"every": 2, "flow": {"step": 0.1, "until": 0.1}}


def all_bits(threads, **own):
    return [
        bits(2, threads, QUENCHED, action="symanzik", measure=FLOW, **own),
        bits(10, threads, SWEEPS, **own),
        bits(1, threads, QUARKS, **own),
    ]


found = [all_bits(1)]
if core.size() == 1:
    found += [all_bits(2), all_bits(1, kernel="plain")]
if core.rank() == 0:
    print(json.dumps(found))
"""
)
SENT = (
    COUNTS
    + STUDY
    + """
FLOW = {"every": 2, "flow": {"step": 0.1, "until": 0.1}}
PION = {"every": 4, "pion": "point"}
for tables, keys in (
    (QUENCHED, {"action": "iwasaki", "measure": FLOW}),
    (SWEEPS, {"measure": FLOW}),
    (QUARKS, {"measure": PION, "solver": {"precision": "mixed", "tolerance": 1e-2}}),
):
    parameters = study(tables, **keys).parameters()
    found, pieces = recorded(parameters)
    expected = planned(parameters, pieces)
    assert found == expected, (core.rank(), found, expected)
print("agrees")
"""
)


def hashes(ranks: int, repository: Path) -> list[list[str]]:
    found: list[list[str]] = json.loads(printed(["-c", BITS], ranks, repository))
    return found


def test_updates_have_the_same_bits_on_any_ranks_threads_and_kernels(repository: Path) -> None:
    alone, *ways = hashes(1, repository)
    assert ways == [alone, alone]
    for ranks in (2, 3, 4, 6, 8):
        assert hashes(ranks, repository) == [alone]


def test_what_an_update_records_is_what_is_planned(repository: Path) -> None:
    assert agreeing(SENT, 6, repository) == 6


TOML = """
workload = "qcd"
trajectories = 4
[lattice]
size = [4, 4, 6, 8]
[gauge]
start = "hot"
beta = 5.5
{tables}
[records]
checkpoint_every = 1
"""
UPDATES = {
    "sweeps": """
[update]
method = "heat-bath"
[measure]
every = 2
flow = {step = 0.1, until = 0.1}
""",
    "clover": """
[quarks]
kappa = 0.125
clover = 1.5
[solver]
precision = "mixed"
[update]
method = "hmc"
length = 0.3
integrator = "leapfrog"
steps = [1, 1, 2]
hasenbusch = [0.3]
force_tolerance = 1e-4
action_tolerance = 1e-6
""",
}
# Ranks, threads, and how they exchange, of one part of a run after the other.
PARTS: dict[str, tuple[tuple[int, int, dict[str, str]], ...]] = {
    "sweeps": ((4, 1, {"layout": "random"}), (1, 1, {"kernel": "plain"})),
    "clover": ((2, 1, {"halo": "put"}), (3, 2, {"overlap": "true"}), (1, 1, {"kernel": "plain"})),
}
# Trajectories of the first part. Sweeps are parted between two measurements, with one in each part.
FIRST = {"sweeps": 3, "clover": 1}


@pytest.mark.parametrize("update", UPDATES)
def test_an_ensemble_goes_on_on_other_ranks_bit_for_bit(update: str, tmp_path: Path) -> None:
    path, parts = tmp_path / "study.toml", PARTS[update]
    path.write_text(TOML.replace("{tables}", UPDATES[update]))
    for done, (ranks, threads, keys) in enumerate(parts):
        own = [word for k, v in keys.items() for word in ("--set", f"communication.{k}={v}")]
        words = ["--ranks", ranks, "--threads", threads, "--out", tmp_path / "parts", "--quiet"]
        resume = ["--resume"] if done else []
        ran(path, *words, *own, "--set", f"trajectories={FIRST[update] + done}", *resume)
    whole = ["--ranks", 1, "--set", f"trajectories={FIRST[update] + len(parts) - 1}", "--quiet"]
    ran(path, *whole, "--out", tmp_path / "whole")
    assert datasets(tmp_path / "parts") == datasets(tmp_path / "whole")
