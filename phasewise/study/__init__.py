"""Studies: TOML in, every key checked, derived quantities and the driver's flat parameters out."""

from phasewise.errors import StudyError
from phasewise.study.communication import Communication
from phasewise.study.model import Arc, Beam, InteractionPoint, Optics, Records, Study
from phasewise.study.reading import load

__all__ = [
    "Arc",
    "Beam",
    "Communication",
    "InteractionPoint",
    "Optics",
    "Records",
    "Study",
    "StudyError",
    "load",
]
