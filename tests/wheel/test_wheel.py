"""The wheel: built as for distribution, installed into an environment of its own, and used outside
of the source tree, with MPI's library and without.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from phasewise.errors import RunError
from phasewise.machines.smpirun import simulated_tree
from tests.mpi.whole_run import STUDY, differing

BUILD_SECONDS = 1800
"""The whole core is compiled, on a machine that may be busy; afterwards only what has changed."""

pytestmark = [
    pytest.mark.timeout(BUILD_SECONDS),
    pytest.mark.skipif(shutil.which("ninja") is None, reason="the build's tools are missing"),
]


@dataclass(frozen=True)
class Installed:
    """phasewise in an environment: its interpreter, and the folder to work in; `path`: where a
    changed copy of the package stands, if one is to be used.
    """

    python: Path
    folder: Path
    path: Path | None = None

    def call(self, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
        """`phasewise WORDS` outside of the source tree."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        if self.path is not None:
            environment["PYTHONPATH"] = str(self.path)
        return subprocess.run(
            [self.python, "-m", "phasewise", *map(str, words)],
            cwd=self.folder, env=environment | variables,
            capture_output=True, text=True, timeout=170, check=False,
        )  # fmt: skip

    def said(self, *words: object) -> Any:
        """What `phasewise WORDS --json` prints."""
        done = self.call(*words, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def refusal(self, *words: object, **variables: str) -> str:
        """The sentence with which `phasewise WORDS` fails."""
        done = self.call(*words, **variables)
        assert done.returncode == 1, done.stderr
        (sentence,) = done.stderr.splitlines()
        return sentence


def carried_out(command: Sequence[object], **options: Any) -> str:
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=BUILD_SECONDS, **options
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that `pip wheel .` makes in build/wheel, which is kept. Where `make setup` has built
    the core and its bindings, they are linked and not compiled again; the kernels for a GPU are
    left out.
    """
    folder = tmp_path_factory.mktemp("wheel")
    launcher = {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}
    # Optimised for size, which compiles in less time.
    build = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--no-build-isolation"]
    build += ["--config-settings", "cmake.build-type=MinSizeRel"]
    build += ["--config-settings", "cmake.define.PHASEWISE_NVCC=OFF"]
    if (core := repository / "build/python/libphasewise_core.a").is_file():
        build += ["--config-settings", f"cmake.define.PHASEWISE_CORE_LIBRARY={core}"]
        build += ["--config-settings", f"cmake.define.PHASEWISE_BINDINGS_FOLDER={core.parent}"]
    carried_out(
        [*build, "--quiet", "--wheel-dir", folder], cwd=repository, env=launcher | os.environ
    )
    (found,) = folder.glob("phasewise-*.whl")
    return found


@pytest.fixture(scope="module")
def with_mpi(wheel: Path, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel and what it depends on in an empty environment, and a small study beside it."""
    folder = tmp_path_factory.mktemp("outside")
    carried_out([sys.executable, "-m", "venv", folder / "venv"])
    python = folder / "venv" / "bin" / "python"
    lock = repository / "requirements.lock"
    # Of the packages a small part is used, which is compiled when it is first imported.
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
    carried_out([*install, "--constraint", lock, wheel])
    (folder / "small.toml").write_text(STUDY)
    return Installed(python, folder)


@pytest.fixture(scope="module")
def without_mpi(with_mpi: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The same where no MPI library is found: its module asks for one of another name."""
    folder = tmp_path_factory.mktemp("without-mpi")
    (package,) = with_mpi.python.parents[1].glob("lib/python*/site-packages/phasewise")
    shutil.copytree(package, folder / "phasewise")
    (module,) = (folder / "phasewise").glob("_core_mpi*.so")
    content = module.read_bytes()
    assert b"\0libmpi" in content
    module.write_bytes(content.replace(b"\0libmpi", b"\0libxyz"))
    (folder / "small.toml").write_text(STUDY)
    return Installed(with_mpi.python, folder, path=folder)


@pytest.fixture(params=["with_mpi", "without_mpi"])
def installed(request: pytest.FixtureRequest) -> Installed:
    found: Installed = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def runs(with_mpi: Installed, without_mpi: Installed) -> dict[Path, Path]:
    """The folder of a run of each installation, on one rank."""
    for one in (with_mpi, without_mpi):
        one.said("run", "small.toml", "--out", "out")
    return {one.folder: one.folder / "out" for one in (with_mpi, without_mpi)}


def test_the_wheel_is_for_any_processor_of_its_platform(wheel: Path, repository: Path) -> None:
    assert wheel.name.endswith("-linux_x86_64.whl") or "x86_64" not in wheel.name
    commands = json.loads((repository / "build/wheel/compile_commands.json").read_text())
    words = {word for entry in commands for word in entry["command"].split()}
    assert "-march=native" not in words
    with ZipFile(wheel) as archive:
        names = archive.namelist()
        needs = archive.read("phasewise/_core_needs.txt").decode().split()
    if "x86_64" in wheel.name:
        assert "-march=x86-64-v3" in words
        assert needs == ["avx2", "bmi2", "fma"]
    assert "phasewise/machines/files/bassi.toml" in names
    assert "phasewise/workloads/collision/reproduction/paper.toml" in names
    assert not [name for name in names if name.startswith(("tests", "examples", "build"))]


def test_the_package_is_imported_from_where_it_is_installed(installed: Installed) -> None:
    words = "import phasewise._core as c; print(c.__file__, '|', c.missing_mpi, '|', c.size())"
    environment = {"PYTHONPATH": str(installed.path)} if installed.path else {}
    said = carried_out([installed.python, "-c", words], cwd=installed.folder,
                       env={"PATH": os.environ["PATH"]} | environment)  # fmt: skip
    place, missing, size = said.strip().split(" | ")
    assert str(installed.path or installed.python.parents[1]) in place
    assert size == "1"
    if installed.path is None:
        assert missing == "" and "_core_mpi" in place
    else:
        assert "libxyz" in missing and "_core_serial" in place


def test_a_study_is_checked(installed: Installed) -> None:
    assert "derived" in installed.said("check", "small.toml")


def test_a_study_is_planned_for_many_ranks(installed: Installed) -> None:
    assert installed.said("plan", "small.toml", "--ranks", 16)["ranks"] == 16


def test_a_study_is_predicted_on_a_machine_of_the_package(installed: Installed) -> None:
    said = installed.said("predict", "small.toml", "--machine", "bassi", "--ranks", "2,16")
    assert [point["ranks"] for point in said["points"]] == [2, 16]
    done = installed.call("predict", "small.toml", "--machine", "bassy", "--ranks", 2)
    assert 'did you mean "bassi"' in done.stderr


def test_runs_with_and_without_mpi_have_the_same_bits(runs: dict[Path, Path]) -> None:
    with_mpi, without_mpi = runs.values()
    assert differing(with_mpi, without_mpi) == []


def test_a_run_is_reported(without_mpi: Installed, runs: dict[Path, Path]) -> None:
    out = runs[without_mpi.folder]
    without_mpi.said("report", out)
    assert (out / "report.html").stat().st_size > 100_000


def test_ranks_are_started_or_refused_in_one_sentence(
    with_mpi: Installed, without_mpi: Installed, runs: dict[Path, Path]
) -> None:
    words = ("run", "small.toml", "--ranks", 2, "--quiet", "--out", "two")
    said = without_mpi.refusal(*words)
    assert "several ranks need MPI, which is missing here (libxyz" in said
    assert "install the MPI library" in said
    if shutil.which("mpiexec") is not None:
        done = with_mpi.call(*words)
        assert done.returncode == 0, done.stderr
        assert differing(runs[with_mpi.folder], with_mpi.folder / "two") == []


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "small.toml", "--machine", "bassi", "--ranks", 4),
        ("reproduce", "--quick"),
    ],
)
def test_what_simulates_says_what_is_missing(
    installed: Installed, words: tuple[object, ...], tmp_path: Path
) -> None:
    said = installed.refusal(*words, PATH=str(tmp_path), PHASEWISE_SIMULATED="")
    assert "smpirun is not found: install libsimgrid-dev" in said
    (tmp_path / "smpirun").write_text("#!/bin/sh\n")
    (tmp_path / "smpirun").chmod(0o755)
    said = installed.refusal(*words, PATH=str(tmp_path), PHASEWISE_SIMULATED="")
    assert "run make setup in a checkout" in said and "PHASEWISE_SIMULATED" in said
    assert "site-packages" not in said


@pytest.mark.skipif("PHASEWISE_LONG" not in os.environ, reason="PHASEWISE_LONG=1 runs it: minutes")
def test_the_paper_is_reproduced_where_a_checkout_has_the_simulated_driver(
    with_mpi: Installed,
) -> None:
    try:
        driver, _ = simulated_tree()
    except RunError as missing:
        pytest.skip(str(missing))
    environment = os.environ | {"PHASEWISE_SIMULATED": str(driver.parent)}
    words = [with_mpi.python, "-m", "phasewise", "reproduce", "--quick", "--json"]
    found = json.loads(carried_out(words, cwd=with_mpi.folder, env=environment))
    assert found["quick"] is True
    assert (with_mpi.folder / "reproduced" / "index.html").is_file()
    holds = [claim["holds"] for claim in found["claims"]]
    assert None not in holds and holds.count(True) >= 10
