"""The timestep beside that of SHTns' example; neither SHTns nor a network is needed."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from benchmarks.shallow_water_peer import (
    alternated,
    check_waves,
    settings_of,
    study,
    summary,
    turn_of,
)
from benchmarks.shtns_example import NAME, SHA256, taken_from, with_settings
from phasewise.errors import RunError
from tests.sentences import refused

TEXT = """\
class Grid:
    def __init__(self, nlats):
        self.nlats = nlats

if __name__ == "__main__":
    nlats = 128                # for gaussian grid.
    dt = 150                   # seconds
    itmax = 6*int(86400/dt)
"""
"""Settings as they stand in the example."""


def test_settings_are_replaced_where_they_are_set_and_nowhere_else() -> None:
    assert with_settings(TEXT, {"nlats": 256, "dt": 75.0}) == TEXT.replace(
        "nlats = 128                # for gaussian grid.", "nlats = 256"
    ).replace("dt = 150                   # seconds", "dt = 75.0")


@pytest.mark.parametrize(("text", "lines"), [("", 0), (TEXT + "    dt = 1\n", 2)])
def test_a_setting_without_a_line_of_its_own_is_one_sentence(text: str, lines: int) -> None:
    with refused(NAME, "dt", lines, by=RunError):
        with_settings(text, {"dt": 75.0})


def test_a_package_with_another_example_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "shtns-3.7.5.tar.gz"
    with tarfile.open(package, "w:gz") as archive:
        entry = tarfile.TarInfo(f"shtns-3.7.5/{NAME}")
        entry.size = len(TEXT)
        archive.addfile(entry, io.BytesIO(TEXT.encode()))
    with refused(package.name, NAME, SHA256, by=RunError):
        taken_from(package)


def test_a_package_without_the_example_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "shtns-3.7.5.tar.gz"
    tarfile.open(package, "w:gz").close()
    with refused(package.name, NAME, by=RunError):
        taken_from(package)


def test_a_script_is_timed_by_its_lines_without_its_picture(
    repository: Path, tmp_path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "if __name__ == '__main__':\n"
        "    import matplotlib.pyplot as plt\n"
        "    for n in range(4):\n"
        "        vrtg = n * np.ones((2, 4))\n"
        "        print('t=%6.2f hours' % n)\n"
        "    print('CPU time = ', 1.0)\n"
        "    plt.savefig('picture.pdf')\n"
    )
    worker = repository / "benchmarks/shtns_example_worker.py"
    words = [sys.executable, str(worker), str(script), str(tmp_path / "vorticity.npy")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True)
    seconds = json.loads(done.stdout)["seconds"]
    assert len(seconds) == 3
    assert min(seconds) >= 0.0
    assert np.all(np.load(tmp_path / "vorticity.npy") == 3.0)
    assert not (tmp_path / "picture.pdf").exists()


def test_the_example_gets_the_grid_and_timestep_of_the_study() -> None:
    settings = settings_of(study(170, 18, "plain"))
    assert (settings["nlats"], settings["nlons"], settings["ntrunc"]) == (256, 512, 170)
    assert settings["dt"] == 75.0
    assert settings["beta"] == pytest.approx(1 / 225, rel=1e-15)


def test_the_bump_of_the_example_lies_on_the_other_side_of_the_sphere() -> None:
    longitudes = 2 * np.pi * np.arange(8) / 8
    own = np.outer([0.0, 1.0, 0.5], np.cos(longitudes)) + np.array([[1.0], [2.0], [3.0]])
    check_waves(own, np.roll(own, 4, axis=1), 170)
    with refused("SHTns", 2, by=RunError):
        check_waves(own, own, 170)


def test_waves_may_differ_less_on_a_finer_grid() -> None:
    own = np.outer([0.0, 1.0], [1.0, -1.0])
    peer = 1.05 * np.roll(own, 1, axis=1)
    check_waves(own, peer, 85)
    with refused("SHTns", 0.05, "more than 0.02", by=RunError):
        check_waves(own, peer, 170)


def test_waves_of_no_number_are_refused() -> None:
    own = np.outer([0.0, 1.0], [1.0, -1.0])
    with refused("SHTns", "nan", by=RunError):
        check_waves(own, np.full_like(own, np.nan), 42)


def test_codes_take_turns() -> None:
    order: list[str] = []

    def turn(name: str) -> float:
        order.append(name)
        return float(len(order))

    found = alternated({name: partial(turn, name) for name in "AB"}, 3)
    assert order == list("ABABAB")
    assert found == {"A": [1.0, 3.0, 5.0], "B": [2.0, 4.0, 6.0]}


def test_the_ratio_is_that_of_the_medians() -> None:
    found = summary({"phasewise": [6.0, 90.0, 5.0], "SHTns": [4.0, 3.0, 80.0]})
    assert found == {"seconds": {"phasewise": 6.0, "SHTns": 4.0}, "over_peer": 1.5}


def test_turns_of_one_level_and_of_many_take_about_as_long() -> None:
    assert (turn_of(1), turn_of(18), turn_of(66)) == (100, 6, 5)
