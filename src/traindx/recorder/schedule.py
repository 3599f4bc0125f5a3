"""When to look: at steps that are fixed beforehand, ever more seldom; when to write; when to stop."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter, thread_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.streams import Stream

_GROWTH = 2 / 3
"""The next look comes after two thirds of the way so far: at steps 1, 2, 3, 5, 8, 13, 21, 35, 58 ..., sixteen
in two thousand. These are taken whatever they cost, so that what is known of a program does not depend on
how busy the machine is. Looks at 1, 3, 7, 15 ... cost two thirds, and changed five verdicts of 146;
bench/LOG.md."""
_LONGEST_GAP = 40
"""The longest way between looks, times the budget: 2,000 steps at a budget of 2%. What a look costs, up to
twelve steps, is earned by then from the looks' part of the budget: only extreme programs leave looks out."""
_NORMS_AT_FIRST = 64
"""Steps from which on norms of plain steps are computed half as often each time the way has doubled."""
_LEAST_SHARE = 1e-4
"""What a smaller budget counts as: none at all would leave norms of plain steps out."""
_FOR_LOOKS = 0.3
"""Of the budget: the rest is for plain steps and norms, and for looks that are taken in any case."""
_OPENING = 0.05
"""Seconds that may be spent before any were earned: a single slow look must not cost the next."""
_DEEPEST_DEBT = 0.25
"""Seconds of debt that are remembered: one slow moment must not blind the recorder for an hour."""
_GREATEST_SAVINGS = 1.0
"""Seconds that can be saved up, so that a busy moment late in a run leaves no look out."""


class Budget:
    """Processor time of our own: looks are paid from a part of what recording may take of the thread's.

    The thread that trains earns it with its own processor time: what other programs take of the machine
    neither earns nor costs anything.
    """

    def __init__(self, share: float, clock: Callable[[], float] = thread_time) -> None:
        self.share = share
        self.balance = _OPENING
        self.look_cost = 0.0
        """What a look costs beyond a plain step, as a running mean of the last few."""
        self._clock = clock
        self._earned_until: float | None = None
        self._look_began = (0.0, 0.0)

    def begin_look(self) -> None:
        """A step that is looked at begins."""
        self._look_began = self._clock(), perf_counter()

    def looked(self, seconds: float, waited: float, *, must_be_paid: bool) -> None:
        """Account for a look that took so long by the clock on the wall, in a step that waited for data."""
        began, began_by_wall = self._look_began
        on_wall = perf_counter() - began_by_wall - waited
        cost = seconds * (min((self._clock() - began) / on_wall, 1.0) if on_wall > 0 else 1.0)
        self.look_cost = cost if not self.look_cost else 0.7 * self.look_cost + 0.3 * cost
        self._earn()
        if must_be_paid:
            self.balance = max(self.balance - cost, -_DEEPEST_DEBT)

    def affords_look(self) -> bool:
        """Whether the savings pay for a look as expensive as the last ones."""
        self._earn()
        return self.balance >= self.look_cost

    def _earn(self) -> None:
        now = self._clock()
        since = now if self._earned_until is None else self._earned_until
        self._earned_until = now
        # Another thread may go on with the training: its clock begins elsewhere.
        earned = _FOR_LOOKS * self.share * max(now - since, 0.0)
        self.balance = min(self.balance + earned, _GREATEST_SAVINGS)


_THOROUGH_AT_FIRST, _THOROUGH_EVERY = 4, 8
"""Looks that also tell what seldom changes, of the model and of the program."""


@dataclass
class Schedule:
    """Which steps of a stream are looked at, and which have the norm of their gradient computed.

    Both follow from the number of the step and from the budget that was asked for, not from any clock. Only
    looks that lie as far apart as they ever do must be paid; each that cannot be doubles the way between
    those that follow.
    """

    share: float
    """The budget."""
    every: int | None = None
    """A fixed distance in place of the growing one, whatever it costs: who asks for it gets it."""
    due: int = 1
    looks: int = 0
    last: int = 0
    stage: int = 0
    """How often the longest way between looks was doubled because one could not be paid."""

    @property
    def is_thorough(self) -> bool:
        """Whether the next look tells everything: at first, and then now and again."""
        return self.looks < _THOROUGH_AT_FIRST or self.looks % _THOROUGH_EVERY == 0

    def gap(self, step: int) -> int:
        """Steps from a look to the next."""
        return self.every or max(1, min(int(_GROWTH * step), self._usual_gap)) << self.stage

    def is_free(self, step: int) -> bool:
        """Whether a look is taken whatever it costs; nothing is left out until the way has doubled."""
        return self.every is not None or _GROWTH * step < self._usual_gap or step > 2 * self.last

    def takes(self, step: int, budget: Budget) -> bool:
        """Whether a step is looked at; one that cannot be paid is left out, and later ones thin out."""
        if step < self.due:
            return False
        if self.is_free(step) or budget.affords_look():
            return True
        if 2 * self.longest_gap <= step:
            self.stage += 1
        self.due = step + self.gap(step)
        return False

    def plain_steps(self, step: int) -> int:
        """Steps after this one that need no decision."""
        return max(self.due - step - 1, 0)

    def looked(self, step: int) -> None:
        """Note a look and set the next; one that was not due moves nothing."""
        if step < self.due:
            return
        self.looks += 1
        self.last = step
        self.due = step + self.gap(step)

    def next_norm(self, step: int) -> int:
        """The next plain step that has its norm computed."""
        gap = self._norm_gap(step)
        return step + gap - step % gap

    def has_norm(self, step: int) -> bool:
        """Whether a plain step has its norm computed."""
        return step % self._norm_gap(step) == 0

    @property
    def longest_gap(self) -> int:
        """Steps between looks late in the run."""
        return self._usual_gap << self.stage

    @property
    def _usual_gap(self) -> int:
        return _LONGEST_GAP * one_in(self.share)

    def _norm_gap(self, step: int) -> int:
        """A power of two, so that longer gaps end at steps that shorter ones have: 32 at a budget of 2%."""
        return min(_power_of_two(step // (_NORMS_AT_FIRST // 2)), _power_of_two(one_in(self.share)))


def one_in(share: float) -> int:
    """Of how many equal parts a share is one: 50 for 2%."""
    return max(1, round(1 / max(share, _LEAST_SHARE)))


def _power_of_two(most: int) -> int:
    """The largest power of two that is not above a number, at least 1."""
    return 1 << max(most.bit_length() - 1, 0)


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
