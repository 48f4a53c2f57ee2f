"""The model of a workload whose study has a single table, and what follows from it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from phasewise.output import engineering
from phasewise.tables.declared import read_table


@dataclass(frozen=True, kw_only=True)
class OneTable:
    """The base of such models: a subclass has the keys as its fields (`phasewise.tables`)."""

    DERIVED: ClassVar[tuple[str, ...]] = ()
    """Properties that `check --json` and records show."""

    @classmethod
    def read(cls, table: object, name: str, _folder: Path) -> Self:
        """The table of this name with every default filled in; paths are relative to the folder.

        StudyError where a key cannot be used.
        """
        found = read_table(cls, table or {}, name)
        found.check()
        return found

    def check(self) -> None:
        """StudyError where keys do not suit each other."""

    @property
    def sentence(self) -> str:
        """What follows from the keys, below them in `phasewise check`."""
        return ""

    @property
    def tile(self) -> tuple[str, str, str] | None:
        """What a report shows at its top: a label, a value, and a text beside it."""
        return None

    @property
    def excess(self) -> str:
        """A sentence if this machine cannot run the study. It is a warning when the study is
        checked, and an error when it is run.
        """
        return ""


@dataclass(frozen=True)
class DerivedFrom:
    """What follows from such a model."""

    model: OneTable

    @property
    def warnings(self) -> tuple[str, ...]:
        """A sentence for each setting that is allowed but probably a mistake."""
        return tuple(filter(None, (self.model.excess,)))

    def to_dict(self) -> dict[str, Any]:
        """The values in a form that JSON can hold."""
        found = {name: getattr(self.model, name) for name in self.model.DERIVED}
        return found | {"warnings": list(self.warnings)}


def machine_memory() -> int:
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def beyond_memory(given: str, needed: int, remedy: str) -> str:
    """A sentence if what a study gives takes more memory than this machine has; else empty."""
    here = machine_memory()
    if needed <= here:
        return ""
    memory, found = (engineering(size, "B") for size in (needed, here))
    return f"{given} takes {memory} of memory a rank, and this machine has {found}: {remedy}"
