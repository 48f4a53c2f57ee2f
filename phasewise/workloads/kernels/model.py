"""The table [kernels]: which kernel every rank runs, of which size, by which library."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from phasewise.errors import StudyError
from phasewise.tables.declared import key, schema_of
from phasewise.tables.keys import check_table, nearest, with_defaults

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
class Kernels:
    """The keys of [kernels]."""

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

    @property
    def memory_bytes(self) -> int:
        """About the memory that a rank takes [bytes]."""
        cells = self.n**2
        if self.kernel in DENSE:
            return 8 * cells * (6 if self.vectors else 4)
        return cells * (1000 if self.kernel == "lanczos" else 100)


@dataclass(frozen=True)
class DerivedKernels:
    """What follows from a study."""

    memory_bytes: int
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self) | {"warnings": list(self.warnings)}


def read(tables: Mapping[str, Any], _records: Mapping[str, Any], folder: Path) -> Kernels:
    """The model of a study's tables."""
    schema = schema_of(Kernels)
    values = with_defaults(check_table(tables["kernels"] or {}, schema, "kernels"), schema)
    kernel, n = values["kernel"], values["n"]
    values["library"] = _library(values["library"], kernel, folder)
    if kernel == "lanczos" and n < LEAST_SIDE:
        raise StudyError(f"kernels.n = {n} must be at least {LEAST_SIDE} for lanczos")
    if values["vectors"] and kernel not in EIGENPROBLEMS:
        raise StudyError(f"kernels.vectors = true is for {' and '.join(EIGENPROBLEMS)} alone")
    return Kernels(**values)


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


def derive(model: Kernels) -> DerivedKernels:
    """The memory of a rank."""
    return DerivedKernels(memory_bytes=model.memory_bytes)


def model_of(study: Any) -> Kernels:
    """The model of a study of this workload."""
    return cast(Kernels, study.model)
