"""What an optimizer of Keras is set to, whatever backend it runs on."""

from collections.abc import Mapping
from typing import Protocol

from traindx import facts as f
from traindx.run import Fact, Scalar

_NAMES = {
    f.LEARNING_RATE: ("learning_rate",),
    f.WEIGHT_DECAY: ("weight_decay",),
    f.MOMENTUM: ("momentum", "beta_1"),
    f.BETA2: ("beta_2",),
    f.GRADIENT_CLIP: ("global_clipnorm", "clipnorm", "clipvalue"),
    # Keras divides what it has accumulated.
    f.LOSS_DIVISOR: ("gradient_accumulation_steps",),
}
"""Facts, and the names under which optimizers configure them."""


class Configured(Protocol):
    """What can tell its configuration."""

    def get_config(self) -> Mapping[str, object]:
        """The arguments that would make another one like it."""


def settings_of(optimizer: Configured) -> Mapping[Fact, Scalar]:
    """Class, learning rate, schedule and coefficients."""
    facts: dict[Fact, Scalar] = {f.OPTIMIZER: type(optimizer).__name__}
    try:
        config = optimizer.get_config()
    except Exception:  # an optimizer of the program's own need not have one
        return facts
    rate = config.get("learning_rate")
    if isinstance(rate, dict):
        facts[f.SCHEDULE] = str(rate.get("class_name", ""))
    for fact, names in _NAMES.items():
        found = [value for name in names if isinstance(value := config.get(name), int | float)]
        if found:
            # Keras keeps 0.001 as a 32-bit float.
            facts[fact] = float(f"{found[0]:.7g}")
    return facts
