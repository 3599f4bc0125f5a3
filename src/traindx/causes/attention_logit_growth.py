"""Attention logits grow too large.

The logits of an attention layer grow until its softmax is nearly one-hot and passes hardly any gradient.

## What happens
An attention logit is `q k / sqrt(d)`, a product of two learned projections of the same input, so it grows
with the product of two weight matrices, and nothing in the loss limits it. The division by `sqrt(d)` keeps
it near 1 only while the entries of `q` and `k` have unit scale. Once logits differ by tens, the softmax is
nearly one-hot: its entropy approaches 0, each position attends to one other position, and the slope `p (1 -
p)` approaches 0, so the layer can hardly unlearn it. A small change of the weights can then switch the
attended position, and the loss jumps. In half precision large logits are coarse as well: between 256 and
512, bfloat16 has a resolution of 2.

Typical triggers are a high learning rate, a missing warm-up, long runs, large models, and weight decay too
weak to limit the projections. Small models show the same growth at higher learning rates, so it can be
studied there.

This is a mechanism; the root cause is most often the learning rate.

## What you see
The largest attention logit of a layer climbs for hundreds of steps while the loss still looks healthy, so it
is an early warning. Then the loss spikes and recovers, spikes more often, or diverges for good; the gradient
norm spikes with it. One layer is usually ahead of the others. In the quiet form the loss levels off, and
heads attend to one token for every input.

## Often confused with
- `lr-too-high`: the root cause in most cases; attention logits are normal until the loss jumps, or the model
  has no attention.
- `missing-warmup`: the climb is in the first few hundred steps, and a warm-up to the same peak learning rate
  ends it.
- `output-logit-drift`: the logits of the output layer drift, and those of attention stay level.
- `half-precision-overflow`: the same run in float32 is healthy.
- `input-outliers`: single batches spike, without a climb before.
- `exploding-gradients`: the gradient norm climbs in all layers, with or without large attention logits.

## What not to do
- Skip the bad batches and continue: the logits are as large as before, and the next spike comes.
- Rely on gradient clipping alone: each step is bounded, and the logits still climb.
- Divide the logits by a larger constant: the weights grow until the logits are back.
- Clamp the logits hard: the gradient is 0 beyond the limit; a soft cap keeps one.
- Restart from the last checkpoint: its projections are already large; use one from before the climb.

## References
- Dehghani and others: Scaling Vision Transformers to 22 Billion Parameters, 2023, normalizing q and k.
- Henry, Dachapally, Pawar, Chen: Query-Key Normalization for Transformers, 2020.
- Zhai and others: Stabilizing Transformer Training by Preventing Attention Entropy Collapse, 2023.
- Wortsman and others: Small-Scale Proxies for Large-Scale Transformer Training Instabilities, 2024.
- Gemma Team: Gemma 2: Improving Open Language Models at a Practical Size, 2024, soft caps on logits.
- Vaswani and others: Attention Is All You Need, 2017, the division by sqrt(d).
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.layers import highest_late
from traindx.curves.limits import graded
from traindx.curves.series import by_layer, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.quantities import ATTENTION_LOGIT_RANGE
from traindx.run import Run
from traindx.signs.loss import loss_diverges, loss_plateaus
from traindx.signs.spikes import loss_spikes
from traindx.signs.weights import weights_start_far_off

_FULL = 4.0
"""Times the limit, at which the softmax is one-hot in any number format; bench/thresholds.md#attention."""


@sign(needs=(ATTENTION_LOGIT_RANGE,), severity=Severity.SERIOUS)
def attention_scores_grow(
    run: Run,
    *,
    reach: Annotated[float, "largest minus smallest logit; bench/thresholds.md#attention"] = 30.0,
) -> Answer:
    """Attention logits that make the softmax one-hot, so it passes no gradient."""
    layers = list(by_layer(run, ATTENTION_LOGIT_RANGE))
    if not layers:
        return CANNOT_TELL
    worst, late = highest_late(layers)
    if late < reach:
        return None
    says = f"layer `{worst.layer}`: attention logits of a query span {late:.0f}, up from"
    says += f" {worst.values[0]:.1f} at step {worst.steps[0]:,.0f} (limit {reach:g})"
    return Finding(graded(late, reach, _FULL * reach), says, (seen_in(worst, late, reach),))


CAUSE = Cause(
    slug="attention-logit-growth",
    area=Area.NUMERICS,
    title="Attention logits grow too large",
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
            title="Normalize queries and keys (QK norm)",
            expect="the largest attention logit stays level at the same learning rate",
            safety=Safety.MANUAL,
            not_when="the weights are pretrained without it: cap the logits or lower the learning rate",
            before="""\
q, k, v = self.qkv(x).chunk(3, dim=-1)
q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in (q, k, v))
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)""",
            code="""\
q, k, v = self.qkv(x).chunk(3, dim=-1)
q, k, v = (part.unflatten(-1, (heads, -1)).transpose(1, 2) for part in (q, k, v))
q, k = self.q_norm(q), self.k_norm(k)  # in __init__: torch.nn.RMSNorm(head_width) each
out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)""",
        ),
        Prescription(
            title="Multiply the peak learning rate by 0.3",
            expect="the largest attention logit grows far more slowly, without loss spikes",
            safety=Safety.ASK,
            not_when="the logits are large before the first step: the initial weights are too large",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=9e-4)""",
            change="optimizer.lr x 0.3",
            unless=(weights_start_far_off,),
        ),
        Prescription(
            title="Cap the attention logits softly with tanh",
            expect="no attention logit exceeds the cap",
            safety=Safety.MANUAL,
            not_when="a fused attention kernel without a soft cap is required: normalize q and k instead",
            before="""\
logits = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
out = torch.softmax(logits + mask, dim=-1) @ v""",
            code="""\
logits = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
logits = 50 * torch.tanh(logits / 50)  # before the mask
out = torch.softmax(logits + mask, dim=-1) @ v""",
        ),
    ),
    experiment=Experiment(
        does="Log the largest attention logit per layer for 500 steps at this learning rate and at 0.3x",
        if_true="the logits climb before the loss moves, and hardly climb at 0.3x",
        if_false="the logits stay level: the instability has another cause",
        steps=1_000,
    ),
    page=__doc__,
    kind=Kind.HOW,
    symptoms=(Symptom.UNSTABLE, Symptom.PLATEAU, Symptom.NOT_FINITE),
    misdiagnoses=(Misdiagnosis(says="There is a bad batch in my data", blames="the data"),),
    places=(facts.MODEL_PLACE, facts.OPTIMIZER_PLACE),
)
