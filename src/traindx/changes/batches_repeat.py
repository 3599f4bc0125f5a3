"""The same batch at every step: what cannot be learned by heart cannot be learned."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import partial

from traindx.changes import keras, nn, torch
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Loss, Program
from traindx.changes.types import NOT_IN_SOURCE, Change, ChangeSpec
from traindx.recorder.hooks.monkeypatch import Function

Batches = dict[tuple[int, object], tuple[object, object]]
"""The first batch of each data set and batch size, with the data set, so that its identity stays its own."""


def _hold_loaders(program: Program, change: ChangeSpec) -> Batches:
    """Let every loader give its first batch again and again; epochs stay as long as they are."""
    first: Batches = {}

    def fetch(original: Function, iterator: torch.utils.data.dataloader._BaseDataLoaderIter) -> object:
        batch = original(iterator)
        data = iterator._dataset
        # Not by the loader: many programs make a new one for each epoch.
        key = id(data), getattr(iterator._index_sampler, "batch_size", None)
        _, kept = first.setdefault(key, (data, _copied(batch)))
        program.applied(change, "the data loader repeats its first batch")
        return _copied(kept)

    program.patches.wrap(torch.utils.data.dataloader._BaseDataLoaderIter, "__next__", fetch)
    return first


def _copied(batch: object) -> object:
    try:
        # The program may write into its batch.
        return deepcopy(batch)
    except Exception:  # a batch may be of any class
        return batch


def _hold_tensors(program: Program, change: ChangeSpec, unless: Callable[[], bool]) -> None:
    """Give the first inputs to the model, and the first targets to loss functions, at every step."""
    held = _Held(program, change, unless)
    program.on_input(held.inputs)
    held.hold_losses()
    program.before_step(held.step_begins)


class _Held:
    """What the first step took in; how often something was called since a step tells what it is."""

    def __init__(self, program: Program, change: ChangeSpec, unless: Callable[[], bool]) -> None:
        self._program, self._change, self._unless = program, change, unless
        self._first: dict[tuple[object, ...], torch.Tensor] = {}
        self._calls: dict[object, int] = {}
        self._differed = self._given_up = self._recorded = self._inside = False

    def hold_losses(self) -> None:
        """Put held targets into every loss function."""
        from traindx.recorder.hooks.calls import LOSS_FUNCTIONS

        for name in LOSS_FUNCTIONS:
            self._program.replace_losses((name,), partial(self._loss, name))

    def inputs(self, model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        """The inputs of the same call of the first step."""
        if self._given_up or not torch.is_grad_enabled() or self._unless():
            return None
        if not self._recorded:
            # Once more, now around the recorder: it is to see the targets that are held. What the program has
            # imported by name is the function as it was before.
            self._recorded = True
            self.hold_losses()
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        if any(tensor.requires_grad for tensor in tensors):
            self._give_up("the model inputs require gradients")
            return None
        turn = self._turn(id(model))
        return tuple(
            self._kept(arg, id(model), turn, index) if isinstance(arg, torch.Tensor) else arg
            for index, arg in enumerate(args)
        )

    def _loss(
        self, name: str, original: Loss, value: object, target: object, **settings: object
    ) -> torch.Tensor:
        """A loss function that compares with the targets of the same call of the first step."""
        done = self._inside or self._given_up or self._unless()
        if done or not isinstance(target, torch.Tensor) or target.requires_grad:
            return original(value, target, **settings)
        kept = self._kept(target, name, self._turn(name))
        self._inside = True
        try:
            return original(value, kept, **settings)
        finally:
            self._inside = False

    def step_begins(self, _: torch.optim.Optimizer) -> None:
        """Tell whether inputs and targets are held, and begin to count anew."""
        if self._calls and self._program.taken and not self._unless() and not self._given_up:
            if not self._differed:
                self._program.applied(self._change, "every step already uses the same rows")
            elif any(isinstance(call, str) for call in self._calls):
                self._program.applied(self._change, "every step uses the inputs and targets of step 1")
            else:
                self._give_up("the loss is hand-written and its targets do not come from a data loader")
        self._calls.clear()

    def _turn(self, of: object) -> int:
        self._calls[of] = self._calls.get(of, 0) + 1
        return self._calls[of]

    def _kept(self, now: torch.Tensor, *key: object) -> torch.Tensor:
        first = self._first.setdefault(key, now.detach().clone())
        if not first.dim() or not now.dim():
            return first.clone()
        rows = len(now)
        # The last batch of an epoch is shorter: what the program compares itself must keep its length.
        kept = first[:rows] if first.shape[1:] == now.shape[1:] else first
        if len(kept) != rows:
            return now
        self._differed |= not torch.equal(kept, now)
        return kept.clone()

    def _give_up(self, why: str) -> None:
        self._given_up = True
        self._program.refuse(self._change, why)


def _torch(program: Program, change: ChangeSpec) -> None:
    """Give the first batch of every loader again; without loaders, the first inputs and targets."""
    loaders = _hold_loaders(program, change)
    _hold_tensors(program, change, unless=lambda: bool(loaders))


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Train on the first batch that `fit` comes to, again and again."""

    def held(model: keras.Model, settings: FitSettings) -> FitSettings:
        original = model.train_step
        first: list[object] = []

        def train_step(data: object) -> object:
            if not first:
                first.append(data)
            program.applied(change, "every step of fit uses the batch of step 1")
            return original(first[0])

        model.train_step = train_step
        return settings

    program.on_fit(held)


CHANGE = Change(
    name="batches.repeat",
    label="repeat the first batch",
    says="train on the first batch at every step (used by traindx preflight)",
    torch=_torch,
    keras=_keras,
    edit=NOT_IN_SOURCE,
    is_fix=False,
)
