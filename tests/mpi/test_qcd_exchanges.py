"""Solves on several ranks: what is recorded is what is planned, and the bits do not depend on how
the ranks exchange.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from phasewise.models.plan import plan
from phasewise.report.contents import make_report
from phasewise.runs.results import Results
from phasewise.study import Study, load
from phasewise.traces.records import COMPUTE, PHASE, Events, read_communication
from tests.mpi.whole_run import datasets, ran
from tests.sentences import says
from tests.unit.test_gauge_files import DATA

pytest.importorskip("phasewise._core", reason="the core is not built")
mpi = pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")

ITERATIONS = 6
STUDY = f"""
workload = "qcd"
solves = 2
[lattice]
size = [4, 4, 8, 8]
[gauge]
start = "hot"
[quarks]
kappa = 0.12
phases = [0.2, 0, 0, 1]
[solver]
iterations = {ITERATIONS}
"""
FIELD = {"spinors": "full", "kernel": "plain"}
"""Spinors go from where they lie in a field."""
LARGER = "lattice.size=[4, 4, 8, 12]"
"""Whose parts have an interior on up to four ranks; ITERATIONS as ever."""
# Ranks, process grid, and further keys.
VARIANTS = [
    (2, "1x1x1x2", {"halo": "sendrecv", "blocks": "runs"}),
    (2, "2x1x1x1", {"halo": "persistent", "spinors": "full", "overlap": "true"}),
    (4, "2x2x1x1", {"halo": "irecv-isend", "blocks": "runs", "spinors": "full"}),
    (4, "1x1x2x2", {"halo": "put", "overlap": "true", "layout": "t-first"}),
    (4, "1x2x2x1", {"halo": "fence", "blocks": "runs", "layout": "random"}),
    (4, "2x1x2x1", FIELD | {"halo": "sendrecv", "blocks": "runs"}),
    (4, "1x2x1x2", FIELD | {"halo": "derived", "blocks": "derived"}),
    (4, "2x2x1x1", FIELD | {"halo": "put", "blocks": "derived", "overlap": "true"}),
    (2, "1x1x2x1", FIELD | {"halo": "persistent", "blocks": "derived"}),
]


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "lattice.toml"
    path.write_text(STUDY)
    return path


def given(grid: str, keys: dict[str, str]) -> list[str]:
    """The options that set a variant."""
    values = {"process_grid": grid, **keys}
    return [word for k, v in values.items() for word in ("--set", f"communication.{k}={v}")]


@mpi
@pytest.mark.parametrize(("ranks", "grid", "keys"), VARIANTS)
def test_every_way_to_exchange_leaves_the_bits_of_one_rank(
    study: Path, tmp_path: Path, ranks: int, grid: str, keys: dict[str, str]
) -> None:
    ran(study, "--ranks", 1, "--out", tmp_path / "one", "--quiet")
    ran(study, "--ranks", ranks, "--out", tmp_path / "many", "--quiet", *given(grid, keys))
    assert datasets(tmp_path / "many") == datasets(tmp_path / "one")
    with Results(tmp_path / "one") as results:
        assert np.isfinite(results.rows("residual")).all()


@mpi
@pytest.mark.parametrize(("threads", "halo"), [(2, "sendrecv"), (3, "persistent")])
def test_a_thread_that_communicates_leaves_the_bits_of_one_rank_and_the_record_of_the_plan(
    study: Path, tmp_path: Path, threads: int, halo: str
) -> None:
    ran(study, "--ranks", 1, "--out", tmp_path / "one", "--quiet", "--set", LARGER)
    for ranks, grid in ((1, "1x1x1x1"), (2, "1x1x2x1"), (3, "1x1x1x3"), (4, "1x1x2x2")):
        words = ["--set", LARGER, *given(grid, {"halo": halo, "overlap": "thread"})]
        out = tmp_path / grid
        ran(study, "--ranks", ranks, "--threads", threads, "--out", out, "--quiet", *words)
        assert datasets(out) == datasets(tmp_path / "one"), grid
        record = read_communication(out)
        assert record.threads == threads
        own = load(study, [word for word in words if word != "--set"])
        if ranks > 1:
            check_record(out, own, ranks)


@mpi
@pytest.mark.parametrize(("overlap", "within"), [("true", False), ("thread", True)])
def test_a_thread_communicates_while_others_compute_the_interior(
    study: Path, tmp_path: Path, overlap: str, within: bool
) -> None:
    keys = given("1x1x1x2", {"halo": "sendrecv", "overlap": overlap})
    words = ["--ranks", 2, "--threads", 2, "--events", 1000, "--quiet", *keys]
    ran(study, *words, "--out", tmp_path / "out")
    events = Events(read_communication(tmp_path / "out"))
    found = events.of(0)
    named = np.array(events.names)[found["phase"]]
    faces = found[(found["kind"] == PHASE) & (named == "halo_t")]
    computed = found[(found["kind"] == COMPUTE) & (named == "hopping")]
    assert len(faces) and len(computed)
    inside = (computed["start"] <= faces["start"][:, None]) & (
        computed["end"] >= faces["end"][:, None]
    )
    assert inside.any(axis=1).all() == within and inside.any() == within


# Quarks, solvers and measurements, as a study has them.
KINDS = {
    "clover, stabilised": """
[quarks]
kappa = 0.11
clover = 1.2
anisotropy = 1.3
velocity = 0.9
[solver]
method = "bicgstab"
iterations = 5
""",
    "twisted, mixed": """
[quarks]
kappa = 0.12
clover_temporal = 0.5
twisted_mass = 0.1
stout_weight = 0.1
stout_steps = 3
[solver]
precision = "mixed"
tolerance = 1e-9
""",
    "smeared, single": """
[quarks]
kappa = 0.12
phases = [0.2, 0, 0, 1]
[solver]
precision = "single"
iterations = 3
[measure]
pion = { source = "smeared", width = 1.5, iterations = 3 }
source = [1, 2, 3, 5]
rectangles = true
""",
}


@mpi
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_quark_and_solver_has_its_plan_and_the_bits_of_one_rank(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "kind.toml"
    path.write_text(STUDY.split("[quarks]", maxsplit=1)[0] + KINDS[kind])
    ran(path, "--ranks", 1, "--out", tmp_path / "one", "--quiet")
    for ranks, grid, keys in (
        (2, "2x1x1x1", {"kernel": "plain"}),
        (4, "1x1x2x2", {"overlap": "true", "halo": "persistent"}),
        (4, "2x2x1x1", {"spinors": "full"}),
    ):
        out = tmp_path / grid
        ran(path, "--ranks", ranks, "--out", out, "--quiet", *given(grid, keys))
        assert datasets(out) == datasets(tmp_path / "one"), grid
        check_record(out, load(path, [w for w in given(grid, keys) if w != "--set"]), ranks)
    with Results(tmp_path / "one") as results:
        assert (results.rows("residual") < {"single": 1.0, "mixed": 1e-8}.get(kind[-6:], 0.1)).all()


@mpi
@pytest.mark.parametrize("kind", ["clover, stabilised", "twisted, mixed"])
def test_two_rows_of_a_link_leave_the_bits_of_whole_ones(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.toml"
    quarks = KINDS[kind].replace("[quarks]", "[quarks]\nphases = [1, 0, -1, 1]")
    path.write_text(STUDY.split("[quarks]", maxsplit=1)[0] + quarks)
    ran(path, "--ranks", 1, "--out", tmp_path / "one", "--quiet")
    keys = {"link_reals": "12", "overlap": "true"}
    ran(path, "--ranks", 4, "--out", tmp_path / "four", "--quiet", *given("2x1x2x1", keys))
    assert datasets(tmp_path / "four") == datasets(tmp_path / "one")


def check_record(folder: Path, study: Study, ranks: int) -> None:
    """What a run sent is what its pieces, as often as they occurred, send by the plan."""
    record = read_communication(folder)
    pieces = {name: 2.0 * count for name, count in record.pieces.items()}
    times = {"solve": 2.0, "iteration": pieces["iteration"], "configuration": pieces["links"]}
    times["update"] = pieces.get("update", 0.0)
    sent: dict[str, float] = {}
    for phase in plan(study, ranks)["phases"]:
        sent[phase["name"]] = (
            sent.get(phase["name"], 0.0) + times[phase["per"]] * phase["bytes_per_rank"]
        )
    checked = 0
    for name in sent:
        found = record.phase(name)
        if name.startswith(("halo", "links", "smear")) and found is not None:
            assert found.bytes.tolist() == [sent[name]] * ranks, name
            checked += 1
    assert checked >= 2


@mpi
def test_a_clover_term_that_cannot_be_inverted_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "singular.toml"
    cold = STUDY.split("[quarks]", maxsplit=1)[0].replace("hot", "cold")
    # Without fields A = 1/(2κ) - 3 + 3ν/ξ, which is 0 here.
    path.write_text(cold + "[quarks]\nkappa = 0.25\nanisotropy = 3.0\nclover = 1.0\n")
    done = subprocess.run(
        [sys.executable, "-m", "phasewise", "run", path, "--ranks", "2", "--out", tmp_path / "out"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode in (1, 2)
    says(done.stderr, "quarks", "clover term", "odd site")


@mpi
@pytest.mark.parametrize(("ranks", "grid", "keys"), [v for v in VARIANTS if v[0] == 4])
def test_the_record_of_the_faces_is_the_plan(
    study: Path, tmp_path: Path, ranks: int, grid: str, keys: dict[str, str]
) -> None:
    ran(study, "--ranks", ranks, "--out", tmp_path / "out", "--quiet", *given(grid, keys))
    record = read_communication(tmp_path / "out")
    assert record.process_grid == (tuple(map(int, grid.split("x"))),)
    overrides = [word for word in given(grid, keys) if word != "--set"]
    times = {"solve": 2, "iteration": 2 * ITERATIONS, "configuration": 1}
    messages: dict[str, int] = {}
    sent: dict[str, int] = {}
    for phase in plan(load(study, overrides), ranks)["phases"]:
        if phase["name"].startswith(("halo", "links")):
            often = times[phase["per"]]
            messages[phase["name"]] = messages.get(phase["name"], 0) + often * phase["messages"]
            sent[phase["name"]] = sent.get(phase["name"], 0) + often * phase["bytes_per_rank"]
    assert messages
    for name, count in messages.items():
        found = record.phase(name)
        assert found is not None
        assert found.bytes.tolist() == [sent[name]] * ranks
        assert found.messages.tolist() == [count] * ranks


# Of t = 0 … 4 by Chroma, which solved in single precision.
WEAK_FIELD_PION = [0.7498817306, 0.1275590769, 0.0488181427, 0.0261706827, 0.0205313171]


@mpi
@pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")
def test_the_pion_of_a_weak_field_from_a_smeared_source_is_the_published_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "weak.toml"
    path.write_text(
        f"""
workload = "qcd"
solves = 1
[lattice]
size = [4, 4, 4, 8]
[gauge]
start = "file"
file = "{DATA / "weak_field.lime"}"
[quarks]
kappa = 0.135
anisotropy = 2.464
velocity = 0.95
[solver]
precision = "mixed"
[measure]
pion = {{ source = "smeared", width = 2.0, iterations = 5 }}
"""
    )
    ran(path, "--ranks", 2, "--out", tmp_path / "out", "--quiet")
    with Results(tmp_path / "out") as results:
        found = results.rows("pion")[0]
    assert found[:5] == pytest.approx(np.array(WEAK_FIELD_PION), rel=2e-6)


@mpi
@pytest.mark.parametrize("halo", ["fence", "persistent", "put"])
def test_waiting_is_null_where_no_message_carries_its_senders_time(
    study: Path, tmp_path: Path, halo: str
) -> None:
    folder = tmp_path / halo
    words = ["--ranks", 2, "--out", folder, *given("1x1x1x2", {"halo": halo})]
    phases = json.loads(ran(study, *words, "--json").stdout)["communication"]["phases"]
    assert phases["sum_residual"]["waiting"] is None
    # An empty message is the flag of a put, and its tag carries the time.
    assert (phases["halo_t"]["waiting"] is None) == (halo != "put")
    cells = re.findall(r"<td>(.*?)</td>", make_report(folder).path.read_text())
    assert cells and not any("nan" in cell.split() for cell in cells)
