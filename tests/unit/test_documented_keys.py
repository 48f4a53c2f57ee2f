"""Every key of a study stands in the documentation: those of all studies, those of a workload."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest

from phasewise.machines import schema
from phasewise.study import Records
from phasewise.study.study import schema_for
from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Schema
from phasewise.workload.discovery import workloads
from phasewise.workload.interface import Workload

FIRST = "collision"
"""The workload whose keys stand on the page of all studies."""


def page_of(repository: Path, name: str) -> str:
    page = "study" if name == FIRST else name
    return (repository / "docs" / f"{page}.md").read_text(encoding="utf-8")


def declared(workload: Workload) -> Iterator[tuple[str, Schema]]:
    """The tables of a workload: each class in its package whose fields are keys, with its name."""
    package = import_module(f"phasewise.workloads.{workload.name}")
    inside = walk_packages(package.__path__, f"{package.__name__}.")
    for module in (package, *(import_module(found.name) for found in inside)):
        for name, kind in vars(module).items():
            own = isinstance(kind, type) and kind.__module__ == module.__name__
            if own and dataclasses.is_dataclass(kind):
                yield name, schema_of(kind)


def undocumented(text: str, schema: Schema) -> list[str]:
    """The keys that do not stand on a page as `key`, `table.key` or, a table, `[key]`."""
    return [
        key
        for key in schema
        if not re.search(rf"`\[?(?:[a-z_0-9.]+\.)?{key}(?:\.[1a-z_]+)?\]?`", text)
    ]


@pytest.mark.parametrize("name", workloads())
def test_every_key_of_a_workload_is_documented(repository: Path, name: str) -> None:
    workload = workloads()[name]
    text = page_of(repository, name)
    tables = dict(declared(workload)) | {"study": schema_for(workload)}
    missing = {table: undocumented(text, schema) for table, schema in tables.items()}
    assert {table: keys for table, keys in missing.items() if keys} == {}


@pytest.mark.parametrize("name", workloads())
def test_the_tables_that_are_found_hold_the_keys_that_a_study_accepts(name: str) -> None:
    workload = workloads()[name]
    found = {key for _, schema in declared(workload) for key in schema}
    assert found >= workload.communication.keys() | workload.records.keys()


def test_every_key_that_all_studies_have_is_documented(repository: Path) -> None:
    assert undocumented(page_of(repository, FIRST), schema_of(Records)) == []


MACHINE_PAGES = ("machine-file", "measuring-machines")
MACHINE_TABLES = {
    "node": schema.NODE,
    "memory": schema.MEMORY | schema.RANK_SHARES,
    "sockets": schema.SOCKETS,
    "network": schema.NETWORK | schema.BLOCK | schema.TAPER,
    "protocol": schema.PROTOCOL,
    "processor": schema.PROCESSOR | schema.VECTOR,
    "overhead": schema.OVERHEAD,
    "copies": schema.COPIES,
    "streams": schema.STREAMS,
    "types": schema.TYPES,
    "paper": schema.PAPER,
    "measured": schema.MEASURED,
    "curve": schema.CURVE,
    "device": schema.DEVICE | schema.TRANSFERS,
}
"""The tables of a machine file whose keys do not follow from protocols or kernels."""


def test_every_key_of_a_machine_file_is_documented(repository: Path) -> None:
    pages = (repository / "docs" / f"{name}.md" for name in MACHINE_PAGES)
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    missing = {table: undocumented(text, keys) for table, keys in MACHINE_TABLES.items()}
    assert {table: keys for table, keys in missing.items() if keys} == {}
    unnamed = [table for table in schema.TOP if not re.search(rf"\b{table}\b", text)]
    assert unnamed == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`words` and `halo.rows`", []),
        ("`words`, and rows in plain text", ["rows"]),
        ("`words_of_it` and `browse`", ["words", "rows"]),
        ("`[halo.words]` and `[rows]`", []),
    ],
)
def test_a_key_is_documented_where_it_stands_as_code(text: str, missing: list[str]) -> None:
    schema = dict.fromkeys(("words", "rows"))
    assert undocumented(text, schema) == missing  # type: ignore[arg-type]
