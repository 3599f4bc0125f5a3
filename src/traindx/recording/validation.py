"""Passes over validation data: losses and looks at its batches, until training goes on."""

from dataclasses import dataclass, field

from traindx.probe import Purpose
from traindx.quantities import VAL_LOSS
from traindx.recording.looks import Notebook, ValidationLook, floats
from traindx.recording.sight import Sight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recording.sight import Value

PURPOSE = Purpose.VALIDATION


@dataclass
class _Pass:
    """What the batches of one data source gave, by loss function."""

    totals: "dict[str, list[tuple[Value, int]]]" = field(default_factory=dict)
    look: ValidationLook | None = None
    batches: int = 0


class Validation:
    """The passes since the last training step; each data source has a name of its own."""

    def __init__(self) -> None:
        self._passes: dict[int, _Pass] = {}
        self._parts: dict[int, str] = {}
        self.reported: set[tuple[str, str]] = set()
        """Quantities and parts that a framework reported itself since a pass was written: it knows better."""

    @property
    def pending(self) -> bool:
        """Whether anything was seen since training last went on."""
        return bool(self._passes)

    def add(self, source: int, function: str, value: "Value", samples: int) -> None:
        """Count the loss of a batch."""
        one = self._passes.setdefault(source, _Pass())
        one.totals.setdefault(function, []).append((value, samples))
        one.batches += 1

    def drop(self, source: int) -> None:
        """Forget a pass that was none."""
        self._passes.pop(source, None)

    def look(self, source: int, step: int) -> ValidationLook:
        """Where probes write about the pass that runs."""
        one = self._passes.setdefault(source, _Pass())
        if one.look is None:
            one.look = ValidationLook(step)
        return one.look

    def batches(self, source: int) -> int:
        """Batches of the pass that runs."""
        return self._passes[source].batches if source in self._passes else 0

    def write(self, notebook: Notebook, step: int, function: str, sight: Sight) -> None:
        """Write the passes that are over: the mean over samples of the loss that training uses."""
        tape = notebook.tape
        for source, one in self._passes.items():
            if source not in self._parts:
                self._parts[source] = f"data {len(self._parts) + 1}" if self._parts else ""
            weighed = one.totals.get(function) or next(iter(one.totals.values()), [])
            samples = sum(count for _, count in weighed)
            if samples and (VAL_LOSS.slug, self._parts[source]) not in self.reported:
                values = floats([value for value, _ in weighed], sight)
                total = sum(value * count for value, (_, count) in zip(values, weighed, strict=True))
                column = tape.column(notebook.stream, VAL_LOSS.slug, "", self._parts[source])
                tape.rows_of(tape.layout((column,))).extend((step, total / samples))
            # Statistics of a second set of data would pass for those of the first.
            if one.look is not None and not self._parts[source]:
                one.look.write(notebook, sight, self.reported)
        self._passes.clear()
        self.reported.clear()
