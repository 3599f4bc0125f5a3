"""Applies the changes of an arm, as the trial asked in the environment."""

import atexit
import json
import os
import random
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from traindx.changes import live
from traindx.changes.live.keras_program import KerasProgram, leave_keras_layers, when_keras_comes
from traindx.changes.live.program import Program
from traindx.changes.types import ChangeSpec, Refusal, change_of, parse_change
from traindx.recorder.hooks.monkeypatch import Function, Patches
from traindx.recorder.launch.command import TRIAL, end_after

_LARGEST = 2**32 - 1


def _seed(seed: int, patches: Patches) -> None:
    """Seed everything now, for programs that do not; add `seed` to what a program asks for.

    With 0 a program that seeds itself gets what it would have got.
    """
    numpy = sys.modules.get("numpy")

    def shifted(original: Function, *args: object, **kwargs: object) -> object:
        if args and isinstance(args[0], int):
            args = ((args[0] + seed) % _LARGEST, *args[1:])
        elif isinstance(kwargs.get("seed"), int):
            kwargs["seed"] = (kwargs["seed"] + seed) % _LARGEST  # type: ignore[operator]
        return original(*args, **kwargs)

    torch.manual_seed(seed)
    random.seed(seed)
    if numpy is not None:
        numpy.random.seed(seed)
    if not seed:
        return
    patches.wrap(torch, "manual_seed", shifted)
    patches.wrap(torch.random, "manual_seed", shifted)
    patches.wrap(random, "seed", shifted)
    if numpy is not None:
        patches.wrap(numpy.random, "seed", shifted)


def check(spec: ChangeSpec) -> None:
    """Refuse a change that nobody knows, or that is not written as such changes are."""
    change = change_of(spec)
    change.check(spec)
    if change.needs_recording(spec):
        return
    # Names of activations and the like are known to whoever begins with them.
    with TemporaryDirectory() as folder:
        program = Program(Path(folder), None)
        try:
            change.torch(program, spec)
        finally:
            program.patches.undo()


def begin_from_environment() -> Program | None:
    """Seed and change the program that begins here; None where it is no arm of a trial."""
    wish = os.environ.get(TRIAL)
    if wish is None:
        return None
    asked = json.loads(wish)
    program = Program(Path(asked["folder"]), asked.get("steps"))
    _seed(int(asked["seed"]), program.patches)
    begin(program, [parse_change(text) for text in asked["changes"]])
    if program.last_step is not None:
        end_after(program.last_step)
    for name in asked.get("observes", ()):
        import_module(f"{live.__name__}.{name}").begin(program)
    if asked.get("saves"):
        _save_at_end(program, asked["saves"])
    return program


def begin(program: Program, asked: Sequence[ChangeSpec]) -> None:
    """Change a program that has made nothing yet; what it makes of Keras, as soon as it imports that."""
    leave_keras_layers(program)
    for spec in asked:
        change_of(spec).torch(program, spec)
    if asked:
        when_keras_comes(program, lambda: _begin_on_keras(program, asked))


def _begin_on_keras(program: Program, asked: Sequence[ChangeSpec]) -> None:
    try:
        using_keras = KerasProgram(program)
        for spec in asked:
            begins = change_of(spec).keras
            if isinstance(begins, Refusal):
                _refuse(using_keras, spec, begins.why)
            else:
                begins(using_keras, spec)
    except (ImportError, AttributeError) as error:
        for spec in asked:
            program.refuse(spec, f"this Keras version is not supported: {error}")


def _refuse(program: KerasProgram, spec: ChangeSpec, why: str) -> None:
    """Say why Keras programs have no use for a change, when one calls its model."""
    program.on_model(lambda _: program.refuse(spec, why))


def _save_at_end(program: Program, into: str) -> None:
    """Keep the weights of the models that the program has called when it ends."""
    program.on_model(lambda _: None)

    def save() -> None:
        states = [model.state_dict() for model in program.models]
        if states:
            torch.save(states[0] if len(states) == 1 else dict(enumerate(states)), into)

    atexit.register(save)
