"""A loss that trusts labels less."""

import torch
from torch import Tensor

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError

_LEAST = 1e-7


def begin(program: Program, change: ChangeSpec) -> None:
    """Learn from the generalised cross-entropy, (1 - p^q) / q; the loss is shown as it was.

    Zhang and Sabuncu 2018: q near 0 is the cross-entropy, q = 1 the mean absolute error.
    """
    q = change.number
    if not 0 < q <= 1:
        raise TraindxError(f'"{change}": q lies above 0 and at most at 1; for example: loss.robust 0.7')

    def robust(original: Loss) -> Loss:
        def loss(given: Tensor, target: Tensor, **settings: object) -> Tensor:
            shown = original(given, target, **settings)
            if target.is_floating_point() or given.dim() < 2 or settings.get("reduction") == "none":
                return shown
            program.applied(change, f"labels are trusted less: generalised cross-entropy with q = {q:g}")
            known = target != settings.get("ignore_index", -100)
            chosen = torch.softmax(given, 1).gather(1, target.clamp_min(0).unsqueeze(1)).squeeze(1)[known]
            learned = (1 - chosen.clamp_min(_LEAST) ** q) / q
            total = learned.sum() if settings.get("reduction") == "sum" else learned.mean()
            return learned_from(shown, total)

        return loss

    program.replace_losses(("cross_entropy",), robust)


OPERATION = Operation(
    name="loss.robust",
    forms=("loss.robust 0.7",),
    says="learn from a generalised cross-entropy, which wrong labels pull less",
    begin=begin,
    alters_loss=True,
)
