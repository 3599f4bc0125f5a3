"""Exams: one part of a training looked at on its own; `traindx.exams.NAME` is the function of `NAME_exam`.

import traindx.exams
print(traindx.exams.data("train.csv", validation="validation.csv").verdict)
"""

from importlib import import_module
from importlib.util import find_spec

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.exams.data_exam import data as data


def __getattr__(name: str) -> object:
    """The exam of a name, imported when it is first asked for: no exam loads another, nor torch for it."""
    # Not of the function's name: importing a module puts it into its package, in the function's place.
    module = f"{__name__}.{name}_exam"
    if name.startswith("_") or find_spec(module) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(module), name)
