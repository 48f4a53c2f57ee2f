"""Tune shifts by space charge against theory, tracked particles, dumps, losses by place."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.constants import classical_radius
from phasewise.study import Study
from phasewise.workloads.spacecharge.analysis import footprint, ring_of, tune_spread
from phasewise.workloads.spacecharge.model import SpaceCharge, model_of
from phasewise.workloads.spacecharge.report.losses import losses_by_place
from phasewise.workloads.spacecharge.report.ring_run import RingRun
from phasewise.workloads.spacecharge.tune_shift import tune_shift
from tests.sentences import one_sentence

pytest.importorskip("phasewise._core", reason="the core is not built")

EMITTANCE, LENGTH, KICKS = 2e-6, 1.0, 24
FOCUSING = 0.04
"""m⁻², of a smooth channel: β = 1/√κ = 5 m everywhere, so that the theory is exact."""
CHANNEL = 24.0
"""m; a tune of CHANNEL/(2π · 5)."""


def channel(**tables: Any) -> dict[str, Any]:
    """A round bunch in a smooth channel."""
    given: dict[str, Any] = {
        "workload": "spacecharge",
        "turns": 80,
        "bunch": {
            "kinetic_energy": 160e6,
            "bunch_population": 1e10,
            "macroparticles": 60,
            "geometric_emittance": [EMITTANCE, EMITTANCE],
            "bunch_length": LENGTH,
        },
        "lattice": {
            "element": [
                {
                    "kind": "constant-focusing",
                    "length": CHANNEL,
                    "focusing": [FOCUSING, FOCUSING, 0.0],
                }
            ]
        },
        "solver": {"kicks": KICKS, "kind": "frozen", "sizes": "optics"},
        "records": {"tracked": 60},
    }
    for name, table in tables.items():
        given[name] = {**given[name], **table} if isinstance(table, dict) else table
    return given


def laslett(model: SpaceCharge, shape: float = 1 / math.sqrt(2 * math.pi)) -> float:
    """-N r0 C λ/(4π β² γ³ ε N) of a round Gaussian bunch, with λ = N shape/σz: the textbook's."""
    bunch = model.bunch
    assert bunch is not None
    density = bunch.bunch_population * shape / LENGTH
    radius = classical_radius(bunch.mass)
    return (
        -density * radius * CHANNEL / (4 * math.pi * bunch.beta_gamma**2 * bunch.gamma * EMITTANCE)
    )


def model_with(**tables: Any) -> SpaceCharge:
    return model_of(Study.from_dict(channel(**tables)))


def test_the_shift_of_a_long_round_bunch_is_that_of_the_textbook() -> None:
    model = model_with()
    assert tune_shift(model) == pytest.approx([laslett(model)] * 2, rel=1e-9)
    # γσz is 370 σx here: an ellipsoid's field differs from a cylinder's by (σx/γσz)² ln, 4e-5.
    whole = model_with(solver={"kind": "3d", "sizes": None, "grid": [8, 8, 8]})
    assert tune_shift(whole) == pytest.approx([laslett(model)] * 2, rel=1e-4)


@pytest.mark.parametrize(
    ("distribution", "share"),
    [
        # Central densities over that of a Gaussian with the same rms sizes.
        ("uniform", 3 / (4 * math.pi * 5**1.5) * (2 * math.pi) ** 1.5),
        ("waterbag", 8 / (math.pi**2 * 8**1.5) * (2 * math.pi) ** 1.5),
        ("kv", (2 * math.pi) ** 0.5 / (2 * math.sqrt(12))),
    ],
)
def test_other_distributions_have_the_shift_of_their_central_density(
    distribution: str, share: float
) -> None:
    solver = {"kind": "2.5d", "sizes": None, "grid": [8, 8, 8]}
    model = model_with(bunch={"distribution": distribution}, solver=solver)
    assert tune_shift(model) == pytest.approx([share * laslett(model)] * 2, rel=1e-9)


def test_a_short_bunch_has_the_shift_of_an_ellipsoid() -> None:
    # A sphere in its rest frame: the gradient of a charge is a third of its density over ε0.
    model = model_with(
        bunch={"bunch_length": math.sqrt(5 * EMITTANCE) / (1 + 160e6 / 938.27208816e6)},
        solver={"kind": "3d", "sizes": None, "grid": [8, 8, 8]},
    )
    bunch = model.bunch
    assert bunch is not None
    size = math.sqrt(5 * EMITTANCE)
    strength = bunch.bunch_population * classical_radius(bunch.mass) / bunch.beta_gamma**2
    gradient = strength * 4 * math.pi / 3 * (2 * math.pi) ** -1.5 / size**3
    assert tune_shift(model) == pytest.approx([-5 * gradient * CHANNEL / (4 * math.pi)] * 2)


def test_the_largest_shift_of_tracked_particles_is_laslett_s_at_small_amplitudes(
    tmp_path: Path,
) -> None:
    small = np.zeros((60, 6))
    small[:, 0] = small[:, 2] = 1e-3 * math.sqrt(5 * EMITTANCE)
    small[30:] *= 2e3
    file = tmp_path / "particles.npy"
    np.save(file, small)
    results = phasewise.run(
        Study.from_dict(channel(bunch={"particles": str(file)}, turns=200)), out=tmp_path / "run"
    )
    ring = ring_of(results)
    found = footprint(results, ring)
    assert ring is not None and ring.optics is not None and found is not None
    shift = laslett(ring.model)
    shifts = (found.tune - np.array(ring.optics.tunes) + 0.5) % 1.0 - 0.5
    # To second order in the shift, 2 % here, and by the kicks' distance.
    assert shifts[:30] == pytest.approx(shift, rel=0.03)
    # At 2 σ in both planes a round Gaussian has 0.41 of it (Bessel functions of the amplitude).
    assert 0.3 * shift > shifts[30:].max() and shifts[30:].min() > 0.5 * shift
    spread = tune_spread(found, ring.optics)
    assert spread.largest == pytest.approx([shift, shift], rel=0.03)
    assert spread.spread == pytest.approx(tuple(shifts.std(axis=0)))


SCRAPED = {
    "element": [
        {"kind": "drift", "length": 0.1},
        {"kind": "aperture", "name": "collimator", "half_width": [4e-3, 1.0]},
        {"kind": "drift", "length": 0.2},
        {"kind": "aperture", "half_width": [1.0, 5e-3], "shape": "rectangle"},
        {"kind": "drift", "length": 0.1, "name": "tank"},
    ]
}


def scraped() -> dict[str, Any]:
    """A bunch of parallel rays between two apertures, the first in x and the second in y."""
    given = channel(turns=3, lattice=SCRAPED, records={"tracked": 3, "particles_every": 2})
    given["bunch"] |= {"macroparticles": 4000, "beta": [5.0, 5.0], "size": [3e-3, 3e-3]}
    given["bunch"] |= {"geometric_emittance": [1.8e-6, 1.8e-6]}
    given["solver"] = {"kicks": 0}
    return given


def test_a_lost_particle_is_counted_at_its_aperture(tmp_path: Path) -> None:
    study = Study.from_dict(scraped())
    results = phasewise.run(study, out=tmp_path / "run")
    beam = results.beam(1)
    assert beam.losses_at.sum() == beam.losses[-1] > 0
    first, second = beam.losses_at[0]
    # 2 Q(4/3) of a Gaussian are outside the first, and 2 Q(5/3) of the others outside the second.
    outside = [math.erfc(u / math.sqrt(2)) for u in (4 / 3, 5 / 3)]
    assert first == pytest.approx(4000 * outside[0], rel=0.15)
    assert second == pytest.approx((4000 - first) * outside[1], rel=0.2)
    places = losses_by_place(RingRun(tmp_path / "run"), 0)
    assert [(one.name, one.place) for one in places] == [
        ("collimator", pytest.approx(0.1)),
        ("entry of tank", pytest.approx(0.3)),
    ]
    assert [one.losses for one in places] == beam.losses_at.sum(axis=0).tolist()
    assert [path.name for path in results.dumps()] == [f"turn-{turn:09d}.h5" for turn in (0, 2, 3)]
    last = results.particles()
    assert len(last["id"]) == beam.particles[-1]
    assert beam.tracked.shape == (3, 3, 6)
    for row, number in enumerate(last["id"][:3]):
        if number < 3:
            assert last["x"][row] == pytest.approx(beam.tracked[-1, number, 0])


def test_check_refuses_and_names_a_cavity_that_drives_the_bunch_apart(
    tmp_path: Path, repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ring = repository / "examples/synchrotron"
    text = (ring / "lattice.toml").read_text()
    (tmp_path / "lattice.toml").write_text(text.replace("phase = 0.5", "phase = 0.0"))
    assert text.count("phase = 0.5") == 1
    path = tmp_path / "study.toml"
    path.write_text((ring / "study.toml").read_text())
    assert main(["check", str(path)]) == 2
    one_sentence(capsys.readouterr().err, "below transition", "lattice.element", "phase = 0")
    assert main(["run", str(path), "--quiet", "--out", str(tmp_path / "out")]) == 2
    one_sentence(capsys.readouterr().err, "the cavities do not bunch the beam", "1/2 turn")
