"""What is stated of the loss function, on real graphs."""

import pytest
import torch
from torch import Tensor, nn

from tests.recorder.probes.sampling import VALIDATION, Loop
from traindx.facts import CLASS_WEIGHTS, LABEL_SMOOTHING, LOSS_FUNCTION, LOSS_SHAPES, OUTPUT_ACTIVATION
from traindx.recorder.probes.loss_function import LossFunctionFacts
from traindx.run import Fact, Scalar

CHANCE = torch.Generator().manual_seed(6)


def features(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=CHANCE, requires_grad=True) * 2


def stated(function: str, prediction: Tensor, target: Tensor, **options: object) -> dict[Fact, Scalar]:
    loop = Loop(LossFunctionFacts())
    loop.loss(function, prediction, target, options=options)
    return loop.facts


NAMED = torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])


def test_name_and_settings_are_stated() -> None:
    plain = stated("cross_entropy", features(8, 3), NAMED)
    assert plain == {LOSS_FUNCTION: "cross_entropy", CLASS_WEIGHTS: False, OUTPUT_ACTIVATION: "none"}
    weighed = stated("cross_entropy", features(8, 3), NAMED, weight=torch.ones(3), label_smoothing=0.1)
    assert weighed[CLASS_WEIGHTS] is True
    assert weighed[LABEL_SMOOTHING] == 0.1
    numbers = stated("mse_loss", features(8, 1), torch.zeros(8, 1))
    assert numbers == {LOSS_FUNCTION: "mse_loss", OUTPUT_ACTIVATION: "none"}
    yes = stated(
        "binary_cross_entropy_with_logits", features(8, 1), torch.zeros(8, 1), pos_weight=torch.tensor(3.0)
    )
    assert yes[CLASS_WEIGHTS] is True


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (nn.Softmax(1), "softmax"),
        (nn.LogSoftmax(1), "log_softmax"),
        (nn.Sigmoid(), "sigmoid"),
        (nn.ReLU(), "relu"),
    ],
)
def test_the_activation_is_read_from_the_graph(module: nn.Module, name: str) -> None:
    prediction = module(nn.Linear(4, 3)(features(8, 4)))
    assert stated("cross_entropy", prediction, NAMED)[OUTPUT_ACTIVATION] == name


class _Hidden(torch.autograd.Function):
    @staticmethod
    def forward(context: object, values: Tensor) -> Tensor:
        return values.softmax(1)

    @staticmethod
    def backward(context: object, gradient: Tensor) -> Tensor:
        return gradient


def test_a_softmax_is_told_by_its_values_where_the_graph_hides_it() -> None:
    shares = _Hidden.apply(features(8, 3))
    for prediction in (shares, shares.detach(), shares.detach().half(), shares[:, :]):
        assert stated("cross_entropy", prediction, NAMED)[OUTPUT_ACTIVATION] == "softmax"
    hand_made = features(8, 3).exp()
    assert (
        stated("cross_entropy", hand_made / hand_made.sum(1, keepdim=True), NAMED)[OUTPUT_ACTIVATION]
        == "softmax"
    )


def test_nothing_is_told_of_other_values_without_a_graph() -> None:
    for prediction in (
        features(8, 3).detach(),
        features(8, 3).sigmoid().detach(),
        -torch.eye(8)[:, :3] + 0.5,
    ):
        assert OUTPUT_ACTIVATION not in stated("cross_entropy", prediction, NAMED)
    linear = nn.Linear(3, 3)
    hidden = linear(_Hidden.apply(features(8, 3)))
    assert stated("cross_entropy", hidden, NAMED)[OUTPUT_ACTIVATION] == "none"


@pytest.mark.parametrize(
    ("prediction", "target", "says"),
    [
        ((8, 1), (8,), "(8, 1) against (8,)"),
        ((8,), (8, 1), "(8,) against (8, 1)"),
        ((8, 3), (3,), "(8, 3) against (3,)"),
        ((8, 1), (8, 1), None),
        ((8, 1), (), None),
        ((8, 1), (1,), None),
    ],
)
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_shapes_that_are_stretched_are_stated(
    prediction: tuple[int, ...], target: tuple[int, ...], says: str | None
) -> None:
    assert stated("mse_loss", features(*prediction), torch.zeros(target)).get(LOSS_SHAPES) == says


def test_class_losses_take_shapes_that_differ() -> None:
    assert LOSS_SHAPES not in stated("cross_entropy", features(8, 3), NAMED)


def test_validation_states_nothing() -> None:
    loop = Loop(LossFunctionFacts())
    loop.loss("cross_entropy", features(8, 3), NAMED, purpose=VALIDATION, backward=False)
    assert not loop.facts
