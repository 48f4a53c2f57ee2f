"""The Yokoya factor of round beams, 1.214, with fewer particles and turns than the study."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import phasewise
from phasewise.workloads.collision.analysis import CoherentModes, coherent_modes

STUDY = Path(__file__).parent / "study.toml"
VLASOV = 1.214
PARTICLES = 10_000


@pytest.fixture(scope="module")
def modes() -> CoherentModes:
    """σ and π modes of a run of about ten seconds."""
    small = ["turns=4096", f"beam.1.macroparticles={PARTICLES}"]
    return coherent_modes(phasewise.run(phasewise.load(STUDY, small)))


@pytest.mark.parametrize(("plane", "tune"), [("x", 0.31), ("y", 0.32)])
def test_the_yokoya_factor_is_that_of_the_vlasov_equation(
    modes: CoherentModes, plane: str, tune: float
) -> None:
    found = getattr(modes, plane)
    study = phasewise.load(STUDY)
    cell = 2 * 1e-4 / 127 / study.beam(1).size(0)[0]
    # Charge (h²/6), Green function (h²/12), differences (h²/3) and reading (h²/6) smear by 3/4 h²:
    # of σ² for the lens of one particle, of 2σ² for that of rigid bunches; the mode is in between.
    mesh, mesh_error = 9 / 16 * cell**2, 3 / 16 * cell**2
    # The lens changes tune and sizes by up to 2πξ |cot 2πQ|; N quiet particles know σ² to
    # a third of the random √(2/N).
    lens = 2 * math.pi * found.xi / math.tan(2 * math.pi * tune)
    sampling = math.sqrt(2 / PARTICLES) / 3
    tolerance = VLASOV * (abs(lens) + sampling + mesh_error) + 3 * found.yokoya_error
    assert found.yokoya == pytest.approx(VLASOV * (1 - mesh), abs=tolerance)
    # Tighter than what would let a rigid or a soft-Gaussian bunch pass.
    assert tolerance < (VLASOV - 1.10) / 3


@pytest.mark.parametrize(("plane", "tune"), [("x", 0.31), ("y", 0.32)])
def test_the_sigma_mode_is_at_the_tune(modes: CoherentModes, plane: str, tune: float) -> None:
    found = getattr(modes, plane)
    # To a small part of a bin: the sum of the centroids has no other line.
    assert found.sigma.frequency == pytest.approx(tune, abs=0.05 / 4096)


def test_the_pi_mode_lies_below_all_incoherent_tunes(modes: CoherentModes) -> None:
    for plane in (modes.x, modes.y):
        assert plane.shifted_as_expected
        assert plane.yokoya is not None
        assert plane.yokoya > 1.1
