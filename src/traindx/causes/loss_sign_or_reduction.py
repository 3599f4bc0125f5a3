"""Loss with the wrong sign or reduction.

The loss is negated, or summed over the batch instead of averaged.

## What happens
Wrong sign: the optimizer minimizes something that should be maximized. Examples: a log-likelihood without
its minus, a reward or a similarity used as a loss, a minus too many, `maximize=True` in the optimizer with
an ordinary loss. Training then makes the model as wrong as it can: cross-entropy has no upper bound, so the
minimized value falls without a floor and the weights grow without bound. One term of a sum with the wrong
sign is harder to spot: the total looks plausible until that term dominates.

Wrong reduction: the loss is the sum over the batch (`reduction="sum"`, `.sum()`), so the gradient is `N`
times that of the mean. For SGD this multiplies the learning rate by `N`: 0.1 with a batch of 64 acts like
6.4, and a smaller last batch changes it. Adam cancels the factor, but gradient clipping, `eps` and L2 terms
do not. The opposite mistake is a mean over positions and pixels instead of a sum per sample, as in a
variational autoencoder: the KL term becomes thousands of times too heavy, and the posterior collapses.

## What you see
Wrong sign: the loss goes below zero although it is a cross-entropy or a squared error, and falls faster and
faster; accuracy drops well below chance. Example with five classes: SGD at `lr=0.1` was NaN before step 50,
Adam at `lr=0.001` reached -20,000 after 600 steps. Summed loss: the first loss is chance level times the
batch size (103 instead of ln(5) = 1.61 with a batch of 64); SGD jumps in the first steps and stays at chance,
Adam trains normally; the curve changes with the batch size.

## Often confused with
- `lr-too-high`: the first loss is at chance level, and a lower learning rate fixes it.
- `wrong-output-activation`: logits in `NLLLoss` also fall without a floor, but the sign is right.
- `labels-out-of-range`: a binary cross-entropy is below zero because a target is above 1.
- `accumulation-not-divided`: the loss is a mean, and the gradients of several backward passes are added.
- `bad-initialization`: the first loss is too high, but not by a factor of the batch size.
- `unnormalized-targets`: a regression loss is large at any batch size, because the targets are large.

## What not to do
- Take the absolute value of the loss: the gradient then flips sign at zero and has no meaning.
- Divide the learning rate by the batch size: it works until the batch size changes; take the mean.
- Clip the gradients to survive the sum: every step is then clipped to the same length.
- Treat every negative loss as a bug: a density likelihood, a critic loss or a reward can be negative.
- Weight loss terms before reductions agree: the weight then contains a hidden number of pixels.

## References
- PyTorch documentation: torch.nn, the argument reduction of the loss functions; torch.optim.SGD, maximize.
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 5.5, maximum likelihood.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, normalizing the loss.
- Higgins and others: beta-VAE, 2017, and its appendix on the size of the KL term against inputs.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.curve import curve_of
from traindx.curves.facts import stated_word
from traindx.curves.limits import LATE, LIKELY, NOISES
from traindx.curves.series import whole
from traindx.facts import LOSS_FUNCTION, LOSS_REDUCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area, Problem
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run
from traindx.signs.chance_level import worse_than_constant_baseline
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_oscillates
from traindx.signs.targets import loss_negated, loss_summed
from traindx.signs.weights import updates_large

_NEVER_NEGATIVE = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss categorical_crossentropy sparse_categorical_crossentropy binary_crossentropy"
    " mean_squared_error mean_absolute_error".split()
)


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL, problem=Problem.DIVERGES, healthy=-2.71)
def loss_falls_without_floor(
    run: Run,
    *,
    deep: Annotated[float, "end below zero over the start; bench/thresholds.md#floor"] = 20.0,
    late: Annotated[float, "share of the fall in the last two fifths; bench/thresholds.md#floor"] = 0.2,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The training loss falls below zero without a floor."""
    loss = curve_of(whole(run, TRAIN_LOSS))
    if len(loss) < points:
        return CANNOT_TELL
    function = stated_word(run, LOSS_FUNCTION)
    bounded = function in _NEVER_NEGATIVE
    limit = 0.0 if bounded else deep * max(abs(loss.start), loss.noise)
    # A likelihood below zero slows down as it is fitted; what has no least value does not.
    falling = loss.level_at(LATE) - loss.end > max(NOISES * loss.end_noise, late * (loss.start - loss.end))
    if loss.end >= -limit or loss.end >= 0 or not (falling or bounded):
        return None
    says = f"training loss falls from {loss.text(loss.start)} to {loss.text(loss.end)}"
    says += f"; `{function}` is never negative" if bounded else " and does not slow down"
    evidence = loss.evidence(loss.since(0.0), loss.end, -limit)
    return Finding(1.0 if bounded else LIKELY, says, (evidence,))


def _sign_is_right(run: Run) -> bool:
    """Whether the loss is summed, and nothing points to a wrong sign."""
    wrong_sign = (loss_negated(run), loss_falls_without_floor(run))
    return isinstance(loss_summed(run), Finding) and not any(
        isinstance(answer, Finding) for answer in wrong_sign
    )


def _is_mean(run: Run) -> bool:
    return stated_word(run, LOSS_REDUCTION) == "mean"


CAUSE = Cause(
    slug="loss-sign-or-reduction",
    area=Area.TARGETS,
    title="Loss has the wrong sign or reduction",
    prior=-4.59,
    clues=(
        Clue(worse_than_constant_baseline, seen=+0.74),
        Clue(loss_oscillates, seen=+0.95),
        Clue(loss_negated, seen=+11.00),
        Clue(loss_falls_without_floor, seen=+7.85),
        Clue(loss_summed, seen=+4.85),
        Clue(updates_large, seen=+1.01),
        Clue(loss_diverges, seen=+1.03),
    ),
    fixes=(
        Prescription(
            title="Remove the minus, or negate a log-likelihood",
            expect="the loss starts near chance level, stays above 0 and falls",
            safety=Safety.MANUAL,
            not_when="the term is meant to be maximized (reward, entropy bonus), or the sign is right",
            before="""\
loss = -torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # a negative log-likelihood already""",
            change="loss.negate",
            unless=(_sign_is_right,),
        ),
        Prescription(
            title="Take the mean over the batch instead of the sum",
            expect="the first loss is at chance level, and the loss falls without a jump",
            safety=Safety.ASK,
            not_when="the learning rate was tuned for the sum, or the loss is already a mean",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y, reduction="sum")""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y, reduction="mean")""",
            change="loss.use_mean",
            unless=(_is_mean,),
        ),
        Prescription(
            title="Sum within a sample, average over samples, in every term",
            expect="the ratio of the terms is the same at any image and batch size",
            safety=Safety.MANUAL,
            not_when="the loss has only one term",
            before="""\
reconstruction = torch.nn.functional.mse_loss(output, x)  # mean over pixels
kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(dim=1).mean()
loss = reconstruction + kl""",
            code="""\
reconstruction = torch.nn.functional.mse_loss(output, x, reduction="none").flatten(1).sum(dim=1).mean()
kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(dim=1).mean()
loss = reconstruction + kl""",
        ),
    ),
    experiment=Experiment(
        does="Compute the loss of one batch and of the same batch concatenated with itself, before training",
        if_true="it is below zero, or it doubles with the doubled batch",
        if_false="it is positive and the same for both",
        steps=0,
    ),
    page=__doc__,
    acts_through=("exploding-gradients",),
    symptoms=(Symptom.LYING_NUMBERS, Symptom.UNSTABLE, Symptom.NOT_FINITE),
    misdiagnoses=(Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),),
    places=(facts.LOSS_PLACE, facts.BACKWARD_PLACE),
)
