"""Signs that look at what enters the loss function, what comes out of it, and what is measured beside it."""

from dataclasses import replace
from functools import partial

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.optim import SGD

from tests.signs.inside import Case, faults, sign_named
from tests.trainings import (
    CLASSES,
    CLASSIFIES,
    FEATURES,
    PREDICTS,
    Data,
    Training,
    clusters,
    numbers,
    place,
    recorded,
    scaled,
    stack,
)
from traindx.finding import Finding

LOSS = place("loss = training.loss(prediction, targets)")
NET = partial(stack, FEATURES, 16, CLASSES)
SIX = partial(stack, FEATURES, 16, 6)
ONE = partial(stack, FEATURES, 16, 1)
NUMBERS = 9


def yes_no() -> Data:
    data = clusters(kinds=2)
    targets, held_targets = data.targets[:, None].float(), data.held_targets[:, None].float()
    return replace(data, targets=targets, held_targets=held_targets)


def of_classes_as_numbers() -> Data:
    data = clusters()
    targets, held_targets = data.targets[:, None].float(), data.held_targets[:, None].float()
    return replace(data, targets=targets, held_targets=held_targets)


def of_one_class_each() -> Data:
    """Classes as rows of zeros and a one."""
    data = clusters()
    rows = [functional.one_hot(targets, CLASSES).float() for targets in (data.targets, data.held_targets)]
    return replace(data, targets=rows[0], held_targets=rows[1])


def of_two_classes_each() -> Data:
    """Each class is true together with the next."""
    data = of_one_class_each()
    rows = [targets + targets.roll(1, 1) for targets in (data.targets, data.held_targets)]
    return replace(data, targets=rows[0], held_targets=rows[1])


def of_probabilities(given: Tensor, targets: Tensor) -> Tensor:
    return functional.kl_div(given.softmax(1), targets, reduction="batchmean")


def of_logarithms(given: Tensor, targets: Tensor) -> Tensor:
    return functional.kl_div(given.log_softmax(1), targets, reduction="batchmean")


class Penalized:
    """A loss with a penalty on the weights, as it is written by hand."""

    def __init__(self, weight: float) -> None:
        self._weight = weight
        self._net = nn.Module()

    def begin(self, net: nn.Module) -> None:
        """Take the weights of this model."""
        self._net = net

    def __call__(self, given: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy, and the sum of all weights without their signs."""
        penalty = sum(weight.abs().sum() for weight in self._net.parameters())
        return functional.cross_entropy(given, targets) + self._weight * penalty


def penalized(weight: float) -> Training:
    loss = Penalized(weight)
    return replace(CLASSIFIES, begins=loss.begin, loss=loss)


def flat_targets() -> Data:
    data = numbers()
    return replace(data, targets=data.targets[:, 0], held_targets=data.held_targets[:, 0])


def of_nine_numbers() -> Data:
    data = numbers()
    return replace(
        data, targets=data.targets.repeat(1, NUMBERS), held_targets=data.held_targets.repeat(1, NUMBERS)
    )


def over_outputs(given: Tensor, targets: Tensor) -> Tensor:
    return NUMBERS * functional.mse_loss(given, targets)


def far_numbers() -> Data:
    data = numbers()
    return replace(data, targets=500 + 100 * data.targets, held_targets=500 + 100 * data.held_targets)


def relabeled(share: float) -> Data:
    """Six classes of which a part is wrong, in the data that is held back as well."""
    drawn, data = torch.Generator().manual_seed(7), clusters(kinds=6, apart=3)
    targets = torch.cat((data.targets, data.held_targets))
    wrong = torch.rand(len(targets), generator=drawn) < share
    others = (targets + torch.randint(1, 6, targets.shape, generator=drawn)) % 6
    targets = torch.where(wrong, others, targets)
    return replace(data, targets=targets[: len(data.targets)], held_targets=targets[len(data.targets) :])


def with_noise() -> Data:
    return relabeled(0.2)


def without_noise() -> Data:
    return relabeled(0.0)


def at_random() -> Data:
    drawn, data = torch.Generator().manual_seed(8), clusters()
    order = torch.randperm(len(data.targets), generator=drawn)
    return replace(data, targets=data.targets[order])


def of_each_class(given: Tensor, targets: Tensor) -> Tensor:
    return functional.binary_cross_entropy(given, functional.one_hot(targets, CLASSES).float())


def negated(given: Tensor, targets: Tensor) -> Tensor:
    return -functional.cross_entropy(given, targets)


def without_floor(given: Tensor, targets: Tensor) -> Tensor:
    return -functional.mse_loss(given, targets)


def log_of_zero(given: Tensor, targets: Tensor) -> Tensor:
    return -given.relu().gather(1, targets[:, None]).log().mean()


def log_of_more(given: Tensor, targets: Tensor) -> Tensor:
    return -given.relu().gather(1, targets[:, None]).clamp_min(0.01).log().mean()


def are_equal(given: Tensor, targets: Tensor) -> Tensor:
    return (given == targets).float().mean()


def are_close(given: Tensor, targets: Tensor) -> Tensor:
    return (given - targets).abs().mean()


def largest_of_one(given: Tensor, targets: Tensor) -> Tensor:
    return (given.argmax(1) == targets[:, 0]).float().mean()


def pairs_above_zero(given: Tensor, targets: Tensor) -> Tensor:
    return ((given > 0) == targets[:, 0]).float().mean()


def above_zero(given: Tensor, targets: Tensor) -> Tensor:
    return ((given > 0) == (targets > 0)).float().mean()


class Halves(nn.Module):
    """A model in half precision, or in single precision."""

    def __init__(self, *, half: bool) -> None:
        super().__init__()
        self.kind = torch.float16 if half else torch.float32
        self.first, self.last = nn.Linear(FEATURES, 16).to(self.kind), nn.Linear(16, CLASSES).to(self.kind)

    def forward(self, rows: Tensor) -> Tensor:
        return self.last((3e4 * self.first(rows.to(self.kind))).relu() / 3e4)


YES_NO = Training(data=yes_no, net=ONE, loss=nn.BCEWithLogitsLoss())
LOGARITHMS = replace(CLASSIFIES, net=partial(NET, last=nn.LogSoftmax(1)), loss=nn.NLLLoss())
SHARES = replace(CLASSIFIES, net=partial(NET, last=nn.Sigmoid()), loss=of_each_class)
SUMMED = replace(CLASSIFIES, loss=nn.CrossEntropyLoss(reduction="sum"), optimizer=partial(SGD, lr=0.001))
LINEAR = replace(CLASSIFIES, net=partial(stack, FEATURES, CLASSES))
LEAPING = replace(LINEAR, optimizer=partial(SGD, lr=100))
"""A rate at which each batch throws the model from one certainty into another."""

CASES = (
    # What the output passes last.
    Case(
        "activation_before_logits_loss",
        replace(CLASSIFIES, net=partial(NET, last=nn.Softmax(1))),
        CLASSIFIES,
        place=LOSS,
    ),
    Case(
        "activation_before_logits_loss",
        replace(YES_NO, net=partial(ONE, last=nn.Sigmoid())),
        YES_NO,
        place=LOSS,
    ),
    Case("logits_where_probabilities_expected", replace(LOGARITHMS, net=NET), LOGARITHMS, place=LOSS),
    Case(
        "probabilities_refused",
        replace(YES_NO, loss=nn.BCELoss(), ends_with=RuntimeError),
        replace(YES_NO, net=partial(ONE, last=nn.Sigmoid()), loss=nn.BCELoss()),
    ),
    Case(
        "sigmoid_with_categorical",
        replace(LOGARITHMS, net=partial(NET, last=nn.LogSigmoid())),
        LOGARITHMS,
        place=LOSS,
    ),
    Case(
        "softmax_over_one",
        replace(YES_NO, net=partial(ONE, last=nn.Softmax(1)), loss=nn.BCELoss()),
        replace(YES_NO, net=partial(ONE, last=nn.Sigmoid()), loss=nn.BCELoss()),
        place=LOSS,
    ),
    Case(
        "softmax_over_one",
        replace(YES_NO, loss=nn.CrossEntropyLoss()),
        replace(YES_NO, loss=nn.BCEWithLogitsLoss()),
        place=LOSS,
    ),
    Case(
        "several_classes_true",
        replace(CLASSIFIES, data=of_two_classes_each),
        replace(CLASSIFIES, data=of_one_class_each),
        place=LOSS,
    ),
    Case(
        "kl_div_without_log",
        replace(CLASSIFIES, data=of_one_class_each, loss=of_probabilities),
        replace(CLASSIFIES, data=of_one_class_each, loss=of_logarithms),
    ),
    Case("penalty_dominates", penalized(1.0), penalized(0.001)),
    Case("bce_on_exclusive_classes", replace(SHARES, net=partial(NET, last=nn.Softmax(1))), SHARES),
    Case(
        "output_bounded_target_not",
        replace(PREDICTS, net=partial(ONE, last=nn.Sigmoid())),
        PREDICTS,
        place=LOSS,
    ),
    Case("output_rectified", replace(PREDICTS, net=partial(ONE, last=nn.ReLU())), PREDICTS, place=LOSS),
    Case(
        "dropout_at_output",
        replace(CLASSIFIES, net=partial(NET, last=nn.Dropout(0.5))),
        replace(
            CLASSIFIES,
            net=lambda: nn.Sequential(
                nn.Linear(FEATURES, 16), nn.Dropout(0.5), nn.ReLU(), nn.Linear(16, CLASSES)
            ),
        ),
    ),
    Case("output_scores_drift", LEAPING, LINEAR),
    Case("predictions_constant", replace(PREDICTS, begins=scaled(1, biases=-9)), PREDICTS),
    Case("one_class_predicted", replace(CLASSIFIES, begins=scaled(1, biases=-9)), CLASSIFIES),
    # What it is compared with.
    Case("shapes_broadcast", replace(PREDICTS, data=flat_targets), PREDICTS, place=LOSS),
    Case(
        "class_labels_in_regression_loss", replace(PREDICTS, data=of_classes_as_numbers), PREDICTS, place=LOSS
    ),
    Case("targets_unscaled", replace(PREDICTS, data=far_numbers, optimizer=partial(SGD, lr=1e-6)), PREDICTS),
    Case("starts_far_above_chance", replace(CLASSIFIES, begins=scaled(8)), CLASSIFIES, place=LOSS),
    Case(
        "starts_far_above_chance",
        replace(PREDICTS, data=far_numbers, optimizer=partial(SGD, lr=1e-6)),
        PREDICTS,
        place=LOSS,
    ),
    Case(
        "confidently_wrong",
        replace(CLASSIFIES, data=with_noise, net=SIX),
        replace(CLASSIFIES, data=without_noise, net=SIX),
    ),
    # What comes out of it.
    Case("loss_negated", replace(CLASSIFIES, loss=negated), CLASSIFIES),
    Case("loss_falls_without_floor", replace(PREDICTS, loss=without_floor), PREDICTS),
    Case("loss_summed", SUMMED, CLASSIFIES, place=LOSS),
    Case("little_learned", replace(CLASSIFIES, data=at_random), CLASSIFIES),
    Case(
        "worse_than_constant_baseline",
        replace(PREDICTS, data=far_numbers, optimizer=partial(SGD, lr=1e-6)),
        PREDICTS,
    ),
    Case(
        "nonfinite_from_loss",
        replace(CLASSIFIES, loss=log_of_zero),
        replace(CLASSIFIES, loss=log_of_more),
    ),
    Case("nonfinite_from_layers", replace(PREDICTS, optimizer=partial(SGD, lr=1e12)), PREDICTS),
    Case(
        "fp16_overflow",
        replace(CLASSIFIES, net=partial(Halves, half=True)),
        replace(CLASSIFIES, net=partial(Halves, half=False)),
    ),
    # What is measured beside it.
    Case(
        "accuracy_of_a_regression",
        replace(PREDICTS, measures=are_equal),
        replace(PREDICTS, measures=are_close),
        place=place("return (given == targets).float().mean()", __file__),
    ),
    Case(
        "all_pairs_compared",
        replace(YES_NO, measures=pairs_above_zero),
        replace(YES_NO, measures=above_zero),
        place=place("return ((given > 0) == targets[:, 0]).float().mean()", __file__),
    ),
    Case(
        "argmax_over_single_output",
        replace(YES_NO, measures=largest_of_one),
        replace(YES_NO, measures=above_zero),
        place=place("return (given.argmax(1) == targets[:, 0]).float().mean()", __file__),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.slug)
def test_a_sign_tells_a_broken_training_from_its_repaired_twin(case: Case) -> None:
    assert faults(case) == []


@pytest.mark.parametrize(
    ("slug", "healthy"),
    [
        # A sum that is divided afterward is a mean.
        ("loss_summed", replace(SUMMED, divides=24)),
        # Over the outputs of a sample only, as likelihoods are.
        (
            "loss_summed",
            replace(
                PREDICTS, data=of_nine_numbers, net=partial(stack, FEATURES, 16, NUMBERS), loss=over_outputs
            ),
        ),
        ("activation_before_logits_loss", LOGARITHMS),
        # The logarithm of a softmax passes through another one unchanged.
        ("activation_before_logits_loss", replace(LOGARITHMS, loss=nn.CrossEntropyLoss())),
        (
            "logits_where_probabilities_expected",
            replace(YES_NO, net=partial(ONE, last=nn.Sigmoid()), loss=nn.BCELoss()),
        ),
        ("output_bounded_target_not", YES_NO),
        ("shapes_broadcast", YES_NO),
        ("class_labels_in_regression_loss", replace(PREDICTS, data=yes_no)),
        (
            "argmax_over_single_output",
            replace(CLASSIFIES, measures=lambda outputs, targets: outputs.argmax(1) == targets),
        ),
        (
            "accuracy_of_a_regression",
            replace(CLASSIFIES, measures=lambda outputs, targets: outputs.argmax(1) == targets),
        ),
    ],
)
def test_what_looks_alike_and_is_right_is_no_sign(slug: str, healthy: Training) -> None:
    assert sign_named(slug)(recorded(healthy)) is None


def test_the_first_nan_has_its_step_and_batch() -> None:
    answer = sign_named("nonfinite_from_loss")(recorded(replace(CLASSIFIES, loss=log_of_zero)))
    assert isinstance(answer, Finding)
    assert answer.evidence[0].steps == (1.0, 1.0)
    assert answer.evidence[0].batch == 1


def squared_by_hand(given: Tensor, targets: Tensor) -> Tensor:
    return ((given - targets) ** 2).mean()


def test_a_square_that_overflows_in_a_run_that_diverges_is_not_at_a_pole() -> None:
    run = recorded(replace(PREDICTS, loss=squared_by_hand, optimizer=partial(SGD, lr=1e5)))
    assert isinstance(sign_named("nonfinite_from_layers")(run), Finding)
    assert sign_named("nonfinite_from_loss")(run) is None
