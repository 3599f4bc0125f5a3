"""Another precision."""

from collections.abc import Callable
from functools import wraps

import keras

from traindx.changes.live.keras_operation import KerasOperation
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.types import ChangeSpec

_OTHERS = {
    "float32": dict.fromkeys(("mixed_float16", "mixed_bfloat16", "float16", "bfloat16"), "float32"),
    "bfloat16": {"mixed_float16": "mixed_bfloat16", "float16": "bfloat16"},
}
"""What becomes of the policies by which layers know what to compute in."""


def begin(program: KerasProgram, change: ChangeSpec) -> None:
    """Make other policies than the program asks for."""
    others = _OTHERS[change.words[0]]
    exchanged = False

    def named(original: "Callable[..., object]") -> "Callable[..., object]":
        @wraps(original)
        def init(policy: keras.DTypePolicy, name: str | None = None) -> None:
            nonlocal exchanged
            if name in others:
                exchanged = True
                program.applied(change, f"the precision {name} becomes {others[name]}")
                name = others[name]
            original(policy, name)

        return init

    def refuse(_: keras.Layer) -> None:
        if not exchanged:
            program.refuse(change, f"the program uses none of {', '.join(others)}")

    program.patches.replace(keras.DTypePolicy, "__init__", named)
    program.on_model(refuse)


OPERATION = KerasOperation(name="precision.use", begin=begin)
