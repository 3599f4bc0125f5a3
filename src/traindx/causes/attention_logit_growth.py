"""Attention scores grow.

## What happens
An attention score is `q k / sqrt(d)`, a product of two learned projections of the same input, so it grows
with the product of two weight matrices, and nothing in the loss holds it. The division by `sqrt(d)` keeps
it near 1 only while `q` and `k` have entries of size 1. Once scores reach tens, the softmax is nearly
one-hot: its entropy goes to zero, each position looks at one other, and the slope `p (1 - p)` goes to zero,
so the layer can hardly unlearn it. Small changes of the weights then turn the choice over and the loss
leaps. In half precision large scores are coarse as well: bfloat16 has steps of 2 between 256 and 512.

It comes with high rates, long runs, large models, a missing warm-up, and weight decay that is too weak to
hold the projections. Small models show it at higher rates than large ones, so it can be studied there.

This is a mechanism; what drives the scores is most often the rate.

## What you see
The largest attention score per layer climbs steadily for hundreds of steps while the loss still looks
healthy: it is an early sign. Then the loss spikes and recovers, spikes more often, or diverges without
coming back; the gradient norm spikes with it. One layer runs ahead of the others. Or it is quiet: the loss
levels off, and heads attend to one token for every input.

## Often confused with
- `lr-too-high`: the root in most cases; scores are ordinary until the loss jumps, or the model has no
  attention.
- `missing-warmup`: the climb is in the first few hundred steps, and a warm-up to the same peak rate ends
  it.
- `output-logit-drift`: the scores of the output layer move; those of attention are level.
- `half-precision-overflow`: the same run in float32 is well.
- `input-outliers`: single batches spike, without a climb before.
- `exploding-gradients`: the gradient norm climbs through all layers, attention scores or not.

## What not to do
- Skipping the bad batches and going on: the scores are as large as before, and the next spike comes.
- Clipping the gradients only: each step is bounded, and the scores climb all the same.
- Dividing the scores by a larger constant once: the weights grow until they are back.
- Clamping scores hard: beyond the limit there is no gradient at all; a soft cap keeps one.
- Restarting from the last checkpoint: its projections are already large; go back to before the climb.

## References
- Dehghani and others: Scaling Vision Transformers to 22 Billion Parameters, 2023, normalising q and k.
- Henry, Dachapally, Pawar, Chen: Query-Key Normalization for Transformers, 2020.
- Zhai and others: Stabilizing Transformer Training by Preventing Attention Entropy Collapse, 2023.
- Wortsman and others: Small-Scale Proxies for Large-Scale Transformer Training Instabilities, 2024.
- Gemma Team: Gemma 2: Improving Open Language Models at a Practical Size, 2024, soft caps on scores.
- Vaswani and others: Attention Is All You Need, 2017, why the scores are divided by sqrt(d).
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.layers import highest_late
from traindx.curves.limits import graded
from traindx.curves.series import by_layer, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import ATTENTION_LOGIT_RANGE
from traindx.run import Run
from traindx.signs.loss import loss_diverges, loss_plateaus
from traindx.signs.spikes import loss_spikes
from traindx.signs.weights import weights_start_far_off

_FULL = 4.0
"""Times the limit, where the softmax has one key only in any number format; bench/thresholds.md#attention."""


@sign(needs=(ATTENTION_LOGIT_RANGE,), severity=Severity.SERIOUS)
def attention_scores_grow(
    run: Run,
    *,
    reach: Annotated[float, "largest minus smallest score; bench/thresholds.md#attention"] = 30.0,
) -> Answer:
    """Attention scores of a query lie so far apart that the softmax picks one and passes no gradient."""
    layers = list(by_layer(run, ATTENTION_LOGIT_RANGE))
    if not layers:
        return CANNOT_TELL
    worst, late = highest_late(layers)
    if late < reach:
        return None
    says = f"{worst.layer}: attention scores of a query lie {late:.0f} apart, {worst.values[0]:.1f} at"
    says += f" step {worst.steps[0]:,.0f} (limit {reach:g})"
    return Finding(graded(late, reach, _FULL * reach), says, (seen_in(worst, late, reach),))


CAUSE = Cause(
    slug="attention-logit-growth",
    title="Attention scores grow out of range",
    prior=-4.26,
    clues=(
        Clue(weights_start_far_off, seen=-4.11),
        Clue(attention_scores_grow, seen=+6.52, unseen=-5.01),
        Clue(loss_diverges, seen=+1.00),
        Clue(loss_spikes, seen=+0.63),
        Clue(loss_plateaus, seen=+0.48),
    ),
    fixes=(
        Prescription(
            title="Normalise queries and keys before their product",
            expect="the largest score stays level through the run, and the same rate trains",
            safety=Safety.MANUAL,
            not_when="the weights are pretrained without it: then cap the scores or lower the rate",
            before="""\
q, k, v = self.qkv(x).chunk(3, dim=-1)
q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in (q, k, v))
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)""",
            code="""\
q, k, v = self.qkv(x).chunk(3, dim=-1)
q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in (q, k, v))
q, k = self.q_norm(q), self.k_norm(k)  # torch.nn.RMSNorm(head_width) each, made in __init__
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)""",
        ),
        Prescription(
            title="Lower the peak rate three times, with a warm-up",
            expect="the largest score grows far more slowly, and the spikes are gone",
            safety=Safety.ASK,
            not_when="the scores are large before training begins: then the weights are",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
warm = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=1000)""",
            change="optimizer.lr x 0.3",
        ),
        Prescription(
            title="Cap the scores softly",
            expect="no score exceeds the cap, and attention keeps some entropy",
            safety=Safety.MANUAL,
            not_when="a fused attention without a cap has to be used: then normalise q and k",
            code="""\
cap = 50.0
scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
scores = cap * torch.tanh(scores / cap)  # before the mask
out = torch.softmax(scores + mask, dim=-1) @ v""",
        ),
    ),
    experiment=Experiment(
        does="Log the largest score and entropy per attention layer for 500 steps, at this rate and a third",
        if_true="scores climb and entropy falls to zero before the loss moves; at a third they hardly do",
        if_false="scores are level: the unrest comes from elsewhere",
        minutes=10,
    ),
    page=__doc__,
    kind=Kind.HOW,
    symptoms=(Symptom.UNSTABLE, Symptom.PLATEAU, Symptom.NOT_FINITE),
    misdiagnoses=(Misdiagnosis(says="There is a bad batch in my data", blames="the data"),),
    places=(facts.MODEL_PLACE, facts.OPTIMIZER_PLACE),
)
