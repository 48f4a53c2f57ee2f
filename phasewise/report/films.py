"""Films of fields: animated PNG, which browsers show as they show a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure as Canvas
from PIL import Image

from phasewise.errors import RunError
from phasewise.report.field_panels import Panels, colour_map, when
from phasewise.report.fields import Field, Snapshot, spread, taken
from phasewise.report.figure import Film, Missing
from phasewise.report.reporting import kind_of, own_fields
from phasewise.report.style import INK, picture_style
from phasewise.runs.disk import disk_reason, replacing
from phasewise.runs.results import Results
from phasewise.tables.keys import nearest

MOST_FRAMES = 60
"""Most frames of a film in a report."""
MOST_BYTES = 4_000_000
"""Largest size of a film in a report; a larger one loses every second frame."""
FRAMES_PER_SECOND = 8.0
SLOWEST, FASTEST = 0.02, 100.0
"""Frames in a second that a film may have: the format keeps the time of one in 16 bits of ms."""

WIDTH = 5.6
"""Width of a frame [inches]."""
BESIDE = 1.2
"""Width of what stands beside the panel: labels and the scale of the colours [inches]."""
ABOVE = 0.9
"""Height of title and labels [inches]."""
RESOLUTION = 100
"""Pixels per inch."""

GREYS = 24
"""Colours of the palette for ink and paper; the others are for the field."""


def film_of(
    field: Field,
    run: Any,
    turns: Sequence[int],
    frames_per_second: float = FRAMES_PER_SECOND,
    most_frames: int = MOST_FRAMES,
    most_bytes: int | None = None,
) -> Film:
    """The film of a run's snapshots at these turns, in one scale of colours.

    It shows at most `most_frames` of the snapshots, evenly spread, and leaves out more of them
    until it is no larger than `most_bytes`.
    """
    chosen = spread(turns, most_frames)
    frames = _frames(field, taken(field, run, chosen), chosen, run.workload.unit.one)
    data = _encoded(frames, frames_per_second)
    while most_bytes is not None and len(data) > most_bytes and len(frames) > 2:
        frames = spread(frames, len(frames) // 2)
        data = _encoded(frames, frames_per_second)
    return Film(data, len(frames), len(turns), frames_per_second)


def write_film(
    results: Results, name: str, path: Path, frames_per_second: float, most_frames: int
) -> None:
    """Write the film of a field of a run.

    RunError if there is no such field, the run has no snapshots, or the file cannot be written.
    """
    fields = {field.name: field for field in own_fields(results.workload)}
    field = fields.get(name.replace("_", "-"))
    if field is None:
        known = nearest(name, fields) or f": runs of {results.workload.name} have no films"
        raise RunError(f'there is no film "{name}"{known}')
    if not SLOWEST <= frames_per_second <= FASTEST:
        raise RunError(
            f"frames_per_second = {frames_per_second:g} is outside {SLOWEST:g} … {FASTEST:g}"
        )
    if most_frames < 1:
        raise RunError(f"most_frames = {most_frames} is less than 1")
    run = kind_of(results.workload)(results.folder, results=results)
    turns = field.turns(run)
    if isinstance(turns, Missing):
        raise RunError(f'{results.folder} has no snapshots for the film "{name}": {turns.sentence}')
    film = film_of(field, run, turns, frames_per_second, most_frames)
    try:
        with replacing(path) as file:
            file.write(film.data)
    except OSError as error:
        reason = disk_reason(error)
        raise RunError(f"the film cannot be written to {path}: {reason}") from None


def _frames(
    field: Field, snapshots: Sequence[Snapshot], turns: Sequence[int], unit: str
) -> list[Image.Image]:
    """The frames of a film in one palette.

    What all frames share is drawn once; each then adds its cells and its title.
    """
    panels = Panels(field, snapshots)
    palette = _palette(field)
    frames = []
    with picture_style():
        picture = Canvas(
            figsize=(WIDTH, ABOVE + (WIDTH - BESIDE) * panels.shape),
            dpi=RESOLUTION,
            layout="constrained",
            facecolor="white",
        )
        canvas = FigureCanvasAgg(picture)
        axis = picture.subplots()
        panels.prepare(axis)
        panels.bar(picture, [axis])
        title = axis.set_title(field.title, animated=True)
        canvas.draw()  # type: ignore[no-untyped-call]
        empty = canvas.copy_from_bbox(picture.bbox)  # type: ignore[no-untyped-call]
        for turn, snapshot in zip(turns, snapshots, strict=True):
            canvas.restore_region(empty)  # type: ignore[no-untyped-call]
            shown = panels.show(axis, snapshot)
            title.set_text(f"{field.title}, {when(unit, turn, snapshot)}")
            for artist in (shown, *axis.spines.values(), title):
                axis.draw_artist(artist)
            shown.remove()
            pixels = np.asarray(canvas.buffer_rgba())  # type: ignore[no-untyped-call]
            image = Image.fromarray(pixels).convert("RGB")
            frames.append(image.quantize(palette=palette, dither=Image.Dither.NONE))
    return frames


def _palette(field: Field) -> Image.Image:
    """An image whose palette holds the colours of a field and those between ink and paper."""
    colours = colour_map(field)(np.linspace(0, 1, 256 - GREYS))
    share = np.linspace(0, 1, GREYS)[:, None]
    greys = share + (1 - share) * np.array(to_rgb(INK))
    table = np.concatenate([colours[:, :3], greys])
    image = Image.new("P", (1, 1))
    image.putpalette(np.rint(255 * table).astype(int).ravel().tolist())
    return image


def _encoded(frames: Sequence[Image.Image], frames_per_second: float) -> bytes:
    """The frames as an animated PNG that begins again at its end."""
    buffer = io.BytesIO()
    frames[0].save(
        buffer,
        format="PNG",
        save_all=True,
        append_images=frames[1:],
        duration=1000 / frames_per_second,
        loop=0,
    )
    return buffer.getvalue()
