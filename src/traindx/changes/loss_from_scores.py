"""Loss functions that take raw scores."""

from collections.abc import Callable

from torch import Tensor
from torch.nn import functional

from traindx.changes.live.operation import Operation
from traindx.changes.live.program import Loss, Program
from traindx.changes.types import ChangeSpec

_SETTINGS = ("weight", "reduction", "ignore_index")


def begin(program: Program, change: ChangeSpec) -> None:
    """Exchange a loss on probabilities for its twin on scores wherever it is given scores."""
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


OPERATION = Operation(
    name="loss.from_scores",
    forms=("loss.from_scores",),
    says="exchange a loss on probabilities for its twin on raw scores where it is given scores",
    begin=begin,
    alters_loss=True,
)
