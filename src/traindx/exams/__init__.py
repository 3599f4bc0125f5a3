"""Looks at one part of a training without training: each exam is a function here, imported when first used."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.exams.examining_activations import activations
    from traindx.exams.examining_gradients import gradients

__all__ = ["activations", "gradients"]


def __getattr__(name: str) -> object:
    """The exam NAME is the function of that name in the module examining_NAME."""
    if name.startswith("_"):
        raise AttributeError(f"module 'traindx.exams' has no attribute {name!r}")
    return getattr(import_module(f"traindx.exams.examining_{name}"), name)
