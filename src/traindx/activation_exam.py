"""The type of what an exam of activations found: what each layer puts out, over several batches."""

from dataclasses import dataclass, field

from traindx.problem import Problem, errors_in
from traindx.run import Run
from traindx.statement import Statement


@dataclass(frozen=True)
class ActivationRow:
    """One layer, or an activation function behind one."""

    name: str
    kind: str
    """The class of the module, or the function, such as "relu"."""
    mean: float
    std: float
    min: float | None
    max: float | None
    zero_share: float | None
    """Of all outputs; None where it never gave a zero."""
    dead_share: float | None
    """Of its units that were zero for every input; None where it cannot rest, or saw too few inputs."""
    saturated_share: float | None
    """Of all outputs at the flat ends; None where the activation has none."""
    nonfinite_share: float | None


@dataclass(frozen=True, eq=False)
class ActivationExam:
    """Every layer in the order of the forward pass, what is wrong, and what was guessed."""

    model: str
    run: Run
    """The same as a run with one step per batch."""
    rows: tuple[ActivationRow, ...]
    problems: tuple[Problem, ...]
    batches: int = 0
    inputs: int = 0
    """Samples in all batches together."""
    notes: tuple[str, ...] = field(default_factory=tuple)
    cleared: tuple[str, ...] = ()
    """Causes that were looked for and are not there."""

    @property
    def statement(self) -> Statement:
        """What it has to say to a diagnosis."""
        return Statement("activations", self.problems, self.cleared)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that should stop a training; empty while there are none."""
        return errors_in(self.problems)
