"""phasewise: strong-strong simulation of colliding particle beams.

>>> import phasewise
>>> study = phasewise.load("examples/lhc/study.toml")
>>> results = phasewise.run(study)
>>> results.luminosity
"""

from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.runs.loop import run
from phasewise.runs.results import Results, open_results
from phasewise.runs.simulation import Simulation
from phasewise.study import Study, load
from phasewise.version import __version__

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
