"""Snapshots of fields: pictures in one scale of colours, and films that hold every snapshot."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from numpy.typing import NDArray
from PIL import Image

from phasewise.constants import ELEMENTARY_CHARGE
from phasewise.errors import RunError
from phasewise.report.field_pictures import draw_field
from phasewise.report.fields import MOST_CELLS, Coordinate, Field, Snapshot, coarser, spread
from phasewise.report.figure import Drawing, Film, Missing, make_figure
from phasewise.report.films import MOST_FRAMES, film_of
from phasewise.report.style import picture_style
from phasewise.runs.results import Results
from phasewise.workload.interface import Unit
from phasewise.workloads.collision.openpmd import write_dump
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.report.densities import charge_density
from tests.sentences import one_sentence, refused, says
from tests.unit.synthetic_run import Bunches, OneRank, write_run

RUN = SimpleNamespace(workload=SimpleNamespace(unit=Unit("timestep", "timesteps")))
EDGES = np.linspace(0.0, 2e-3, 5), np.linspace(-1.0, 1.0, 4)
LAST = 20
"""The last turn of the synthetic collision, which has dumps at this turn and at two before."""
BARE = {
    "records__tracked": 0,
    "records__slices_every": 0,
    "records__pair_luminosity_every": 0,
    "records__field": False,
    "beam__1__macroparticles": 2000,
    "records__particles_fraction": 0.5,
}


def field_of(values: list[NDArray[Any]], **more: Any) -> Field:
    """A field with these values, of which every tenth timestep has a snapshot."""
    return Field(
        name="height",
        title="Height",
        quantity="height",
        unit="m",
        axes=(Coordinate("x", "m"), Coordinate("latitude", "°")),
        turns=lambda _run: [10 * k for k in range(len(values))],
        snapshot=lambda _run, turn: Snapshot(*EDGES, values[turn // 10]),
        **more,
    )


def uniform(*values: float) -> list[NDArray[Any]]:
    return [np.full((4, 3), value) for value in values]


def drawn(field: Field, run: Any = RUN) -> Drawing:
    with picture_style():
        found = draw_field(field, run)
        assert isinstance(found, Drawing)
        found.canvas.draw_without_rendering()
    return found


def frames(data: bytes | Path) -> list[NDArray[Any]]:
    """The frames of a film, (height, width, 3) in 0 … 1."""
    with Image.open(io.BytesIO(data) if isinstance(data, bytes) else data) as film:
        found = []
        for k in range(getattr(film, "n_frames", 1)):
            film.seek(k)
            found.append(np.asarray(film.convert("RGB")) / 255)
    return found


def middle(frame: NDArray[Any]) -> NDArray[Any]:
    """The colour in the middle of the panel, which the scale of colours moves to the left."""
    found: NDArray[Any] = frame[frame.shape[0] // 2, 2 * frame.shape[1] // 5]
    return found


def film(field: Field, **more: Any) -> Film:
    return film_of(field, RUN, list(field.turns(RUN)), **more)  # type: ignore[arg-type]


def test_a_picture_shows_the_first_the_middle_and_the_last_snapshot_in_the_same_colours() -> None:
    found = drawn(field_of(uniform(1.0, 2.0, 3.0, 4.0, 9.0)))
    panels = [axis for axis in found.canvas.axes if axis.images]
    assert [p.get_title("left") for p in panels] == ["timestep 0", "timestep 20", "timestep 40"]
    assert [float(p.images[0].get_array().mean()) for p in panels] == [1.0, 3.0, 9.0]
    assert {p.images[0].get_clim() for p in panels} == {(1.0, 9.0)}
    assert panels[0].get_xlabel() == "x [mm]" and panels[0].get_ylabel() == "latitude [°]"
    assert np.allclose(panels[0].get_xlim(), (0, 2))
    assert found.canvas.axes[-1].get_ylabel() == "height [m]"
    says(found.caption, "timestep 0", "timestep 20", "timestep 40")


def test_x_is_the_first_index_and_goes_to_the_right() -> None:
    values = np.zeros((4, 3))
    values[3, 0] = 1.0  # at the right, at the bottom
    (frame,) = frames(film(field_of([values])).data)
    bright = np.argwhere(np.abs(frame - mpl.colormaps["viridis"](1.0)[:3]).max(axis=2) < 0.02)
    panel = bright[bright[:, 1] < 0.8 * frame.shape[1]]  # without the scale of colours
    assert panel[:, 0].min() > frame.shape[0] / 2 and panel[:, 1].min() > frame.shape[1] / 2


def test_each_frame_of_a_film_has_the_colour_of_its_snapshot_and_its_time() -> None:
    values = (0.0, 0.25, 1.0)
    made = film(field_of(uniform(*values)), frames_per_second=4.0)
    found = frames(made.data)
    assert len(found) == made.frames == 3
    for frame, value in zip(found, values, strict=True):
        # The palette has 232 of the map's colours, and Pillow seeks them to 2 bits of a byte.
        np.testing.assert_allclose(middle(frame), mpl.colormaps["viridis"](value)[:3], atol=0.03)
        np.testing.assert_array_equal(frame[0, 0], 1.0)
    title = slice(0, 40)
    assert np.any(found[0][title] != found[1][title])
    with Image.open(io.BytesIO(made.data)) as image:
        assert image.info["duration"] == 250.0 and image.info["loop"] == 0


def test_colours_that_diverge_are_white_at_zero() -> None:
    made = film(field_of(uniform(-1.0, 0.0, 4.0), diverging=True))
    below, zero, above = (middle(frame) for frame in frames(made.data))
    assert zero.min() > 0.95
    assert below[2] > below[0] and above[0] > above[2]
    np.testing.assert_allclose(above, mpl.colormaps["RdBu_r"](1.0)[:3], atol=0.03)


def test_cells_without_a_value_are_blank_and_change_no_limits() -> None:
    values = np.ones((4, 3))
    values[:, 1] = np.nan
    values[0, 0] = 3.0
    assert middle(frames(film(field_of([values])).data)[0]).min() > 0.98
    nothing = drawn(field_of([np.full((4, 3), np.nan)]))
    assert nothing.film is None


def test_corners_of_cells_draw_a_map_with_the_same_scale_along_both_axes() -> None:
    angle, radius = np.meshgrid(np.linspace(0, np.pi, 9), np.linspace(1, 2, 4), indexing="ij")
    curved = Snapshot(radius * np.cos(angle), radius * np.sin(angle), np.arange(24.0).reshape(8, 3))
    field = Field(
        "map", "Map", "height", "", (Coordinate(""), Coordinate("")),
        turns=lambda _run: [0, 1], snapshot=lambda _run, _turn: curved, same_scale=True,
    )  # fmt: skip
    panel = drawn(field).canvas.axes[0]
    assert panel.get_aspect() == 1.0 and np.allclose(panel.get_xlim(), (-2, 2))
    np.testing.assert_array_equal(panel.collections[0].get_array().ravel(), curved.values.T.ravel())
    assert len(frames(film(field).data)) > 0


def test_many_cells_are_drawn_as_means_of_blocks() -> None:
    rng = np.random.default_rng(1)
    shape = (2 * MOST_CELLS + 1, MOST_CELLS)
    values = rng.normal(size=shape)
    values[:3, 0] = np.nan
    x, y = (np.linspace(0, 1, n + 1) for n in shape)
    found = coarser(Snapshot(x, y, values))
    # Blocks of three along x, of which the last has two cells.
    assert found.values.shape == (214, MOST_CELLS) and found.x[1] == x[3] and found.x[-1] == x[-1]
    np.testing.assert_allclose(found.values[5, 7], values[15:18, 7].mean(), rtol=1e-14)
    np.testing.assert_allclose(found.values[-1, 7], values[-2:, 7].mean(), rtol=1e-14)
    assert np.isnan(found.values[0, 0]) and np.isfinite(found.values[1, 0])
    corners = np.meshgrid(x, y, indexing="ij")
    np.testing.assert_array_equal(coarser(Snapshot(*corners, values)).x[:, 0], found.x)


def test_a_film_leaves_frames_out_to_stay_small_and_its_caption_says_so() -> None:
    rng = np.random.default_rng(2)
    field = field_of([rng.normal(size=(4, 3)) for _ in range(9)])
    whole = film(field)
    part = film(field, most_bytes=len(whole.data) // 2)
    assert part.frames < 9 and len(part.data) <= len(whole.data) // 2
    first, *_, last = frames(part.data)
    np.testing.assert_array_equal(first, frames(whole.data)[0])
    np.testing.assert_array_equal(last, frames(whole.data)[-1])
    says(part.sentence, part.frames, "of 9")
    says(whole.sentence, "all 9")
    assert spread(range(1000), MOST_FRAMES)[::59] == [0, 999]


def test_edges_that_do_not_fit_the_values_are_refused() -> None:
    with pytest.raises(ValueError, match=r"4 x 3 values need edges \(5,\) and \(4,\)"):
        Snapshot(np.arange(4.0), np.arange(3.0), np.zeros((4, 3)))


@pytest.fixture(scope="module")
def collision(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of beams with three dumps, of half the particles."""
    folder = tmp_path_factory.mktemp("run")
    study = write_run(folder, turns=LAST + 1, **(BARE | {"records__particles_every": 0}))
    for turn in (0, 10, LAST):
        write_dump(folder / "particles", Bunches(study, turn), OneRank(), study)
    return folder


def test_a_beam_shows_its_charge_in_rms_sizes_of_the_first_dump(collision: Path) -> None:
    run = BeamsRun(collision)
    field = charge_density(1)
    assert field.turns(run) == [0, 10, LAST]
    found = field.snapshot(run, 10)
    x, y = run.transverse(0, 1)
    cells = np.outer(np.diff(found.x) * np.std(x), np.diff(found.y) * np.std(y))
    # Six in a million of a Gaussian beam lie beyond 5 rms: not one of the thousand.
    charge = 1.15e11 * ELEMENTARY_CHARGE
    np.testing.assert_allclose(np.sum(found.values * cells), charge, rtol=1e-12)
    centres = 0.5 * (found.x[1:] + found.x[:-1])
    share = np.sum(found.values * cells, axis=1) / charge
    mean = share @ centres
    # Each particle is at the centre of its cell of 10/24, which adds a twelfth of its square.
    assert share @ (centres - mean) ** 2 == pytest.approx(1 + (10 / 24) ** 2 / 12, abs=0.05)
    says(field.note(run), "rms", "turn 0", "σx")
    run.close()


def test_python_draws_the_picture_and_writes_the_film(collision: Path, tmp_path: Path) -> None:
    with Results(collision) as results:
        assert results.plot.charge_density_1().shape == (1, 3)
        results.film("charge_density_1", tmp_path / "beam.png", frames_per_second=2, most_frames=2)
        assert len(frames(tmp_path / "beam.png")) == 2
        with refused("charge-densty-1", by=RunError, nearest="charge-density-1"):
            results.film("charge-densty-1", tmp_path / "none.png")
        with refused("frames_per_second = 0", by=RunError):
            results.film("charge-density-1", tmp_path / "none.png", frames_per_second=0)
        with refused(tmp_path / "nowhere" / "none.png", by=RunError):
            results.film("charge-density-1", tmp_path / "nowhere" / "none.png")
    assert [file.name for file in tmp_path.iterdir()] == ["beam.png"]
    pyplot.close("all")


def test_without_snapshots_one_sentence_names_the_key(tmp_path: Path) -> None:
    write_run(tmp_path, turns=2, **(BARE | {"records__particles_every": 0}))
    run = BeamsRun(tmp_path)
    figure = make_figure("film", "Film", lambda: draw_field(charge_density(1), run), None)
    assert figure.svg is None and figure.film is None
    one_sentence(figure.caption, "records.particles_every")
    with refused("charge-density-1", "records.particles_every", by=RunError):
        run.results.film("charge-density-1", tmp_path / "none.png")
    run.close()


def test_a_strong_beam_has_no_film(tmp_path: Path) -> None:
    write_run(tmp_path, turns=2, ip__1__model="weak-strong", ip__1__slices=[4, 1], **BARE)
    run = BeamsRun(tmp_path)
    missing = charge_density(2).turns(run)
    assert isinstance(missing, Missing)
    one_sentence(missing.sentence, "Beam 2", "strong")
    run.close()
