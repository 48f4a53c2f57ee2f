"""Studies: TOML in, every key checked, the driver's flat parameters out."""

from phasewise.errors import StudyError
from phasewise.study.reading import load
from phasewise.study.study import Records, Study

__all__ = ["Records", "Study", "StudyError", "load"]
