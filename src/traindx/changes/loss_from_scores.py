"""Loss functions that take logits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from traindx.changes import cst, nn, torch
from traindx.changes.live.keras_program import (
    CROSS_ENTROPIES,
    KerasCall,
    KerasLoss,
    KerasProgram,
    kind_of,
    takes_scores,
    twin,
)
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.loss import loss_of, made_by
from traindx.changes.source.optimizer import argument_of_compile, twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, imported, last_name, text_of
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_FROM_LOGITS = "from_logits"
_SETTINGS = ("weight", "reduction", "ignore_index")
_TWINS = {
    "BCELoss": "BCEWithLogitsLoss",
    "NLLLoss": "CrossEntropyLoss",
    "binary_cross_entropy": "binary_cross_entropy_with_logits",
    "nll_loss": "cross_entropy",
}


def _torch(program: Program, change: ChangeSpec) -> None:
    """Exchange a loss on probabilities for its twin on scores wherever it is given scores."""

    def on_scores(twin: Loss, cannot_be: Callable[[float, float], bool]) -> Loss:
        known = False

        def loss(
            original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object
        ) -> torch.Tensor:
            nonlocal known
            # Once they were not what the loss wants, the model gives scores.
            known = known or cannot_be(float(given.detach().min()), float(given.detach().max()))
            if not known:
                return original(given, target, **settings)
            program.applied(change, f"{original.__name__} on logits replaced by {twin.__name__}")
            kept = {name: value for name, value in settings.items() if name in _SETTINGS}
            return twin(given, target, **kept)

        return loss

    # Probabilities lie between 0 and 1, their logarithms below 0.
    yes_no = on_scores(nn.functional.binary_cross_entropy_with_logits, lambda low, high: low < 0 or high > 1)
    classes = on_scores(nn.functional.cross_entropy, lambda _, high: high > 0)
    # In validation as well: there the program would stop just the same.
    program.replace_losses(("binary_cross_entropy",), yes_no, while_validating=True)
    program.replace_losses(("nll_loss",), classes, while_validating=True)


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Tell a cross-entropy that it is given logits wherever it is."""
    are_scores = False

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        nonlocal are_scores
        kind = kind_of(call.loss)
        if kind not in CROSS_ENTROPIES or takes_scores(call.loss):
            program.refuse(change, f"{kind} does not expect probabilities")
            return original(call)
        # Once they were no probabilities, the model gives scores.
        are_scores = are_scores or bool(((call.given < 0) | (call.given > 1)).any())
        if not are_scores:
            return original(call)
        program.applied(change, f"{kind} gets from_logits=True")
        return original(replace(call, loss=twin(call.loss, from_logits=True)))

    # In validation as well: the loss of scores taken for probabilities says nothing.
    program.replace_losses(compute, while_validating=True)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Exchange a loss on probabilities for its twin on scores, or tell one of Keras that it gets scores."""
    compiled = argument_of_compile(source, "loss", 1)
    if compiled is not None:
        return _edit_keras(source, compiled)
    made = loss_of(source, run).made
    name = last_name(made.func)
    if name not in _TWINS:
        raise RefusedError(f"{source.callee(made)} does not expect probabilities")
    module = "torch.nn" if name.endswith("Loss") else "torch.nn.functional"
    new = twin_of(source, made, _TWINS[name], module)
    return Edited({made: new}, f"{source.code(made.func)} -> {source.code(new.func)} at {source.place(made)}")


def _edit_keras(source: Source, loss: cst.Arg) -> Edited:
    text = text_of(loss.value)
    if text in CROSS_ENTROPIES:
        made = f"{imported(source, f'keras.losses.{_classes()[text]}')}({_FROM_LOGITS}=True)"
        return exchanged(source, loss, made, "loss")
    call = made_by(source, loss.value, _classes().values())
    if call is None:
        raise RefusedError(f"{source.code(loss.value)} at {source.place(loss)} does not expect probabilities")
    given = argument(call, (_FROM_LOGITS,), 0)
    if given is not None:
        return exchanged(source, given, "True", _FROM_LOGITS)
    return added(source, call, _FROM_LOGITS, "True")


def _classes() -> dict[str, str]:
    """The class of each cross-entropy of Keras."""
    return {name: "".join(map(str.capitalize, name.split("_"))) for name in CROSS_ENTROPIES}


CHANGE = Change(
    name="loss.from_scores",
    label="loss on logits",
    says="replace a loss on probabilities by the one on logits if it gets logits",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
