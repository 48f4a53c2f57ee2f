"""Configurations that a run wrote, measured from their files."""

from __future__ import annotations

from pathlib import Path

import pytest

import phasewise
from phasewise.runs.summary import summarise

HERE = Path(__file__).parent
FLOW = ["measure.flow.step=0.1", "measure.flow.until=0.4"]
SIZE = "lattice.size=[4,4,4,8]"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run of pure-gauge, which writes six files."""
    out = tmp_path_factory.mktemp("pure-gauge")
    changes = [SIZE, "trajectories=12", "measure.every=2", "records.links_every=2", *FLOW]
    phasewise.run(phasewise.load(HERE / "../pure-gauge/study.toml", changes), out).close()
    return out


def test_files_are_measured_as_the_run_that_wrote_them_measured(made: Path) -> None:
    changes = [SIZE, "solves=6", f"gauge.files='{made}/links/*.ildg'", *FLOW]
    study = phasewise.load(HERE / "study.toml", [*changes, "solver.tolerance=1e-6"])
    with phasewise.run(study) as found, phasewise.open_results(made) as written:
        for name in ("plaquette_space", "polyakov", "flow_charge", "flow_energy_time"):
            # A file's links are put into SU(3), which they may have left by 1e-12.
            assert found.rows(name) == pytest.approx(written.rows(name)[1::2], rel=1e-9, abs=1e-11)
        ensemble = summarise(found)["ensemble"]
    assert ensemble["configurations"] == 6
    for name in ("plaquette", "polyakov_t", "charge", "charge_squared", "t0", "w0", "pion"):
        assert set(ensemble[name]) == {"mean", "error", "autocorrelation_time", "configurations"}
    pion = ensemble["pion"]
    assert len(pion["mean"]) == len(pion["error"]) == 8 and min(pion["mean"]) > 0
    # No configuration reaches t²E = 0.3 so early.
    assert ensemble["t0"]["mean"] is None


def test_a_pattern_without_files_is_refused() -> None:
    with pytest.raises(phasewise.StudyError, match="matches no file"):
        phasewise.load(HERE / "study.toml", ["gauge.files='nowhere/*.ildg'"])
