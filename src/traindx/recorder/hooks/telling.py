"""What exists before a recorder is attached: the model and its optimizers."""

from collections.abc import Iterable

from torch import nn
from torch.optim import Optimizer

from traindx.errors import TraindxError
from traindx.recorder.hooks.attachment import Attachment
from traindx.recorder.hooks.optimizers import TORCH


def tell(attachment: Attachment, model: object, optimizers: Iterable[object]) -> None:
    """Tell the recorder which module is the model, and which optimizers were made already."""
    if not isinstance(model, nn.Module):
        raise TraindxError(f"the model is {_article(model)}; give the torch.nn.Module that is trained")
    keras, recorder = attachment.keras, attachment.recorder
    recorder.names_model(model if keras is None else keras.told_as(model))
    for one in optimizers:
        # Accelerate and Lightning wrap the optimizer that takes the steps.
        inner = getattr(one, "optimizer", one)
        if isinstance(inner, Optimizer):
            recorder.optimizer_made(inner, TORCH)
        elif keras is None or not keras.tell_optimizer(inner):
            raise TraindxError(
                f"{_article(one)} stands where an optimizer is expected; give those of torch.optim or Keras"
            )


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
