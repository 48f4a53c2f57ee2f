"""Finds the models: the modules of this folder that define NAME, TITLE and phase_seconds."""

from __future__ import annotations

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import cast

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.models.model import Model
from phasewise.tables.keys import nearest

PARTS = ("NAME", "TITLE", "phase_seconds")

BEST_DESCRIBED = ("contention", "3")
"""Models for a machine whose network is described, the best first. Every such machine has what they
need.
"""

BEST_MEASURED = ("4", "3")
"""Models for a measured machine, the best first. They use its tables."""


PARALLEL = "parallel"
"""The benchmark whose curves the best models of a measured machine need."""

FITTED = "measured"
"""The model that is fitted to recorded runs."""


@cache
def _models() -> dict[str, Model]:
    """Models by name, in the order of their files."""
    folder = str(Path(__file__).parent)
    modules = [
        import_module(f"phasewise.models.{found.name}")
        for found in sorted(pkgutil.iter_modules([folder]), key=lambda found: found.name)
    ]
    models = [module for module in modules if all(hasattr(module, part) for part in PARTS)]
    return {str(module.NAME): cast(Model, module) for module in models}


def model_names() -> list[str]:
    """Names of all models: those of the paper first, in their order."""
    return sorted(_models(), key=lambda name: (not name[:1].isdigit(), name))


def load_model(name: str) -> Model:
    """The model called `name`; StudyError, with the nearest name, if there is none."""
    if name not in _models():
        raise StudyError(f'there is no model "{name}"{nearest(name, model_names())}')
    return _models()[name]


def default_model(machine: Machine) -> str:
    """The name of the best model for such a machine. A file into which single messages were
    imported is described in all else.
    """
    tables = any(curve.benchmark == PARALLEL for curve in machine.curves)
    best = BEST_MEASURED if machine.is_hardware and tables else BEST_DESCRIBED
    return next(name for name in best if name in _models())


def default_of_sums(machine: Machine) -> str:
    """The name of the best model for such a machine that adds messages up."""
    tables = any(curve.benchmark == PARALLEL for curve in machine.curves)
    if not tables:
        return "described"
    best = BEST_MEASURED if machine.is_hardware else BEST_DESCRIBED
    return next(name for name in best if not getattr(load_model(name), "PRECISE", False))


def chosen_models(given: str | None, fit: Sequence[str], machine: Machine) -> list[str]:
    """Names of the models in --model, or of the best for the machine; StudyError for a bad one."""
    names = [default_model(machine)] if given is None else given.split(",")
    names = list(dict.fromkeys(name.strip() for name in names))
    for name in names:
        load_model(name)
    if fit and FITTED not in names:
        raise StudyError(f"--fit gives runs to model {FITTED}: name it in --model as well")
    return names
