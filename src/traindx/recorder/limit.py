"""How many steps a program may take, for who wants to see only the first of them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.stream import Stream

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
