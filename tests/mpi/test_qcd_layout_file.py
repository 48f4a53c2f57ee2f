"""A lattice's layout from a file: run and simulated like every other, with the same bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models.recorded_run import read_run
from phasewise.runs.results import Results
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import load
from phasewise.traces.records import read_communication
from tests.mpi.test_qcd_exchanges import STUDY, mpi
from tests.mpi.whole_run import datasets, ran, run
from tests.sentences import one_sentence

GRID = "1x1x2x2"
NUMBERS = (2, 0, 3, 1)
PLACES = [(0, 0, n % 2, n // 2) for n in NUMBERS]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study whose layout is a file beside it."""
    path = tmp_path / "lattice.toml"
    table = f'[communication]\nprocess_grid = "{GRID}"\nlayout = "places.txt"\n'
    path.write_text(STUDY + table)
    (tmp_path / "places.txt").write_text("".join(f"{n}  # of rank {i}\n" for i, n in
                                                 enumerate(NUMBERS)))  # fmt: skip
    return path


@mpi
def test_a_run_has_the_places_of_the_file_and_the_bits_of_one_rank(study: Path) -> None:
    folder = study.parent
    one = ("--set", "communication.layout=x-first", "--set", "communication.process_grid=auto")
    ran(study, *one, "--ranks", 1, "--out", folder / "one", "--quiet")
    ran(study, "--ranks", 4, "--out", folder / "many", "--quiet")
    assert datasets(folder / "many") == datasets(folder / "one")
    record = read_communication(folder / "many")
    assert [tuple(map(int, place)) for place in record.place] == PLACES
    given = load(study).communication
    # A recorded run keeps its places, whatever has become of the file.
    (folder / "places.txt").unlink()
    assert read_run(folder / "many").study.communication == given


@mpi
def test_a_run_on_other_ranks_than_the_files_is_one_sentence(study: Path) -> None:
    auto = ("--set", "communication.process_grid=auto")
    done = run(study, *auto, "--ranks", 2, "--out", study.parent / "out")
    assert done.returncode == 2
    places = study.parent / "places.txt"
    one_sentence(done.stderr, "communication.layout", places, "4 ranks", 2)


def test_a_simulated_run_has_the_places_of_the_file(study: Path, tmp_path: Path) -> None:
    try:
        simulated_tree()
    except RunError as error:
        pytest.skip(str(error))
    request = Request(load_machine("bassi"), 4)
    found: dict[str, Any] = {}
    for name in ("places.txt", "x-first"):
        own = load(study, [f"communication.layout={name}"], count=1)
        _, record = simulate(own, request, tmp_path / name.partition(".")[0])
        found[name] = [tuple(map(int, place)) for place in record.place]
    assert found["places.txt"] == PLACES and found["x-first"] == [PLACES[i] for i in (1, 3, 0, 2)]
    with Results(tmp_path / "places") as one, Results(tmp_path / "x-first") as other:
        assert one.rows("residuals").tobytes() == other.rows("residuals").tobytes()
