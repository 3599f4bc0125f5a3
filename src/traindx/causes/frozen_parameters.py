"""Parameters that should train are frozen.

Weights that should train have `requires_grad=False`, so they get no gradient and no update.

## What happens
Weights that should train have `requires_grad=False` (in Keras `trainable=False`), so they get no gradient
and no update. Typical reasons: a leftover from staged fine-tuning, a helper that freezes more names than
intended, a loaded model that was saved frozen, or a disabled adapter. PyTorch raises an error if nothing at
all can train. With a head, a bias or a normalization left trainable it raises none, and the rest trains on
the features of a network that never changes.

A parameter that is missing from the optimizer is another cause (`parameters-not-optimized`): its gradients
exist, but no optimizer uses them.

## What you see
The loss is flat from the first step, or falls for a short time and stays high. Nearly everything frozen: the
loss is at chance level if the frozen weights are random, and the validation loss is identical at every
validation, to the last digit. Backbone frozen: the loss falls as far as the head alone can take it, and
training and validation stay close together. A higher learning rate changes nothing, or makes the head
oscillate. The gradient norm is small because few weights have a gradient. Another hint is a run as fast and
as small in memory as inference.

## Often confused with
- `parameters-not-optimized`: the gradients exist, but the weights are in no parameter group.
- `detached-graph`: `requires_grad` is True, and the gradient is None or 0 because of `detach`, `no_grad`,
  `item` or numpy.
- `lr-too-low`: a learning rate 100x as high changes the curve.
- `vanishing-gradients`: gradients are tiny numbers, not None.
- `dead-relu`: gradients are exactly 0, `requires_grad` is True, and the units are always 0.
- `labels-misaligned`: all weights move, and the network can memorize 16 samples.
- `capacity-too-small`: all weights move, and the loss reaches its floor slowly, not within an epoch.
- `lr-decayed-too-early`: the weights moved until the schedule ended.

## What not to do
- Raise the learning rate: it does not reach frozen weights, and the few trainable ones start to oscillate.
- Unfreeze after creating the optimizer: if it was built from trainable weights only, the others are in no
  parameter group.
- Unfreeze a backbone at the head's lr: the first noisy gradients destroy pretrained features.
- Enlarge the head: it gets the same fixed features.
- Call `model.train()` to unfreeze: it switches dropout and batch normalization, not gradients.

## References
- Yosinski, Clune, Bengio, Lipson: How Transferable Are Features in Deep Neural Networks?, 2014.
- Howard, Ruder: Universal Language Model Fine-tuning for Text Classification, 2018, gradual unfreezing.
- Kumar and others: Fine-Tuning Can Distort Pretrained Features and Underperform Out-of-Distribution, 2022.
- PyTorch documentation: Autograd mechanics, "Locally disabling gradient computation".
"""

import math
from collections.abc import Callable
from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence
from traindx.curves.layers import Gain, inputs_of, size_of, starting_gains, units_of
from traindx.curves.limits import FAIR
from traindx.facts import FROZEN_PARAMETERS, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import count, listed
from traindx.objective import Area
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run
from traindx.signs.chance_level import accuracy_at_chance, little_learned, loss_at_chance, reward_flat
from traindx.signs.evaluations import validation_never_moves
from traindx.signs.generalization import both_losses_high
from traindx.signs.gradients import (
    gradient_is_zero,
    gradient_norm_grows,
    gradient_norm_vanishes,
    gradient_spikes_before_loss,
)
from traindx.signs.loss import (
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_still_falling,
)
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.optimizer import l2_inside_adam
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, noise_swamps_progress, spikes_recur
from traindx.signs.validation import validation_turns_up
from traindx.signs.weights import parameters_frozen, parameters_unoptimized, weights_shrink


@sign(
    needs=(WEIGHT_NORM, FROZEN_PARAMETERS), severity=Severity.WARNING, healthy=-1.63, formerly="held_as_drawn"
)
def frozen_at_initialization(
    run: Run,
    *,
    near: Annotated[float, "relative distance to an initialization; bench/thresholds.md#drawn"] = 0.02,
    fewest: Annotated[int, "values of a matrix; bench/thresholds.md#drawn"] = 200,
) -> Answer:
    """Frozen layers still at their random initialization."""
    gains = [gain for gain in starting_gains(run) if size_of(gain.matrix.layer) >= fewest]
    if not gains:
        return CANNOT_TELL
    frozen = [gain for gain in gains if not gain.matrix.layer.trainable]
    # One matrix may have the size of some draw by chance.
    draws = _DRAWS if len(frozen) > 1 else _DRAWS[:1]
    if not frozen or not any(all(_is_near(gain, drawn, near) for gain in frozen) for drawn in draws):
        return None
    names = listed([gain.matrix.layer.name for gain in frozen], 2)
    says = f"{count(len(frozen), 'weight matrix', 'weight matrices')} ({names}) frozen at the scale of"
    says += " a random initialization"
    strength = 1.0 if len(frozen) > 1 else FAIR
    return Finding(strength, says, (fact_evidence(run, FROZEN_PARAMETERS, MODEL_PLACE),))


_EVEN_SPREAD = 1 / math.sqrt(3)
"""Deviation of numbers drawn evenly between -1 and 1; bench/thresholds.md#drawn."""


def _of_torch(gain: Gain) -> float:
    """`nn.Linear` and `nn.Conv` draw evenly within 1 / sqrt(inputs)."""
    return _EVEN_SPREAD


def _of_he(gain: Gain) -> float:
    return math.sqrt(2)


def _of_glorot(gain: Gain) -> float:
    inputs, units = inputs_of(gain.matrix.layer), units_of(gain.matrix.layer)
    return math.sqrt(2 * inputs / (inputs + units))


_DRAWS = (_of_torch, _of_he, _of_glorot)


def _is_near(gain: Gain, drawn: Callable[[Gain], float], near: float) -> bool:
    # The size of what was drawn scatters by less than 1 / sqrt(values).
    return abs(gain.gain / drawn(gain) - 1) < near + 1 / math.sqrt(size_of(gain.matrix.layer))


CAUSE = Cause(
    slug="frozen-parameters",
    area=Area.LOOP,
    title="Parameters that should train are frozen",
    prior=-4.59,
    clues=(
        Clue(weights_shrink, seen=-1.00),
        Clue(l2_inside_adam, seen=-3.00),
        Clue(frozen_at_initialization, seen=+2.17),
        Clue(little_learned, seen=+1.62),
        Clue(parameters_unoptimized, seen=-0.50),
        Clue(parameters_frozen, seen=+6.18, unseen=-6.02),
        Clue(noise_swamps_progress, seen=-0.52),
        Clue(validation_never_moves, seen=+1.78),
        Clue(gradient_is_zero, seen=+1.04),
        Clue(loss_leaps_above_start, seen=-2.53),
        Clue(loss_flat_from_start, seen=+2.24, unseen=-0.13),
        Clue(loss_at_chance, seen=+0.64, group="chance"),
        Clue(accuracy_at_chance, seen=+0.72, group="chance"),
        Clue(reward_flat, seen=+0.70),
        Clue(both_losses_high, seen=+0.93),
        Clue(gradient_norm_vanishes, seen=+1.87, unseen=-0.69),
        Clue(loss_falls, seen=-0.81),
        Clue(loss_falls_slowly, seen=-0.48),
        Clue(loss_still_falling, seen=-0.96),
        Clue(loss_diverges, seen=-2.50),
        Clue(loss_not_finite, seen=-3.00),
        Clue(gradient_norm_grows, seen=-1.50),
        Clue(validation_turns_up, seen=-2.01),
        Clue(gradient_spikes_before_loss, seen=-1.50),
        Clue(loss_oscillates, seen=-1.00, group="unrest"),
        Clue(spikes_recur, seen=-0.70, group="unrest"),
    ),
    fixes=(
        Prescription(
            title="Set requires_grad=True before creating the optimizer",
            expect="the loss leaves its plateau within 200 steps",
            safety=Safety.ASK,
            not_when="the weights are frozen on purpose, or pretrained: use a lower learning rate for those",
            before="""\
model.requires_grad_(False)  # left over from the first stage
model.head.requires_grad_(True)
optimizer = torch.optim.AdamW(model.parameters(), lr=lr)""",
            code="""\
model.requires_grad_(True)
optimizer = torch.optim.AdamW(model.parameters(), lr=lr)""",
            change="model.unfreeze",
        ),
        Prescription(
            title="Unfreeze a pretrained backbone at learning rate / 100",
            expect="the training loss falls below the head-only level within an epoch",
            safety=Safety.ASK,
            not_when="the frozen weights are random: one learning rate for all is right",
            before="""\
model.backbone.requires_grad_(False)
optimizer = torch.optim.AdamW(model.head.parameters(), lr=lr)""",
            code="""\
optimizer = torch.optim.AdamW(
    [
        {"params": model.backbone.parameters(), "lr": lr / 100},
        {"params": model.head.parameters(), "lr": lr},
    ]
)""",
            unless=(frozen_at_initialization,),
        ),
        Prescription(
            title="Assert that every parameter moves in one step",
            expect="the check fails at step 1 and names the frozen weights",
            safety=Safety.MANUAL,
            not_when="weights are frozen on purpose: check only the ones that should train",
            code="""\
before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
loss_fn(model(x), y).backward()
optimizer.step()
still = [name for name, parameter in model.named_parameters() if torch.equal(parameter, before[name])]
assert not still, still""",
        ),
    ),
    experiment=Experiment(
        does="List the parameters with requires_grad=False",
        if_true="weights that should train are on the list",
        if_false="all of them have requires_grad=True",
        steps=0,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
