"""Data loading bottleneck.

## What happens
The device waits for the next batch. Reading many small files, decoding and augmenting on one CPU core, a
network disk, a slow Python transform or too few worker processes bring batches more slowly than they are
used. The training is right but takes a multiple of the time it needs, and what it costs.

The first epoch may be slow because files are not yet in the page cache, and the first steps because workers
start; what counts is the steady state.

## What you see
The loss curve itself is ordinary. Data time is a large share of step time and does not shrink after the
first steps. Utilisation of the device is low or a saw-tooth, and step time jumps every few steps (one slow
batch per worker in turn). A larger model takes the same time per step, and a larger batch proportionally
longer.

## Often confused with
- `host-device-sync`: the wait is in `.item()`, `.cpu()` or a print in the loop, and not in the loader.
- `straggler`: one rank is slow and the others wait for it in the all-reduce.
- `memory-leak`: steps get slower and slower, with memory growing, and not slow from the start.
- `batch-too-small`: step time is all overhead of launching tiny kernels, with the batch ready in time.

## What not to do
- Setting num_workers to 64: workers beyond the cores fight for them, each holds batches in memory, and
  start-up takes longer.
- Buying a faster GPU: it waits longer.
- Timing without torch.cuda.synchronize(): kernels run behind, and their time is booked where the host first
  waits.
- Timing from the top of the loop body: the batch has already been fetched there, so measure around next().
- Caching augmented examples: the network then sees the same augmentation each epoch.
- Using mixed precision or torch.compile to speed it up: compute was not the limit.

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
from traindx.curves.limits import WEAK, linear
from traindx.curves.series import span, whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.quantities import DATA_TIME, STEP_TIME
from traindx.run import Run

_TIMED_APART = 1.05
"""Wait over step, from which on the step was timed without it; bench/thresholds.md#data-wait."""
_OVER = 0.4
"""Of the step, beyond the limit, that is fully clear; bench/thresholds.md#data-wait."""


@sign(needs=(DATA_TIME, STEP_TIME), severity=Severity.WARNING, healthy=-3.14)
def data_wait_dominates(
    run: Run,
    *,
    share: Annotated[float, "of the step spent waiting; bench/thresholds.md#data-wait"] = 0.5,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 5,
) -> Answer:
    """A large part of every step is spent waiting for data."""
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
    where = span(wait)
    says = f"{part:.0%} of the step time is spent waiting for data"
    evidence = Evidence(DATA_TIME, where, float(np.mean(wait_times)), axis=wait.axis)
    return Finding(linear(part, share, over=_OVER, least=WEAK), says, (evidence,))


CAUSE = Cause(
    slug="data-loading-bottleneck",
    title="Training waits for data",
    prior=-4.78,
    clues=(Clue(data_wait_dominates, seen=+8.96, unseen=-3.89),),
    fixes=(
        Prescription(
            title="Load with several worker processes, pinned memory and prefetching",
            expect="data time falls to a few percent of step time; the loss curve is the same against steps",
            safety=Safety.ASK,
            not_when="the data set lies in memory as tensors already: workers then only copy it around",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)  # no workers: load, then compute
for x, y in train_loader:
    x, y = x.to(device), y.to(device)""",
            code="""\
train_loader = DataLoader(
    train_data, batch_size=64, shuffle=True, num_workers=8,  # up to the cores of this rank
    pin_memory=True, persistent_workers=True, prefetch_factor=4,
)
for x, y in train_loader:
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)""",
            change="loader.num_workers 8",
        ),
        Prescription(
            title="Prepare once what does not change: decode, resize and pack into large files",
            expect="the time to load an example falls several times; the first epoch is as fast as the next",
            safety=Safety.MANUAL,
            not_when="random augmentation is the slow part: it must stay in the loop",
            code="""\
pictures = torch.stack([resize(read_image(path)) for path in paths])  # uint8, once
torch.save(pictures, "pictures.pt")

pictures = torch.load("pictures.pt", mmap=True, weights_only=True)  # from now on: no decoding""",
        ),
        Prescription(
            title="Move augmentation to the device, a batch at a time",
            expect="the CPU share of the step drops and utilisation of the device rises",
            safety=Safety.MANUAL,
            not_when="the device is already busy, or the transform works on one example only",
            code="""\
from torchvision.transforms import v2

augment = v2.Compose([v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True)])
for x, y in train_loader:  # uint8 pictures
    x = augment(x.to(device, non_blocking=True))  # one draw per batch""",
        ),
    ),
    experiment=Experiment(
        does="Run 100 steps on one batch that is fetched once and used again and again, and time them",
        if_true="steps are much faster than before",
        if_false="steps are as slow: the time goes into compute or into waiting for the device",
        minutes=2,
    ),
    page=__doc__,
    symptoms=(Symptom.TAKES_LONG,),
    misdiagnoses=(Misdiagnosis(says="My GPU is too slow", blames="the hardware"),),
    places=(facts.LOADER_PLACE,),
)
