"""The table [kernels]: which kernel every rank runs, of which size, by which library."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from phasewise.errors import StudyError
from phasewise.output import engineering
from phasewise.tables.declared import declared, key
from phasewise.tables.keys import nearest
from phasewise.workload.communication import MACHINE, NODE_SIZE, Communication
from phasewise.workload.table import OneTable

DENSE = ("dgemm", "dsyevd", "dgeev")
SPARSE = ("csr", "sell", "lanczos")
EIGENPROBLEMS = ("dsyevd", "dgeev")

OURS, PLAIN = "phasewise", "plain"
LIBRARIES = ("openblas", "blis", "reference")
"""Libraries that are found by their names; others are given by their paths."""

LEAST_SIDE = 12
"""Points along a side of the Laplacian whose eigenvalues are computed, at least."""
MAX_SIZE = 20_000
"""A dense matrix then takes 3.2 GB, a sparse one 24 GB."""
WANTED = 10
"""Eigenvalues that lanczos computes."""


@dataclass(frozen=True, kw_only=True)
class Kernels(OneTable):
    """The keys of [kernels]."""

    DERIVED: ClassVar[tuple[str, ...]] = ("memory_bytes",)

    kernel: str = key("word", DENSE[0], choices=(*DENSE, *SPARSE), flat=True)
    library: str = key("text", "", flat=True)
    """phasewise, plain loops (dgemm alone), openblas, blis, reference, or the path of a library;
    by default phasewise, or for dense eigenproblems openblas.
    """
    n: int = key("integer", 256, least=1, most=MAX_SIZE, flat=True)
    """Rows of a dense matrix, or points along each side of the Laplacian of a sparse one."""
    repetitions: int = key("integer", 1, least=1, most=10**6, flat=True)
    """Calls in a turn."""
    vectors: bool = key("flag", False, flat=True)
    """Whether dense eigenproblems compute vectors too."""
    verify: bool = key("flag", True, flat=True)
    """Whether the result is checked after each turn."""

    @classmethod
    def read(cls, table: object, name: str, folder: Path) -> Kernels:
        """The table with every default filled in; a library's path is relative to the folder."""
        found = super().read(table, name, folder)
        return replace(found, library=_library(found.library, found.kernel, folder))

    def check(self) -> None:
        """StudyError where keys do not suit each other."""
        if self.kernel == "lanczos" and self.n < LEAST_SIDE:
            raise StudyError(f"kernels.n = {self.n} must be at least {LEAST_SIDE} for lanczos")
        if self.vectors and self.kernel not in EIGENPROBLEMS:
            raise StudyError(f"kernels.vectors = true is for {' and '.join(EIGENPROBLEMS)} alone")

    @property
    def sentence(self) -> str:
        """The memory that follows from the keys."""
        return f"about {engineering(self.memory_bytes, 'B')} a rank"

    @property
    def memory_bytes(self) -> int:
        """About the memory that a rank takes [bytes]."""
        cells = self.n**2
        if self.kernel in DENSE:
            return 8 * cells * (6 if self.vectors else 4)
        return cells * (1000 if self.kernel == "lanczos" else 100)


def _library(given: str, kernel: str, folder: Path) -> str:
    """The library of a kernel, a path made absolute; StudyError if it does not have the kernel."""
    if given == "":
        return LIBRARIES[0] if kernel in EIGENPROBLEMS else OURS
    path = "/" in given or ".so" in given
    if not path and given not in (OURS, PLAIN, *LIBRARIES):
        raise StudyError(
            f'kernels.library = "{given}" is not known: give phasewise, plain, '
            f"{', '.join(LIBRARIES)}, or the path of a library{nearest(given, LIBRARIES)}"
        )
    if given == PLAIN and kernel != "dgemm":
        raise StudyError(f'kernels.library = "plain" is for dgemm alone, not for {kernel}')
    if given == OURS and kernel in EIGENPROBLEMS:
        raise StudyError(
            f'kernels.library = "phasewise" has no {kernel}: give {", ".join(LIBRARIES)}, or the '
            "path of a library"
        )
    if given not in (OURS, PLAIN) and kernel in SPARSE:
        raise StudyError(f'kernels.library = "{given}": {kernel} is phasewise\'s own')
    full = str((folder / given).resolve()) if path else given
    if re.search(r"\s", full):
        raise StudyError(f'kernels.library = "{full}" must be a path without spaces')
    return full


@dataclass(frozen=True, kw_only=True)
class KernelsCommunication(Communication):
    """The keys of [communication]: nothing is exchanged but the checks."""

    node_size: int = declared(NODE_SIZE)
    machine: str = declared(MACHINE)


def model_of(study: Any) -> Kernels:
    """The model of a study of this workload."""
    return cast(Kernels, study.model)
