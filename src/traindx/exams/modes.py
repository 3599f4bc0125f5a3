"""Train and eval mode, as an exam finds and needs them."""

from torch import nn


def in_training_mode(model: nn.Module) -> list[str]:
    """Put a model into training mode, and say what could not be done.

    One that trains already stays as it is: parts of it may rest in eval mode on purpose.
    """
    if model.training:
        return []
    try:
        model.train()
    except NotImplementedError:
        return ["an exported program keeps the mode it was exported in"]
    return []
