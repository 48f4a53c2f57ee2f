"""phasewise: parallel physics that measures, models and tunes its own communication.

>>> import phasewise
>>> study = phasewise.load("examples/lhc/study.toml")
>>> results = phasewise.run(study)
>>> results.luminosity
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phasewise.errors import PhasewiseError, RunError, StudyError
    from phasewise.runs.batch import Planned, run_batch
    from phasewise.runs.results import Results, open_results
    from phasewise.runs.simulation import Simulation
    from phasewise.scanning.results import ScanResults
    from phasewise.scanning.scan import scan
    from phasewise.study import Study, load
    from phasewise.tuning.running import run
    from phasewise.version import __version__

__all__ = [
    "PhasewiseError",
    "Planned",
    "Results",
    "RunError",
    "ScanResults",
    "Simulation",
    "Study",
    "StudyError",
    "__version__",
    "load",
    "open_results",
    "run",
    "run_batch",
    "scan",
]

_PLACES = {
    "errors": ("PhasewiseError", "RunError", "StudyError"),
    "runs.batch": ("Planned", "run_batch"),
    "runs.results": ("Results", "open_results"),
    "runs.simulation": ("Simulation",),
    "scanning.results": ("ScanResults",),
    "scanning.scan": ("scan",),
    "study": ("Study", "load"),
    "tuning.running": ("run",),
    "version": ("__version__",),
}


def __getattr__(name: str) -> Any:
    # A name is imported only when it is used: the command must run, and handle an interrupt, before
    # it imports anything large.
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"phasewise.{module}"), name)
    raise AttributeError(f"module 'phasewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
