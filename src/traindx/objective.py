"""What a run is trained for, what may be wrong with it, and what causes are about.

A loss means something else in every kind of training: it falls in a classification, sits near zero in RL
post-training, swings forever in a GAN. No cause is weighed before it is known what the numbers mean.
"""

from dataclasses import dataclass, replace
from enum import Enum

from traindx.errors import UnknownNameError
from traindx.quantities import (
    REWARD,
    TEST_LOSS,
    TRAIN_ACCURACY,
    TRAIN_ERROR,
    TRAIN_LOSS,
    TRAIN_PERPLEXITY,
    TRAIN_SCORE,
    VAL_ACCURACY,
    VAL_ERROR,
    VAL_LOSS,
    VAL_PERPLEXITY,
    VAL_SCORE,
)
from traindx.run import Quantity


class Area(Enum):
    """What a cause is about, and so which evidence it needs."""

    CURVE = "learning rate, schedule, batch size, capacity, length: judged by the shape of a loss"
    FIT = "generalization: judged by training and validation together"
    TARGETS = "targets and the loss they go into"
    INPUTS = "scale and content of the inputs"
    NUMERICS = "initialization, activations, gradients, precision"
    LOOP = "order and content of the training loop"
    SYSTEM = "time and memory"


class Problem(Enum):
    """What is wrong with a run, before it is known why; the first of several is what people see first."""

    NOT_FINITE = "loss becomes NaN or infinite"
    DIVERGES = "training diverges"
    POLICY = "policy collapses or drifts"
    NOT_LEARNING = "does not learn"
    OVERFITS = "overfits"
    VALIDATION_OFF = "training learns, validation does not"
    STOPS_EARLY = "stops learning too early"
    UNSTABLE = "training is unstable"
    WASTES = "wastes time or memory"

    @property
    def rank(self) -> int:
        """0 for what people see first."""
        return list(Problem).index(self)


LOSSES_AND_METRICS = (
    TRAIN_LOSS,
    VAL_LOSS,
    TRAIN_PERPLEXITY,
    VAL_PERPLEXITY,
    TEST_LOSS,
    TRAIN_ERROR,
    VAL_ERROR,
    TRAIN_ACCURACY,
    VAL_ACCURACY,
    TRAIN_SCORE,
    VAL_SCORE,
)


@dataclass(frozen=True)
class Objective:
    """A kind of training."""

    slug: str
    title: str
    judged_by: str
    """What people judge it by: "held-out reward or task score"."""
    yardsticks: tuple[Quantity, ...] = LOSSES_AND_METRICS
    """The quantities that tell whether it learns, the most telling first."""
    is_checked: bool = True
    """Whether the checks of traindx are enough to call such a run healthy."""
    is_checked_inside: bool = False
    """Whether a recording shows what no log does: a collapse, in predictions and outputs of layers."""
    unchecked: str = "traindx has no checks for it yet"
    """Why it is not judged, where it is not."""
    off: frozenset[Area] = frozenset()
    """Areas whose causes are not asked about: their evidence means something else here."""
    telling: frozenset[Problem] = frozenset()
    """Problems that make a run sick if they are clear, though no cause may be known."""

    def of_recording(self) -> "Objective":
        """The same kind, judged by what a recording shows."""
        return replace(self, is_checked=self.is_checked or self.is_checked_inside)


_BY_LOSS = frozenset({Area.CURVE, Area.FIT, Area.TARGETS, Area.INPUTS})
_OF_POLICIES = frozenset({Problem.NOT_FINITE, Problem.NOT_LEARNING, Problem.POLICY})

CLASSIFICATION = Objective("classification", "classification", "validation accuracy")
REGRESSION = Objective("regression", "regression", "validation error")
LANGUAGE_MODELING = Objective(
    "language-modeling", "language modeling", "validation loss", off=frozenset({Area.TARGETS, Area.INPUTS})
)
FINE_TUNING = Objective(
    "fine-tuning", "fine-tuning", "loss or metric on held-out examples", off=frozenset({Area.INPUTS})
)
PREFERENCE = Objective(
    "preference",
    "preference optimization",
    "held-out rewards/accuracies with logps/chosen",
    (VAL_ACCURACY, TRAIN_ACCURACY),
    is_checked=False,
    off=_BY_LOSS,
)
REWARD_MODEL = Objective(
    "reward-model",
    "reward modeling",
    "held-out accuracy",
    (VAL_ACCURACY, VAL_LOSS, TRAIN_ACCURACY, TRAIN_LOSS),
    off=frozenset({Area.INPUTS}),
)
RL_POST_TRAINING = Objective(
    "rl-post-training",
    "RL post-training",
    "held-out reward or task score",
    (REWARD,),
    is_checked=False,
    off=_BY_LOSS,
    telling=_OF_POLICIES,
)
CLASSIC_RL = Objective(
    "classic-rl",
    "reinforcement learning",
    "the return of evaluation episodes",
    (REWARD,),
    off=frozenset({Area.FIT, Area.TARGETS, Area.INPUTS}),
    telling=_OF_POLICIES,
)
DIFFUSION = Objective(
    "diffusion",
    "diffusion",
    "samples (FID), or validation loss by timestep",
    (VAL_SCORE, VAL_ERROR),
    is_checked=False,
    off=_BY_LOSS,
)
GAN = Objective(
    "gan",
    "GAN",
    "samples (FID), not losses",
    (),
    is_checked=False,
    off=_BY_LOSS,
    telling=frozenset({Problem.NOT_FINITE, Problem.NOT_LEARNING}),
)
VAE = Objective(
    "vae",
    "VAE",
    "held-out ELBO and the KL term of each latent dimension",
    (VAL_LOSS, TRAIN_LOSS),
    is_checked=False,
    is_checked_inside=True,
    off=frozenset({Area.TARGETS}),
)
CONTRASTIVE = Objective(
    "contrastive",
    "contrastive or self-supervised learning",
    "kNN or linear-probe accuracy",
    (VAL_ACCURACY, VAL_SCORE, VAL_LOSS, TRAIN_LOSS),
    is_checked=False,
    is_checked_inside=True,
    off=frozenset({Area.TARGETS, Area.FIT}),
)
CTC = Objective(
    "ctc", "CTC", "word or character error rate on held-out data", (VAL_ERROR, VAL_LOSS, TRAIN_LOSS)
)
DETECTION = Objective("detection", "detection or segmentation", "validation mAP or IoU")
OTHER = Objective("other", "not recognized", "a loss or metric")
NOT_A_NETWORK = Objective(
    "not-a-network",
    "not a neural network",
    "the validation metric of every round",
    (),
    is_checked=False,
    unchecked="traindx judges neural networks only",
    off=frozenset(Area),
)

OBJECTIVES: dict[str, Objective] = {
    objective.slug: objective for objective in list(globals().values()) if isinstance(objective, Objective)
}
"""Every objective by its slug, as --objective takes it."""


def objective_named(slug: str) -> Objective:
    """The objective of a slug; a near miss is suggested."""
    if slug not in OBJECTIVES:
        raise UnknownNameError("objective", slug, OBJECTIVES, todo="docs/objectives.md lists them")
    return OBJECTIVES[slug]
