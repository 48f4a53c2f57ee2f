"""The file of links that a run leaves: the same from any ranks, whole or not there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.workloads.qcd.gauge.files import check_links, open_links
from phasewise.workloads.qcd.gauge.names import PRECISIONS, form_of
from phasewise.workloads.qcd.gauge.writing import write_links
from tests.mpi.scripts import printed
from tests.mpi.test_gauge_start import STUDY, mpi
from tests.mpi.whole_run import ran, run
from tests.sentences import Nearest, command_refused, one_sentence, says, sentence_of
from tests.unit.damaged_fields import SIZE, field

pytest.importorskip("phasewise._core", reason="the core is not built")

KINDS = [(name, precision) for name, own in PRECISIONS.items() for precision in own]
WRITTEN = "links/solve-000000000001."


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study whose links come from a file beside it."""
    write_links(tmp_path / "field", form_of("ildg", "double"), SIZE, field())
    path = tmp_path / "lattice.toml"
    path.write_text(STUDY.format(file="field"))
    return path


def asked(name: str, precision: str, *further: str) -> tuple[str, ...]:
    """The options for a file of links."""
    keys = (f"links={name}", f"links_precision={precision}", *further)
    return tuple(word for key in keys for word in ("--set", f"records.{key}"))


@mpi
@pytest.mark.parametrize(("name", "precision"), KINDS)
def test_ranks_write_the_file_that_a_conversion_writes(
    name: str, precision: str, study: Path, capsys: Any
) -> None:
    folder = study.parent
    words = ["gauge", "convert", str(folder / "field"), str(folder / "converted")]
    assert main([*words, "--format", name, "--precision", precision]) == 0
    expected = (folder / "converted").read_bytes()
    grids = ((1, "1x1x1x1"), (2, "1x2x1x1"), (3, "1x1x1x3"), (6, "1x2x1x3"))
    for ranks, grid in grids if precision == "double" else grids[-1:]:
        out = folder / grid
        place = ("--set", f"communication.process_grid={grid}", "--set", "seed=3")
        layout = ("--set", "communication.layout=random")
        ran(study, *asked(name, precision), *place, *layout, "--ranks", ranks, "--out", out)
        assert (out / f"{WRITTEN}{name}").read_bytes() == expected, grid
        assert [path.name for path in (out / "links").iterdir()] == [Path(f"{WRITTEN}{name}").name]
    capsys.readouterr()
    assert main(["gauge", "check", str(out / f"{WRITTEN}{name}"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["format"] == name


@mpi
def test_ranks_write_two_rows_and_the_other_byte_order_too(study: Path) -> None:
    folder = study.parent
    words = ["gauge", "convert", str(folder / "field"), str(folder / "converted")]
    assert main([*words, "--format", "nersc", "--rows", "2", "--byte-order", "little"]) == 0
    form = asked("nersc", "double", "links_rows=2", "links_byte_order=little")
    ran(study, *form, "--ranks", 6, "--out", folder / "out")
    found = folder / f"out/{WRITTEN}nersc"
    assert found.read_bytes() == (folder / "converted").read_bytes()
    assert b"4D_SU3_GAUGE\n" in found.read_bytes() and b"IEEE64LITTLE" in found.read_bytes()


@mpi
def test_links_of_a_hot_start_are_written_and_started_from(study: Path) -> None:
    folder = study.parent
    hot = folder / "hot.toml"
    hot.write_text(study.read_text().replace('"file"\nfile = "field"', '"hot"'))
    ran(hot, "--set", "records.links=nersc", "--ranks", 2, "--out", folder / "hot")
    path = folder / f"hot/{WRITTEN}nersc"
    found = check_links(open_links(path))
    again = ("--set", f"gauge.file='{path}'", *asked("nersc", "double"), "--ranks", 3)
    done = ran(study, *again, "--out", folder / "again", "--json")
    summary = json.loads(done.stdout)
    assert summary["link_trace"] == found["link_trace"]
    assert (folder / f"again/{WRITTEN}nersc").read_bytes() == path.read_bytes()


@mpi
def test_a_resumed_run_writes_the_links_of_its_checkpoint(study: Path) -> None:
    folder, every = study.parent, ("--set", "records.checkpoint_every=1")
    ran(study, *every, "--ranks", 2, "--out", folder / "out", "--quiet")
    # The links come from the checkpoint; that they are written changes no bit of the results.
    (folder / "field").rename(folder / "moved")
    longer = ("--set", "solves=2", "--resume", "--ranks", 3, "--out", folder / "out")
    ran(study, *every, *asked("ildg", "double"), *longer)
    (found,) = (folder / "out/links").iterdir()
    assert found.name == "solve-000000000002.ildg"
    assert found.read_bytes() == (folder / "moved").read_bytes()


@mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_a_missing_file_is_one_sentence(ranks: int, study: Path) -> None:
    (study.parent / "field").unlink()
    done = run(study, "--ranks", ranks, "--out", study.parent / "out")
    assert done.returncode == 2
    one_sentence(done.stderr, study.parent / "field", "read", "No such file")


FULL = """
import json, resource, sys
from pathlib import Path
from phasewise.driver import load_core
from phasewise.errors import PhasewiseError
from phasewise.runs.simulation import Simulation
from phasewise.study import load
from phasewise.runs.layout import Recording
core, here = load_core(), Path(sys.argv[0]).parent
study = load(here / "lattice.toml", ["records.links=ildg"])
simulation = Simulation(study, core=core)
simulation.step()
# Less than the links need.
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
try:
    study.workload.part(Recording).dump(here / "links", simulation.driver, core, study, False)
    said = "written"
except PhasewiseError as error:
    said = [error.exit_status, str(error)]
(here / f"{core.rank()}.said").write_text(json.dumps(said))
"""


@mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_a_file_that_cannot_grow_leaves_the_earlier_one_and_one_sentence(
    ranks: int, study: Path
) -> None:
    earlier = study.parent / f"{WRITTEN}ildg"
    earlier.parent.mkdir()
    earlier.write_bytes(b"earlier")
    script = study.with_name("full.py")
    script.write_text(FULL)
    printed([str(script)], ranks, Path())
    for rank in range(ranks):
        status, sentence = json.loads(study.with_name(f"{rank}.said").read_text())
        assert status == 1
        one_sentence(sentence, earlier, "written", "largest", "size")
    assert earlier.read_bytes() == b"earlier"
    assert list(earlier.parent.iterdir()) == [earlier]


@mpi
def test_a_full_disk_is_one_sentence(study: Path) -> None:
    disk = study.parent / "out" / "links"
    disk.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", disk]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root, and a machine that lets it")
    try:
        done = run(study, *asked("nersc", "double"), "--ranks", 2, "--out", disk.parent)
        assert done.returncode == 1, done.stderr
        says(sentence_of(done.stderr), f"{WRITTEN}nersc", "written", "disk", "full")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


KILLED = """
import os, signal, sys
from pathlib import Path
from phasewise.driver import load_core
from phasewise.workloads.qcd.gauge import writing
from phasewise.workloads.qcd.gauge.names import form_of
from tests.unit.damaged_fields import SIZE, field
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
writing.{step} = killed
path = Path(sys.argv[1])
if {whole}:
    writing.write_links(path, form_of("ildg", "double"), SIZE, field())
else:
    writing.write_own_links(path, form_of("ildg"), SIZE, (0, 0, 0, 0), field(), load_core())
"""


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("step", ["_fill", "_finish"])
def test_a_writer_that_is_killed_leaves_the_earlier_file(
    step: str, whole: bool, tmp_path: Path, repository: Path
) -> None:
    path = tmp_path / "field"
    write_links(path, form_of("nersc", "single"), SIZE, field())
    before = path.read_bytes()
    # A conversion has these steps in one, the replacement.
    script = KILLED.format(step=step, whole=whole).replace("writing._fill", "writing.os.fsync")
    script = script.replace("writing._finish", "Path.replace") if whole else script
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        env=os.environ | {"PYTHONPATH": str(repository)}, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    assert (tmp_path / "field.partial").exists()
    # The next writer takes its place.
    write_links(path, form_of("ildg", "double"), SIZE, field())
    assert list(tmp_path.iterdir()) == [path]


ONE_KILLED = FULL.replace(
    "# Less than the links need.",
    "from phasewise.workloads.qcd.gauge import writing\n"
    "fill = writing._fill\n"
    "def dying(path, beside, offset, data, sites):\n"
    "    half = len(sites) // 2\n"
    "    fill(path, beside, offset, data[:half], sites[:half])\n"
    "    if core.rank() == core.size() - 1:\n"
    "        import os, signal; os.kill(os.getpid(), signal.SIGKILL)\n"
    "    fill(path, beside, offset, data, sites)\n"
    "writing._fill = dying",
).replace("(40_000, 40_000)", "(10**6, 10**6)")


@mpi
def test_a_rank_that_is_killed_while_all_write_ends_them_and_leaves_the_earlier_file(
    study: Path,
) -> None:
    earlier = study.parent / f"{WRITTEN}ildg"
    earlier.parent.mkdir()
    earlier.write_bytes(b"earlier")
    script = study.with_name("killed.py")
    script.write_text(ONE_KILLED)
    with pytest.raises(AssertionError):  # the ranks end with another status than 0
        printed([str(script)], 3, Path())
    assert earlier.read_bytes() == b"earlier"
    assert not list(study.parent.glob("*.said"))
    # Without the kill the same ranks write the file.
    script.write_text(ONE_KILLED.replace("os.kill", "print"))
    printed([str(script)], 3, Path())
    assert earlier.read_bytes() != b"earlier"
    check_links(open_links(earlier))
    assert list(earlier.parent.iterdir()) == [earlier]


@mpi
def test_a_half_that_a_killed_run_left_is_gone_after_the_next_one(study: Path) -> None:
    out = study.parent / "out"
    half = out / f"{WRITTEN}ildg.partial"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"half")
    ran(study, *asked("milc", "single"), "--out", out)
    assert [path.name for path in half.parent.iterdir()] == ["solve-000000000001.milc"]


def test_a_precision_that_a_format_lacks_is_one_sentence(study: Path, capsys: Any) -> None:
    precision, rows = "records.links_precision", "records.links_rows"
    for keys, facts in (
        (["links=milc", "links_precision=double"], (precision, '"double"', "milc", "single")),
        (["links_precision=double"], (precision, '"double"', "records.links", '"ildg"', '"nersc"')),
        (["links_rows=2"], (rows, 2, "records.links", '"nersc"')),
        (["links_rows=3"], (rows, 3, "records.links")),
        (["links=ildg", "links_rows=2"], (rows, 2, "records.links", '"ildg"', 3)),
        (["links=ilgd"], ("records.links", '"ilgd"', Nearest("ildg"))),
    ):
        words = [word for key in keys for word in ("--set", f"records.{key}")]
        command_refused(capsys, ["check", study, *words], *facts)


def test_the_check_of_a_study_shows_how_links_are_written(study: Path, capsys: Any) -> None:
    assert main(["check", str(study), "--set", "records.links=nersc"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    for row in (
        ["links", '"nersc"'],
        ["links_precision", '"double"'],
        ["links_rows", "3"],
        ["links_byte_order", '"big"'],
    ):
        assert row in lines
