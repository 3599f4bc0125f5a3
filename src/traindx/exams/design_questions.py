"""What is asked of the design of a model: its order of layers, its output, its start, its size."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from torch import nn

from traindx.causes import (
    dropout_misuse,
    exploding_gradients,
    frozen_parameters,
    loss_mismatch,
    missing_nonlinearity,
    overfitting,
    target_shape_broadcast,
    vanishing_gradients,
    wrong_output_activation,
)
from traindx.causes.dropout_misuse import dropout_at_output
from traindx.causes.frozen_parameters import frozen_at_initialization
from traindx.causes.loss_mismatch import bce_on_exclusive_classes
from traindx.causes.missing_nonlinearity import linear_in_a_row
from traindx.exams.graph_shape import GraphShape
from traindx.exams.questions import Question
from traindx.finding import Finding, Severity, problem
from traindx.format import count, listed
from traindx.run import Run
from traindx.signs.activations import model_is_deep_and_plain, nonlinearity_missing
from traindx.signs.data import model_dwarfs_data
from traindx.signs.outputs import (
    activation_before_logits_loss,
    logits_where_probabilities_expected,
    output_bounded_target_not,
    output_rectified,
    softmax_over_one,
)
from traindx.signs.targets import class_labels_in_regression_loss, shapes_broadcast

_NAMED = 3
_SIGMOIDS = 2
"""Hidden layers of sigmoids: each passes a quarter of a gradient at most; bench/thresholds.md#sigmoids."""
_BATCH_NORM = "BatchNorm"
_DROPOUT = "Dropout"


def _dwarfed(run: Run, finding: Finding) -> str:
    return f"{finding.says}; check a validation set for memorization"


DESIGN = (
    Question(nonlinearity_missing, missing_nonlinearity.CAUSE.slug),
    Question(linear_in_a_row, missing_nonlinearity.CAUSE.slug, severity=Severity.WARNING),
    Question(dropout_at_output, dropout_misuse.CAUSE.slug),
    Question(frozen_at_initialization, frozen_parameters.CAUSE.slug, least=1.0),
)
OUTPUT = (
    Question(activation_before_logits_loss, wrong_output_activation.CAUSE.slug),
    Question(output_rectified, wrong_output_activation.CAUSE.slug),
    Question(output_bounded_target_not, wrong_output_activation.CAUSE.slug),
    Question(logits_where_probabilities_expected, wrong_output_activation.CAUSE.slug),
    Question(softmax_over_one, wrong_output_activation.CAUSE.slug),
    Question(bce_on_exclusive_classes, loss_mismatch.CAUSE.slug),
    Question(class_labels_in_regression_loss, loss_mismatch.CAUSE.slug),
    Question(shapes_broadcast, target_shape_broadcast.CAUSE.slug),
)
"""Asked if the loss function is known and not guessed."""
SIZE = Question(model_dwarfs_data, overfitting.CAUSE.slug, severity=Severity.WARNING, says=_dwarfed)
DEEP = next(int(limit.value) for limit in model_is_deep_and_plain.limits if limit.name == "layers")
"""Weight matrices without normalization from which on a model is deep."""


@dataclass(frozen=True)
class Neighbors:
    """Modules that follow on each other, with their classes."""

    pairs: Sequence[tuple[str, str]]
    kinds: Mapping[str, str]

    def between(self, first: str, second: str) -> list[tuple[str, str]]:
        """Pairs of which the first and the second are of classes with these words in their names."""
        return [
            (before, after)
            for before, after in self.pairs
            if first in self.kinds.get(before, "") and second in self.kinds.get(after, "")
        ]


def dropouts_before_norms(neighbors: Neighbors) -> list[Finding]:
    """A dropout right before a batch normalization, whose statistics are then those of training alone."""
    pairs = neighbors.between(_DROPOUT, _BATCH_NORM)
    if not pairs:
        return []
    named = listed([f"{before} before {after}" for before, after in pairs], _NAMED)
    says = (
        f"dropout directly before batch normalization ({named}): the running variance is measured with"
        " dropout, and eval mode has none"
    )
    todo = "Move dropout after the last batch normalization, or remove it"
    layers = tuple(before for before, _ in pairs)
    return [problem(dropout_misuse.CAUSE.slug, Severity.WARNING, says, layers, todo)]


def needless_biases(model: nn.Module, neighbors: Neighbors) -> list[str]:
    """Biases that a batch normalization takes away again: they harm nothing and learn nothing."""
    modules = dict(model.named_modules())
    befores = [
        before
        for before, after in neighbors.between("", _BATCH_NORM)
        if isinstance(module := modules.get(before), nn.Linear | nn.modules.conv._ConvNd)
        and module.bias is not None
    ]
    if not befores:
        return []
    what = count(len(befores), "layer has a bias", "layers have a bias")
    return [
        f"{what} that the following batch normalization cancels; set bias=False: {listed(befores, _NAMED)}"
    ]


def doubled_activations(shape: GraphShape | None) -> list[Finding]:
    """An activation right after another that it undoes, cuts off or repeats."""
    pairs = shape.doubled if shape else ()
    if not pairs:
        return []
    named = listed(
        [f"{pair.first} then {pair.second} after {pair.layer or 'the input'}" for pair in pairs], _NAMED
    )
    harmless = all(pair.second == "relu" for pair in pairs)
    says = f"two activations in a row ({named})"
    severity = Severity.INFO if harmless else Severity.WARNING
    layers = tuple(dict.fromkeys(pair.layer for pair in pairs if pair.layer))
    return [problem(wrong_output_activation.CAUSE.slug, severity, says, layers, "Keep one of them")]


def stacked_sigmoids(shape: GraphShape | None) -> list[Finding]:
    """Several hidden layers that end in a sigmoid."""
    layers = shape.hidden_sigmoids if shape else ()
    if len(layers) < _SIGMOIDS:
        return []
    says = (
        f"{len(layers)} hidden layers end in a sigmoid ({listed(list(layers), _NAMED)}), and each scales the"
        " gradient by at most 0.25"
    )
    return [problem(vanishing_gradients.CAUSE.slug, Severity.WARNING, says, tuple(layers))]


def plain_depth(shape: GraphShape | None, hows: Iterable[Finding]) -> tuple[list[Finding], list[str]]:
    """A deep chain without normalization: a problem if gradients vanish or explode in it, else a note."""
    depth = shape.plain_depth if shape else 0
    if depth < DEEP:
        return [], []
    says = f"{depth} stacked weight matrices without normalization or a skip connection"
    unstable = [
        finding
        for finding in hows
        if finding.cause in (vanishing_gradients.CAUSE.slug, exploding_gradients.CAUSE.slug)
    ]
    if not unstable:
        return [], [f"{says}; gradients still flow on this batch"]
    todo = "Add normalization layers or skip connections"
    return [problem(finding.cause, Severity.WARNING, says, (), todo) for finding in unstable[:1]], []
