"""Loaders that are made otherwise than the program asks."""

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature

from torch.utils.data import DataLoader

from traindx.changes.live.program import Program

Settings = Mapping[str, object]


def change_loaders(program: Program, how: Callable[[object, Settings], Settings]) -> None:
    """Make every loader with the settings that are made of those the program asked for."""

    def changed(original: "Callable[..., object]") -> "Callable[..., object]":
        names = list(signature(original).parameters)[2:]

        @wraps(original)
        def init(loader: object, dataset: object, *args: object, **kwargs: object) -> None:
            asked = {**dict(zip(names, args, strict=False)), **kwargs}
            original(loader, dataset, **how(dataset, asked))

        return init

    program.patches.replace(DataLoader, "__init__", changed)
