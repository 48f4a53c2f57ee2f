"""Solves that start from a file: the ranks refuse together what `phasewise gauge check` refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from phasewise.workloads.qcd.gauge.names import form_of
from phasewise.workloads.qcd.gauge.reading import FORMATS
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.mpi.scripts import printed
from tests.mpi.whole_run import datasets, ran, run
from tests.sentences import one_sentence
from tests.unit.damaged_fields import (
    DAMAGES,
    SIZE,
    field,
    not_special_links,
    values,
    written,
)

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

STUDY = """
workload = "qcd"
solves = 1
[lattice]
size = [2, 4, 2, 6]
[gauge]
start = "file"
file = "{file}"
[quarks]
kappa = 0.12
[solver]
iterations = 2
"""

STARTS = """
import json, sys
from pathlib import Path
from phasewise.driver import load_core
from phasewise.errors import PhasewiseError
from phasewise.runs.simulation import Simulation
from phasewise.study import Study, load
core = load_core()
study = load(Path(sys.argv[0]).with_name("study.toml"))
found = {}
for path in sorted(Path(sys.argv[0]).parent.glob("*.field")):
    try:
        Simulation(Study.from_dict(study.resolved() | {"gauge": {"start": "file",
                   "file": str(path)}}), core=core).start()
        found[path.stem] = "starts"
    except PhasewiseError as error:
        found[path.stem] = [error.exit_status, str(error)]
Path(sys.argv[0]).with_name(f"{core.rank()}.said").write_text(json.dumps(found))
"""

CUTS = """
import os
from phasewise.workloads.qcd.gauge import shared
reader = shared.read_box
def cutting(stored, *rest, **further):
    if core.rank() == core.size() - 1:
        os.truncate(stored.path, stored.offset + 100)
    return reader(stored, *rest, **further)
shared.read_box = cutting
"""
"""Cuts the file off on the last rank, as another process may, just before it reads it."""


def wrong_files(folder: Path) -> dict[str, tuple[object, ...]]:
    """Files that are refused, and what the sentence about them must hold."""
    found: dict[str, tuple[object, ...]] = {}
    # A run knows the size that `gauge check` asks for.
    refused = [damage for damage in DAMAGES if "--size" not in damage.facts]
    for number, damage in enumerate(refused):
        damage.write(folder / f"d{number}.field")
        found[f"d{number}"] = damage.facts
    for number, (links, facts) in enumerate(not_special_links().values()):
        for kind in ("ildg", "nersc"):
            path = folder / f"{kind}{number}.field"
            written(path, form_of(kind, "double"), SIZE, links, values(field()))
            found[f"{kind}{number}"] = facts
    size = (4, 2, 2, 6)
    write_links(folder / "size.field", form_of("milc", "single"), size, field())
    found["size"] = ("4×2×2×6", "lattice.size", "2×4×2×6")
    (folder / "folder.field").mkdir()
    found["folder"] = ("no file", "folder")
    return found


@mpi
@pytest.mark.parametrize("ranks", [1, 2, 6])
def test_ranks_refuse_a_wrong_file_together_in_one_sentence(ranks: int, tmp_path: Path) -> None:
    wrong = wrong_files(tmp_path)
    for name, own in FORMATS.items():
        for precision in own.PRECISIONS:
            path = tmp_path / f"{name}-{precision}.field"
            write_links(path, form_of(name, precision), SIZE, field())
    (tmp_path / "study.toml").write_text(STUDY.format(file="none"))
    script = tmp_path / "starts.py"
    script.write_text(STARTS)
    printed([str(script)], ranks, Path())
    every = [json.loads((tmp_path / f"{rank}.said").read_text()) for rank in range(ranks)]
    # All ranks say the same, with the number of the first that found it where one rank did.
    assert all(found == every[0] for found in every)
    for name, said in every[0].items():
        if name not in wrong:
            assert said == "starts"
            continue
        status, sentence = said
        assert status == 2, name
        one_sentence(sentence, tmp_path / f"{name}.field", *wrong[name])
    assert len(every[0]) == len(wrong) + 5


@mpi
def test_a_file_that_is_cut_short_while_it_is_read_is_one_sentence_on_all_ranks(
    tmp_path: Path,
) -> None:
    write_links(tmp_path / "x.field", form_of("nersc", "double"), SIZE, field())
    (tmp_path / "study.toml").write_text(STUDY.format(file="none"))
    head, tail = STARTS.split("found = {}\n")
    script = tmp_path / "starts.py"
    script.write_text(f"{head}{CUTS}found = {{}}\n{tail}")
    printed([str(script)], 3, Path())
    said = [json.loads((tmp_path / f"{rank}.said").read_text())["x"] for rank in range(3)]
    assert said[0][0] == 2
    one_sentence(said[0][1], tmp_path / "x.field", "cut short", "byte")
    assert said == said[:1] * 3


@mpi
def test_a_run_from_a_wrong_file_ends_with_status_2_and_one_sentence(tmp_path: Path) -> None:
    DAMAGES[0].write(tmp_path / "wrong.field")
    (tmp_path / "study.toml").write_text(STUDY.format(file="wrong.field"))
    done = run(tmp_path / "study.toml", "--ranks", 2, "--out", tmp_path / "out")
    assert done.returncode == 2
    one_sentence(done.stderr, tmp_path / "wrong.field", *DAMAGES[0].facts)


@mpi
def test_a_run_goes_on_only_on_its_own_lattice(tmp_path: Path) -> None:
    path = tmp_path / "field"
    write_links(path, form_of("ildg", "double"), SIZE, field())
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text(STUDY.format(file=path))
    every = ("--set", "records.checkpoint_every=1")
    ran(study, *every, "--ranks", 2, "--out", out, "--quiet")
    longer = (*every, "--set", "solves=2", "--resume", "--out", out, "--quiet")
    other = run(study, *longer, "--set", "lattice.size=[4,4,2,6]", "--ranks", 2)
    assert other.returncode == 2
    one_sentence(other.stderr, "lattice.size", [2, 4, 2, 6], [4, 4, 2, 6])
    # On its own lattice it goes on from the checkpoint, on other ranks, without the file.
    path.unlink()
    ran(study, *longer, "--ranks", 3)
    whole = tmp_path / "whole"
    write_links(path, form_of("ildg", "double"), SIZE, field())
    ran(study, *every, "--set", "solves=2", "--out", whole, "--quiet")
    resumed: dict[str, Any] = datasets(out)
    assert resumed == datasets(whole)
