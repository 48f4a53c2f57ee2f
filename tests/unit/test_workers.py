"""Work in parallel processes: what comes back, and what the processes leave alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from phasewise.simulated.workers import in_workers

SCRIPT = """
print("the script")
from phasewise.simulated.workers import in_workers
print(sorted(in_workers(abs, {"a": -1, "b": -2, "c": 3}, 2, str)))
print(__file__.endswith("script.py"))
"""


def test_a_script_without_a_guard_is_run_once(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    said = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines() == ["the script", "[('a', 1), ('b', 2), ('c', 3)]", "True"]


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_failure_is_that_of_the_work(workers: int) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        dict(in_workers(int, {"good": "1", "bad": "one"}, workers, str))
