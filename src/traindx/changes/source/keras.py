"""The layers of a Keras model as a source writes them."""

import libcst as cst

from traindx.changes.source.calls import argument, calls_of
from traindx.changes.source.imports import imported
from traindx.changes.source.source import Source
from traindx.changes.source.words import last_name, text_of

_WITH_WEIGHTS = frozenset("Dense Conv1D Conv2D Conv3D Conv2DTranspose".split())
_BENDING = frozenset("Activation ReLU LeakyReLU PReLU ELU Softmax".split())


_BY_NAME = {
    "adam": "Adam",
    "adamw": "AdamW",
    "sgd": "SGD",
    "rmsprop": "RMSprop",
    "adagrad": "Adagrad",
    "nadam": "Nadam",
}


def named_optimizer(source: Source) -> tuple[cst.Arg, str] | None:
    """The argument of the one compile that names its optimizer in a text, and how its class is spelled."""
    calls = calls_of(source, {"compile"}) if "keras" in source.text else []
    given = argument(calls[0], ("optimizer",), 0) if len(calls) == 1 else None
    kind = _BY_NAME.get((text_of(given.value) or "").lower()) if given is not None else None
    return (given, imported(source, f"keras.optimizers.{kind}")) if given is not None and kind else None


def is_keras_model(source: Source) -> bool:
    """Whether a source makes its model of Keras' layers."""
    return "keras" in source.text and bool(calls_of(source, _WITH_WEIGHTS))


def hidden_layers(source: Source) -> list[cst.Call]:
    """Layers with a kernel that another one follows, in the order of the text."""
    return calls_of(source, _WITH_WEIGHTS)[:-1]


def output_layer(source: Source) -> cst.Call | None:
    """The layer with a kernel that stands last."""
    found = calls_of(source, _WITH_WEIGHTS)
    return found[-1] if found else None


def activation_of(call: cst.Call) -> str:
    """The activation that a layer is told to apply; "linear" where it is told none."""
    given = argument(call, ("activation",), 1 if last_name(call.func) == "Dense" else None)
    return "linear" if given is None else text_of(given.value) or "?"


def bends_behind(source: Source, call: cst.Call) -> bool:
    """Whether an activation of its own stands between a layer and the next one with a kernel."""
    first = source.lines(call)[1]
    later = [source.lines(one)[0] for one in calls_of(source, _WITH_WEIGHTS) if source.lines(one)[0] > first]
    end = min(later, default=1 << 30)
    return any(first <= source.lines(one)[0] <= end for one in calls_of(source, _BENDING))
