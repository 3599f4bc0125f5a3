"""Accumulated gradients are not averaged.

The loss is not divided by the number of accumulated batches, so each step uses the sum of their gradients
instead of the mean.

## What happens
`backward()` adds to `.grad`; it does not average. After `k` accumulated batches the gradient is `k` times
that of one large batch, and with SGD the effective learning rate is `k` times higher. If the learning rate
was also scaled up for the larger batch, the factor counts twice: with `k = 8` it is 64x the original one.

Adam divides a constant factor away, so the bug stays hidden there, with three exceptions: clipping at a
fixed norm clips nearly every step, L2 weight decay inside the gradient counts `k` times less, and a `k` that
changes during the run changes the step size until Adam's moments have adapted. The last group of an epoch
may have fewer batches, and then another scale.

Dividing by `k` is not enough if batches have different numbers of targets. In language models each batch has
its own number of tokens, and the mean of batch means gives too much weight to the tokens of short batches.
Large training libraries had this bug until late 2024. In that case, sum the loss and divide by the tokens of
the whole group. Trainer, Lightning and Accelerate divide on their own: dividing again makes the steps `k`
times too small.

## What you see
The loss oscillates, spikes or diverges with accumulation, and trains without it at the same learning rate.
The gradient norm at the step is `k` times that of the averaged gradient. With SGD, dividing the learning
rate by `k` fixes the run. With clipping, nearly every step is clipped. With Adam and no clipping, only the
gradient norm shows the bug.

## Often confused with
- `lr-too-high`: the run is also unstable with one batch per step at the same learning rate.
- `gradients-not-cleared`: the gradient norm grows from step to step; here it is larger by a constant factor.
- `loss-sign-or-reduction`: the loss of a single batch is already a sum over its samples.
- `batch-too-small`: the loss is noisy without accumulation, and smoother with it.
- `exploding-gradients`: the gradient of a single batch is large.
- `clipping-too-tight`: the limit is too low for the gradient of a single batch as well.

## What not to do
- Tune the learning rate down by feel: only a division by exactly `k` is equivalent, and only while `k` stays
  the same.
- Clip the gradients to survive it: nearly every step is then clipped to the same length.
- Divide the gradients after `step()`: they have already been applied.
- Scale the learning rate up before dividing: the factor `k` counts twice.
- Divide again in Trainer or Accelerate: they already divide, and the steps become `k` times too small.

## References
- PyTorch documentation: Automatic Mixed Precision examples, gradient accumulation (the loss is divided).
- huggingface/transformers pull request 34191: Fix Gradient Accumulation issue, 2024, tokens per batch.
- Hugging Face Accelerate documentation: Performing gradient accumulation.
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017, learning rate and batch
  size.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import stated_word
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.loop import accumulation_undivided
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_oscillates
from traindx.signs.weights import updates_large

_SCALE_FREE = ("adam", "nadam", "radam", "rmsprop", "adagrad", "adadelta", "lion", "adafactor")


def _is_scale_free(run: Run) -> bool:
    """Whether the optimizer takes the same step for a gradient `k` times as large."""
    return stated_word(run, facts.OPTIMIZER).startswith(_SCALE_FREE)


CAUSE = Cause(
    slug="accumulation-not-divided",
    area=Area.LOOP,
    title="Accumulated gradients are not averaged",
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
            expect="the gradient norm falls by that factor, and the loss stops jumping",
            safety=Safety.ASK,
            not_when="the framework already divides, or the learning rate was tuned for the undivided sum",
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
            title="Divide by the token count of the whole group",
            expect="the loss curve no longer depends on how a group is split into batches",
            safety=Safety.MANUAL,
            not_when="every batch has the same number of targets",
            before="""\
for x, y in group:
    mean = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    (mean / len(group)).backward()""",
            code="""\
tokens = sum((y != -100).sum() for _, y in group)
for x, y in group:
    total = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten(), reduction="sum")
    (total / tokens).backward()""",
        ),
        Prescription(
            title="Divide the learning rate by the accumulation count",
            expect="SGD without weight decay takes the same steps as with a divided loss",
            safety=Safety.ASK,
            not_when="the optimizer is adaptive (Adam, AdamW, RMSprop, Lion): the factor already cancels",
            before="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  # 8 accumulated batches per step""",
            code="""\
optimizer = torch.optim.SGD(model.parameters(), lr=0.1 / 8)  # 8 accumulated batches per step""",
            change="optimizer.lr x 0.125",
            unless=(_is_scale_free,),
        ),
    ),
    experiment=Experiment(
        does="Feed one batch with accumulation set to 1, then k copies of it with k; compare gradient norms",
        if_true="the second norm is k times the first",
        if_false="both norms are equal: the loss is divided",
        steps=0,
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
