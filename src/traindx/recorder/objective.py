"""The loss of one step, from the backward passes behind it."""

from traindx.facts import ACCUMULATION, BACKWARD_PLACE, BACKWARDS_PER_STEP, LOSS_DIVISOR
from traindx.recorder.looks import Notebook
from traindx.recorder.sight import Sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor

    from traindx.recorder.sight import Value


class Objective:
    """Losses whose gradients add up to one step."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self.values: list[Value] = []
        """Losses of the backward passes since the last step."""
        self._places: list[str] = []
        self._divisors: list[float] = []
        self._accumulates = True
        """Several backward passes of one line are batches; those of different lines are terms of the loss."""
        self._divisor = 1.0
        self.reads = True
        """Whether losses are numbers at once: reading them from another device would wait."""
        self.passes_per_step = 1
        """Batches whose gradients are added up before one step."""

    def __len__(self) -> int:
        """Count the backward passes since the last step."""
        return len(self.values)

    def add(self, loss: "Tensor", *, looked_at: bool) -> "Value | None":
        """Keep the loss of a backward pass; None where it is not one number."""
        if loss.numel() != 1:
            return None
        value = self._sight.number(loss)
        self.values.append(value)
        self.reads = isinstance(value, float)
        if looked_at:
            self._places.append(self._sight.place())
            self._divisors.append(self._sight.divisor(loss) or 1.0)
        return value

    def take_back(self, loss: "Tensor") -> None:
        """Drop the loss that was kept last: its backward pass failed."""
        if loss.numel() != 1 or not self.values:
            return
        self.values.pop()
        if self._places:
            self._places.pop()
            self._divisors.pop()

    def of_step(self) -> "Value | None":
        """The loss as if it had been computed on all batches at once."""
        values = self.values
        if len(values) == 1:
            return values.pop()
        if not values:
            return None
        total, passes = sum(values[1:], start=values[0]), len(values)
        values.clear()
        if not self._accumulates:
            return total
        # A loss that is divided before the backward pass means the mean over the batches.
        return total * (self._divisor / passes)

    def learn(self, notebook: Notebook) -> None:
        """Learn from a looked-at step whether the program accumulates gradients, and state it."""
        places, divisors = self._places, self._divisors
        self._places, self._divisors = [], []
        if not places:
            return
        notebook.state(BACKWARD_PLACE, places[-1])
        notebook.state(BACKWARDS_PER_STEP, len(places))
        self._accumulates = len(set(places)) == 1
        if len(places) > 1 and self._accumulates:
            notebook.state(ACCUMULATION, len(places))
            self.passes_per_step = len(places)
            # A weight of the loss is no division by the number of batches.
            divided = abs(divisors[-1] - len(places)) < 0.01 * len(places)
            self._divisor = divisors[-1] if divided else 1.0
        if divisors[-1] != 1.0:
            notebook.state(LOSS_DIVISOR, divisors[-1])
