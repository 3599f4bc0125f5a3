"""A batch: cut into parts, and as a model takes it, with what its output is compared with."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

import torch
from torch import Tensor, nn

from traindx.errors import TraindxError, UnreadableError

MOST = 8
"""Batches of an exam: units need five looks, and a layer two shares, before they are called dead."""
_FEWEST_ROWS = 2
"""A batch normalization needs two."""


def batches_of(given: object, most: int = MOST, parts: int = MOST) -> list[object]:
    """The first batches of an iterable of batches; one batch, as a tensor, pair or dictionary, is parted."""
    if isinstance(given, Tensor | tuple | Mapping) or _is_pair(given):
        return parted(given, parts)
    if not isinstance(given, Iterable):
        raise TraindxError(
            f"expected batches, got a {type(given).__name__}; pass a data loader or a list of batches"
        )
    taken = list(islice(given, most))
    if not taken:
        raise TraindxError("no batches to examine; pass at least one")
    return parted(taken[0], parts) if len(taken) == 1 else taken


def _is_pair(value: object) -> bool:
    """Whether a list is one batch, as data loaders give [inputs, targets], and no list of alike batches."""
    if not isinstance(value, list) or not value or not all(isinstance(member, Tensor) for member in value):
        return False
    return len({(member.dtype, member.shape[1:]) for member in value}) > 1


def parted(batch: object, parts: int) -> list[object]:
    """A batch in parts with as many rows each; whole where its tensors do not have the same rows, or none."""
    tensors = list(_tensors(batch))
    rows = {int(tensor.shape[0]) if tensor.dim() else 0 for tensor in tensors}
    # torch cuts no rows out of a sparse tensor.
    if len(rows) != 1 or any(tensor.layout is not torch.strided for tensor in tensors):
        return [batch]
    total = rows.pop()
    size = max(-(-total // parts), _FEWEST_ROWS)
    starts = [start for start in range(0, total, size) if total - start >= min(_FEWEST_ROWS, total)]
    return [_cut(batch, slice(start, start + size)) for start in starts] or [batch]


def _tensors(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _tensors(inner)
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _tensors(inner)


def mapped(value: object, function: Callable[[Tensor], Tensor]) -> object:
    """The same with every tensor replaced by what a function makes of it."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, Mapping):
        return {name: mapped(inner, function) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return tuple(mapped(inner, function) for inner in value)
    return value


def _cut(batch: object, rows: slice) -> object:
    return mapped(batch, lambda tensor: tensor[rows])


def refuse_empty(batch: object, where: str) -> None:
    """Refuse a batch without a row: every sum over it is zero or no number, whatever the model."""
    first = next(_tensors(batch), None)
    if first is not None and first.dim() and not len(first):
        raise UnreadableError(where, "has no rows", "pass data to examine")


def rows_in(batch: object) -> int:
    """The rows of the first tensor of a batch."""
    first = next(_tensors(batch), None)
    return int(first.shape[0]) if first is not None and first.dim() else 0


def first_rows(batch: object, rows: int) -> object:
    """The first rows of every tensor of a batch."""
    return _cut(batch, slice(rows))


_TARGETS = ("labels", "label", "targets", "target", "y")
_SHAPES = 4


@dataclass(frozen=True, eq=False)
class Presented:
    """The arguments of one call of a model, and the target that came with them."""

    args: tuple[object, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict)
    target: object = None
    """None where the batch holds none."""

    @property
    def tensors(self) -> list[Tensor]:
        """Every tensor that goes in."""
        return [arg for arg in (*self.args, *self.named.values()) if isinstance(arg, Tensor)]

    @property
    def told(self) -> str:
        """What goes in: "float32 32x20"."""
        return ", ".join(described(tensor) for tensor in self.tensors[:_SHAPES]) or "no tensor"

    def to(self, device: torch.device) -> "Presented":
        """The same where the model lives."""
        return Presented(
            tuple(_moved(value, device) for value in self.args),
            {name: _moved(value, device) for name, value in self.named.items()},
            _moved(self.target, device),
        )


def presented(batch: object, model: nn.Module) -> Presented:
    """A batch as data loaders give them: a tensor, (inputs, ..., target), or a dictionary."""
    refuse_empty(batch, "the batch")
    if isinstance(batch, Tensor):
        return Presented((batch,))
    if isinstance(batch, Mapping):
        return _of_names(dict(batch), model)
    if isinstance(batch, Sequence) and not isinstance(batch, str) and len(batch):
        *inputs, target = batch if len(batch) > 1 else (*batch, None)
        first = inputs[0]
        if len(inputs) == 1 and isinstance(first, Mapping):
            return Presented(named=dict(first), target=target)
        args = tuple(first) if len(inputs) == 1 and isinstance(first, tuple | list) else tuple(inputs)
        return Presented(args, target=target)
    raise TraindxError(
        f"the batch is a {type(batch).__name__}; pass a tensor, (inputs, targets) or a dictionary of tensors"
    )


def _of_names(batch: dict[str, object], model: nn.Module) -> Presented:
    takes = _names_taken(model)
    own = next((name for name in _TARGETS if name in batch), None)
    if takes is not None and (not takes or set(batch) <= set(takes)):
        return Presented(named=batch, target=batch.get(own) if own else None)
    target = batch.pop(own) if own else None
    known = {name: value for name, value in batch.items() if takes is None or name in takes}
    # Names that only the data set knows: what they hold goes in by place.
    if not known:
        return Presented(tuple(batch.values()), target=target)
    return Presented(named=known, target=target)


def _names_taken(model: nn.Module) -> list[str] | None:
    """The names a model takes its inputs by; empty where it takes any, None where that cannot be told."""
    try:
        parameters = inspect.signature(model.forward).parameters.values()
    except (TypeError, ValueError):  # a scripted or built-in forward pass
        return None
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return []
    return [parameter.name for parameter in parameters]


def described(value: Tensor) -> str:
    """A tensor's type and shape: "float32 32x20"."""
    return f"{str(value.dtype).removeprefix('torch.')} {'x'.join(map(str, value.shape)) or 'scalar'}"


def _moved(value: object, device: torch.device) -> object:
    return value.to(device) if isinstance(value, Tensor) else value


def called(model: nn.Module, batch: Presented) -> object:
    """What the model gives for a batch."""
    try:
        # TorchScript would turn parts of its graph into one opaque operation after some passes.
        with torch.jit.optimized_execution(False):
            return model(*batch.args, **batch.named)
    except Exception as error:  # code of the user's own
        raise TraindxError(
            f"the model fails on a batch of {batch.told} ({told_error(error)}); "
            "pass data as your training loop does"
        ) from error


def told_error(error: BaseException) -> str:
    """An exception in one line."""
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {first[:200]}" if first else type(error).__name__


def prediction_in(output: object) -> Tensor | None:
    """The first floating-point tensor that a model gives: its logits where it names them."""
    named = output if isinstance(output, Mapping) else {}
    logits = named.get("logits", getattr(output, "logits", None))
    if isinstance(logits, Tensor):
        return logits
    members = list(named.values()) if named else output if isinstance(output, tuple | list) else [output]
    predictions = (
        prediction_in(member) if isinstance(member, tuple | list | Mapping) else member for member in members
    )
    return next(
        (
            prediction
            for prediction in predictions
            if isinstance(prediction, Tensor) and prediction.is_floating_point()
        ),
        None,
    )


def own_loss(output: object) -> Tensor | None:
    """The loss that a model computes itself, as those of Hugging Face do."""
    loss = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    return loss if isinstance(loss, Tensor) and loss.numel() == 1 and loss.grad_fn is not None else None
