"""Choosing the compiled core: with MPI where its library can be loaded, else for one process.

Its modules, `_core_mpi`, `_core_serial` and, where MPICH stands beside another MPI library,
`_core_mpich`, are made from the same sources and give the same numbers. `phasewise._core` is one of
them.
"""

from __future__ import annotations

import os
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

NAME = "phasewise._core"
CHOICE = "PHASEWISE_CORE"
"""Variable that chooses one of KINDS or MPICH."""
KINDS = ("mpi", "serial")
MPICH = "mpich"
"""The core for MPICH is loaded only on request."""
MISSING = {
    "mpi": "phasewise was built without MPI",
    "serial": "it was not built",
    MPICH: f"{CHOICE}={MPICH} asks for MPICH, for which nothing was built: install the Debian "
    "packages mpich and libmpich-dev",
}
NEEDS = "_core_needs.txt"
"""File beside the modules: what they need of a processor, by the names of PROCESSOR."""
PROCESSOR = Path("/proc/cpuinfo")


def load() -> ModuleType:
    """The module of the first kind that can be loaded, under the name `phasewise._core`.

    Its attribute `missing_mpi` says why it has no MPI; empty if it has. ImportError, one sentence,
    if there is none for this processor.
    """
    asked = os.environ.get(CHOICE)
    if asked and asked not in (*KINDS, MPICH):
        raise ImportError(f'{CHOICE} is "{asked}"; it may be mpi, mpich or serial')
    missing_mpi = f"{CHOICE}=serial asks for it" if asked == "serial" else ""
    failure: ImportError | None = None
    for kind in (asked,) if asked else KINDS:
        try:
            module = _module(_spec(kind))
        except ImportError as error:
            failure = error
            missing_mpi = missing_mpi or str(error)
            continue
        module.missing_mpi = missing_mpi  # type: ignore[attr-defined]
        return module
    assert failure is not None
    raise failure


def _spec(kind: str) -> ModuleSpec:
    found = find_spec(f"phasewise._core_{kind}")
    if found is None or found.origin is None:
        raise ModuleNotFoundError(MISSING[kind], name=NAME)
    spec = spec_from_file_location(NAME, found.origin)
    assert spec is not None
    return spec


def _module(spec: ModuleSpec) -> ModuleType:
    assert spec.origin is not None and spec.loader is not None
    if missing := missing_features(Path(spec.origin).with_name(NEEDS), PROCESSOR):
        raise ImportError(
            f"it was compiled for processors with {', '.join(missing)}, which this one lacks"
        )
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def missing_features(needs: Path, processor: Path) -> list[str]:
    """The features that the file `needs` lists and that the first processor in `processor`, a file
    like /proc/cpuinfo, lacks; none if either file says nothing.
    """
    try:
        wanted = needs.read_text().split()
        with processor.open() as lines:
            flags = next((line for line in lines if line.startswith("flags")), "")
    except OSError:
        return []
    offered = set(flags.partition(":")[2].split())
    return [name for name in wanted if name not in offered] if offered else []
