"""Gradients are not cleared between steps.

`optimizer.zero_grad()` is missing or misplaced, so every step uses the sum of all gradients since the start.

## What happens
`backward()` adds to `.grad`; it does not replace it. Without `optimizer.zero_grad()` every step uses the sum
of all gradients so far. For plain SGD this is exactly momentum with a coefficient of 1: nothing decays and
nothing damps. Along a direction of curvature `h` the weight oscillates around the minimum forever, with a
period of about `2 * pi / sqrt(lr * h)` steps, and mini-batch noise makes the oscillation grow. Adam bounds
each step, so it does not blow up, but it follows a sum of stale gradients: it overshoots, turns late and
wanders.

The call is missing, in the wrong place (once per epoch, or only in one branch), or clears something else:
another optimizer's parameters, another model's. With two optimizers, as in a GAN, the gradients that one
loss leaves in the other network have to be cleared before that network's step. The opposite mistake is a
`zero_grad()` between `backward()` and `step()`: the gradient is 0 or None, and nothing moves at all.

## What you see
The loss falls faster than expected at first, turns early, and climbs back to chance level or far above, in
bursts. The gradient norm grows from step to step even while the loss is below its start. Consecutive
gradients, as read from `.grad`, are nearly parallel. Example (five classes, three seeds): the norm rose from
0.4 to about 10 in 50 steps, with SGD at 0.1 and with Adam at 0.001. SGD was best near step 20 and at chance
level from about step 150, with a norm of 85 to 680 after 600 steps. Adam was best near step 100 with a loss
of about 0.5, then stayed near 1, while the fixed run reached 0.28.

## Often confused with
- `lr-too-high`: the gradient norm is normal until the loss rises, and a lower learning rate helps; here a
  lower learning rate only delays the turn.
- `momentum-too-high`: the curves look alike, but `.grad` before the step is the gradient of this batch
  alone.
- `exploding-gradients`: the gradient of one batch alone is large.
- `accumulation-not-divided`: gradients are cleared every few batches, and the norm is too large by a
  constant factor.
- `memory-leak`: memory grows; here it is level.

## What not to do
- Lower the learning rate: the sum keeps growing, and the turn only comes later.
- Clip the gradients: the step becomes short, but its direction is that of the stale sum.
- Change the optimizer: all of them read the same `.grad`.
- Clear between `backward()` and `step()`: no gradient is left for the step.
- Rely on `model.zero_grad()` alone: other parameters in the optimizer keep their sums.

## References
- PyTorch documentation: torch.optim.Optimizer.zero_grad; Zeroing out gradients in PyTorch (recipe).
- Polyak: Some Methods of Speeding Up the Convergence of Iteration Methods, 1964, momentum.
- Goh: Why Momentum Really Works, Distill, 2017, the effect of a coefficient of 1.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import is_recording, stated_number
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.loop import gradients_carried_over
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_oscillates


def _steps_after_each_batch(run: Run) -> bool:
    return stated_number(run, facts.BACKWARDS_PER_STEP) == 1


def _has_one_optimizer(run: Run) -> bool:
    return is_recording(run) and facts.OPTIMIZERS_IN_TURN not in run.facts


CAUSE = Cause(
    slug="gradients-not-cleared",
    area=Area.LOOP,
    title="Gradients are not cleared between steps",
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
            expect="the gradient norm stops growing, and the loss does not turn back up",
            safety=Safety.SAFE,
            not_when="gradients are accumulated on purpose: clear after each step() instead",
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
            title="With gradient accumulation, clear after each step()",
            expect="the gradient norm is that of one large batch at every step",
            safety=Safety.MANUAL,
            not_when="each batch has its own step",
            before="""\
for count, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y) / 4
    loss.backward()
    if count % 4 == 0:
        optimizer.step()""",
            code="""\
for count, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y) / 4
    loss.backward()
    if count % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()""",
            unless=(_steps_after_each_batch,),
        ),
        Prescription(
            title="With two optimizers, clear before each backward pass",
            expect="the gradient norms of both networks stay level",
            safety=Safety.MANUAL,
            not_when="there is only one optimizer",
            before="""\
for real, _ in train_loader:
    fake = generator(torch.randn(len(real), latent))
    critic_loss(critic(real), critic(fake.detach())).backward()
    critic_optimizer.step()
    generator_loss(critic(fake)).backward()
    generator_optimizer.step()""",
            code="""\
for real, _ in train_loader:
    fake = generator(torch.randn(len(real), latent))
    critic_optimizer.zero_grad()
    critic_loss(critic(real), critic(fake.detach())).backward()
    critic_optimizer.step()
    generator_optimizer.zero_grad()
    generator_loss(critic(fake)).backward()  # also fills gradients of the critic, cleared above
    generator_optimizer.step()""",
            unless=(_has_one_optimizer,),
        ),
    ),
    experiment=Experiment(
        does="Run two steps on the same batch with lr=0 and compare their gradient norms",
        if_true="the second norm is twice the first",
        if_false="both norms are equal: gradients are cleared",
        steps=2,
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
