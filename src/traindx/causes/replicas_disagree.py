"""Replicas diverge: gradients are not averaged over ranks.

The processes of a data-parallel run start from the same weights and end with different ones: each trains a
model of its own on its share of the data.

## What happens
In data-parallel training every rank computes gradients on its own batch, the gradients are averaged with an
all-reduce, and every rank takes the same step. `DistributedDataParallel` does this in hooks that its own
`forward` prepares. If the forward pass bypasses the wrapper (`model.module(x)`, or a reference to the model
from before it was wrapped), if `no_sync()` is never left, or if the model was never wrapped, there is no
all-reduce. Nothing fails: each rank runs a complete training run, only on 1/N of the data and with a batch N
times smaller than planned. The checkpoint of rank 0 is one of N different models.

## What you see
The loss falls and looks normal. It is noisier than expected, validation is worse than on one GPU with the
same global batch, and metrics differ between ranks. Adding GPUs makes epochs faster and results worse. The
weights of two ranks agree at the first step and never again.

## Often confused with
- `batch-too-small`: noise of the same kind, but the weights of all ranks agree.
- `overfitting`: each rank sees 1/N of the data and overfits it; here the ranks disagree on the weights.
- `lr-too-high`: the learning rate was scaled for the global batch, and each rank trains on its own batch.

## What not to do
- Average the checkpoints of the ranks: weights that went different ways do not average to a good model.
- Set the same seed on every rank: they then also draw the same batches, and still are not averaged.
- Lower the learning rate: it hides the small batch and not the missing average.
- Gather metrics over the ranks to make them agree: the models still differ.

## References
- PyTorch documentation: DistributedDataParallel, "Internal Design" and `no_sync`.
- Li et al.: PyTorch Distributed: Experiences on Accelerating Data Parallel Training, 2020.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, stated_number
from traindx.curves.limits import MISTAKE
from traindx.facts import RANKS, RANKS_APART
from traindx.finding import Answer, Finding, Severity, sign
from traindx.format import percentage
from traindx.objective import Area
from traindx.run import Run


@sign(needs=(RANKS_APART,), severity=Severity.SERIOUS, healthy=MISTAKE)
def ranks_diverge(
    run: Run,
    *,
    apart: Annotated[float, "difference over the weight norm; bench/thresholds.md#ranks"] = 1e-4,
) -> Answer:
    """Ranks that start with the same weights end with different ones."""
    difference = stated_number(run, RANKS_APART) or 0.0
    if difference <= apart:
        return None
    says = f"weight norms of {stated_number(run, RANKS):.0f} ranks are equal at first and end up to"
    says += f" {percentage(difference, 1)} apart: gradients are not averaged over the ranks"
    return Finding(1.0, says, (fact_evidence(run, RANKS_APART, facts.BACKWARD_PLACE, limit=apart),))


CAUSE = Cause(
    slug="replicas-disagree",
    area=Area.LOOP,
    title="Gradients are not averaged over ranks",
    prior=-4.20,
    clues=(Clue(ranks_diverge, seen=+9.00, unseen=-3.00),),
    fixes=(
        Prescription(
            title="Call the DistributedDataParallel wrapper, not the model inside it",
            expect="the weights of all ranks agree at every step, and the loss is less noisy",
            safety=Safety.MANUAL,
            not_when="ranks train different models on purpose, or are averaged only now and then (local SGD)",
            before="""\
replica = torch.nn.parallel.DistributedDataParallel(model)
loss = loss_fn(model(x), y)""",
            code="""\
replica = torch.nn.parallel.DistributedDataParallel(model)
loss = loss_fn(replica(x), y)""",
        ),
        Prescription(
            title="Leave no_sync() for the last backward pass of each accumulation",
            expect="the weights of all ranks agree after every optimizer step",
            safety=Safety.MANUAL,
            not_when="no_sync() is not used",
            before="""\
with replica.no_sync():
    loss_fn(replica(x), y).backward()
optimizer.step()""",
            code="""\
with replica.no_sync() if not is_last else contextlib.nullcontext():
    loss_fn(replica(x), y).backward()
if is_last:
    optimizer.step()""",
        ),
    ),
    experiment=Experiment(
        does="Print the sum of all weights on every rank after 10 steps",
        if_true="the sums differ",
        if_false="all ranks print the same number",
        steps=10,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALIZES_BADLY, Symptom.UNSTABLE, Symptom.LYING_NUMBERS),
    misdiagnoses=(
        Misdiagnosis(says="My batch is too small", blames="the batch size"),
        Misdiagnosis(says="Data-parallel training needs another learning rate", blames="the learning rate"),
    ),
    places=(facts.BACKWARD_PLACE, facts.LOSS_PLACE),
)
