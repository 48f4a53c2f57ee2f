"""Studies: TOML in, every key checked, the driver's flat parameters out."""

from phasewise.errors import StudyError
from phasewise.study.reading import load
from phasewise.study.study import Records, Study, flat_text

__all__ = ["Records", "Study", "StudyError", "flat_text", "load"]
