"""More or less dropout."""

from __future__ import annotations

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.functional import ModelDropout
from traindx.changes.live.keras_layers import bends, hidden_layers, layers_of
from traindx.changes.live.keras_program import KerasProgram
from traindx.changes.live.program import Program
from traindx.changes.source.hyperparameter import Doses, Off, Option
from traindx.changes.source.layers import (
    ACTIVATION_FUNCTIONS,
    DROPOUT_FUNCTIONS,
    DROPOUTS,
    is_hidden_call,
    is_hidden_module,
    kept_as,
    kind_of,
)
from traindx.changes.source.literal import added, joined, literal_behind, rewritten
from traindx.changes.source.source import Source, after
from traindx.changes.source.syntax import (
    argument,
    beside,
    calls_of,
    expression,
    imported,
    last_name,
    number_text,
)
from traindx.changes.types import BY_VALIDATION, Change, ChangeSpec, Edited, New, RefusedError
from traindx.curves.facts import is_recording
from traindx.facts import DROPOUT, DROPOUT_LAYERS, INPUT_DROPOUT, MODEL_PLACE, OUTPUT_DROPOUT, SCRIPT
from traindx.format import count
from traindx.run import Run

_RECURRENT = ("LSTM", "GRU", "RNN")
_BLOCKS = ("TransformerEncoderLayer", "TransformerDecoderLayer")
"""Their dropout is 0.1 where nothing is said; of all others it is 0."""
_WITHIN = (*_RECURRENT, *_BLOCKS, "MultiheadAttention")
"""Modules that are told a dropout of their own."""
_ACTIVATIONS = ("ReLU", "LeakyReLU", "GELU", "ELU", "SiLU", "Tanh", "Sigmoid")
_KERAS_DROPOUTS = ("Dropout", "AlphaDropout", "GaussianDropout")
_CELLS = ("LSTMCell", "GRUCell", "SimpleRNNCell")
_WHAT = "the dropout rate"


def _torch(program: Program, change: ChangeSpec) -> None:
    """Set the share of every dropout; where there is none, drop behind the activations of hidden layers."""
    ModelDropout(program, change)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Set the share of every dropout; where there is none, drop behind the activations of hidden layers."""
    share = change.number

    def set_share(model: keras.Layer) -> None:
        inside = model._flatten_layers()
        # A dropout of 0 was made without the random numbers it would need.
        dropping = [
            layer for layer in inside if isinstance(layer, layers_of(_KERAS_DROPOUTS)) and layer.rate > 0
        ]
        cells = [layer for layer in inside if isinstance(layer, layers_of(_CELLS)) and layer.dropout > 0]
        hidden = [layer for layer in hidden_layers(model) if bends(layer)]
        for layer in dropping:
            program.applied(change, f"dropout {layer.rate:g} becomes {share:g}")
            layer.rate = share
        for layer in cells:
            program.applied(change, f"dropout {layer.dropout:g} becomes {share:g}")
            layer.dropout = share
        if dropping or cells:
            return
        if not share or not hidden:
            program.refuse(change, "the model has neither dropout nor activations between its layers")
            return
        program.applied(change, f"dropout {share:g} after {count(len(hidden), 'activation')}")
        for layer in hidden:
            layer.register_forward_hook(dropped)

    def dropped(_: nn.Module, __: object, output: object) -> object:
        # Keras evaluates and predicts without gradients.
        if not isinstance(output, torch.Tensor) or output.is_meta or not torch.is_grad_enabled():
            return None
        return nn.functional.dropout(output, share)

    program.on_model(set_share)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write every share of dropout otherwise; where there is none, drop behind hidden layers."""
    edits = _written(source, change, run)
    if not edits:
        return _inserted(source, change, run)
    return joined(edits)


def _written(source: Source, change: ChangeSpec, run: Run) -> list[Edited]:
    edits: list[Edited] = []
    for call in calls_of(source, (*DROPOUTS, *DROPOUT_FUNCTIONS, *_WITHIN)):
        name = last_name(call.func)
        if name in DROPOUTS:
            arg, usual, key = argument(call, ("p", "rate"), 0), 0.5, "p"
        elif name in DROPOUT_FUNCTIONS:
            if source.code(call.func).startswith("self."):
                continue
            arg, usual, key = argument(call, ("p",), 1), 0.5, "p"
        else:
            arg, usual, key = argument(call, ("dropout",)), 0.1 if name in _BLOCKS else 0.0, "dropout"
        edits += _share(source, change, run, call, arg, usual, key)
    return edits


def _share(
    source: Source,
    change: ChangeSpec,
    run: Run,
    call: cst.Call,
    arg: cst.Arg | None,
    usual: float,
    key: str,
) -> list[Edited]:
    if arg is None:
        if not usual:
            return []
        text = number_text(change.scaled(usual))
        return [added(source, call, key, text)]
    literal = literal_behind(source, run, _WHAT, arg.value, arg)
    if key == "dropout" and not literal.value:
        # A share of 0 beside recurrent layers and attention is no dropout, as in a trial.
        return []
    return [rewritten(source, literal, change.scaled(literal.value))]


def _inserted(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """A dropout behind hidden activations, as modules or as calls; else behind recurrent layers."""
    if change.is_factor or not change.number:
        raise RefusedError(f"no dropout found in {source.shown}")
    share = number_text(change.number)
    parts: dict[cst.CSTNode, New] = {}
    for call in calls_of(source, {"Sequential"}):
        args: list[cst.Arg] = []
        for arg in call.args:
            args.append(arg)
            if isinstance(arg.value, cst.Call) and _is_hidden(source, arg.value):
                args += _behind(source, args.pop(), arg.value, share)
        if len(args) > len(call.args):
            parts[call] = call.with_changes(args=args)
    parts = parts or _behind_calls(source, run, share) or _behind_recurrent(source, share)
    if not parts:
        raise RefusedError(f"no activation of a hidden layer found in {source.shown}")
    places = ", ".join(dict.fromkeys(source.place(part) for part in parts))
    return Edited(parts, f"dropout {share} after hidden layers at {places}")


def _is_hidden(source: Source, call: cst.Call) -> bool:
    return last_name(call.func) in _ACTIVATIONS and is_hidden_module(source, call)


def _behind(source: Source, arg: cst.Arg, activation: cst.Call, share: str) -> list[cst.Arg]:
    name = beside(source, activation, "Dropout")
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    new = cst.Arg(
        expression(f"{name}({share})"), comma=arg.comma, whitespace_after_arg=arg.whitespace_after_arg
    )
    return [arg.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace("")), new]


def _behind_calls(source: Source, run: Run, share: str) -> dict[cst.CSTNode, New]:
    """F.relu(self.fc1(x)) with a dropout around it, in the forward of a module."""
    activations = [
        call
        for call in source.all(cst.Call)
        if kind_of(source, call) in ACTIVATION_FUNCTIONS - {"softmax"}
        and _is_of_forward(source, call)
        and is_hidden_call(source, run, call)
    ]
    return {call: _dropped(source, call, share) for call in activations}


def _is_of_forward(source: Source, call: cst.Call) -> bool:
    scope = source.scope(call)
    return isinstance(scope, cst.FunctionDef) and scope.name.value == "forward"


def _dropped(source: Source, node: cst.Call | cst.Subscript, share: str) -> cst.Call:
    function = expression(imported(source, "torch.nn.functional.dropout"))
    # A node of its own with the old ones inside: they may be named too.
    inside: cst.BaseExpression = node.with_changes()
    return cst.Call(
        function, [cst.Arg(part) for part in (inside, expression(share), expression("self.training"))]
    )


def _behind_recurrent(source: Source, share: str) -> dict[cst.CSTNode, New]:
    """What a recurrent layer of a module gives: self.rnn(x)[0], or the first of out, state = self.rnn(x)."""
    parts: dict[cst.CSTNode, New] = {}
    for call in source.all(cst.Call):
        if not _is_of_forward(source, call) or not _is_recurrent(source, call):
            continue
        around = source.parent(call)
        if isinstance(around, cst.Subscript) and source.code(around) == f"{source.code(call)}[0]":
            parts[around] = _dropped(source, around, share)
        elif isinstance(around, cst.Assign) and isinstance(around.targets[0].target, cst.Tuple):
            out = source.code(around.targets[0].target.elements[0].value)
            function = imported(source, "torch.nn.functional.dropout")
            parts |= after(source, call, f"{out} = {function}({out}, {share}, self.training)")
    return parts


def _is_recurrent(source: Source, call: cst.Call) -> bool:
    made = [value for value in kept_as(source, call.func) if isinstance(value, cst.Call)]
    return bool(made) and all(last_name(creation.func) in _RECURRENT for creation in made)


def _is_idle(change: ChangeSpec, run: Run) -> bool:
    """Whether there is no dropout to take out."""
    drops = any(run.facts.get(fact) for fact in (DROPOUT, DROPOUT_LAYERS, INPUT_DROPOUT, OUTPUT_DROPOUT))
    return not change.number and is_recording(run) and not drops


CHANGE = Change(
    name="regularize.dropout",
    label="dropout {}",
    forms=("regularize.dropout 0.1", "regularize.dropout 0"),
    says="set all dropout rates; if the model has none, add dropout after activations or recurrent layers",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    is_idle=_is_idle,
    option=Option(
        ("dropout", "dropout_p", "dropout_prob", "dropout_rate", "drop", "drop_rate", "p_drop", "p_dropout"),
        fact=DROPOUT,
    ),
    edited_file=(MODEL_PLACE, SCRIPT),
    compared_by=BY_VALIDATION,
    doses=Doses(off=Off(("0",), DROPOUT)),
)
