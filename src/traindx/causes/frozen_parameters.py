"""Frozen parameters.

## What happens
Weights that should learn have `requires_grad` off (in Keras `trainable=False`), so they get no gradient and
no update. It is left over from fine-tuning in stages, set by a helper that freezes more names than meant,
inherited from a loaded model, or comes with an adapter that was switched off. PyTorch stops with an error
when nothing at all can learn; with a head, a bias or a normalisation left trainable it says nothing, and
what is left trains on the features of a network that never changes.

Not in the optimizer is another illness (`parameters-not-optimized`): there the gradients exist and nobody
uses them.

## What you see
Everything frozen but trifles: the loss is flat from the first step, at chance if the frozen weights are
random, and the validation loss is the same at every validation, to the last digit. The backbone frozen: the
loss falls quickly for a short time, as far as the head alone can take it, and stays high, with train and
validation close together. A higher rate changes nothing, or makes the head swing. The gradient norm is
small because few weights have one. A run that is as fast and as small in memory as inference is a hint.

## Often confused with
- `parameters-not-optimized`: the gradients are there, but the weights are in no parameter group.
- `detached-graph`: `requires_grad` is on, and the gradient is None or zero because the graph is cut by
  `detach`, `no_grad`, `item` or numpy.
- `lr-too-low`: a hundred times higher rate changes the curve.
- `vanishing-gradients`: gradients are tiny numbers, not None.
- `dead-relu`: gradients are exact zeros, `requires_grad` is on, and units never fire.
- `labels-misaligned`: all weights move, and 16 samples can be memorised.
- `capacity-too-small`: all weights move, and the loss settles on its floor slowly, not within an epoch.
- `lr-decayed-too-early`: the weights moved until the schedule ended.

## What not to do
- Raising the rate: frozen weights do not feel it, and the few free ones begin to swing.
- Switching `requires_grad` on after the optimizer was built from a filtered list: the weights are still in
  no group.
- Thawing a pretrained backbone at the head's rate: the first noisy gradients wipe out what it knew.
- Enlarging the head: it sees the same fixed features.
- Calling `model.train()`: it switches dropout and batch normalisation, not learning.

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
from traindx.quantities import WEIGHT_NORM
from traindx.run import Run
from traindx.signs.chance import accuracy_at_chance, little_learned, loss_at_chance, reward_flat
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
from traindx.signs.validation import validation_never_moves, validation_turns_up
from traindx.signs.weights import parameters_frozen, parameters_unoptimized, weights_shrink


@sign(
    needs=(WEIGHT_NORM, FROZEN_PARAMETERS), severity=Severity.WARNING, healthy=-1.63, formerly="held_as_drawn"
)
def frozen_at_initialization(
    run: Run,
    *,
    near: Annotated[float, "of the gain of a draw; bench/thresholds.md#drawn"] = 0.02,
    fewest: Annotated[int, "values of a matrix; bench/thresholds.md#drawn"] = 200,
) -> Answer:
    """Frozen layers have weights of the size that an initialisation draws: they never learned anything."""
    gains = [one for one in starting_gains(run) if size_of(one.matrix.layer) >= fewest]
    if not gains:
        return CANNOT_TELL
    frozen = [one for one in gains if not one.matrix.layer.trainable]
    # One matrix may have the size of some draw by chance.
    draws = _DRAWS if len(frozen) > 1 else _DRAWS[:1]
    if not frozen or not any(all(_is_near(one, drawn, near) for one in frozen) for drawn in draws):
        return None
    names = listed([one.matrix.layer.name for one in frozen], 2)
    says = f"{count(len(frozen), 'matrix', 'matrices')} ({names}) frozen at the size that an"
    says += " initialisation draws"
    strength = 1.0 if len(frozen) > 1 else FAIR
    return Finding(strength, says, (fact_evidence(run, FROZEN_PARAMETERS, MODEL_PLACE),))


_EVEN_SPREAD = 1 / math.sqrt(3)
"""Deviation of numbers drawn evenly between -1 and 1; bench/thresholds.md#drawn."""


def _of_torch(one: Gain) -> float:
    """`nn.Linear` and `nn.Conv` draw evenly within 1 / sqrt(inputs)."""
    return _EVEN_SPREAD


def _of_he(one: Gain) -> float:
    return math.sqrt(2)


def _of_glorot(one: Gain) -> float:
    inputs, units = inputs_of(one.matrix.layer), units_of(one.matrix.layer)
    return math.sqrt(2 * inputs / (inputs + units))


_DRAWS = (_of_torch, _of_he, _of_glorot)


def _is_near(one: Gain, drawn: Callable[[Gain], float], near: float) -> bool:
    # The size of what was drawn scatters by less than 1 / sqrt(values).
    return abs(one.gain / drawn(one) - 1) < near + 1 / math.sqrt(size_of(one.matrix.layer))


CAUSE = Cause(
    slug="frozen-parameters",
    title="Parameters that should learn are frozen",
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
            title="Switch the gradients on before the optimizer is built",
            expect="the loss leaves its level within 200 steps, and every weight changes after one step",
            safety=Safety.ASK,
            not_when="the weights are frozen on purpose, as with adapters or a fixed feature extractor",
            before="""\
model.requires_grad_(False)  # left over from the first stage
model.head.requires_grad_(True)
optimizer = torch.optim.AdamW(model.parameters(), lr=lr)""",
            code="""\
for parameter in model.parameters():
    parameter.requires_grad_(True)
optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
frozen = [name for name, parameter in model.named_parameters() if not parameter.requires_grad]
assert not frozen, frozen""",
            change="model.unfreeze",
        ),
        Prescription(
            title="Thaw a pretrained backbone at a hundredth of the head's rate",
            expect="the training loss falls below the head-only level within an epoch, without a jump",
            safety=Safety.ASK,
            not_when="the weights are random: then one rate for all is right",
            code="""\
model.backbone.requires_grad_(True)
optimizer = torch.optim.AdamW(
    [
        {"params": model.backbone.parameters(), "lr": lr * 0.01},
        {"params": model.head.parameters(), "lr": lr},
    ]
)""",
        ),
        Prescription(
            title="Check in the script that what should learn does move",
            expect="the check fails at step 1 and names the frozen weights; after the repair it passes",
            safety=Safety.MANUAL,
            not_when="weights are frozen on purpose: then list the ones that should learn",
            code="""\
before = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
loss_fn(model(x), y).backward()
optimizer.step()
still = [name for name, parameter in model.named_parameters() if torch.equal(parameter, before[name])]
assert not still, still""",
        ),
    ),
    experiment=Experiment(
        does="List parameters with requires_grad off, and those that one optimizer step leaves unchanged",
        if_true="weights that should learn are on the list, with requires_grad off",
        if_false="all of them have requires_grad on and have moved",
        minutes=1,
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
