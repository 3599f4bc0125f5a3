"""What the model makes of its last batch in train mode and in eval mode, with all dropout off."""

import atexit
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.batchnorm import _NormBase
from torch.utils._pytree import tree_leaves

from traindx.changes.live.functional import DROPOUT_FUNCTIONS
from traindx.changes.live.program import Program
from traindx.recorder.hooks.monkeypatch import Function, Patches

NAME = "modes"

Call = tuple[nn.Module, tuple[object, ...], dict[str, object]]


def begin(program: Program) -> None:
    """Remember how the program calls its model, and compare the modes when it ends."""
    calls: dict[int, Call] = {}
    _remember(program, calls)
    atexit.register(lambda: program.keep(NAME, _compared(calls)))


def _remember(program: Program, calls: dict[int, Call]) -> None:
    inside = False

    def call(original: Function, module: nn.Module, *args: object, **kwargs: object) -> object:
        nonlocal inside
        if inside or not torch.is_grad_enabled() or next(module.parameters(), None) is None:
            return original(module, *args, **kwargs)
        inside = True
        calls[id(module)] = (module, args, kwargs)
        try:
            return original(module, *args, **kwargs)
        finally:
            inside = False

    program.patches.wrap(nn.Module, "__call__", call)


def _compared(calls: Mapping[int, Call]) -> dict[str, object]:
    if not calls:
        return {"problem": "the program calls no module with parameters"}
    module, args, kwargs = max(
        calls.values(), key=lambda call: sum(parameter.numel() for parameter in call[0].parameters())
    )
    if any(kind.__module__.startswith("keras.") for kind in type(module).__mro__):
        return {"problem": "Keras passes the training mode with each call"}
    try:
        return _differences(module, args, kwargs)
    except Exception as error:  # it is called outside of its loop, and may need what only the loop has
        return {"problem": f"calling the model outside its loop failed ({type(error).__name__}: {error})"}


def _differences(module: nn.Module, args: tuple[object, ...], kwargs: dict[str, object]) -> dict[str, object]:
    dropped = 0

    def count() -> None:
        nonlocal dropped
        dropped += 1

    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        with _as_it_was(module), _without_dropout(lambda: None):
            module.train()
            learning = [_outputs(module(*args, **kwargs)) for _ in range(2)]
        with _as_it_was(module), _without_dropout(count):
            module.eval()
            judging = [_outputs(module(*args, **kwargs)) for _ in range(2)]
    if not learning[0].numel() or learning[0].shape != judging[0].shape:
        return {"problem": "the model returns another shape in eval mode, so the modes cannot be compared"}
    spread = float((learning[0] - learning[0].mean()).norm()) or 1.0
    return {
        "differs": _distance(learning[0], judging[0], spread),
        "random_in_train": _distance(learning[0], learning[1], spread),
        "random_in_eval": _distance(judging[0], judging[1], spread),
        "dropped_in_eval": dropped,
        "norms": sum(
            isinstance(part, _NormBase) and part.running_mean is not None for part in module.modules()
        ),
    }


def _outputs(output: object) -> Tensor:
    """All decimal numbers of an output, but for single ones such as a loss."""
    # Outputs of transformers are dictionaries of a class of their own.
    leaves = tree_leaves(list(output.values()) if isinstance(output, Mapping) else output)
    tensors = [
        leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.is_floating_point() and leaf.dim()
    ]
    return (
        torch.cat([tensor.detach().double().flatten() for tensor in tensors]) if tensors else torch.empty(0)
    )


def _distance(tensor: Tensor, other: Tensor, spread: float) -> float:
    return float((tensor - other).norm()) / spread


@contextmanager
def _as_it_was(module: nn.Module) -> Iterator[None]:
    """Put modes and running averages back."""
    modes = [(part, part.training) for part in module.modules()]
    buffers = [(part, part.detach().clone()) for part in module.buffers()]
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode
        for buffer, value in buffers:
            buffer.copy_(value)


@contextmanager
def _without_dropout(active: Callable[[], None]) -> Iterator[None]:
    """Let dropouts pass everything; `active` is told of those that would not have."""
    patches = Patches()

    def passing(
        _: object, value: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
    ) -> Tensor:
        if training and p:
            active()
        return value

    for name in DROPOUT_FUNCTIONS:
        patches.wrap(functional, name, passing)
    try:
        yield
    finally:
        patches.undo()
