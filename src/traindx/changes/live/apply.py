"""Applies the changes of an arm, as the trial asked in the environment."""

import atexit
import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from traindx import changes
from traindx.catalogue import modules
from traindx.changes import keras, live
from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Program, leave_keras_layers, when_keras_comes
from traindx.changes.types import EARLY_STOP, ChangeSpec, parse_change
from traindx.errors import TraindxError
from traindx.recorder.hooks.patching import Patches
from traindx.recorder.launch.environment import TRIAL

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


_NOT_FOR_KERAS = "the change takes hold of torch's own layers, and the model is one of Keras'"


def operations() -> dict[str, Operation]:
    """Everything on the shelf, by its name."""
    found = [module.OPERATION for module in modules(changes)]
    return {one.name: one for one in found}


def operation_of(change: ChangeSpec) -> Operation:
    """How a change is done; refused where nobody knows."""
    known = operations()
    if change.name not in known:
        raise TraindxError(
            f'"{change}": there is no change {change.name}; there are {", ".join(sorted(known))}'
        )
    return known[change.name]


def check(change: ChangeSpec) -> None:
    """Refuse a change that nobody knows, or that is not written as such changes are."""
    if change.name == EARLY_STOP:
        if change.words:
            raise TraindxError(f'"{change}": is written without more words: {EARLY_STOP}')
        return
    operation = operation_of(change)
    operation.check(change)
    if change.needs_recording:
        return
    # Names of activations and the like are known to whoever begins with them.
    with TemporaryDirectory() as folder:
        program = Program(Path(folder), None)
        try:
            operation.begin(program, change)
        finally:
            program.patches.undo()


def begin_from_environment() -> Program | None:
    """Seed and change the program that begins here; None where it is no arm of a trial."""
    wish = os.environ.get(TRIAL)
    if wish is None:
        return None
    asked = json.loads(wish)
    program = Program(Path(asked["folder"]), asked.get("steps"))
    install(int(asked["seed"]), program.patches)
    begin(program, [parse_change(text) for text in asked["changes"]])
    for name in asked.get("observes", ()):
        import_module(f"{live.__name__}.{name}").begin(program)
    if asked.get("saves"):
        _save_at_end(program, asked["saves"])
    return program


def begin(program: Program, asked: Sequence[ChangeSpec]) -> None:
    """Change a program that has made nothing yet; what it makes of Keras, as soon as it imports that."""
    leave_keras_layers(program)
    for change in asked:
        operation_of(change).begin(program, change)
    if asked:
        when_keras_comes(program, lambda: _begin_on_keras(program, asked))


def _begin_on_keras(program: Program, asked: Sequence[ChangeSpec]) -> None:
    try:
        # Not before: it imports Keras.
        from traindx.changes.live.keras_operation import refusing
        from traindx.changes.live.keras_program import KerasProgram

        using_keras = KerasProgram(program)
        for change in asked:
            module = f"{keras.__name__}.{change.name.replace('.', '_')}"
            known = find_spec(module) is not None
            begins = import_module(module).OPERATION.begin if known else refusing(_NOT_FOR_KERAS)
            begins(using_keras, change)
    except (ImportError, AttributeError) as error:
        for change in asked:
            program.refuse(change, f"this version of Keras lacks what the change takes hold of: {error}")


def _save_at_end(program: Program, into: str) -> None:
    """Keep the weights of the models that the program has called when it ends."""
    program.on_model(lambda _: None)

    def save() -> None:
        states = [model.state_dict() for model in program.models]
        if states:
            torch.save(states[0] if len(states) == 1 else dict(enumerate(states)), into)

    atexit.register(save)
