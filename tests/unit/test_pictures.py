"""What the pictures of colliding beams show, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import picture_style
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.report.fields import draw_field
from phasewise.workloads.collision.report.footprint import draw_footprint
from phasewise.workloads.collision.report.history import draw_centroids, draw_losses
from phasewise.workloads.collision.report.luminosity import draw_luminosity, window_of
from phasewise.workloads.collision.report.waterfall import draw_waterfall
from tests.sentences import says
from tests.unit.synthetic_run import write_run

PLAIN = {"records__particles_every": 0, "records__slices_every": 0}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two interaction points that is long enough for every picture."""
    folder = tmp_path_factory.mktemp("run")
    write_run(folder, turns=1024, ip__2={"beta": [0.55, 0.55], "slices": 4}, **PLAIN)
    return folder


def drawn(draw: Any, folder: Path) -> Drawing:
    with picture_style():
        found = draw(BeamsRun(folder))
        assert isinstance(found, Drawing)
        found.canvas.draw_without_rendering()
    return found


def labels(found: Drawing, place: int = 0) -> list[str]:
    return [text.get_text() for text in found.canvas.axes[place].get_legend().get_texts()]


@pytest.mark.parametrize("flat", [1.0, 200.0])
def test_a_field_is_as_long_in_x_as_in_y_in_metres_or_where_it_is_flat_in_sizes(
    tmp_path: Path, flat: float
) -> None:
    write_run(tmp_path, turns=2, **PLAIN)
    with h5py.File(tmp_path / "records.h5", "r+") as file:
        for beam in (1, 2):
            y = file[f"field/1/ip1/beam{beam}/y"]
            y[...] = y[...] / flat
    found = drawn(draw_field, tmp_path)
    panels = found.canvas.axes[:6]
    assert all(panel.get_aspect() == 1.0 for panel in panels)
    if flat == 1.0:
        assert panels[0].get_xlabel() == "x [µm]" and panels[0].get_ylabel() == "y [µm]"
    else:
        # ±6 rms, of which the mesh leaves out 1e-9 of the charge; a cell is 0.19 rms.
        assert np.allclose(panels[0].get_ylim(), (-6, 6), rtol=1e-3)
        assert panels[0].get_xlabel().startswith("x / σ x (16.6 µm")
        says(found.caption, "rms")


def test_luminosity_has_its_name_its_unit_and_the_band_around_its_moving_mean(
    folder: Path,
) -> None:
    found = drawn(draw_luminosity, folder)
    names = [axis.get_ylabel() for axis in found.canvas.axes]
    assert names == ["L, IP 1 [10³⁴ cm⁻² s⁻¹]", "L, IP 2 [10³⁴ cm⁻² s⁻¹]"]
    says("; ".join(labels(found)), "standard deviation", window_of(1024), "turns", "fit")
    band = found.canvas.axes[0].collections[-1].get_datalim(found.canvas.axes[0].transData)
    # Turns differ by 2e-4; the mean and the deviation of 51 by 2.8e-5 and 2e-5, at most fourfold.
    assert 4e-4 < band.height < 8e-4


def test_neither_beam_hides_the_centroid_of_the_other(folder: Path) -> None:
    for axis in drawn(draw_centroids, folder).canvas.axes:
        first, second = (shade.get_facecolor()[0] for shade in axis.collections)
        assert tuple(first[:3]) != tuple(second[:3]) and first[3] == second[3] < 0.5
        # The edges of the lower shade are lines: two of them for each beam, beside its mean.
        assert len(axis.lines) == 6


def test_without_losses_there_is_a_sentence_and_with_them_their_panel_alone(
    folder: Path, tmp_path: Path
) -> None:
    none = draw_losses(BeamsRun(folder))
    assert isinstance(none, Missing)
    says(none.sentence, "lost", "outside", "mesh")
    write_run(tmp_path, turns=100, **PLAIN)
    with h5py.File(tmp_path / "records.h5", "r+") as file:
        file["beam1/losses"][50:] = 7
    found = drawn(draw_losses, tmp_path)
    (panel,) = found.canvas.axes
    says(panel.get_ylabel(), "macroparticles", "lost")
    assert found.warning is not None
    says(found.warning, "0.0350 %", "lost")


def test_the_footprint_has_a_legend_and_the_diffusion_in_colour(folder: Path) -> None:
    found = drawn(draw_footprint, folder)
    run = BeamsRun(folder)
    (legend,) = found.canvas.legends
    texts = [text.get_text() for text in legend.get_texts()]
    says(texts[0], "tracked")
    says(texts[1], "tune")
    says(texts[-1], "resonances", "m Qx + n Qy = p", "|m| + |n| ≤")
    dots = found.canvas.axes[0].collections[0]
    assert run.footprints[0] is not None
    np.testing.assert_array_equal(np.sort(dots.get_array()), np.sort(run.footprints[0].diffusion))
    assert "diffusion" in found.canvas.axes[-1].get_ylabel()


def test_labels_of_resonances_stand_within_the_picture(folder: Path) -> None:
    for axis in drawn(draw_footprint, folder).canvas.axes[:2]:
        inside = axis.get_window_extent()
        for text in axis.texts:
            box = text.get_window_extent()
            assert inside.x0 < box.x0 and box.x1 < inside.x1
            assert inside.y0 < box.y0 and box.y1 < inside.y1


def test_the_waterfall_needs_turns_and_shows_all_of_them(folder: Path, tmp_path: Path) -> None:
    found = drawn(draw_waterfall, folder)
    panels = found.canvas.axes[:4]
    assert [panel.get_title(loc="left") for panel in panels] == [
        "sum, x", "sum, y", "difference, x", "difference, y",
    ]  # fmt: skip
    window = 1024 // 4
    says(found.caption, window, "turns")
    # From the middle of the first window to that of the last, and half a row of pixels more.
    rows = (1024 - window) / 149
    assert panels[0].get_ylim() == pytest.approx((window / 2, 1024 - window / 2), abs=rows)
    write_run(tmp_path, turns=511, **PLAIN)
    few = draw_waterfall(BeamsRun(tmp_path))
    assert isinstance(few, Missing)
    says(few.sentence, "turns", 512)
