"""The loss of a batch: the one that was given, the model's own, or a guess that is said to be one."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - as everyone calls it
from torch.overrides import TorchFunctionMode

from traindx.errors import TraindxError, UnknownNameError
from traindx.exams.batch import Presented, described, own_loss, prediction_in, told_error
from traindx.recorder.hooks.calls import DROPOUTS, LOSS_FUNCTIONS
from traindx.recorder.probes.types import Dropout, LossCall, Purpose
from traindx.recorder.tensors.access import reckoning

Loss = Callable[..., Tensor]
NAMED = ("cross_entropy", "mse", "bce_with_logits")
_TORCH = {"mse": "mse_loss", "bce_with_logits": "binary_cross_entropy_with_logits"}
"""What torch calls them where it calls them otherwise."""


@dataclass(frozen=True, eq=False)
class Objective:
    """The loss of one batch."""

    value: Tensor
    calls: tuple[LossCall, ...] = ()
    """Torch's loss functions that were called for it."""
    function: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)


class FunctionCalls(TorchFunctionMode):
    """Hears torch's loss functions and dropouts, without replacing any.

    The recorder's hooks replace functions, and so miss those that a program holds already: the loss function
    that is handed to an exam, or a dropout that was imported by its name.
    """

    def __init__(self, dropped: Callable[[Dropout], None] = lambda _: None) -> None:
        super().__init__()
        self.losses: list[LossCall] = []
        self._dropped = dropped

    def __torch_function__(
        self,
        function: "Callable[..., object]",
        types: object,
        args: tuple[object, ...] = (),
        kwargs: object = None,
    ) -> object:
        """Call the function, and note what it was."""
        options = dict(kwargs) if isinstance(kwargs, dict) else {}
        value = function(*args, **options)
        name = getattr(function, "__name__", "")
        if name in LOSS_FUNCTIONS and isinstance(value, Tensor):
            tensors = [*args[:2], *(options.pop(key) for key in ("input", "target") if key in options)]
            if len(tensors) == 2 and all(isinstance(tensor, Tensor) for tensor in tensors):
                prediction, target = tensors
                self.losses.append(LossCall(name, prediction, target, value, options, Purpose.TRAINING))
        # Those of torch.nn.functional alone: they call torch's own of the same name.
        elif name in DROPOUTS and getattr(function, "__module__", "") == F.__name__:
            bound = inspect.signature(function).bind(*args, **options)
            bound.apply_defaults()
            self._note_dropout(bound.arguments, value)
        return value

    def _note_dropout(self, arguments: Mapping[str, object], output: object) -> None:
        values, probability = arguments["input"], arguments["p"]
        tensors = isinstance(values, Tensor) and isinstance(output, Tensor)
        if arguments["training"] and tensors and isinstance(probability, float):
            self._dropped(Dropout(probability, values, output))


def objective(output: object, batch: Presented, loss: Loss | str | None) -> Objective:
    """The loss of what a model gave for a batch."""
    if loss is None and (own := own_loss(output)) is not None:
        return Objective(own, function="the model's own loss")
    prediction = prediction_in(output)
    if callable(loss):
        return _given(loss, output, batch.target)
    if prediction is None:
        raise TraindxError(
            f"the model returns a {type(output).__name__} without a floating-point tensor; "
            "pass a loss function of its output and the targets"
        )
    target = batch.target
    notes: list[str] = []
    if target is None:
        target = _itself(batch, prediction)
        notes.append("no targets in the batch: the output is compared with the input (as in an autoencoder)")
    if not isinstance(target, Tensor):
        raise TraindxError(
            f"the targets are a {type(target).__name__}; pass a tensor, or a loss function that takes them"
        )
    name = _checked(loss) if loss else _guess(prediction, target)
    if not loss:
        notes.append(
            f"loss function guessed from {described(prediction)} outputs and {described(target)} targets: "
            f"{name}; set --loss or loss= to change it"
        )
    shaped, aim = _shaped(name, prediction, target)
    computed = _given(getattr(F, name), shaped, aim)
    return Objective(computed.value, computed.calls, name, tuple(notes))


def _given(loss: Loss, output: object, target: object) -> Objective:
    """The loss of a function of output and target."""
    try:
        with FunctionCalls() as heard:
            value = loss(output, target)
    except Exception as error:  # code of the user's own
        shapes = [described(part) for part in (prediction_in(output), target) if isinstance(part, Tensor)]
        raise TraindxError(
            f"the loss function fails on {' and '.join(shapes) or 'this output'} ({told_error(error)}); "
            "name another one, or pass targets as your training loop does"
        ) from error
    if not isinstance(value, Tensor) or not value.is_floating_point():
        raise TraindxError(
            f"the loss function returns a {type(value).__name__}; it must return a floating-point tensor"
        )
    whole = value if value.numel() == 1 else value.mean()
    function = heard.losses[-1].function if heard.losses else getattr(loss, "__name__", type(loss).__name__)
    notes = () if value.numel() == 1 else (f"the loss function returns {described(value)}; using its mean",)
    return Objective(whole, tuple(heard.losses), function, notes)


def gradients_of(loss: Tensor, parameters: Sequence[Tensor]) -> Sequence[Tensor | None]:
    """The gradients of a loss, added to nothing: no hook that waits for accumulation is called."""
    try:
        tensors: Sequence[Tensor | None] = torch.autograd.grad(loss, parameters, allow_unused=True)
        return tensors
    except Exception as error:  # code of the user's own, or an operation without a derivative
        raise TraindxError(
            f"the backward pass fails ({told_error(error)}); "
            "pass the model as you train it, without wrappers that call backward() themselves"
        ) from error


def _checked(name: str) -> str:
    known = _TORCH.get(name, name)
    if known not in LOSS_FUNCTIONS:
        raise UnknownNameError("loss function", name, (*NAMED, *LOSS_FUNCTIONS))
    return known


def _itself(batch: Presented, prediction: Tensor) -> Tensor:
    same = [
        tensor for tensor in batch.tensors if tensor.is_floating_point() and tensor.shape == prediction.shape
    ]
    if not same:
        raise TraindxError(
            f"no targets in the batch, and the model returns {described(prediction)}; "
            "pass (inputs, targets), or a dictionary with labels"
        )
    return same[0]


def _guess(prediction: Tensor, target: Tensor) -> str:
    """What usually goes with such targets."""
    with reckoning():
        values = target.detach().float()
        is_binary = bool(((values == 0) | (values == 1)).all())
        bounded = bool(((prediction >= 0) & (prediction <= 1)).all())
    is_paired = prediction.numel() == target.numel()
    if is_paired or target.is_floating_point() or target.dtype is torch.bool:
        if not is_binary or not is_paired:
            return "mse_loss"
        return "binary_cross_entropy" if bounded else "binary_cross_entropy_with_logits"
    return "nll_loss" if _are_logarithms(prediction, target) else "cross_entropy"


def _are_logarithms(prediction: Tensor, target: Tensor) -> bool:
    """Whether the exponentials of the scores add up to one, as those of a log-softmax."""
    with reckoning():
        sums = torch.logsumexp(prediction.float(), _class_dimension(prediction, target))
        return bool(sums.abs().max() < 1e-3) if sums.numel() else False


def _class_dimension(prediction: Tensor, target: Tensor) -> int:
    """Where the classes are counted: last in sequences as models give them, second as torch takes them."""
    return -1 if prediction.dim() < 3 or prediction.shape[:-1] == target.shape else 1


def _shaped(name: str, prediction: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Output and target as the function takes them, where nothing but the shape stands between."""
    if name in ("cross_entropy", "nll_loss"):
        if target.is_floating_point():
            return prediction, target
        if prediction.dim() > 2 and _class_dimension(prediction, target) == -1:
            return prediction.flatten(0, -2), target.flatten().long()
        is_column = target.dim() == prediction.dim() and target.shape[-1:] == (1,)
        return prediction, (target.squeeze(-1) if is_column else target).long()
    aim = target.to(prediction.dtype)
    return prediction, aim.reshape(prediction.shape) if aim.numel() == prediction.numel() else aim
