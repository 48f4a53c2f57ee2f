"""The digits of Williamson's case 5 at T42, and levels that do not know of each other."""

from __future__ import annotations

from pathlib import Path

import pytest

import phasewise

STUDY = Path(__file__).parent / "study.toml"
DIGITS = {
    1: (1.569075278e8, 7.204475098e-13, 5584.101706),
    12: (1.569075316e8, 7.204477161e-13, 5594.984058),
    24: (1.569075311e8, 7.204477303e-13, 5597.841409),
}
"""Energy, potential enstrophy and the surface at the station by the number of timesteps."""
MASS = 5619.934569
MASS_ROUNDED = 1e-10
"""Half of the last digit of the mass is 9e-11 of it."""
ROUNDED = 1e-9
"""The other values have ten digits; they may differ by one in the last."""


@pytest.mark.parametrize("kernel", ["fast", "plain"])
def test_the_run_has_the_digits_of_stswm(kernel: str) -> None:
    study = phasewise.load(STUDY, [f"communication.kernel={kernel}"])
    with phasewise.run(study) as results:
        rows = {name: results.rows(name) for name in ("mass", "energy", "potential_enstrophy")}
        assert rows["mass"][:, 0] == pytest.approx([MASS] * study.count, rel=MASS_ROUNDED)
        for timesteps, (energy, enstrophy, surface) in DIGITS.items():
            at = timesteps - 1
            assert rows["energy"][at, 0] == pytest.approx(energy, rel=ROUNDED)
            assert rows["potential_enstrophy"][at, 0] == pytest.approx(enstrophy, rel=ROUNDED)
            assert results.rows("stations")[at, 0, 0] == pytest.approx(surface, rel=ROUNDED)


def test_a_level_runs_as_it_does_alone() -> None:
    study = phasewise.load(STUDY, ["timesteps=4", "sphere.truncation=21"])
    two = study.replace(**{"sphere.levels": 2, "sphere.amplitudes": [0.8, 1.0]})
    with phasewise.run(study) as alone, phasewise.run(two) as both:
        assert both.rows("stations")[:, 0, 1].tolist() == alone.rows("stations")[:, 0, 0].tolist()
        assert both.rows("energy")[0, 0] != both.rows("energy")[0, 1]
