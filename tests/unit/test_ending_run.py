"""A run may end before its count: it says so, and its loops over turns stop."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def test_a_run_that_is_finished_does_no_more_turns(repository: Path, tmp_path: Path) -> None:
    built = repository / "build/python"
    libraries = [built / "libphasewise_core.a", built / "libphasewise_comm_serial.a"]
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None or not all(library.is_file() for library in libraries):
        pytest.skip("there is no compiler, or no build folder")
    program = tmp_path / "ending_run"
    subprocess.run(
        [
            *(compiler, "-std=c++20", "-fopenmp", "-I", repository / "core", "-o", program),
            *(repository / "tests/data/ending_run.cpp", *libraries, libraries[0]),
            *("-lfftw3", "-ldl"),
        ],
        check=True,
    )
    found = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert [line.split() for line in found.splitlines()] == [["2", "0"], ["3", "1"], ["3", "1"]]
