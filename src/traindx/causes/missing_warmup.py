"""Missing warm-up.

The run starts at the full learning rate, which it can only tolerate some hundred steps later.

## What happens
Three things are special about the first steps. Adam estimates the size of each gradient from very few
samples: at step 1 its update is `lr * g / |g|`, the full learning rate in every weight at once, whether the
gradient is signal or noise. The curvature can be large right after initialization; a learning rate `lr`
needs it below `2 / lr`, and small first steps let it fall there. In transformers that normalize after the
residual sum (post-norm), the gradients near the output are large at the start. A batch k times larger with
a learning rate k times larger runs into the same problem. The learning rate itself is not wrong: a few
hundred steps later the same value is fine.

## What you see
The logged learning rate is at its peak in the first record. The loss jumps within the first tens or
hundreds of steps, often straight up from where it started, and then stays flat, at chance level or at the
loss of predicting class or token frequencies. Or it is NaN before the first epoch ends. Milder runs
survive: a high bump, a slow recovery, and an end that is worse than with a warm-up.

## Often confused with
- `lr-too-high`: with a warm-up the run still fails, only later, when the learning rate approaches its peak.
- `bad-initialization`: the loss of the very first batch, before any update, is already far above chance
  level.
- `exploding-gradients`: lr/10 without a warm-up still fails.
- `unnormalized-inputs`: scaling the inputs to unit variance fixes it at the full learning rate.
- `momentum-too-high`: the loss falls before it climbs back, and with momentum 0.9 it does not.
- `half-precision-overflow`: the same first steps pass in float32.
- `attention-logit-growth`: the run is fine for thousands of steps and breaks late.

## What not to do
- Lower the peak learning rate first: it trains, but the rest of the run pays for a problem of the first
  steps.
- Rely on gradient clipping alone: Adam rescales what is left, so the first steps are as long as before.
- Try other seeds until one survives: the next change of data or batch size breaks it again.
- Warm up for whole epochs on a large data set: a few hundred to a few thousand steps are enough.
- Step a per-batch warm-up once per epoch: the learning rate then stays near zero for the whole run.

## References
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017.
- Vaswani and others: Attention Is All You Need, 2017.
- Liu and others: On the Variance of the Adaptive Learning Rate and Beyond, 2020.
- Xiong and others: On Layer Normalization in the Transformer Architecture, 2020.
- Ma, Yarats: On the Adequacy of Untuned Warmup for Adaptive Optimization, 2021.
- Gilmer and others: A Loss Curvature Perspective on Training Instability in Deep Learning, 2021.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import needs_beginning, stated_number, stated_word
from traindx.curves.series import rate_of
from traindx.facts import OPTIMIZER, PLANNED_STEPS, WARMUP_RATIO, WARMUP_STEPS
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.objective import Area
from traindx.quantities import LEARNING_RATE
from traindx.run import Axis, Run
from traindx.signs.activations import (
    activations_swell_over_depth,
    model_is_deep_and_plain,
    model_is_recurrent,
    units_die,
)
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.data import input_outliers_seen, inputs_unscaled
from traindx.signs.gradients import gradient_starts_huge
from traindx.signs.loss import (
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
)
from traindx.signs.lr import lr_above_typical, lr_rise_hurts, lr_spent_at_once
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    fails_without_warning,
    loss_climbs_before_failure,
    loss_not_finite,
)
from traindx.signs.spikes import loss_leaps_above_start, spikes_without_large_updates
from traindx.signs.weights import updates_large


@sign(needs=(LEARNING_RATE,))
@needs_beginning
def warmup_absent(
    run: Run,
    *,
    share: Annotated[float, "first learning rate over the peak; bench/thresholds.md#warm-up"] = 0.9,
    begin: Annotated[int, "latest first step; bench/thresholds.md#warm-up"] = 50,
) -> Answer:
    """No learning-rate warm-up."""
    stated = [run.facts.get(fact) for fact in (WARMUP_STEPS, WARMUP_RATIO)]
    if any(isinstance(value, int | float) and value > 0 for value in stated):
        return None
    rate = rate_of(run)
    if rate is None or rate.series.axis is not Axis.STEP:
        # Logged once per epoch, a warm-up of some hundred steps would not show.
        return CANNOT_TELL
    first = float(rate.series.steps[0])
    if first > begin:
        # The first record is too late: a warm-up would lie before it.
        return CANNOT_TELL
    if float(rate.values[0]) < share * rate.peak:
        return None
    start = float(rate.values[0])
    says = f"no warm-up: the learning rate starts at {number(start)} (peak {number(rate.peak)})"
    return Finding(1.0, says, (Evidence(LEARNING_RATE, (first, first), start, share * rate.peak),))


_WARMUP = 500
"""Steps of the warm-up that is prescribed; bench/thresholds.md#warm-up."""
_TRANSFORMER = ("attn", "attention", "transformer", "layernorm", "rmsnorm")


def _is_short(run: Run) -> bool:
    planned = stated_number(run, PLANNED_STEPS)
    return planned is not None and planned < 2 * _WARMUP


def _has_no_attention(run: Run) -> bool:
    names = " ".join(f"{parameter.kind} {parameter.name}" for parameter in run.model).lower()
    return bool(names) and not any(word in names for word in _TRANSFORMER)


def _is_not_adam(run: Run) -> bool:
    optimizer = stated_word(run, OPTIMIZER)
    return bool(optimizer) and "adam" not in optimizer


CAUSE = Cause(
    slug="missing-warmup",
    area=Area.CURVE,
    title="Learning-rate warm-up missing",
    prior=-4.71,
    clues=(
        Clue(little_learned, seen=+0.31, unseen=-0.94),
        Clue(model_is_deep_and_plain, seen=-0.70),
        Clue(activations_swell_over_depth, seen=-1.00),
        Clue(lr_above_typical, seen=+1.69),
        Clue(input_outliers_seen, seen=-1.50),
        Clue(inputs_unscaled, seen=-0.70),
        Clue(units_die, seen=+1.09),
        Clue(spikes_without_large_updates, seen=-1.53),
        Clue(gradient_starts_huge, seen=-1.48),
        Clue(model_is_recurrent, seen=-1.10),
        Clue(updates_large, seen=+1.06),
        Clue(loss_leaps_above_start, seen=+0.65),
        Clue(warmup_absent, seen=+1.22, unseen=-3.54),
        Clue(fails_in_first_steps, seen=+1.05),
        Clue(loss_not_finite, seen=+0.30),
        Clue(loss_diverges, seen=+1.43),
        Clue(loss_climbs_before_failure, seen=+0.87),
        Clue(loss_at_chance, seen=+1.75),
        Clue(loss_falls_slowly, seen=-1.04),
        Clue(lr_rise_hurts, seen=-2.00),
        Clue(fails_without_warning, seen=-1.00),
        Clue(loss_plateaus, seen=+1.47),
        Clue(loss_falls, seen=-0.45),
        Clue(loss_flat_from_start, seen=-1.99),
        Clue(lr_spent_at_once, seen=-2.50),
    ),
    fixes=(
        Prescription(
            title="Add a linear warm-up of 500 steps",
            expect="no jump in the first 500 steps, and the loss passes the old run",
            safety=Safety.ASK,
            not_when="the whole run has fewer than 1,000 steps: then use a shorter warm-up",
            before="""\
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps)""",
            code="""\
from torch.optim.lr_scheduler import LinearLR, SequentialLR

warmup = LinearLR(optimizer, start_factor=0.001, total_iters=500)
decay = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps - 500)
scheduler = SequentialLR(optimizer, [warmup, decay], milestones=[500])  # step it after each batch""",
            change="schedule.warmup 500",
            unless=(_is_short,),
        ),
        Prescription(
            title="Use pre-norm transformer blocks (norm_first=True)",
            expect="the loss falls from the first steps on at the full learning rate",
            safety=Safety.MANUAL,
            not_when="the model has no attention, or loads weights of the post-norm order",
            code="""\
layer = torch.nn.TransformerEncoderLayer(d_model=256, nhead=4, batch_first=True, norm_first=True)""",
            unless=(_has_no_attention,),
            before="""\
layer = torch.nn.TransformerEncoderLayer(d_model=256, nhead=4, batch_first=True)""",
        ),
        Prescription(
            title="Use RAdam if you cannot add a schedule",
            expect="no jump in the first 100 steps at the same learning rate",
            safety=Safety.ASK,
            not_when="the optimizer is not of the Adam family",
            code="""\
optimizer = torch.optim.RAdam(
    model.parameters(), lr=lr, weight_decay=0.01, decoupled_weight_decay=True
)""",
            unless=(_is_not_adam,),
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 1,000 steps with the same seed and a linear warm-up of 500 steps",
        if_true="the jump is gone, also after the peak learning rate is reached",
        if_false="the loss jumps near the peak learning rate, or in the first steps as before",
        steps=1_000,
    ),
    page=__doc__,
    acts_through=("exploding-gradients", "dead-relu"),
    looked_for_by=Tool.LR_FIND,
    symptoms=(Symptom.UNSTABLE, Symptom.NOT_FINITE, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
    ),
    places=(facts.SCHEDULE_PLACE, facts.OPTIMIZER_PLACE),
)
