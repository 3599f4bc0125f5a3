"""More or less dropout."""

import libcst as cst

from traindx.change import Change
from traindx.editing.calls import argument, calls_of
from traindx.editing.edit import Edit, Edited, New, RefusedError
from traindx.editing.hidden import is_hidden_module
from traindx.editing.literal import Literal, literal_behind, rewritten
from traindx.editing.source import Source
from traindx.editing.words import expression, last_name, number_text
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.run import Run

_DROPOUTS = ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout")
_WITH_DROPOUT = (
    "LSTM",
    "GRU",
    "RNN",
    "MultiheadAttention",
    "TransformerEncoderLayer",
    "TransformerDecoderLayer",
)
_ACTIVATIONS = ("ReLU", "LeakyReLU", "GELU", "ELU", "SiLU", "Tanh", "Sigmoid")
_WHAT = "the share of dropout"


def edit(source: Source, change: Change, run: Run) -> Edited:
    """Write every share of dropout otherwise; where there is none, drop behind activations."""
    literals = _written(source, run)
    if not literals:
        return _inserted(source, change)
    every = [rewritten(source, one, change.scaled(one.value)) for one in literals]
    parts = {node: new for one in every for node, new in one.parts.items()}
    return Edited(parts, ", ".join(one.says for one in every))


def _written(source: Source, run: Run) -> list[Literal]:
    given: list[cst.Arg] = []
    for call in calls_of(source, _DROPOUTS):
        share = argument(call, ("p", "rate"), 0)
        if share is None:
            raise RefusedError(f"{_WHAT} at {source.place(call)} is not written: it is 0.5")
        given.append(share)
    for call in calls_of(source, {"dropout"}):
        share = argument(call, ("p",), 1) if source.code(call.func) != "self.dropout" else None
        given += [share] if share else []
    for call in calls_of(source, _WITH_DROPOUT):
        share = argument(call, ("dropout",))
        given += [share] if share else []
    found = [literal_behind(source, run, _WHAT, one.value, one) for one in given]
    return list({id(one.node): one for one in found}.values())


def _inserted(source: Source, change: Change) -> Edited:
    """A dropout behind each activation of hidden layers in nn.Sequential(...)."""
    if change.is_factor or not change.number:
        raise RefusedError(f"{source.shown} has no dropout")
    parts: dict[cst.CSTNode, New] = {}
    for call in calls_of(source, {"Sequential"}):
        args: list[cst.Arg] = []
        for arg in call.args:
            args.append(arg)
            if isinstance(arg.value, cst.Call) and _is_hidden(source, arg.value):
                args += _behind(source, args.pop(), arg.value, number_text(change.number))
        if len(args) > len(call.args):
            parts[call] = call.with_changes(args=args)
    if not parts:
        raise RefusedError(
            f"{source.shown} shows no activation of a hidden layer in nn.Sequential to drop behind"
        )
    places = ", ".join(source.place(one) for one in parts)
    return Edited(parts, f"dropout of {number_text(change.number)} behind hidden activations at {places}")


def _is_hidden(source: Source, call: cst.Call) -> bool:
    return last_name(call.func) in _ACTIVATIONS and is_hidden_module(source, call)


def _behind(source: Source, arg: cst.Arg, activation: cst.Call, share: str) -> list[cst.Arg]:
    base = source.code(activation.func).rpartition(".")[0]
    dropout = expression(f"{base}.Dropout({share})" if base else f"Dropout({share})")
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    new = cst.Arg(dropout, comma=arg.comma, whitespace_after_arg=arg.whitespace_after_arg)
    return [arg.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace("")), new]


EDIT = Edit(name="regularize.dropout", edit=edit, where=(MODEL_PLACE, SCRIPT))
