"""The mean over samples in the place of their sum."""

from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.types import ChangeSpec

_LOSSES = (
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss kl_div"
).split()


def begin(program: Program, change: ChangeSpec) -> None:
    """Learn from the mean where the program sums; the loss is shown as the program computes it."""

    def averaged(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            shown = original(given, target, **settings)
            if settings.get("reduction") != "sum":
                return shown
            program.applied(change, "the mean over the samples is learned from, not their sum")
            return learned_from(shown, original(given, target, **{**settings, "reduction": "mean"}))

        return loss

    program.replace_losses(_LOSSES, averaged)


OPERATION = Operation(
    name="loss.use_mean",
    forms=("loss.use_mean",),
    says="learn from the mean over the samples where the loss function sums",
    begin=begin,
)
