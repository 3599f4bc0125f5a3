"""Seeds of an arm: the same in both arms of a pair, others in every pair."""

import random
import sys
from collections.abc import Callable
from functools import wraps

import torch

from traindx.recorder.hooks.patching import Patches

_LARGEST = 2**32 - 1


def install(seed: int, patches: Patches) -> None:
    """Seed everything now, for programs that do not; add `seed` to what a program asks for.

    With 0 a program that seeds itself gets what it would have got.
    """
    numpy = sys.modules.get("numpy")

    def shifted(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def seeded(*args: object, **kwargs: object) -> object:
            if args and isinstance(args[0], int):
                args = ((args[0] + seed) % _LARGEST, *args[1:])
            elif isinstance(kwargs.get("seed"), int):
                kwargs["seed"] = (kwargs["seed"] + seed) % _LARGEST  # type: ignore[operator]
            return original(*args, **kwargs)

        return seeded

    torch.manual_seed(seed)
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed)
    if not seed:
        return
    patches.replace(torch, "manual_seed", shifted)
    patches.replace(torch.random, "manual_seed", shifted)
    patches.replace(random, "seed", shifted)
    if numpy is not None:
        patches.replace(numpy.random, "seed", shifted)
