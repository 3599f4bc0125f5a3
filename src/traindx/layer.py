"""The type of one parameter of a model, as the training held it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Layer:
    """A weight, a bias or another parameter, and whether the training could change it."""

    name: str
    """As the model names it, such as "encoder.0.weight"."""
    kind: str
    """The class of the module that owns it, such as "Linear"."""
    shape: tuple[int, ...]
    trainable: bool
    """Whether it takes a gradient."""
    optimized: bool
    """Whether an optimizer that steps holds it."""
    gradient: bool
    """Whether a gradient other than zero was seen."""
    part: str = ""
    """Which of several models that train together; empty where there is one."""
