"""Photons that a run counts by their energy, and the pictures that a report makes of radiation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import phasewise
from phasewise.errors import RunError
from phasewise.report.contents import chapters_of
from phasewise.report.reporting import reported
from phasewise.workloads.collision.analysis.recorded_bunches import recorded_bunches
from phasewise.workloads.collision.derived.beamstrahlung import passage, same_width
from phasewise.workloads.collision.tables.model import collision_of
from tests.unit.study_tables import build
from tests.unit.test_radiation_keys import ELECTRONS

pytest.importorskip("phasewise._core", reason="the core is not built")

TURNS, EVERY = 5, 2
RUN: dict[str, Any] = ELECTRONS | {
    "turns": TURNS,
    "beam__1__macroparticles": 400,
    "ip__1__model": "soft-gaussian",
    "ip__1__slices": 3,
    "ip__1__beta": [0.1, 0.001],
    "ip__1__beamstrahlung": "quantum",
    "arc__damping_turns": [40.0, 40.0, 20.0],
}
PICTURES = ["bunch-length", "photon-spectrum"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    study = build(**RUN, records__photon_spectrum_every=EVERY, records__slices_every=EVERY)
    return phasewise.run(study, tmp_path_factory.mktemp("run") / "run")


@pytest.fixture(autouse=True)
def no_figures_stay() -> Iterator[None]:
    yield
    plt.close("all")


def test_the_photons_of_the_turns_that_are_due_are_all_counted(results: Any) -> None:
    assert results.snapshots("photon_spectrum") == [0, 2, 4]
    for number in (1, 2):
        beam = results.beam(number)
        photons = beam.photons[:, 0] * beam.particles
        assert photons[0] > 10
        assert results.photon_spectrum(number, 2).sum() == pytest.approx(photons[2])
        assert results.photon_spectrum(number).sum() == pytest.approx(photons[::EVERY].sum())
        assert results.photon_spectrum(number).shape == (1, 80)
    with pytest.raises(RunError, match="photon_spectrum/1/beam1"):
        results.photon_spectrum(1, 1)


def test_the_report_has_pictures_of_radiation(results: Any) -> None:
    spectrum, ratio = results.plot.photon_spectrum()[0]
    assert ratio.get_title("left") == "counted over integral"
    lines = [line for line in spectrum.lines if "integral" in str(line.get_label())]
    for number, line in enumerate(lines, 1):
        u, photons = (np.asarray(values) for values in line.get_data())
        expected = recorded_bunches(results, 0).passage(number).loss
        # A tenth of a decade is 0.23 in ln u, which stands for its middle.
        assert (u * photons).sum() / 10 == pytest.approx(expected, rel=0.01)
    assert len(lines) == 2
    length, spread = results.plot.bunch_length()[0]
    found = results.derived["ips"][0]["beamstrahlung"]["equilibrium"]
    for axis, value, factor in (
        (length, found["bunch_length"][0], 1e3),
        (spread, found["momentum_spread"][0], 1e3),
    ):
        (dashed,) = (one for one in axis.lines if "equilibrium" in str(one.get_label()))
        assert dashed.get_ydata()[0] == pytest.approx(value * factor)


def test_a_run_without_photons_has_no_such_chapter(tmp_path: Path) -> None:
    study = build(**RUN | {"ip__1__beamstrahlung": None}, records__photon_spectrum_every=1)
    with phasewise.run(study, tmp_path / "run") as found:
        assert found.snapshots("photon_spectrum") == []
        with pytest.raises(RunError, match=r"set records\.photon_spectrum_every"):
            found.photon_spectrum(1)
    run = reported(tmp_path / "run")
    names = [name for chapter in chapters_of(run) for name, _, _ in chapter.figures]
    assert not set(PICTURES) & set(names)


def test_recorded_bunches_have_the_recorded_sizes(results: Any) -> None:
    found = recorded_bunches(results, 0, first=2)
    for number in (1, 2):
        size = np.sqrt((results.beam(number).size[2:] ** 2).mean(axis=0))
        beam = found.model.beam(number)
        assert (*beam.size(0), beam.bunch_length) == pytest.approx(tuple(size))
        left = results.beam(number).particles[2:] / results.study["beam"]["1"]["macroparticles"]
        given = results.study["beam"][str(number)]["bunch_population"]
        assert beam.bunch_population == pytest.approx(given * left.mean())
        slices = [results.slices(turn, 1, number) for turn in (2, 4)]
        wide = np.mean([of["sigma"][1, 0] ** 2 for of in slices])
        middle = np.mean([(of["z"] - of["z"] @ of["count"] / 400)[1] for of in slices])
        x, _ = found.widths[number - 1](np.array(middle))
        assert x * size[0] ** 2 == pytest.approx(wide)


def test_a_mean_loss_does_not_lengthen_bunches() -> None:
    quantum, mean = (
        build(**RUN | {"ip__1__beamstrahlung": kind}).derived()["ips"][0]["beamstrahlung"]
        for kind in ("quantum", "mean")
    )
    assert mean["photons"] == quantum["photons"]
    natural = build(**RUN).beam(1).momentum_spread
    assert mean["equilibrium"]["momentum_spread"] == pytest.approx([natural] * 2)
    assert quantum["equilibrium"]["momentum_spread"][0] > 1.001 * natural


def test_a_bunch_that_is_wider_everywhere_radiates_like_one_of_more_emittance() -> None:
    model = collision_of(build(**RUN))
    beam = model.beam(1)
    x, y = beam.geometric_emittance
    wider = replace(model, beams=(replace(beam, geometric_emittance=(4 * x, y)), model.beam(2)))
    by_width = passage(model, 2, 0, (lambda z: (4 + 0 * z, 1 + 0 * z), same_width))
    assert by_width.loss == pytest.approx(passage(wider, 2, 0).loss, rel=1e-9)
    assert by_width.loss < 0.9 * passage(model, 2, 0).loss
