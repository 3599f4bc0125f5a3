"""Whether train and eval mode make a difference to a model."""

from traindx.curves.stated import stated_number
from traindx.facts import DROPOUT, DROPOUT_LAYERS
from traindx.run import Run

_BY_BATCH = ("BatchNorm", "BatchNormalization", "InstanceNorm")


def matters(run: Run, *, frozen: bool = True) -> bool:
    """Whether the model has dropout, or a normalisation over the batch, be it `frozen` or not."""
    drops = (stated_number(run, DROPOUT_LAYERS) or 0) > 0 and stated_number(run, DROPOUT) != 0.0
    return drops or normalises_over_batch(run, frozen=frozen)


def normalises_over_batch(run: Run, *, frozen: bool = True) -> bool:
    """Whether the model has a normalisation that keeps statistics of the batches, be it `frozen` or not."""
    layers = [layer for layer in run.model if frozen or layer.trainable]
    return any(word in layer.kind for layer in layers for word in _BY_BATCH)
