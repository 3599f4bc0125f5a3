"""Gradients not cleared.

## What happens
`backward()` adds to `.grad`; it does not replace it. Without `optimizer.zero_grad()` every step uses the
sum of all gradients since the start. For plain SGD this is exactly momentum with a coefficient of 1:
nothing is ever forgotten and nothing damps. Along a direction of curvature `h` the weight then swings about
the minimum for ever, with a period of about `2 * pi / sqrt(lr * h)` steps, and mini-batch noise makes the
swings grow. Adam bounds each step, so it does not blow up; but its direction is that of a sum of stale
gradients, and it overshoots, turns late, and wanders.

The call is missing, stands in the wrong place (once per epoch, or only in one branch), or clears something
else: another optimizer's parameters, another model's. With two optimizers the gradients that one loss
leaves in the other network's weights have to be cleared before that one's step, as in a GAN. The mirror
image, a `zero_grad()` between `backward()` and `step()`, clears everything: the gradient is zero or None
and nothing moves at all.

## What you see
The loss falls at first, faster than expected, because the sum is larger than a gradient. It has its best
early, turns, and climbs back to chance or far above, in bursts; it does not come down again. The recorded
gradient norm grows from step to step, although the loss is no worse than at the start. In a small example
(five classes, three seeds) the norm went from 0.4 to about 10 in 50 steps with SGD at 0.1 and with Adam at
0.001. SGD had its best near step 20 and was at chance from about step 150 on, its norm somewhere between 85
and 680 after 600. Adam had its best, about 0.5, near step 100, was above 1.6 around step 220, and hung near
1 after that, where the repaired run was at 0.28. Successive gradients, as read from `.grad`, are nearly
parallel.

## Often confused with
- `lr-too-high`: the norm of a fresh gradient is ordinary until the loss rises, and a lower rate cures; here
  a lower rate only delays the turn.
- `momentum-too-high`: the curves are alike, but `.grad` before the step is the gradient of this batch
  alone.
- `exploding-gradients`: the gradient of one batch alone is large.
- `accumulation-not-divided`: gradients are cleared, but only every few batches, and the norm is too large
  by a constant factor.
- `memory-leak`: memory grows; here it is level.

## What not to do
- Lowering the rate: the sum goes on growing, and the turn comes later.
- Clipping the gradients: the step becomes short, and its direction is that of the stale sum.
- Changing the optimizer: every one reads the same `.grad`.
- Clearing after `backward()` and before `step()`: then nothing is left to step with.
- Calling `model.zero_grad()` where the optimizer also holds other parameters: those keep their sums.

## References
- PyTorch documentation: torch.optim.Optimizer.zero_grad; Zeroing out gradients in PyTorch (recipe).
- Polyak: Some Methods of Speeding Up the Convergence of Iteration Methods, 1964, momentum.
- Goh: Why Momentum Really Works, Distill, 2017, what a coefficient of 1 does.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.loop import gradients_carried_over
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_oscillates

CAUSE = Cause(
    slug="gradients-not-cleared",
    title="Gradients are never cleared",
    prior=-4.19,
    clues=(
        Clue(little_learned, seen=+0.56, unseen=-0.90),
        Clue(gradients_carried_over, seen=+5.35, unseen=-5.04),
        Clue(gradient_norm_grows, seen=+0.95),
        Clue(loss_diverges, seen=+0.52),
        Clue(loss_oscillates, seen=+0.56),
    ),
    fixes=(
        Prescription(
            title="Call optimizer.zero_grad() before each backward()",
            expect="the gradient norm stops growing from the first step on, and the loss does not turn back",
            safety=Safety.SAFE,
            not_when="gradients are added up on purpose over batches: clear after each step() instead",
            before="""\
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    loss.backward()
    optimizer.step()""",
            code="""\
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
            change="gradients.clear_each_step",
        ),
        Prescription(
            title="Where gradients are accumulated, divide the loss and clear after the step",
            expect="the gradient norm is that of one large batch, at every step",
            safety=Safety.MANUAL,
            not_when="each batch has its own step",
            code="""\
parts = 4
for count, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y) / parts
    loss.backward()
    if count % parts == 0:
        optimizer.step()
        optimizer.zero_grad()""",
        ),
        Prescription(
            title="With two optimizers, clear each one's gradients right before its own backward pass",
            expect="neither network steps with gradients of the other's loss, and both norms stay level",
            safety=Safety.MANUAL,
            not_when="there is only one optimizer",
            code="""\
for real, _ in train_loader:
    fake = generator(torch.randn(len(real), latent))
    critic_optimizer.zero_grad()
    critic_loss(critic(real), critic(fake.detach())).backward()
    critic_optimizer.step()
    generator_optimizer.zero_grad()
    generator_loss(critic(fake)).backward()  # also leaves gradients in the critic, which are cleared above
    generator_optimizer.step()""",
        ),
    ),
    experiment=Experiment(
        does="Feed the same batch to backward() in two steps at rate 0 and compare the gradient norms",
        if_true="the second norm is twice the first",
        if_false="both are equal: gradients are cleared",
        minutes=1,
    ),
    page=__doc__,
    acts_through=("exploding-gradients",),
    symptoms=(Symptom.UNSTABLE, Symptom.GRADIENTS_EXPLODE),
    misdiagnoses=(
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
    ),
    places=(facts.BACKWARD_PLACE, facts.STEP_PLACE),
)
