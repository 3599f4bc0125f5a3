"""Accumulation not divided.

## What happens
Gradients of several batches are added up before one step, to act as one large batch. `backward()` adds; it
does not average. Without dividing the loss by the number of batches `k` the gradient is `k` times that of
the large batch's mean, and with SGD the rate is in effect `k` times as high. With accumulation over 8 and
the rate already raised for the larger batch it is 64 times the original one.

Adam divides a constant factor away, so the same mistake goes unseen there, with three exceptions: clipping
at a fixed norm now clips every step, L2 in the gradient weighs `k` times less, and a `k` that changes
during the run is a jump. The last, incomplete group of an epoch has fewer batches and another scale.

With batches of different weight, dividing by `k` is not right either. In language models each batch has its
own number of tokens, and the mean of means is not the mean: short sequences count too much. Large training
libraries had this fault until late 2024. Then sum the loss and divide by the tokens of the whole group.
Frameworks that accumulate by themselves (Trainer, Lightning, Accelerate) divide by themselves: dividing
once more makes the steps `k` times too short.

## What you see
The run trains without accumulation and swings, spikes or diverges with it, at a rate that should be safe.
The recorded gradient norm is larger by about `k` than with one batch per step (2.8 instead of 0.35 for 8).
Lowering the rate by `k` repairs it exactly. With clipping: every step is clipped. With Adam and no
clipping: nothing at all but the norm.

## Often confused with
- `lr-too-high`: one batch per step at the same rate is unstable too.
- `gradients-not-cleared`: the norm grows from step to step; here it is larger by a constant factor.
- `loss-sign-or-reduction`: a single batch's loss is summed already.
- `batch-too-small`: the curve is ragged without accumulation, and calmer with it.
- `exploding-gradients`: the gradient of one batch is large.
- `clipping-too-tight`: the limit is too low for one batch's gradient as well.

## What not to do
- Lowering the rate instead: right for one `k`, and wrong when the accumulation changes.
- Clipping the gradients to survive it: every step is clipped, and the rate loses its meaning.
- Dividing the gradients after `step()`: they have been used.
- Raising the rate for the larger batch before dividing: the factor counts twice.
- Dividing by `k` in a framework that divides already: look at the gradient norm for 1 and for `k`.

## References
- PyTorch documentation: Automatic Mixed Precision examples, gradient accumulation (the loss is divided).
- huggingface/transformers pull request 34191: Fix Gradient Accumulation issue, 2024, tokens per batch.
- Hugging Face Accelerate documentation: Performing gradient accumulation.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, rate and batch size.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.loop import accumulation_undivided
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_oscillates
from traindx.signs.weights import updates_large

CAUSE = Cause(
    slug="accumulation-not-divided",
    title="Accumulated gradients are not divided",
    prior=-4.41,
    clues=(
        Clue(little_learned, seen=+0.50, unseen=-0.72),
        Clue(accumulation_undivided, seen=+5.35, unseen=-6.02),
        Clue(updates_large, seen=+1.58),
        Clue(loss_diverges, seen=+1.13),
        Clue(loss_oscillates, seen=+1.00),
    ),
    fixes=(
        Prescription(
            title="Divide the loss by the number of accumulated batches",
            expect="the gradient norm falls by that number, and the loss falls without jumps",
            safety=Safety.ASK,
            not_when="the framework divides already, or the rate was tuned for the undivided sum",
            before="""\
for count, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y)
    loss.backward()
    if count % 8 == 0:
        optimizer.step()
        optimizer.zero_grad()""",
            code="""\
for count, (x, y) in enumerate(train_loader, start=1):
    loss = loss_fn(model(x), y) / 8
    loss.backward()
    if count % 8 == 0:
        optimizer.step()
        optimizer.zero_grad()""",
            change="loss.divide_accumulated",
        ),
        Prescription(
            title="With sequences, divide by the tokens of the whole group",
            expect="the loss curve is that of one large batch, whatever the split into parts",
            safety=Safety.MANUAL,
            not_when="all batches have the same number of targets",
            before="""\
for x, y in group:
    loss = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()) / len(group)
    loss.backward()""",
            code="""\
tokens = sum((y != -100).sum() for _, y in group)
for x, y in group:
    total = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum")
    (total / tokens).backward()""",
        ),
        Prescription(
            title="Lower the rate by the number of accumulated batches, if the loop cannot be changed",
            expect="SGD takes the same steps as with the divided loss",
            safety=Safety.ASK,
            not_when="the optimizer is Adam or AdamW: there the factor has no effect on the step",
            code="""\
parts = 8
for group in optimizer.param_groups:
    group["lr"] /= parts""",
            change="optimizer.lr x 0.125",
        ),
    ),
    experiment=Experiment(
        does="Print the gradient norm before the step with 1 and with k accumulated batches, same weights",
        if_true="it is larger by about k",
        if_false="it is about the same, or smaller: the mean is taken",
        minutes=2,
    ),
    page=__doc__,
    acts_through=("exploding-gradients",),
    symptoms=(Symptom.UNSTABLE, Symptom.GRADIENTS_EXPLODE),
    misdiagnoses=(
        Misdiagnosis(says="My batch is too small", blames="the batch size"),
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
    ),
    places=(facts.BACKWARD_PLACE, facts.STEP_PLACE),
)
