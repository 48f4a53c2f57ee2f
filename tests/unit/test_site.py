"""The documentation as a site: it builds without a warning, and all its links hold."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

import phasewise

NEEDED = ("sphinx", "myst_parser", "furo", "sphinx_copybutton")
MADE_BY_SPHINX = {"index.html", "genindex.html", "search.html", "py-modindex.html"}
TERMS = """turn, macroparticle, slice, encounter, interaction point, crossing angle, crab cavity,
hourglass, disruption, beam-beam parameter, σ and π mode, Yokoya factor, footprint, noise floor,
Prow, Pcol, process grid, layout, phase, exchange algorithm, twin, crossing 4a, 4b, skeleton,
simulated machine, kernel's card, roof, contention, models 1a to 6, model loads, 90 % interval"""


@dataclass
class Page(HTMLParser):
    """What a page of the site links to, loads, and offers as anchors."""

    path: Path
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given["id"]} if "id" in given else set()
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loads += [given[k] for k in ("src", "href") if k in given and tag != "a"]


@pytest.fixture(scope="module")
def site(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        pytest.skip(f"{missing[0]} is not installed; scripts/setup.sh docs installs it")
    folder = tmp_path_factory.mktemp("docs")
    built = subprocess.run(
        [repository / "scripts/docs.sh", folder, sys.executable], capture_output=True, text=True
    )
    assert (built.returncode, built.stderr) == (0, "")
    return folder / "html"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if "_static" not in path.parts}


def target(page: Page, link: str) -> tuple[Path, str]:
    """The file and the anchor that a local link leads to."""
    path, _, anchor = link.partition("#")
    found = page.path.parent / unquote(path.partition("?")[0]) if path else page.path
    return Path(os.path.normpath(found)), unquote(anchor)


def is_local(link: str) -> bool:
    return not re.match(r"[a-z]+:|//", link)


def test_every_local_link_leads_to_a_file_and_an_anchor_in_it(pages: dict[Path, Page]) -> None:
    broken = []
    for page in pages.values():
        for link in filter(is_local, page.links + page.loads):
            path, anchor = target(page, link)
            there = path.exists() if path not in pages else anchor in {"", *pages[path].anchors}
            if not there:
                broken.append(f"{page.path.name}: {link}")
    assert broken == []


def test_every_page_is_reached_from_the_first_one(site: Path, pages: dict[Path, Page]) -> None:
    seen: set[Path] = set()
    waiting = [site / "index.html"]
    while waiting:
        page = pages[waiting.pop()]
        seen.add(page.path)
        found = {target(page, link)[0] for link in filter(is_local, page.links)}
        waiting += (found & pages.keys()) - seen - set(waiting)
    unreached = {str(path.relative_to(site)) for path in pages.keys() - seen}
    assert unreached - MADE_BY_SPHINX == set()


def test_every_page_of_the_documentation_is_on_the_site(repository: Path, site: Path) -> None:
    sources = [*repository.glob("docs/**/*.md"), *repository.glob("examples/*/README.md")]
    names = [path.relative_to(repository).with_suffix(".html") for path in sources]
    assert [str(name) for name in names if not (site / name).exists()] == []


def test_nothing_is_fetched_from_the_network(site: Path, pages: dict[Path, Page]) -> None:
    remote = {link for page in pages.values() for link in page.loads if not is_local(link)}
    assert {link for link in remote if not link.startswith("data:")} == set()
    imports = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")
    assert [p.name for p in site.rglob("*.css") if imports.search(p.read_text())] == []


@pytest.mark.parametrize("name", phasewise.__all__)
def test_every_public_name_is_in_the_reference(name: str, pages: dict[Path, Page]) -> None:
    assert any(f"phasewise.{name}" in page.anchors for page in pages.values())


def test_the_glossary_has_the_words_of_the_field_and_of_the_project(repository: Path) -> None:
    text = (repository / "docs/glossary.md").read_text(encoding="utf-8").lower()
    entries = set(re.findall(r"^### (.*)$", text, re.MULTILINE))
    terms = TERMS.lower().replace("crossing 4a, 4b", "crossing 4a; 4b").replace("\n", " ")
    wanted = {term.strip().replace(";", ",") for term in terms.split(",")}
    assert wanted - entries == set()


def test_no_word_of_the_glossary_stands_there_twice(repository: Path) -> None:
    text = (repository / "docs/glossary.md").read_text(encoding="utf-8").lower()
    entries = re.findall(r"^### (.*)$", text, re.MULTILINE)
    assert len(entries) == len(set(entries))


def test_the_index_lists_every_page(repository: Path) -> None:
    index = (repository / "docs/index.md").read_text(encoding="utf-8")
    pages = [page.relative_to(repository / "docs") for page in (repository / "docs").rglob("*.md")]
    assert [
        str(page) for page in pages if f"({page})" not in index and page.name != "index.md"
    ] == []


def test_no_line_of_prose_is_longer_than_120_characters(repository: Path) -> None:
    pages = [*repository.glob("*.md"), *repository.glob("docs/**/*.md")]
    pages += [*repository.glob("examples/*/README.md"), repository / "benchmarks/README.md"]
    long = []
    for page in pages:
        code = False
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            code ^= line.lstrip().startswith("```")
            free = code or line.startswith(("    ", "![", ">")) or line.lstrip().startswith("|")
            if len(line) > 120 and not free:
                long.append(f"{page.name}:{number}")
    assert long == []
