"""Contracts of the seam: a workload fills them in, and has their defaults for the rest."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import pytest

from phasewise.report.benching import Batches, Bench
from phasewise.report.reporting import Reporting
from phasewise.reproduction.reproducing import Reproducing
from phasewise.runs.choosing import Choosing, study_key
from phasewise.runs.layout import Recording
from phasewise.runs.state import StateKeeping
from phasewise.runs.summary import Summary
from phasewise.runs.views import Views
from phasewise.scanning.shown import Scanning
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.study.importing import Importing
from phasewise.study.kernels import Kernels
from phasewise.study.laboratory import Laboratory
from phasewise.tuning.candidates import Tuning
from phasewise.workload.discovery import find_workload, workloads
from phasewise.workload.interface import PACKAGE, Part, contract_of, find_part
from tests.sentences import refused

CONTRACTS: tuple[type[Part], ...] = (
    *(Batches, Bench, Checking, Choosing, Importing, Kernels, Laboratory, Recording, Reporting),
    *(Reproducing, Scanning, StateKeeping, Summary, Tuning, Views),
)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_a_name_that_a_contract_lacks_is_refused_where_it_is_defined(contract: type[Part]) -> None:
    with pytest.raises(TypeError) as caught:
        type("Misspelt", (contract,), {"snapp": None})
    for word in ("Misspelt", "snapp", contract.__name__):
        assert word in str(caught.value)


def test_a_part_may_have_private_names_of_its_own() -> None:
    kind = type("Own", (Recording,), {"_helper": None, "GROUPS": ("one",)})
    assert kind.GROUPS == ("one",)


def test_a_subclass_of_a_part_is_held_to_the_contract_of_that_part() -> None:
    first = type("First", (Recording,), {"_what": 1})
    assert contract_of(type("Second", (first,), {})) is Recording
    with pytest.raises(TypeError, match="Recording"):
        type("Third", (first,), {"filter": None})


def test_a_module_with_the_name_of_a_contract_must_fill_it_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "a_workload"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "recording.py").write_text("def rows(study):\n    return {}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(TypeError, match=r"a_workload\.recording .*Recording"):
        find_part(Recording, "a_workload")
    assert find_part(Summary, "a_workload") is None
    for name in [name for name in sys.modules if name.startswith("a_workload")]:
        del sys.modules[name]


def test_the_module_parts_may_fill_in_several_contracts() -> None:
    own = find_workload("kernels")
    parts = {type(own.part(kind)).__module__ for kind in (Recording, Summary)}
    assert parts == {"phasewise.workloads.kernels.parts"}
    assert isinstance(sys.modules[parts.pop()], ModuleType)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.__name__)
def test_every_workload_answers_every_contract(contract: type[Part]) -> None:
    for own in workloads().values():
        part = own.part(contract)
        assert isinstance(part, contract) and part.workload is own


HALO: dict[str, Any] = {"workload": "halo", "exchanges": 1, "halo": {"words": 8}}


@pytest.mark.parametrize(
    ("key", "value"), [("words", 16), ("rows", 2), ("word_size", 4), ("at_once", True)]
)
def test_a_kept_choice_is_found_by_every_key_of_its_study(key: str, value: object) -> None:
    one, other = (
        study_key(Study.from_dict(HALO | {"halo": HALO["halo"] | keys}), [[2, 2]])
        for keys in ({}, {key: value})
    )
    assert one != other


def test_a_former_name_of_a_workload_is_answered_with_the_present_one() -> None:
    with refused('"lattice"', '"qcd"'):
        Study.from_dict({"workload": "lattice", "solves": 1})


def test_every_part_of_a_workload_stands_in_a_module_that_is_read() -> None:
    package = import_module(PACKAGE)
    for found in walk_packages(package.__path__, f"{PACKAGE}."):
        module = import_module(found.name)
        for own in vars(module).values():
            if isinstance(own, type) and issubclass(own, Part) and own.__module__ == found.name:
                read = (contract_of(own).MODULE, "parts", "parts_of")
                assert found.name.rpartition(".")[2] in read, own
