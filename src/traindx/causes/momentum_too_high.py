"""Momentum too high.

The optimizer averages gradients over so many steps that it overshoots and reacts too late.

## What happens
With a coefficient `m` a step is a sum of past gradients, each weighted by a power of `m`. It remembers
about `1 / (1 - m)` steps: 10 at 0.9, 100 at 0.99, 1,000 at 0.999. While gradients agree, it multiplies the
learning rate by the same number, so the effective learning rate is `lr / (1 - m)`: raising `m` from 0.9 to
0.99 at the same `lr` multiplies it by 10. And it forgets too late: near a minimum the sum still points the
old way, so the weights overshoot, turn and come back. Along a direction of curvature `h` they oscillate
with a period of about `2 * pi / sqrt(lr * h)` steps, and the amplitude shrinks by the factor `sqrt(m)` per
step: it is halved in 13 steps at 0.9, in 138 at 0.99, in 1,400 at 0.999. Noisy gradients keep exciting the
oscillation.

If the learning rate was chosen for `m = 0.9`, setting the momentum back is the whole fix. If it was tuned
for the high momentum, keep `lr / (1 - m)` the same as well: from 0.99 to 0.9, multiply `lr` by 10.

Adam's `beta1` is the same thing. Its steps are bounded, because numerator and denominator are both
averages, so it drifts rather than diverges.

## What you see
The loss falls fast, faster than with 0.9, turns when the run seems nearly done, and rebounds over tens of
steps; a second, weaker fall follows. After that it stays far above where it should be, or climbs back to
chance level over hundreds of steps, with bursts. With batches, a regular wave need not be visible. Example
(five classes, batches of 64, SGD at `lr=0.03`, three seeds): 0.9 was at 0.15 to 0.2 after 600 steps; 0.99
fell to about 0.6 by step 40, was back near 1 by step 80 and then stayed between 0.4 and 0.7; 0.999 had its
best, about 0.6, near step 45 and was at chance level by step 500. With full-batch gradients 0.99 and 0.999
trained to zero: the problem is the batch noise that a long average accumulates.

## Often confused with
- `lr-too-high`: momentum 0.9 at the same learning rate does not fix it.
- `gradients-not-cleared`: the same curve, but the norm of `.grad` itself grows from step to step.
- `batch-too-small`: the noise is random from step to step, without a rebound.
- `not-shuffled`: the oscillation has the period of an epoch, whatever the momentum.
- `lr-decay-needed`: the noise stays small, and a lower learning rate at the end removes it.

## What not to do
- Raise the momentum because the loss is noisy: the overshoot grows; use a larger batch or a lower final lr.
- Clip the gradients: the average still contains a hundred of them.
- Switch to Nesterov momentum instead: it damps the overshoot a little and keeps the long average.
- Raise beta1 and beta2 together: Adam then reacts too late in both averages.
- Judge the momentum after 50 steps: high momentum looks best right before the first overshoot.

## References
- Polyak: Some Methods of Speeding Up the Convergence of Iteration Methods, 1964.
- Sutskever, Martens, Dahl, Hinton: On the Importance of Initialization and Momentum in Deep Learning, 2013.
- Goh: Why Momentum Really Works, Distill, 2017.
- O'Donoghue, Candès: Adaptive Restart for Accelerated Gradient Schemes, 2015, the oscillation and when to
  reset.
- Smith: A Disciplined Approach to Neural Network Hyper-Parameters, 2018, learning rate and momentum
  together.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import stated_number, stated_word
from traindx.facts import MOMENTUM, OPTIMIZER
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.loss import loss_diverges
from traindx.signs.nonfinite import loss_climbs_before_failure
from traindx.signs.optimizer import momentum_extreme
from traindx.signs.spikes import loss_oscillates

_LONGEST = 0.999
"""Momentum whose average is too long at any learning rate; bench/thresholds.md#momentum."""


def _averages_too_long(run: Run) -> bool:
    return (stated_number(run, MOMENTUM) or 0.0) >= _LONGEST


def _is_not_adam(run: Run) -> bool:
    optimizer = stated_word(run, OPTIMIZER)
    return bool(optimizer) and "adam" not in optimizer


CAUSE = Cause(
    slug="momentum-too-high",
    area=Area.CURVE,
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
            expect="no rebound after the first fall, and the loss ends below the old best",
            safety=Safety.ASK,
            not_when="lr was tuned for this momentum: then also multiply lr by 0.1 / (1 - m)",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.999)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)""",
            change="optimizer.momentum 0.9",
        ),
        Prescription(
            title="Keep the momentum and divide the learning rate by 10",
            expect="the first fall is slower, and no rebound follows within 500 steps",
            safety=Safety.ASK,
            not_when="the momentum is 0.999 or more: the average is then too long at any lr",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.99)""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.99)""",
            change="optimizer.lr x 0.1",
            unless=(_averages_too_long,),
        ),
        Prescription(
            title="Set Adam's beta1 to 0.9",
            expect="no rebound after the first fall",
            safety=Safety.ASK,
            not_when="the optimizer is not Adam, or beta1 is 0.9 or less",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.99, 0.999))""",
            code="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.999))""",
            unless=(_is_not_adam,),
        ),
    ),
    experiment=Experiment(
        does="Repeat 300 steps with momentum 0.9 at the same learning rate and seed",
        if_true="the rebound is gone and the loss ends lower",
        if_false="the rebound or the noise stays",
        steps=300,
    ),
    page=__doc__,
    acts_through=("exploding-gradients",),
    symptoms=(Symptom.UNSTABLE,),
    misdiagnoses=(Misdiagnosis(says="I need another optimizer", blames="the optimizer"),),
    places=(facts.OPTIMIZER_PLACE,),
)
