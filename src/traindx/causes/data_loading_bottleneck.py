"""Training waits for data.

The data loader delivers batches more slowly than the model uses them, so the GPU is idle for part of every
step.

## What happens
The device waits for the next batch. Batches arrive too slowly because of many small files, decoding and
augmentation on one CPU core, a network disk, a slow Python transform or too few worker processes. Training
is correct, but takes a multiple of the time and money it needs.

The first epoch may be slow because files are not in the page cache yet, and the first steps because workers
start up; only the steady state counts.

## What you see
The loss curve is normal, but data time is a large share of step time and does not shrink after the first
steps. GPU utilization is low or rises and falls in a sawtooth, and step time jumps every few steps (one slow
batch per worker in turn). A larger model takes the same time per step, and a larger batch takes
proportionally longer.

## Often confused with
- `host-device-sync`: the wait is in `.item()`, `.cpu()` or a print in the loop, not in the loader.
- A slow rank in distributed training: the other ranks have their batches and wait in the all-reduce.
- `memory-leak`: steps get slower over time while memory grows; here they are slow from the start.
- `batch-too-small`: step time is mostly kernel-launch overhead, and the batch is ready in time.

## What not to do
- Set `num_workers` to 64: workers beyond the CPU cores compete for them, each keeps batches in memory, and
  startup takes longer.
- Buy a faster GPU: it waits longer.
- Time code without `torch.cuda.synchronize()`: kernels run asynchronously, and their time is attributed to
  the first line that waits.
- Time from the top of the loop body: the batch has already been fetched there; measure around `next()`.
- Cache augmented samples: the network then gets the same augmentation in every epoch.
- Use AMP or `torch.compile` against it: compute is not the limit.

## References
- PyTorch documentation: torch.utils.data; Performance Tuning Guide.
- Mohan, Phanishayee, Raniwala, Chidambaram: Analyzing and Mitigating Data Stalls in DNN Training, VLDB,
  2021.
- Leclerc and others: FFCV: Accelerating Training by Removing Data Bottlenecks, CVPR, 2023.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import stated_number, stated_word, uncontended
from traindx.curves.limits import WEAK, linear
from traindx.curves.series import span, whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.objective import Area, Problem
from traindx.quantities import DATA_TIME, STEP_TIME
from traindx.run import Run

_TIMED_APART = 1.05
"""Wait over step, from which on the step was timed without it; bench/thresholds.md#data-wait."""
_OVER = 0.4
"""Of the step, beyond the limit, that is fully clear; bench/thresholds.md#data-wait."""


@sign(needs=(DATA_TIME, STEP_TIME), severity=Severity.WARNING, problem=Problem.WASTES, healthy=-3.14)
def data_wait_dominates(
    run: Run,
    *,
    share: Annotated[float, "of the step spent waiting; bench/thresholds.md#data-wait"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """A large part of step time spent waiting for data."""
    wait, total = whole(run, DATA_TIME).finite, whole(run, STEP_TIME).finite
    # The first records hold the start of the workers, not the pace of the run.
    wait_times, step_times = wait.values[len(wait) // 10 :], total.values[len(total) // 10 :]
    if min(len(wait_times), len(step_times)) < points or float(step_times.sum()) <= 0:
        return CANNOT_TELL
    # Means, not medians: workers that hand over in bursts wait rarely and long.
    part = float(np.mean(wait_times) / np.mean(step_times))
    if not np.isfinite(part):
        return CANNOT_TELL
    if part > _TIMED_APART:
        # The step was timed without the wait.
        part = part / (1 + part)
    if part < share:
        return None
    # What the training loads itself slows down with all else it does; workers may stand in line alone.
    surely = uncontended(run, part) if stated_number(run, facts.WORKERS) else part
    if surely < share:
        return CANNOT_TELL
    where = span(wait)
    says = f"{part:.0%} of step time is spent waiting for data"
    evidence = Evidence(DATA_TIME, where, float(np.mean(wait_times)), axis=wait.axis)
    return Finding(linear(surely, share, over=_OVER, least=WEAK), says, (evidence,))


def _is_on_cpu(run: Run) -> bool:
    return stated_word(run, facts.DEVICE) == "cpu"


CAUSE = Cause(
    slug="data-loading-bottleneck",
    area=Area.SYSTEM,
    title="Training waits for data",
    prior=-4.78,
    clues=(Clue(data_wait_dominates, seen=+8.96, unseen=-3.89),),
    fixes=(
        Prescription(
            title="Load data with 8 worker processes",
            expect="data time falls to a few percent of step time, at the same loss per step",
            safety=Safety.ASK,
            not_when="the dataset is already in memory as tensors: workers only copy it",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True, num_workers=8)  # at most the CPU cores""",
            change="loader.num_workers 8",
        ),
        Prescription(
            title="Decode and resize once, and store the result",
            expect="loading a sample takes a fraction of the time",
            safety=Safety.MANUAL,
            not_when="random augmentation is the slow part: it has to stay in the loop",
            before="""\
image = resize(read_image(path))  # in __getitem__, every epoch""",
            code="""\
images = torch.stack([resize(read_image(path)) for path in paths])  # once, as uint8
torch.save(images, "images.pt")

images = torch.load("images.pt", mmap=True, weights_only=True)  # in training
image = images[index]""",
        ),
        Prescription(
            title="Augment on the GPU, one batch at a time",
            expect="data time falls, and GPU utilization rises",
            safety=Safety.MANUAL,
            not_when="training runs on the CPU, the GPU is busy, or each sample needs its own transform",
            before="""\
for x, y in train_loader:  # augmented by the workers
    x = x.to(device)""",
            code="""\
augment = torchvision.transforms.v2.RandomHorizontalFlip()
for x, y in train_loader:
    x = augment(x.to(device))  # one random transform for the whole batch""",
            unless=(_is_on_cpu,),
        ),
    ),
    experiment=Experiment(
        does="Time 100 steps that all reuse one batch, fetched once",
        if_true="the steps are much faster than before",
        if_false="the steps are as slow: the time is spent on compute or on GPU syncs",
        steps=100,
    ),
    page=__doc__,
    symptoms=(Symptom.TAKES_LONG,),
    misdiagnoses=(Misdiagnosis(says="My GPU is too slow", blames="the hardware"),),
    places=(facts.LOADER_PLACE,),
)
