"""The model `measured` beyond the simulated runs that it is fitted to."""

from __future__ import annotations

from pathlib import Path

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models import Case, predict
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import Study
from phasewise.study.laboratory import first_pieces
from tests.unit.study_tables import tables

try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)


def study(ranks: int) -> Study:
    own = tables() | {"turns": 1}
    own["communication"] = {"process_grid": f"2x{ranks // 4}"}
    return Study.from_dict(own)


@pytest.mark.parametrize("name", ["bassi", "jaguar"])
def test_four_times_the_ranks_of_the_runs_are_predicted(name: str, tmp_path: Path) -> None:
    machine = load_machine(name)
    folders = tuple(tmp_path / str(ranks) for ranks in (8, 12, 16))
    for folder in folders:
        ranks = int(folder.name)
        simulate(study(ranks), Request(machine, ranks, skeleton=True), folder)
    request = Request(machine, 64, skeleton=True)
    simulated, _ = simulate(study(64), request, tmp_path / "far")
    pieces = first_pieces(study(64), 64)
    found = predict(Case(study(64), machine, 64, pieces=pieces, records=folders), "measured")
    # benchmarks/extrapolation.py finds at most 12 %, on larger studies.
    expected = simulated["communication_seconds"]
    assert found.communication_seconds == pytest.approx(expected, rel=0.15)
