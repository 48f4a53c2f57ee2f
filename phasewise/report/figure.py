"""A picture of the report: drawn once, shown as SVG in the page and saved as PNG beside it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from matplotlib.figure import Figure as Canvas

from phasewise.report.style import INK, LINE, MUTED, picture_style
from phasewise.runs.disk import replacing

PNG_RESOLUTION = 150
_THEME = {INK: "var(--ink)", MUTED: "var(--muted)", LINE: "var(--line)"}


@dataclass(frozen=True)
class Film:
    """A film as an animated PNG: its bytes, its frames, and of how many snapshots they are."""

    data: bytes = field(repr=False)
    frames: int
    snapshots: int
    frames_per_second: float

    @property
    def sentence(self) -> str:
        """What a caption says of it."""
        left_out = self.frames < self.snapshots
        shown = f"{self.frames} of {self.snapshots}" if left_out else f"all {self.snapshots}"
        rate = f"{self.frames_per_second:g} in a second"
        return f"The film shows {shown} snapshots, {rate}, in one scale of colours."


@dataclass(frozen=True)
class Drawing:
    """The result of a figure's function: the picture, its caption, and what makes its film."""

    canvas: Canvas
    caption: str
    warning: str | None = None
    film: Callable[[], Film] | None = None


@dataclass(frozen=True)
class Missing:
    """One sentence on what the study must contain to have the figure."""

    sentence: str


@dataclass(frozen=True)
class Figure:
    """A figure of the report; `svg` is None if `caption` says what it needs.

    `picture` is the PNG file, if one was written, and `film_file` that of the film.
    """

    name: str
    title: str
    caption: str
    svg: str | None = field(default=None, repr=False)
    warning: str | None = None
    picture: Path | None = None
    film: Film | None = None
    film_file: Path | None = None


def make_figure(
    name: str, title: str, draw: Callable[[], Drawing | Missing], pictures: Path | None
) -> Figure:
    """Draw a figure; its PNG and its film go into the folder `pictures` if one is given."""
    with picture_style():
        drawn = draw()
        if isinstance(drawn, Missing):
            return Figure(name, title, drawn.sentence)
        _lay_out(drawn.canvas)
        svg = to_svg(drawn.canvas, name)
        path = None
        if pictures is not None:
            path = pictures / f"{name}.png"
            drawn.canvas.savefig(path, dpi=PNG_RESOLUTION, facecolor="white")
    figure = Figure(name, title, drawn.caption, svg, drawn.warning, path)
    return figure if drawn.film is None else _with_film(figure, drawn.film(), pictures)


def _lay_out(canvas: Canvas) -> None:
    """Place the parts of a picture for good: with a layout engine, matplotlib would draw the whole
    picture once more before it saves each file.
    """
    engine = canvas.get_layout_engine()
    if engine is not None:
        engine.execute(canvas)
        canvas.set_layout_engine(None)


def _with_film(figure: Figure, film: Film, pictures: Path | None) -> Figure:
    path = None
    if pictures is not None:
        path = pictures / f"{figure.name}-film.png"
        with replacing(path) as file:
            file.write(film.data)
    caption = f"{figure.caption} {film.sentence}"
    return replace(figure, caption=caption, film=film, film_file=path)


def to_svg(canvas: Canvas, name: str) -> str:
    """The picture as an SVG element that stands inside a page.

    Its ids are made unique by the figure's name, its neutral colours follow the page's theme, and
    namespaces and all other URLs, which HTML does not need, are removed.
    """
    buffer = io.StringIO()
    canvas.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", text)
    text = text.replace("xlink:href", "href")
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r"url\(#", f"url(#{name}-", text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    for colour, variable in _THEME.items():
        text = text.replace(colour, variable)
    text = text.replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans', sans-serif")
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1, flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1, flags=re.DOTALL)
    return text.replace("<svg", f'<svg role="img" aria-label="{name}"', 1).strip()
