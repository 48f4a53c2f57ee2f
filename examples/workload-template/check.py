"""The template becomes a workload by two folders and one word, and all commands then know it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sysconfig
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import pytest

from phasewise.mpi.launch import without_mpi
from phasewise.workload.protocols import comparable

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
STUDY = HERE / "study.toml"
NAME = "ringpass"
FOLDERS = (f"core/{NAME}", f"phasewise/workloads/{NAME}")
PAGE = f"docs/{NAME}.md"
REGISTRY = "core/driver/workloads.cpp"
VALUES, TURNS = 1000, 200
"""As in the study."""
RANKS = 3
pytestmark = pytest.mark.timeout(300)  # two sources are compiled, and the core is linked

SIMULATED = ("--ranks", RANKS, "--machine", "bassi")


def output(words: Sequence[object], folder: Path, **variables: str) -> str:
    """What a program prints that ends with status 0."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=without_mpi(os.environ) | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{words}: {(done.stdout + done.stderr)[-4000:]}"
    return done.stdout


def register(source: str) -> str:
    """The list of workloads with one line more."""
    return source.replace("  line(spacecharge)", f"  line({NAME}) \\\n  line(spacecharge)")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source tree, as a git index has it, to which the template was then added."""
    if shutil.which("git") is None or not (REPOSITORY / ".git").exists():
        pytest.skip("the source tree is not a git checkout")
    tree = tmp_path_factory.mktemp("tree")
    listed = output(["git", "ls-files", "-co", "--exclude-standard"], REPOSITORY)
    for name in listed.splitlines():
        if (REPOSITORY / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, tree / name)
    output(["git", "init", "--quiet"], tree)
    output(["git", "add", "--all"], tree)
    for folder in FOLDERS:
        shutil.copytree(HERE / folder, tree / folder)
    shutil.copy(HERE / PAGE, tree / PAGE)
    registry = tree / REGISTRY
    registry.write_text(register(registry.read_text()))
    return tree


@dataclass(frozen=True)
class Built:
    """A Python with the copied tree and a core that knows the template, and what it needs."""

    tree: Path
    python: Path
    variables: Mapping[str, str]

    def printed(self, *words: object) -> dict[str, Any]:
        """The JSON object that a command of phasewise prints."""
        said = output(
            [self.python, "-m", "phasewise", *words, "--json"], self.tree, **self.variables
        )
        found = json.loads(said)
        assert isinstance(found, dict)
        return found


def compiled(source: Path, tree: Path, out: Path) -> Path:
    """The object of a source of the tree, compiled as the list of workloads is in the build."""
    commands = json.loads((REPOSITORY / "build/python/compile_commands.json").read_text())
    known = next(one for one in commands if one["file"] == str(REPOSITORY / REGISTRY))
    words = shlex.split(known["command"])
    for option in ("-o", "-c", "-MT", "-MF"):
        if option in words:
            at = words.index(option)
            del words[at : at + 2]
    words = [word.replace(f"{REPOSITORY}/core", f"{tree}/core") for word in words if word != "-MD"]
    made = out / f"{source.parent.name}-{source.stem}.o"
    output([*words, "-o", made, "-c", source], out)
    return made


def linked(folder: Path, target: str, objects: Sequence[Path], out: Path) -> None:
    """A target of a build folder, linked anew with objects that come before its libraries."""
    last = output(["ninja", "-t", "commands", target], folder).splitlines()[-1]
    words = shlex.split(last.removeprefix(": && ").removesuffix(" && :"))
    words[words.index("-o") + 1] = str(out)
    at = next(i for i, word in enumerate(words) if word.endswith(".o"))
    output([*words[:at], *objects, *words[at:]], folder)


def environment(folder: Path, tree: Path) -> Path:
    """A Python whose packages are those of this one, and phasewise that of the tree."""
    venv.create(folder, symlinks=True)
    (place,) = folder.glob("lib/python3*/site-packages")
    (place / "tree.pth").write_text(f"{tree}\n{sysconfig.get_path('purelib')}\n")
    return folder / "bin/python"


@pytest.fixture(scope="module")
def built(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """What the template adds, compiled and linked with the rest of this tree's build."""
    python, simulated = REPOSITORY / "build/python", REPOSITORY / "build/simulated"
    modules = [*python.glob("_core_mpi.*.so")]
    if not modules or shutil.which("ninja") is None or shutil.which("mpiexec") is None:
        pytest.skip("there is no build with MPI in build/python, or no ninja or mpiexec")
    out = tmp_path_factory.mktemp("built")
    sources = (tree / FOLDERS[0] / "workload.cpp", tree / REGISTRY)
    objects = [compiled(source, tree, out) for source in sources]
    linked(python, modules[0].name, objects, tree / "phasewise" / modules[0].name)
    variables = {}
    if (simulated / "phasewise-driver").is_file() and shutil.which("smpirun"):
        variables["PHASEWISE_SIMULATED"] = str(out)
        linked(simulated, "phasewise-driver", objects, out / "phasewise-driver")
        shutil.copy(simulated / "phasewise-platform.so", out)
    return Built(tree, environment(out / "venv", tree), variables)


@pytest.fixture(scope="module")
def run(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of the study."""
    folder = tmp_path_factory.mktemp("run") / "run"
    summary = built.printed("run", STUDY, "--ranks", RANKS, "--out", folder)
    assert summary["turns"] == TURNS and summary["wrong"] == 0
    return folder


def expected_checksum(turn: int, ranks: int = RANKS) -> int:
    """The sum of all sums: rank r adds r + k + i and what the rank before has, (r - 1 mod P) + k +
    i, for i = 0 … N - 1.
    """
    return ranks * VALUES * (ranks + VALUES + 2 * turn - 2)


def test_the_template_is_two_folders_a_page_and_one_line(tree: Path) -> None:
    added = output(["git", "ls-files", "--others", "--exclude-standard"], tree).splitlines()
    assert {name for name in added if not name.startswith(FOLDERS)} == {PAGE}
    assert output(["git", "diff", "--name-only"], tree).split() == [REGISTRY]
    lines = [(place / REGISTRY).read_text().splitlines() for place in (REPOSITORY, tree)]
    assert [line for line in lines[1] if line not in lines[0]] == [f"  line({NAME}) \\"]
    assert len(lines[1]) == len(lines[0]) + 1


def test_the_tree_with_the_template_keeps_the_habits_of_the_house(
    tree: Path, tmp_path: Path
) -> None:
    python = environment(tmp_path / "venv", tree)
    tests = [f"tests/unit/test_{name}.py" for name in ("house", "documented_keys")]
    output([python, "-m", "pytest", "-p", "no:cacheprovider", *tests], tree)


def test_the_sums_have_their_closed_form(run: Path) -> None:
    with h5py.File(run / "records.h5") as file:
        sums = [int(total) for total in file["checksum"]]
        assert not file["wrong"][:].any()
    assert sums == [expected_checksum(turn) for turn in range(TURNS)]


def test_a_run_sends_what_was_planned(built: Built, run: Path) -> None:
    phases = built.printed("plan", STUDY, "--ranks", RANKS)["phases"]
    record = json.loads((run / "communication.json").read_text())
    assert [(one["name"], one["messages"], one["bytes"]) for one in phases] == [
        ("pass", 1, 8 * VALUES),
        ("checks", 1, 16),
    ]
    for rank in record["rank"]:
        for phase in phases:
            recorded = rank["phases"][phase["name"]]
            assert recorded["messages"] == TURNS * phase["messages"]
            assert recorded["bytes"] == TURNS * phase["bytes_per_rank"]


def test_a_report_is_written(built: Built, run: Path) -> None:
    page = Path(built.printed("report", run)["report"]).read_text()
    assert "Wrong sums" in page and "pass" in page


def test_check_says_what_follows_from_the_keys(built: Built) -> None:
    assert built.printed("check", STUDY)["derived"]["message_bytes"] == 8 * VALUES


def test_a_prediction_has_the_time_of_the_passes(built: Built) -> None:
    (point,) = built.printed("predict", STUDY, *SIMULATED)["points"]
    assert 0.0 < point["exchange_seconds"] < point["turn_seconds"]


def test_a_simulated_machine_runs_it(built: Built) -> None:
    if not built.variables:
        pytest.skip("there is no driver for simulated machines in build/simulated")
    made = built.printed("simulate", STUDY, *SIMULATED, "--turns", 3)
    assert made["turns"] == 3 and made["exchange_seconds"] > 0.0


def test_a_tuner_compares_all_protocols(built: Built) -> None:
    if not built.variables:
        pytest.skip("there is no driver for simulated machines in build/simulated")
    tuned = built.printed("tune", STUDY, *SIMULATED)["candidates"]
    assert {one["communication"]["protocol"] for one in tuned} == set(comparable())
