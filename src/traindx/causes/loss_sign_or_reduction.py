"""Loss with the wrong sign or reduction.

## What happens
Wrong sign: what is minimised should be maximised. A log-likelihood without its minus, a reward or a
similarity used as a loss, a minus too many, `maximize=True` in the optimizer with an ordinary loss. The
training does what it is told and makes the model as wrong as it can: cross-entropy has no upper end, so the
minimised value falls without a floor, and weights grow to infinity. A term of a sum with the wrong sign is
the quiet form: the total looks plausible until that term runs away.

Wrong reduction: the loss is the sum over the batch (`reduction="sum"`, `.sum()`), so the gradient is `N`
times that of the mean, and the rate, for SGD, in effect `N` times as high: 0.1 with a batch of 64 is 6.4.
It also changes with every last, smaller batch. Adam divides the factor away, but clipping at a norm of 1,
the epsilon and L2 terms feel it. The other way round: a mean over positions and pixels where a sum per
sample was meant, as in a variational autoencoder, makes the other term (KL) thousands of times too heavy,
and the posterior collapses.

## What you see
Sign: the loss goes below zero although it is a cross-entropy or a squared error, which cannot be, and falls
ever faster; accuracy goes to zero, well below chance. Examples on five classes: SGD at 0.1 was NaN before
step 50, Adam at 0.001 reached -20,000 after 600. Sum: the first loss is chance times the batch size, 105
where ln 5 is 1.6 and the batch 64; SGD jumps in the first steps and stays at chance, Adam trains as ever;
the curve changes with the batch size.

## Often confused with
- `lr-too-high`: the first loss is at chance, and a lower rate cures; here dividing by the batch size does.
- `wrong-output-activation`: raw scores in `NLLLoss` also fall without a floor; the sign is right.
- `labels-out-of-range`: a yes-no loss below zero because a target is above 1.
- `accumulation-not-divided`: the loss is a mean, and several backward passes are added.
- `bad-initialization`: the first loss is too high by no particular factor.
- `unnormalized-targets`: a regression loss is large because the targets are, with any batch size.

## What not to do
- Taking the absolute value of the loss: it turns the direction at zero and has no meaning.
- Lowering the rate by the batch size instead of the sum: it works until the batch size changes.
- Clipping the gradients to survive the sum: every step is then clipped, and the rate has no effect any
  more.
- Calling every loss below zero a fault: the likelihood of a density, a critic's loss or a reward may well
  be.
- Weighing terms by hand before their reductions agree: the weight then holds a hidden number of pixels.

## References
- PyTorch documentation: torch.nn, the argument reduction of the loss functions; torch.optim.SGD, maximize.
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 5.5, maximum likelihood.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, normalising the loss.
- Higgins and others: beta-VAE, 2017, and its appendix on the size of the KL term against inputs.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.curve import curve_of
from traindx.curves.facts import stated_word
from traindx.curves.limits import LATE, LIKELY, NOISES
from traindx.curves.series import whole
from traindx.facts import LOSS_FUNCTION
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run
from traindx.signs.chance import worse_than_constant_baseline
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_oscillates
from traindx.signs.targets import loss_negated, loss_summed
from traindx.signs.weights import updates_large

_NEVER_NEGATIVE = frozenset(
    "cross_entropy nll_loss binary_cross_entropy binary_cross_entropy_with_logits mse_loss l1_loss"
    " smooth_l1_loss huber_loss categorical_crossentropy sparse_categorical_crossentropy binary_crossentropy"
    " mean_squared_error mean_absolute_error".split()
)


@sign(needs=(TRAIN_LOSS,), severity=Severity.CRITICAL, healthy=-2.71)
def loss_falls_without_floor(
    run: Run,
    *,
    deep: Annotated[float, "end below zero over the start; bench/thresholds.md#floor"] = 20.0,
    late: Annotated[float, "share of the fall in the last two fifths; bench/thresholds.md#floor"] = 0.2,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The training loss falls below zero and on, as if it had no least value."""
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
    says = f"the training loss goes from {loss.text(loss.start)} to {loss.text(loss.end)}"
    says += f", and {function} is never negative" if bounded else " and falls on"
    evidence = loss.evidence(loss.since(0.0), loss.end, -limit)
    return Finding(1.0 if bounded else LIKELY, says, (evidence,))


CAUSE = Cause(
    slug="loss-sign-or-reduction",
    title="The loss has the wrong sign or reduction",
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
            title="Minimise the loss: remove the minus, or put one before a likelihood",
            expect="the loss starts near chance, is never below zero and falls; accuracy rises",
            safety=Safety.MANUAL,
            not_when="the term is to be maximised, such as a reward, an entropy bonus or a critic's score",
            before="""\
loss = -torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # a negative log-likelihood already""",
            change="loss.negate",
        ),
        Prescription(
            title="Take the mean over the batch instead of the sum",
            expect="the first loss is at chance, and SGD falls without a jump at the same rate",
            safety=Safety.ASK,
            not_when="the rate was tuned for the sum: then multiply it by the batch size",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y, reduction="sum")""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y, reduction="mean")""",
            change="loss.use_mean",
        ),
        Prescription(
            title="Reduce all terms of a loss in the same way: sum within a sample, mean over samples",
            expect="the balance of the terms no longer depends on picture size or batch size",
            safety=Safety.MANUAL,
            not_when="the loss has one term only",
            before="""\
rebuilt = torch.nn.functional.mse_loss(output, x)  # mean over pixels
kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(dim=1).mean()
loss = rebuilt + kl""",
            code="""\
rebuilt = torch.nn.functional.mse_loss(output, x, reduction="none").flatten(1).sum(dim=1).mean()
kl = -0.5 * (1 + logvar - mu**2 - logvar.exp()).sum(dim=1).mean()
loss = rebuilt + kl""",
        ),
    ),
    experiment=Experiment(
        does="Compute the first loss of one batch, and of the same batch twice in one; compare with chance",
        if_true="it is below zero, or it doubles with the doubled batch",
        if_false="it is positive and the same for both",
        minutes=1,
    ),
    page=__doc__,
    acts_through=("exploding-gradients",),
    symptoms=(Symptom.LYING_NUMBERS, Symptom.UNSTABLE, Symptom.NOT_FINITE),
    misdiagnoses=(Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),),
    places=(facts.LOSS_PLACE, facts.BACKWARD_PLACE),
)
