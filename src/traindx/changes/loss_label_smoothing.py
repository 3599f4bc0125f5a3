"""Labels that are not quite sure."""

from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.types import ChangeSpec


def begin(program: Program, change: ChangeSpec) -> None:
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
