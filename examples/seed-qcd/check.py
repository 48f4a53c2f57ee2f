"""The source's benchmark runs, and its messages have the sizes that the source gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import phasewise
from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.runs.results import Results

STUDY = Path(__file__).parent / "study.toml"


def test_the_benchmark_solves_and_is_reported(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["run", str(STUDY), "--out", str(out), "--quiet"]) == 0
    with Results(out) as results:
        assert results.rows("iterations").tolist() == [100, 100]
        assert results.rows("residual")[0] < 1e-14
        # Cold links have the loops of unit matrices, and no action.
        assert results.rows("plaquette_space")[0] == 1.0
    assert main(["report", str(out)]) == 0
    assert "four figures" in (out / "report.html").read_text()


@pytest.mark.parametrize(("spinors", "bytes_of_site"), [("half", 96), ("full", 192)])
def test_a_face_has_so_many_bytes_for_half_of_its_sites(spinors: str, bytes_of_site: int) -> None:
    overrides = [
        "lattice.size=[48,48,48,96]", "communication.process_grid=4x8x8x8",
        f"communication.spinors={spinors}",
    ]  # fmt: skip
    # Parts of 12×6×6×12 sites.
    faces = {"halo_x": 6 * 6 * 12, "halo_y": 12 * 6 * 12, "halo_t": 12 * 6 * 6}
    phases = plan(phasewise.load(STUDY, overrides), 2048)["phases"]
    for name, sites in faces.items():
        bytes_of = {phase["bytes"] for phase in phases if phase["name"] == name}
        assert bytes_of == {bytes_of_site * sites // 2}
