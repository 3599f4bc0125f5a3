"""Loss functions that take raw scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from traindx.changes.source.loss import loss_of
from traindx.changes.source.optimizer import twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import last_name
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, RefusedError
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

if TYPE_CHECKING:
    import keras
    from torch import Tensor

    from traindx.changes.live.keras_program import KerasLoss, KerasProgram
    from traindx.changes.live.program import Loss, Program

_SETTINGS = ("weight", "reduction", "ignore_index")
_TWINS = {
    "BCELoss": "BCEWithLogitsLoss",
    "NLLLoss": "CrossEntropyLoss",
    "binary_cross_entropy": "binary_cross_entropy_with_logits",
    "nll_loss": "cross_entropy",
}


def _torch(program: Program, change: ChangeSpec) -> None:
    """Exchange a loss on probabilities for its twin on scores wherever it is given scores."""
    from torch.nn import functional

    yes_no, classes = functional.binary_cross_entropy_with_logits, functional.cross_entropy

    def on_scores(twin: Loss, cannot_be: Callable[[float, float], bool]) -> Callable[[Loss], Loss]:
        known = False

        def are_scores(given: Tensor) -> bool:
            """Whether values cannot be what the loss wants; once they were not, the model gives scores."""
            nonlocal known
            known = known or cannot_be(float(given.detach().min()), float(given.detach().max()))
            return known

        def exchanged(original: Loss) -> Loss:
            def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
                if not are_scores(given):
                    return original(given, target, **settings)
                program.applied(change, f"{original.__name__} on raw scores becomes {twin.__name__}")
                kept = {name: value for name, value in settings.items() if name in _SETTINGS}
                return twin(given, target, **kept)

            return loss

        return exchanged

    # In validation as well: there the program would stop just the same.
    program.replace_losses(("binary_cross_entropy",), on_scores(yes_no, _outside), while_validating=True)
    program.replace_losses(("nll_loss",), on_scores(classes, _positive), while_validating=True)


def _outside(low: float, high: float) -> bool:
    """No probabilities."""
    return low < 0 or high > 1


def _positive(_: float, high: float) -> bool:
    """No logarithms of probabilities."""
    return high > 0


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Tell a cross-entropy that it is given raw scores wherever it is."""
    from traindx.changes.live.keras_program import CROSS_ENTROPIES, kind_of, takes_scores, twin

    are_scores = False

    def on_scores(original: KerasLoss) -> KerasLoss:
        def compute(loss: keras.losses.Loss, target: Tensor, given: Tensor, weights: Tensor | None) -> Tensor:
            nonlocal are_scores
            if kind_of(loss) not in CROSS_ENTROPIES or takes_scores(loss):
                program.refuse(change, f"{kind_of(loss)} is not told to take probabilities")
                return original(loss, target, given, weights)
            # Once they were no probabilities, the model gives scores.
            are_scores = are_scores or bool(((given < 0) | (given > 1)).any())
            if not are_scores:
                return original(loss, target, given, weights)
            program.applied(change, f"{kind_of(loss)} is told that it is given raw scores")
            return original(twin(loss, from_logits=True), target, given, weights)

        return compute

    # In validation as well: the loss of scores taken for probabilities says nothing.
    program.replace_losses(on_scores, while_validating=True)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Exchange a loss on probabilities for its twin on scores."""
    made = loss_of(source, run).made
    name = last_name(made.func)
    if name not in _TWINS:
        raise RefusedError(f"{source.code(made.func)} at {source.place(made)} takes no probabilities")
    module = "torch.nn" if name.endswith("Loss") else "torch.nn.functional"
    new = twin_of(source, made, _TWINS[name], module)
    return Edited({made: new}, f"{source.code(made.func)} -> {source.code(new.func)} at {source.place(made)}")


CHANGE = Change(
    name="loss.from_scores",
    forms=("loss.from_scores",),
    says="exchange a loss on probabilities for its twin on raw scores where it is given scores",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    touches="loss",
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
