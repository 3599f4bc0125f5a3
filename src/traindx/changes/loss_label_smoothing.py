"""Labels that are not quite sure."""

from torch import Tensor

from traindx.change import Change
from traindx.surgery.operation import Operation
from traindx.surgery.program import Loss, Program, learned_from


def begin(program: Program, change: Change) -> None:
    """Learn from smoothed labels; the loss is shown without."""
    share = change.number

    def smoothed(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            shown = original(given, target, **settings)
            program.applied(change, f"labels are smoothed by {share:g}")
            return learned_from(shown, original(given, target, **{**settings, "label_smoothing": share}))

        return loss

    program.replace_losses(("cross_entropy",), smoothed)


OPERATION = Operation(
    name="loss.label_smoothing",
    forms=("loss.label_smoothing 0.1", "loss.label_smoothing 0"),
    says="set the label smoothing of the cross-entropy",
    begin=begin,
    alters_loss=True,
)
