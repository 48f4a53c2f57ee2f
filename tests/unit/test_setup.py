"""Setting up: what it installs, and what it says where it cannot."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.sentences import says

BUILD_PACKAGES = [
    "g++",
    "make",
    "git",
    "cmake",
    "ninja-build",
    "pkg-config",
    "openmpi-bin",
    "libopenmpi-dev",
    "libfftw3-dev",
    "python3",
    "python3-venv",
    "python3-dev",
]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of programs, to be the whole PATH, that holds a shell and next to nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "env", "id", "dirname"):
        program = shutil.which(name)
        assert program is not None
        (folder / name).symlink_to(program)
    return folder


def put_program(folder: Path, name: str, script: str) -> None:
    """Puts an executable shell script into a folder, in place of what stands there."""
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def run_script(
    repository: Path, script: str, *arguments: str, path: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Runs one of scripts/ with nothing but `path` to find programs in."""
    return subprocess.run(
        [path / "bash", repository / "scripts" / script, *arguments],
        env={"PATH": str(path), **variables},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_without_apt_setup_names_every_missing_package_and_stops(
    repository: Path, bare: Path
) -> None:
    result = run_script(repository, "packages.sh", "build", path=bare)
    assert result.returncode == 1
    says(result.stderr, "apt", " ".join(BUILD_PACKAGES))


def test_as_root_the_missing_packages_are_installed_by_apt(repository: Path, bare: Path) -> None:
    put_program(bare, "id", "echo 0")
    put_program(bare, "apt-get", f'echo "$@" >>"{bare}/calls"')
    result = run_script(repository, "packages.sh", "build", path=bare)
    assert result.returncode == 0, result.stderr
    update, install = (bare / "calls").read_text().splitlines()
    assert update.endswith("update")
    assert install.endswith(" ".join(BUILD_PACKAGES))


def test_a_user_installs_through_sudo(repository: Path, bare: Path) -> None:
    put_program(bare, "id", "echo 1000")
    put_program(bare, "apt-get", ":")
    put_program(bare, "sudo", f'echo "$@" >>"{bare}/calls"')
    result = run_script(repository, "packages.sh", "build", path=bare)
    assert result.returncode == 0, result.stderr
    assert "apt-get -qq install -y" in (bare / "calls").read_text()


def test_a_user_without_sudo_is_told_what_to_run_as_root(repository: Path, bare: Path) -> None:
    put_program(bare, "id", "echo 1000")
    put_program(bare, "apt-get", ":")
    result = run_script(repository, "packages.sh", "build", path=bare)
    assert result.returncode == 1
    says(result.stderr, "root", "apt-get install -y g++ make")


def test_a_failing_apt_fails_the_setup(repository: Path, bare: Path) -> None:
    put_program(bare, "id", "echo 0")
    put_program(bare, "apt-get", "exit 100")
    result = run_script(repository, "packages.sh", "build", path=bare)
    assert result.returncode == 1
    says(result.stderr, "apt-get", "install", "g++ make")


def test_a_missing_browser_never_stops_the_setup(repository: Path, bare: Path) -> None:
    put_program(bare, "id", "echo 0")
    put_program(bare, "apt-get", "exit 100")
    result = run_script(repository, "packages.sh", "browser", path=bare)
    assert result.returncode == 0
    says(result.stderr, "report", "browser", "skipped")


def test_a_missing_browser_does_not_stop_a_user_who_may_not_install(
    repository: Path, bare: Path
) -> None:
    put_program(bare, "id", "echo 1000")
    put_program(bare, "apt-get", "exit 0")
    result = run_script(repository, "packages.sh", "browser", path=bare)
    assert result.returncode == 0
    says(result.stderr, "root", "browser", "skipped")


def test_a_missing_simgrid_never_stops_the_setup(repository: Path, bare: Path) -> None:
    put_program(bare, "id", "echo 0")
    put_program(bare, "apt-get", "exit 100")
    packages = run_script(repository, "packages.sh", "simulated", path=bare)
    assert packages.returncode == 0
    says(packages.stderr, "apt-get", "libsimgrid-dev", "phasewise simulate")
    build = run_script(repository, "setup.sh", "simulated", path=bare)
    assert build.returncode == 0
    says(build.stderr, "SimGrid", "phasewise simulate")


def test_missing_paradigms_never_stop_the_setup(repository: Path, bare: Path) -> None:
    (bare / "grep").symlink_to(shutil.which("grep") or "/bin/grep")
    put_program(bare, "mpicxx", "echo mpicxx: Open MPI 4.1.4")
    put_program(bare, "id", "echo 0")
    put_program(bare, "apt-get", "exit 100")
    result = run_script(repository, "packages.sh", "paradigms", path=bare)
    assert result.returncode == 0
    says(result.stderr, "apt-get", "gfortran", "libmpich-dev", "coarray", "partitioned")
    build = run_script(repository, "setup.sh", "mpich", path=bare)
    assert (build.returncode, build.stdout, build.stderr) == (0, "", "")


def test_another_mpi_library_brings_no_paradigms(repository: Path, bare: Path) -> None:
    put_program(bare, "mpicxx", "exit 1")
    (bare / "grep").symlink_to(shutil.which("grep") or "/bin/grep")
    result = run_script(repository, "packages.sh", "paradigms", path=bare)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_nothing_is_installed_where_all_is_there(repository: Path, tmp_path: Path) -> None:
    put_program(tmp_path, "apt-get", "exit 100")
    search = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", repository / "scripts/packages.sh", "build"],
        env={**os.environ, "PATH": search},
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_a_python_that_is_too_old_is_refused_by_name(repository: Path, bare: Path) -> None:
    put_program(bare, "python3.9", 'case "$2" in *exit*) exit 1 ;; *) echo 3.9.2 ;; esac')
    result = run_script(repository, "setup.sh", "environment", path=bare, PYTHON="python3.9")
    assert result.returncode == 1
    says(result.stderr, "Python 3.11", "python3.9", "3.9.2")
