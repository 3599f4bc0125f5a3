"""The type of what an exam of a model's design found: its layers, what it takes up, and what is wrong."""

from dataclasses import dataclass, field

from traindx.problem import Problem, errors_in
from traindx.run import Run
from traindx.statement import Statement

ADAM_STATES, MOMENTUM_STATES = 2, 1
"""Values an optimizer keeps for every value it trains: two moments, or one."""


@dataclass(frozen=True)
class ModelRow:
    """One module that has parameters or gives an output of its own."""

    name: str
    kind: str
    parameters: int
    """Its own, those of modules inside it left out."""
    trainable: int
    shape: tuple[int, ...] | None = None
    """Of its output for the batch; None where none was passed through."""
    gain: float | None = None
    """Spread of its weights times the root of the values that enter a unit: 1.4 is He's, 1 Xavier's."""


@dataclass(frozen=True)
class Memory:
    """Bytes that a training takes up, without what the framework itself needs."""

    parameters: int
    gradients: int
    trainable_values: int
    activations: int | None = None
    """Kept for the backward pass of one batch; None where none was passed through."""
    rows: int = 0
    """Samples in that batch."""

    @property
    def adam(self) -> int:
        """What Adam keeps, in single precision."""
        return 4 * ADAM_STATES * self.trainable_values

    @property
    def momentum(self) -> int:
        """What SGD with momentum keeps."""
        return 4 * MOMENTUM_STATES * self.trainable_values

    @property
    def with_adam(self) -> int:
        """All of it together, with Adam."""
        return self.parameters + self.gradients + self.adam + (self.activations or 0)


@dataclass(frozen=True, eq=False)
class ModelExam:
    """A model as it is built."""

    model: str
    run: Run
    """The same as a run of one step: every sign and `traindx.diagnose` can be asked of it."""
    rows: tuple[ModelRow, ...]
    problems: tuple[Problem, ...]
    memory: Memory
    samples: int | None = None
    """Samples in the training data, where they were told."""
    plain_depth: int | None = None
    """Weight matrices that follow on each other without normalisation or skip connection; None unseen."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    cleared: tuple[str, ...] = ()
    """Causes that were looked for and are not there."""

    @property
    def statement(self) -> Statement:
        """What it has to say to a diagnosis."""
        return Statement("model", self.problems, self.cleared)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that should stop a training; empty while there are none."""
        return errors_in(self.problems)

    @property
    def parameters(self) -> int:
        """All parameters of the model."""
        return sum(row.parameters for row in self.rows)

    @property
    def trainable(self) -> int:
        """Those that take a gradient."""
        return sum(row.trainable for row in self.rows)
