"""Weights scaled by what passes through them: what enters each activation has deviation 1 at the start."""

from __future__ import annotations

from collections.abc import Callable

from traindx.changes import nn, torch
from traindx.changes.live.functional import modules_of
from traindx.changes.live.program import Program
from traindx.changes.types import NOT_IN_SOURCE, TORCH_LAYERS_ONLY, Change, ChangeSpec

_BOUNDED = ("sigmoid", "tanh")
_LAYERS = ("Linear", "Conv1d", "Conv2d", "Conv3d")
_LEAST = 1e-8
_ENOUGH = 1.2
"""A deviation within this factor of 1 is left alone."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Draw orthogonal weights, and divide them by the deviation that the first batch shows."""
    scaling = _Scaling(program, change)
    program.on_model(scaling.draw)
    program.on_input(scaling.entered)
    program.after_modules(scaling.passed)
    for function in _BOUNDED:
        program.wrap_function(function, scaling.activation)


class _Scaling:
    """A pass through a model before its first one: each layer is scaled before the next sees its output."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._is_done, self._is_scaling = False, False
        self._last: nn.Module | None = None
        """The layer that was passed last."""
        self._outputs: set[int] = set()
        """The last layers of models, whose outputs keep their size."""
        self._busy = False
        """Inside of a call: the function is written by means of the method."""

    def draw(self, model: nn.Module) -> None:
        layers = [module for module in model.modules() if isinstance(module, modules_of(_LAYERS))]
        # The randomness of the program goes on as in the control arm.
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(0)
            for layer in layers:
                nn.init.orthogonal_(layer.weight)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)
        if layers:
            self._outputs.add(id(layers[-1]))
            says = f"{len(layers)} layers scaled to output std 1 on the first batch"
            self._program.applied(self._change, says)

    def entered(self, model: nn.Module, args: tuple[object, ...]) -> None:
        if self._is_done or self._is_scaling:
            return
        self._is_scaling = True
        try:
            with torch.no_grad(), torch.random.fork_rng(devices=[]):
                model(*args)
        except TypeError as error:
            # It is called with names as well, which are not known here.
            self._program.refuse(self._change, f"a test call of the model failed: {error}")
        finally:
            self._is_done, self._is_scaling = True, False

    def passed(self, module: nn.Module, _: object, output: object) -> object:
        if (
            not self._is_scaling
            or not isinstance(module, modules_of(_LAYERS))
            or not isinstance(output, torch.Tensor)
        ):
            return None
        self._last = None if id(module) in self._outputs else module
        return self._scaled(output)

    def activation(
        self, original: Callable[..., torch.Tensor], value: torch.Tensor, *args: object, **kwargs: object
    ) -> torch.Tensor:
        if self._busy or not self._is_scaling:
            return original(value, *args, **kwargs)
        self._busy = True
        try:
            # A factor between the layer and its activation is made up for, too.
            return original(self._scaled(value), *args, **kwargs)
        finally:
            self._busy = False

    def _scaled(self, value: torch.Tensor) -> torch.Tensor:
        deviation = float(value.detach().float().std()) if value.numel() > 1 else 1.0
        if self._last is None or not deviation > _LEAST or 1 / _ENOUGH < deviation < _ENOUGH:
            return value
        for parameter in self._last.parameters(recurse=False):
            parameter.div_(deviation)
        return value / deviation


CHANGE = Change(
    name="init.unit_variance",
    label="LSUV initialization",
    says="LSUV: orthogonal initialization, each layer scaled to output std 1 on the first batch",
    torch=_torch,
    keras=TORCH_LAYERS_ONLY,
    edit=NOT_IN_SOURCE,
)
