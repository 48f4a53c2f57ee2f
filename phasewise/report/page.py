"""The report's page: one HTML file with its style and its pictures inside."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files

from phasewise.report.figure import Figure
from phasewise.report.tables import Table

MOST_COLUMNS = 4
"""Most tiles beside each other."""


@dataclass(frozen=True)
class Tile:
    """A headline number: its name, its value, and a note for comparison."""

    name: str
    value: str
    aside: str = ""


@dataclass(frozen=True)
class Section:
    """A section of the page: tables first, then figures, unless `pictures_first`; or sentences."""

    name: str
    title: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    sentences: tuple[str, ...] = ()
    pictures_first: bool = False


@dataclass(frozen=True)
class Page:
    """A whole report. answer: what a page that answers a question says first."""

    title: str
    subtitle: str
    tiles: tuple[Tile, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    study: dict[str, object] | None
    answer: str = ""


def render(page: Page) -> str:
    """The page as HTML that needs no network and no script."""
    style = files("phasewise.report").joinpath("page.css").read_text(encoding="utf-8")
    links = "".join(f'<a href="#{s.name}">{escape(s.title)}</a>' for s in page.sections)
    answer = f'<p class="answer">{escape(page.answer)}</p>' if page.answer else ""
    subtitle = f"<p>{escape(page.subtitle)}</p>" if page.subtitle else ""
    body = [
        f"<header><h1>{escape(page.title)}</h1>{subtitle}{answer}</header>",
        f"<nav>{links}</nav>",
        "".join(_warning(sentence) for sentence in page.warnings),
        _tiles(page.tiles),
        *(_section(section) for section in page.sections),
        _study(page.study) if page.study is not None else "",
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        '<link rel="icon" href="data:,">'
        f"<title>{escape(page.title)} – phasewise</title><style>{style}</style></head>\n"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _warning(sentence: str) -> str:
    return f'<p class="warning" role="alert">{escape(sentence)}</p>'


def _tiles(tiles: Sequence[Tile]) -> str:
    """The tiles in rows that are as full as each other."""
    rows = -(-len(tiles) // MOST_COLUMNS)
    columns = -(-len(tiles) // max(rows, 1)) or 1
    return f'<div class="tiles" style="--columns: {columns}">{"".join(map(_tile, tiles))}</div>'


def _tile(tile: Tile) -> str:
    aside = f"<small>{escape(tile.aside)}</small>" if tile.aside else ""
    return (
        f'<div class="tile"><span>{escape(tile.name)}</span>'
        f"<strong>{escape(tile.value)}</strong>{aside}</div>"
    )


def _section(section: Section) -> str:
    tables = f'<div class="tables">{"".join(map(_table, section.tables))}</div>'
    figures = "".join(map(_figure, section.figures))
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in section.sentences)
    told = f'<ul class="card sentences">{sentences}</ul>' if sentences else ""
    inside = f"{figures}{tables}" if section.pictures_first else f"{tables}{figures}"
    return f'<section id="{section.name}"><h2>{escape(section.title)}</h2>{inside}{told}</section>'


def _table(table: Table) -> str:
    heads = "".join(f"<th>{escape(head)}</th>" for head in table.heads)
    rows = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    kind = ' class="words"' if table.words else ""
    title = f"<h3>{escape(table.title)}</h3>" if table.title else ""
    head = f"<thead><tr>{heads}</tr></thead>" if any(table.heads) else ""
    return (
        f'<div class="card">{title}<div class="wide"><table{kind}>'
        f"{head}<tbody>{rows}</tbody></table></div>{note}</div>"
    )


def _figure(figure: Figure) -> str:
    title = f"<h3>{escape(figure.title)}</h3>"
    caption = f"<figcaption>{escape(figure.caption)}</figcaption>"
    if figure.svg is None:
        return f'<figure class="card missing" data-name="{figure.name}">{title}{caption}</figure>'
    warning = _warning(figure.warning) if figure.warning else ""
    return (
        f'<figure class="card" data-name="{figure.name}">{title}{warning}'
        f'<div class="wide picture">{figure.svg}</div>{_film(figure)}{caption}</figure>'
    )


def _film(figure: Figure) -> str:
    if figure.film is None:
        return ""
    data = b64encode(figure.film.data).decode("ascii")
    words = escape(f"{figure.title}: film", quote=True)
    return f'<img class="film" alt="{words}" src="data:image/png;base64,{data}">'


def _study(study: dict[str, object]) -> str:
    text = json.dumps(study, indent=2, ensure_ascii=False)
    return (
        '<section id="resolved"><details class="card"><summary>The resolved study, every default '
        f"written out</summary><pre>{escape(text)}</pre></details></section>"
    )
