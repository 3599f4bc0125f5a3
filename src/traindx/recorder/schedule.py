"""When to look: often at first, ever more seldom, never beyond the budget; when to write; when to stop."""

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.streams import Stream

_LEAST_GROWTH = 2.0
"""Looks at steps 1, 3, 7, 15, 31, 63 ... are taken whatever they cost: fourteen in ten thousand steps.
Without them nothing would be known of the layers of a program whose plain steps exceed the budget."""
_PATIENCE = 20
"""Steps after which it is asked again whether a look that is due can be paid, where looks lie closer."""
_FOR_LOOKS = 0.3
"""Of the budget: the rest is for plain steps and norms, and for looks that are taken in any case."""
_OPENING = 0.05
"""Seconds that may be spent before any were earned: the first steps tell most."""
_DEEPEST_DEBT = 0.25
"""Seconds of debt that are remembered: one slow moment must not blind the recorder for an hour."""
_GREATEST_SAVINGS = 1.0
"""Seconds that can be saved up, so that a long calm does not end in a burst of looks."""


class Budget:
    """Time of our own: looks are paid from a part of what recording may take of the program's time."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.balance = _OPENING
        self.look_cost = 0.0
        """What a look costs beyond a plain step, as a running mean of the last few."""

    def settle(self, elapsed: float, spent: float) -> None:
        """Account for the time of some steps and for what looks took of it."""
        balance = self.balance + _FOR_LOOKS * self.share * elapsed - spent
        self.balance = min(max(balance, -_DEEPEST_DEBT), _GREATEST_SAVINGS)

    def looked(self, cost: float) -> None:
        """Remember what a look cost."""
        self.look_cost = cost if not self.look_cost else 0.7 * self.look_cost + 0.3 * cost

    def affords_look(self) -> bool:
        """Whether the savings pay for a look as expensive as the last ones."""
        return self.balance >= self.look_cost


def gap_after(step: int) -> int:
    """Steps to the next look: a twelfth of the way so far, 100 from step 1,200, a hundredth from 10,000.

    A run of a million steps is looked at about 600 times, one of a thousand about 65 times.
    """
    return max(1, min(step // 12, 100), step // 100)


@dataclass
class Schedule:
    """Which steps of a stream are looked at."""

    every: int | None
    """A fixed distance in place of the thinning one, whatever it costs: who asks for it gets it."""
    due: int = 1
    looks: int = 0
    last: int = 0

    def wants(self, step: int, budget: Budget) -> bool:
        """Whether a step is to be looked at."""
        if step < self.due:
            return False
        return self.every is not None or step > _LEAST_GROWTH * self.last or budget.affords_look()

    def plain_steps(self, step: int) -> int:
        """Steps after this one that need no decision: until the next look, or until it may be affordable."""
        if step + 1 < self.due:
            return self.due - step - 1
        return min(max(_PATIENCE, gap_after(step)), max(int(_LEAST_GROWTH * self.last) - step, 0))

    def looked(self, step: int) -> None:
        """Note a look and set the next."""
        self.looks += 1
        self.last = step
        self.due = step + (self.every or gap_after(step))


_LONGEST_UNWRITTEN = 0.5
"""Seconds: no kill loses a second or fifty steps."""
_MOST_UNWRITTEN = 48
"""Steps; one more may be in the making."""
_ENOUGH_TO_WRITE = 24
"""Steps; the rest is room for plain steps in a row."""


class WriteSchedule:
    """When steps must reach the file."""

    def __init__(self) -> None:
        self._written, self._flushed = 0, 0.0

    def are_due(self, steps: int, now: float) -> bool:
        """Whether what was taken of so many steps is to be written now."""
        return steps - self._written >= _ENOUGH_TO_WRITE or now - self._flushed > _LONGEST_UNWRITTEN

    def room(self, steps: int) -> int:
        """How many more steps may be taken before anything must be written."""
        return _MOST_UNWRITTEN - (steps - self._written)

    def written(self, steps: int, now: float) -> int:
        """So many steps have reached the file: the room for more."""
        self._written, self._flushed = steps, now
        return self.room(steps)


_MANY = 1 << 62


class StepLimit:
    """Counts the steps of a program as the reader of its recording does.

    Streams that take turns count as the one of them with most steps; one that begins when another is over
    counts on from there. Which of the two it is shows when the first steps again.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = most or _MANY
        self.reached = False
        """Whether the program has taken all the steps it may."""
        self._before: dict[int, int] = {}
        """Steps that the program had taken when a stream began, by its number."""
        self._taken: dict[int, int] = {}

    def stepped(self, stream: "Stream") -> None:
        """A stream has taken a step, or several."""
        if self.most == _MANY:
            return
        before = self._before.setdefault(stream.number, self._count())
        for later in [number for number in self._before if number > stream.number]:
            self._before[later] = min(self._before[later], before)
        self._taken[stream.number] = stream.step
        self.reached = self._count() >= self.most

    def left(self, stream: "Stream") -> int:
        """Steps that a stream which has stepped may still take."""
        return self.most - self._before.get(stream.number, 0) - stream.step

    def _count(self) -> int:
        return max((self._before[number] + steps for number, steps in self._taken.items()), default=0)
