"""Exams: one part of a training looked at on its own; `traindx.exams.NAME` is an exam's function.

import traindx.exams
print(traindx.exams.data("train.csv", validation="validation.csv").verdict)
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.exams.activations_exam import activations as activations
    from traindx.exams.data_exam.exam import data as data
    from traindx.exams.gradients_exam import gradients as gradients
    from traindx.exams.model_exam import model as model

__all__ = ["activations", "data", "gradients", "model"]

# No module has the name of a function: importing it would put it in the function's place.
_HOME = {
    "activations": "activations_exam",
    "data": "data_exam.exam",
    "gradients": "gradients_exam",
    "model": "model_exam",
}


def __getattr__(name: str) -> object:
    """The exam of a name, imported when it is first asked for: no exam loads another, nor torch for it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
