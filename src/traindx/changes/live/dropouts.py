"""Dropouts that are called as functions, by a program itself or by modules such as nn.Dropout."""

from collections.abc import Callable
from functools import wraps
from inspect import signature

import torch
from torch import Tensor
from torch.nn import functional

from traindx.changes.live.program import Program

_FUNCTIONS = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split()

Settings = Callable[[float, bool], tuple[float, bool]]
"""What a dropout is called with, and what it is to be called with: its share, and whether it drops."""


def set_dropouts(program: Program, settings: Settings) -> None:
    """Let every dropout that is called have other settings."""
    setter = _Setter(settings)
    for name in _FUNCTIONS:
        program.patches.replace(functional, name, setter.instead)
    program.patches.replace(torch, "dropout", setter.instead)


class _Setter:
    """Some dropouts are written by means of others: the outermost call counts."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._busy = False

    def instead(self, original: "Callable[..., Tensor]") -> "Callable[..., Tensor]":
        # torch's own is no Python function: it has no signature, and no defaults.
        usual: dict[str, object] = (
            dict.fromkeys(("input", "p", "train"))
            if original is torch.dropout
            else {name: one.default for name, one in signature(original).parameters.items()}
        )
        switch = "train" if "train" in usual else "training"

        @wraps(original)
        def dropout(*args: object, **kwargs: object) -> Tensor:
            if self._busy:
                return original(*args, **kwargs)
            given = {**usual, **dict(zip(usual, args, strict=False)), **kwargs}
            share, drops = given["p"], given[switch]
            if not isinstance(share, int | float):
                return original(*args, **kwargs)
            share, drops = self._settings(share, bool(drops))
            self._busy = True
            try:
                return original(**{**given, "p": share, switch: drops})
            finally:
                self._busy = False

        return dropout
