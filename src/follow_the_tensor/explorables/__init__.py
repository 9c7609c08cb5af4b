"""Interactive figures: each is an ipywidget, and the same module draws it in a page."""

from .broadcasting import Broadcasting
from .layer_norm import LayerNorm
from .masks import Masks
from .memory import Memory
from .model_map import ModelMap
from .positions import Positions
from .predict import Predict
from .read_dates import ReadDates
from .softmax import Softmax
from .stepper import Stepper

__all__ = [
    "Broadcasting",
    "LayerNorm",
    "Masks",
    "Memory",
    "ModelMap",
    "Positions",
    "Predict",
    "ReadDates",
    "Softmax",
    "Stepper",
]
