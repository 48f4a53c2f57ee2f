"""phasewise: strong-strong simulation of colliding particle beams.

>>> import phasewise
>>> study = phasewise.load("examples/lhc/study.toml")
>>> results = phasewise.run(study)
>>> results.luminosity
"""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _installed_version

from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.results import Results, open_results
from phasewise.run import run
from phasewise.simulation import Simulation
from phasewise.study import Study, load

try:
    __version__ = _installed_version("phasewise")
except PackageNotFoundError:
    __version__ = "0+source"

__all__ = [
    "PhasewiseError",
    "Results",
    "RunError",
    "Simulation",
    "Study",
    "StudyError",
    "__version__",
    "load",
    "open_results",
    "run",
]
