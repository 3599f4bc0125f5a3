"""The results of exams of models."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from traindx.curves.layers import is_matrix
from traindx.exams.questions import worst_mark
from traindx.finding import Finding, Mark
from traindx.format import Displayed
from traindx.run import Parameter, Run


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _ExamOfModel(Displayed):
    """What all exams of a model have."""

    model: str
    run: Run
    """The same as a run with one step per batch: every sign and `traindx.diagnose` can be asked of it."""
    problems: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()
    """Causes that were looked for and are not there."""
    undecided: tuple[str, ...] = ()
    """What could not be checked, because the exam was not given what that needs."""

    @property
    def mark(self) -> Mark:
        """The worst mark of its problems; no pass if some checks could not run."""
        worst = worst_mark(self.problems)
        return Mark.UNSEEN if worst is Mark.PASS and self.undecided else worst

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The problems that should stop a training; empty while there are none."""
        return tuple(problem for problem in self.problems if problem.mark is Mark.FAIL)


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ActivationExam(_ExamOfModel):
    """Every layer in the order of the forward pass, what is wrong, and what was guessed."""

    exam: ClassVar[str] = "activations"
    rows: tuple[ActivationRow, ...]
    batches: int = 0
    inputs: int = 0
    """Samples in all batches together."""


@dataclass(frozen=True)
class Spread:
    """How the values of one gradient lie."""

    mean: float
    std: float
    min: float
    max: float
    zero_share: float
    nonfinite_share: float
    """Of all values; the other figures are those of the finite ones."""


@dataclass(frozen=True)
class GradientRow:
    """One parameter of the model and its gradient."""

    layer: Parameter
    norm: float | None
    """None where the loss does not reach the parameter, or it is frozen."""
    weight: float | None
    """The norm of the parameter itself."""
    spread: Spread | None = None
    """None without a gradient, and where a recording has only its norm."""
    is_table: bool = False
    """Whether it is looked up row by row: of an embedding most rows get no gradient from one batch."""
    is_normalized: bool = False
    """Whether a normalization follows: the weights may then have any size, and the gradient goes with it."""
    is_scoring: bool = False
    """Whether it makes queries or keys, whose gradient is next to nothing while attention is even."""

    @property
    def ratio(self) -> float | None:
        """The gradient over the weights, by norm."""
        if self.norm is None or not self.weight:
            return None
        return self.norm / self.weight

    @property
    def state(self) -> str:
        """Why there is no gradient: "frozen", "no gradient" or "zero"; empty where there is one."""
        if not self.layer.trainable:
            return "frozen"
        if self.norm is None:
            return "no gradient"
        return "zero" if self.norm == 0 else ""


@dataclass(frozen=True)
class Decay:
    """How the gradient changes from layer to layer, fitted over the depth of the model."""

    factor: float
    """What one layer toward the input multiplies the gradient with, measured against the weights."""
    layers: int

    @property
    def decades(self) -> float:
        """Powers of ten that the gradient loses on its way from the last layer to the first."""
        return -math.log10(self.factor) * (self.layers - 1)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GradientExam(_ExamOfModel):
    """Every parameter in the order of the forward pass, what is wrong, and what was guessed."""

    exam: ClassVar[str] = "gradients"
    rows: tuple[GradientRow, ...]
    decay: Decay | None = None
    loss: float | None = None
    loss_function: str = ""

    @property
    def norm(self) -> float:
        """The norm of all gradients together."""
        return math.sqrt(sum(row.norm**2 for row in self.rows if row.norm is not None))

    @property
    def without_gradient(self) -> tuple[str, ...]:
        """Parameters that should learn and that the loss does not reach."""
        return tuple(row.layer.name for row in self.rows if row.state == "no gradient")

    @property
    def frozen(self) -> tuple[str, ...]:
        """Parameters that take no gradient (requires_grad is off)."""
        return tuple(row.layer.name for row in self.rows if row.state == "frozen")


def compared(rows: Sequence[GradientRow]) -> list[tuple[GradientRow, float]]:
    """The weight matrices that can be compared over depth, each with the power of ten of its gradient.

    Measured against the weights, of layers that no normalization follows. Where most are followed by one,
    all are taken, with gradients times weights: that stays what it is when weights grow and their gradient
    shrinks.
    """
    sized = [
        row
        for row in rows
        if is_matrix(row.layer) and row.norm and row.weight and math.isfinite(row.norm) and not row.is_scoring
    ]
    if is_normalized(rows):
        return [
            (row, math.log10(row.norm) + math.log10(row.weight)) for row in sized if row.norm and row.weight
        ]
    return [(row, math.log10(row.ratio)) for row in sized if row.ratio and not row.is_normalized]


def is_normalized(rows: Sequence[GradientRow]) -> bool:
    """Whether most weight matrices are followed by a normalization."""
    matrices = [row for row in rows if is_matrix(row.layer)]
    return 2 * sum(row.is_normalized for row in matrices) > len(matrices)


def fitted_decay(rows: Sequence[GradientRow]) -> Decay | None:
    """The median slope between all pairs of layers (Theil and Sen); None for fewer than three."""
    sizes = [size for _, size in compared(rows)]
    if len(sizes) < 3:
        return None
    slopes = sorted(
        (sizes[after] - sizes[before]) / (after - before)
        for before in range(len(sizes))
        for after in range(before + 1, len(sizes))
    )
    return Decay(10 ** -slopes[len(slopes) // 2], len(sizes))


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ModelExam(_ExamOfModel):
    """A model as it is built."""

    exam: ClassVar[str] = "model"
    rows: tuple[ModelRow, ...]
    memory: Memory
    samples: int | None = None
    """Samples in the training data, where they were told."""
    plain_depth: int | None = None
    """Stacked weight matrices without normalization or skip connection; None if not measured."""

    @property
    def parameters(self) -> int:
        """All parameters of the model."""
        return sum(row.parameters for row in self.rows)

    @property
    def trainable(self) -> int:
        """Those that take a gradient."""
        return sum(row.trainable for row in self.rows)
