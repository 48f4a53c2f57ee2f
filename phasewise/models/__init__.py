"""Models of the communication: they predict the seconds of each phase of a study on some ranks of a
machine.

The models 1a to 6 are those of Shan, Strohmaier, Qiang, Bailey, Yelick, "Performance Modeling and
Optimization of a High Energy Colliding Beam Simulation Code" (2006), section 4; docs/models.md
describes them.
"""

from phasewise.models.discovery import default_model, load_model, model_names
from phasewise.models.interval import interval
from phasewise.models.model import Case, Model, PhaseMessages
from phasewise.models.prediction import Prediction, first_turn, predict
from phasewise.models.recorded import recorded_case

__all__ = [
    "Case",
    "Model",
    "PhaseMessages",
    "Prediction",
    "default_model",
    "first_turn",
    "interval",
    "load_model",
    "model_names",
    "predict",
    "recorded_case",
]
