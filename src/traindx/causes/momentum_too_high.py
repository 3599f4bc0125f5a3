"""Momentum too high.

## What happens
With a coefficient `m` a step is a sum of past gradients, each weighted by a power of `m`. It remembers
about `1 / (1 - m)` steps: 10 at 0.9, 100 at 0.99, 1,000 at 0.999; and where gradients agree, it multiplies
the rate by the same number. So 0.99 at an unchanged rate is ten times the rate of 0.9. And it forgets too
late: near a minimum the sum still points the way it came, the weights run past it, turn, and run back.
Along a direction of curvature `h` they swing with a period of about `2 * pi / sqrt(lr * h)` steps, and the
swing shrinks by the factor `sqrt(m)` per step: it is halved in 13 steps at 0.9, in 138 at 0.99, in 1,400 at
0.999, and never at 1. Where the gradients are noisy as well, the swings are fed anew all the time.

Adam's `beta1` is the same thing. Its steps are bounded, because numerator and denominator are both
averages, so it wanders rather than blows up.

## What you see
The loss falls fast, faster than with 0.9, turns just when the run seems nearly done, and rebounds over some
tens of steps; a second, weaker fall follows. After that it hangs far above where it should be, or climbs
back to chance over hundreds of steps, with bursts. Do not wait for the even wave of the formula: with
batches it need not show. In a small example (five classes, batches of 64, SGD at 0.03, three seeds) 0.9 was
at 0.15 to 0.2 after 600 steps; 0.99 fell to about 0.6 by step 40, was back near 1 by step 80 and then hung
between 0.4 and 0.7; 0.999 had its best, about 0.6, near step 45 and was at chance by step 500. With all
data in each step 0.99 and 0.999 trained to zero: it is the noise of the batches that a long memory adds up.

## Often confused with
- `lr-too-high`: momentum 0.9 at the same rate does not cure it.
- `gradients-not-cleared`: the same curve, but the norm of `.grad` itself grows from step to step.
- `batch-too-small`: the jitter is random from step to step, with no period.
- `not-shuffled`: the swings have the period of an epoch, whatever the momentum.
- `lr-decay-needed`: the swings stay narrow, and a lower rate at the end removes them.

## What not to do
- Lowering the momentum and leaving the rate: from 0.99 to 0.9 the step becomes ten times shorter; keep
  `lr / (1 - m)` in mind.
- Raising the momentum because the loss is noisy: the noise is averaged and the overshoot grows; raise the
  batch, or lower the rate at the end.
- Clipping the gradients: the sum remembers a hundred clipped ones all the same.
- Raising `beta1` and `beta2` together to calm Adam: it then sees a change too late in both.
- Judging after 50 steps: high momentum looks best just before the first overshoot.

## References
- Polyak: Some Methods of Speeding Up the Convergence of Iteration Methods, 1964.
- Sutskever, Martens, Dahl, Hinton: On the Importance of Initialization and Momentum in Deep Learning, 2013.
- Goh: Why Momentum Really Works, Distill, 2017.
- O'Donoghue, Candès: Adaptive Restart for Accelerated Gradient Schemes, 2015, the swings and when to reset.
- Smith: A Disciplined Approach to Neural Network Hyper-Parameters, 2018, rate and momentum together.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.loss import loss_diverges
from traindx.signs.nonfinite import loss_climbs_before_failure
from traindx.signs.optimizer import momentum_extreme
from traindx.signs.spikes import loss_oscillates

CAUSE = Cause(
    slug="momentum-too-high",
    title="Momentum too high",
    prior=-4.67,
    clues=(
        Clue(little_learned, seen=+0.55, unseen=-0.70),
        Clue(momentum_extreme, seen=+5.32, unseen=-6.01),
        Clue(loss_oscillates, seen=+2.02),
        Clue(loss_diverges, seen=+0.87),
        Clue(loss_climbs_before_failure, seen=+0.50),
    ),
    fixes=(
        Prescription(
            title="Set the momentum to 0.9",
            expect="no rebound follows the first fall, and the loss ends below the best of the old run",
            safety=Safety.ASK,
            not_when="the rate was lowered for the high momentum: then raise it in proportion to 1 - m",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.999)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)""",
            change="optimizer.momentum 0.9",
        ),
        Prescription(
            title="Keep the momentum and lower the rate by the factor of 1 - m",
            expect="the first fall is slower, and no overshoot follows it within 500 steps",
            safety=Safety.ASK,
            not_when="the momentum is 0.999 or more: the memory is then longer than the changes",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.99)""",
            code="""\
rate_at_09 = 0.1  # a rate that trains with momentum 0.9
momentum = 0.99
optimizer = torch.optim.SGD(
    model.parameters(), lr=rate_at_09 * (1 - momentum) / (1 - 0.9), momentum=momentum
)""",
            change="optimizer.lr x 0.1",
        ),
        Prescription(
            title="With Adam take beta1 back to 0.9",
            expect="the loss turns within about ten steps of a change of the gradient, without a rebound",
            safety=Safety.ASK,
            not_when="beta1 is 0.9 or less already",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.99, 0.999))""",
            code="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999))""",
        ),
    ),
    experiment=Experiment(
        does="Repeat 300 steps with momentum 0.9 and the same rate and seed",
        if_true="the rebound is gone and the loss ends lower",
        if_false="the unrest stays: rate, batch or data order is the reason",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("exploding-gradients",),
    symptoms=(Symptom.UNSTABLE,),
    misdiagnoses=(Misdiagnosis(says="I need another optimizer", blames="the optimizer"),),
    places=(facts.OPTIMIZER_PLACE,),
)
