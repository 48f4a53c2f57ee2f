"""Model `contention` against whole simulated runs on plain twins."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models import Case, predict
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import Study
from tests.unit.study_tables import tables

pytest.importorskip("phasewise._core", reason="the core is not built")
try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)


def study(algorithm: str) -> Study:
    """Messages of some 100 kB, so that the simulator's 16 B header and 1 ns matter little."""
    changes = {f"communication__{phase}": algorithm for phase in ("reduce", "broadcast")}
    return Study.from_dict(tables(turns=1, ip__1__grid=[128, 128], **changes))


@pytest.mark.parametrize("algorithm", ["hypercube", "mesh"])
@pytest.mark.parametrize(("machine", "ranks"), [("bassi", 16), ("bluegene-l", 8)])
def test_contention_tells_what_a_simulated_run_takes(
    tmp_path: Path, machine: str, ranks: int, algorithm: str
) -> None:
    case, described = study(algorithm), load_machine(machine)
    request = Request(described, ranks, "plain", skeleton=True, computation=False)
    summary, _ = simulate(case, request, tmp_path)
    # The study makes Green functions as needed: one in the turn that is simulated.
    found = predict(
        Case(case, described, ranks, "plain", pieces={"green": 1.0}), "contention", False
    )
    # The model keeps a rate for 2 % of a message's time, half of that on average.
    assert found.communication_seconds == pytest.approx(summary["communication_seconds"], rel=0.01)
    assert found.exchange_seconds == pytest.approx(summary["exchange_seconds"], rel=0.01)
