"""As many debunched particles are counted on any number of ranks and threads."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.mpi.test_told_once import agreeing

pytest.importorskip("phasewise._core", reason="the core is not built")
pytestmark = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

COUNT = """
import phasewise._core as core
from tests.unit.study_tables import RF, build

SIZE = {{"beam__1__bunch_length": 0.12, "beam__1__momentum_spread": 1.8e-4}}
run = core.start(build(beam__1__macroparticles=1501, **RF, **SIZE).parameters(), {threads})
found = []
for _ in range(3):
    run.step()
    found.append([run.record()[f"{{beam}}/debunched"] for beam in (1, 2)])
assert min(map(min, found)) > 0
with open({path!r} + f".{{core.rank()}}", "w") as file:
    print(found, file=file)
print("agrees")
"""


def test_the_count_is_the_same_on_any_number_of_ranks_and_threads(
    repository: Path, tmp_path: Path
) -> None:
    seen = set()
    for ranks, threads in ((1, 1), (1, 3), (2, 1), (3, 2)):
        path = tmp_path / f"{ranks}x{threads}"
        assert agreeing(COUNT.format(threads=threads, path=str(path)), ranks, repository) == ranks
        seen |= {path.with_suffix(f".{rank}").read_text() for rank in range(ranks)}
    assert len(seen) == 1
