"""What a program learns from: loaders, features, the scale of targets, batches that are held."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from traindx.changes import keras, nn, torch
from traindx.changes.live.keras_layers import decimal, feature_axis
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Loss, Program, parameter_names
from traindx.changes.types import ChangeSpec

Settings = Mapping[str, object]


def change_loaders(program: Program, how: Callable[[object, Settings], Settings]) -> None:
    """Make every loader with the settings that are made of those the program asked for."""

    def init(
        original: Callable[..., object], loader: object, dataset: object, *args: object, **kwargs: object
    ) -> None:
        names = parameter_names(original)[2:]
        asked = {**dict(zip(names, args, strict=False)), **kwargs}
        original(loader, dataset, **how(dataset, asked))

    program.patches.wrap(torch.utils.data.DataLoader, "__init__", init)


_LEAST = 1e-12
_COLUMNS, _ROWS = 32, 8
"""Columns up to which each is a quantity in a unit of its own, and rows that it takes to know them."""
_STILL = 1e-3
"""A column that varies by less than this share of the others is held against them, not against itself."""


@dataclass(frozen=True, eq=False)
class TargetScale:
    """What is taken from targets and what they are divided by; one number, or one for each column."""

    mean: torch.Tensor
    deviation: torch.Tensor

    def standardized(self, values: torch.Tensor) -> torch.Tensor:
        """Values in units of the deviation."""
        return (values - self.mean.to(values)) / self.deviation.to(values)

    def restored(self, values: torch.Tensor) -> torch.Tensor:
        """Values in their own unit."""
        return values * self.deviation.to(values) + self.mean.to(values)

    def __str__(self) -> str:
        if self.mean.dim() == 0:
            return f"mean {float(self.mean):.3g}, std {float(self.deviation):.3g}"
        low, high = float(self.deviation.min()), float(self.deviation.max())
        return f"{len(self.mean)} columns, std {low:.3g} to {high:.3g}"


def scale_of(targets: torch.Tensor) -> TargetScale | None:
    """The scale of a batch of targets; None where they are all the same."""
    values = targets.detach().float()
    whole = values.std() if values.numel() > 1 else torch.zeros(())
    if not float(whole) > _LEAST:
        return None
    if values.dim() != 2 or not 1 < values.shape[1] <= _COLUMNS or len(values) < _ROWS:
        return TargetScale(values.mean(), whole)
    deviations = values.std(0)
    return TargetScale(values.mean(0), deviations.clamp_min(_STILL * float(deviations.max())))


Batches = dict[tuple[int, object], tuple[object, object]]
"""The first batch of each data set and batch size, with the data set, so that its identity stays its own."""


def hold_loaders(program: Program, change: ChangeSpec) -> Batches:
    """Let every loader give its first batch again and again; epochs stay as long as they are."""
    first: Batches = {}

    def fetch(
        original: Callable[..., object], iterator: torch.utils.data.dataloader._BaseDataLoaderIter
    ) -> object:
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


def hold_tensors(program: Program, change: ChangeSpec, unless: Callable[[], bool]) -> None:
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
        tensors = [one for one in args if isinstance(one, torch.Tensor)]
        if any(one.requires_grad for one in tensors):
            self._give_up("the model inputs require gradients")
            return None
        turn = self._turn(id(model))
        return tuple(
            self._kept(one, id(model), turn, place) if isinstance(one, torch.Tensor) else one
            for place, one in enumerate(args)
        )

    def _loss(
        self, name: str, original: Loss, given: object, target: object, **settings: object
    ) -> torch.Tensor:
        """A loss function that compares with the targets of the same call of the first step."""
        done = self._inside or self._given_up or self._unless()
        if done or not isinstance(target, torch.Tensor) or target.requires_grad:
            return original(given, target, **settings)
        kept = self._kept(target, name, self._turn(name))
        self._inside = True
        try:
            return original(given, kept, **settings)
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


Transform: TypeAlias = "Callable[[torch.Tensor, int], torch.Tensor]"
"""What becomes of rows, whose features or channels are along an axis."""
_NOT_ROWS = "the model inputs are not rows of floats"


def change_features(
    program: Program | KerasProgram, change: ChangeSpec, make: Callable[[], Transform]
) -> None:
    """Change what enters each model by a transform of its own."""
    if isinstance(program, Program):
        program.on_input(_Entrances(program, change, make).entered)
        return
    transforms: dict[tuple[int, int], Transform] = {}

    def entered(model: keras.Layer, place: int, values: torch.Tensor) -> torch.Tensor | None:
        rows = decimal(model, place, values)
        if rows is None:
            program.refuse(change, _NOT_ROWS)
            return None
        return transforms.setdefault((id(model), place), make())(rows, feature_axis(rows))

    program.on_input(entered)


class _Entrances:
    """The models of torch that data enters: what goes on from one model to the next is none."""

    def __init__(self, program: Program, change: ChangeSpec, make: Callable[[], Transform]) -> None:
        self._program, self._change, self._make = program, change, make
        self._transforms: dict[int, Transform] = {}
        self._inner: set[int] = set()

    def entered(self, model: nn.Module, args: tuple[object, ...]) -> tuple[object, ...] | None:
        """The arguments with the first tensor among them changed, where that is rows of decimal numbers."""
        place = next((n for n, one in enumerate(args) if isinstance(one, torch.Tensor)), None)
        values = args[place] if place is not None else None
        if place is None or not isinstance(values, torch.Tensor) or not _are_rows(values):
            self._program.refuse(self._change, _NOT_ROWS)
            return None
        if torch.is_grad_enabled() and values.requires_grad:
            self._inner.add(id(model))
        if id(model) in self._inner:
            return None
        series = values.dim() == 3 and not _convolves(model)
        transform = self._transforms.setdefault(id(model), self._make())
        changed = transform(values, values.dim() - 1 if series else 1)
        return (*args[:place], changed, *args[place + 1 :])


def _are_rows(values: torch.Tensor) -> bool:
    return bool(values.is_floating_point()) and values.dim() >= 2


def _convolves(model: nn.Module) -> bool:
    reading = nn.Linear | nn.Conv1d | nn.Conv2d | nn.RNNBase
    first = next((one for one in model.modules() if isinstance(one, reading)), None)
    return isinstance(first, nn.Conv1d | nn.Conv2d)
