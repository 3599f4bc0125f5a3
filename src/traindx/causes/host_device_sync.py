"""Host and device wait for each other.

## What happens
On a GPU, PyTorch only queues work: a line of Python returns long before its kernel has run, and the
processor stays ahead by many kernels. Reading a value ends that. `item()`, `tolist()`, `cpu()`, `numpy()`,
`float(loss)`, `print(tensor)`, `if tensor > 0`, indexing with a Boolean mask, `nonzero()` and `unique()`
need the number now, so the processor waits until the queue is empty, and then the device waits while the
next kernels are queued. One such wait per step often costs little; one per sample or per token, in a Python
loop, costs more than the training.

Copies are the second form: `tensor.to("cuda")` from ordinary memory waits, from pinned memory with
`non_blocking=True` it does not; tensors made on the CPU inside the loop are copied each time.

On a CPU there is no queue, but each `item()` is still a trip through Python of a microsecond or more
against nanoseconds for the number itself: a loop over the 10,000 outputs of a small layer took 24 ms, the
layer itself 0.06 ms.

## What you see
The loss is ordinary. Steps are slow although the device is not busy: its utilisation is 30 to 60 % and
saw-shaped, one processor core is at 100 %, and a faster card or a smaller model changes nothing. In a
profile the time is in `aten::item`, `aten::_local_scalar_dense`, `cudaStreamSynchronize` or
`cudaMemcpyAsync`, called from a metric, a progress bar, a logging line or a loop over a batch.

## Often confused with
- `data-loading-bottleneck`: the wait is before the step, for the next batch; with synthetic data it is
  gone.
- `batch-too-small`: kernels are tiny, and a larger batch takes the same time per step.
- `straggler`: all ranks wait for one; alone, each is fast.
- `memory-leak`: steps become slower with time; here they are slow from the start.

## What not to do
- Timing lines of Python without synchronising: the wait shows up at whichever line reads first, and that
  one is blamed; use a profiler, or `torch.cuda.synchronize()` around what you time.
- Adding workers to the loader: the wait is on the other side.
- Buying a faster card: it waits more.
- Calling `torch.cuda.synchronize()` each step to be safe: it is the illness itself.
- Removing the one `loss.item()` per 100 steps: that one is free.
- Keeping tensors in a list instead of reading them, without `detach()`: the wait is gone and memory grows.

## References
- PyTorch documentation: Performance Tuning Guide, "Avoid unnecessary CPU-GPU synchronization".
- PyTorch documentation: CUDA semantics, asynchronous execution; torch.cuda.set_sync_debug_mode.
- PyTorch documentation: A guide on good usage of non_blocking and pin_memory() in PyTorch.
- PyTorch documentation: torch.profiler.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, stated_number, stated_word
from traindx.curves.limits import FAIR, TINY, linear
from traindx.curves.series import looked, seen_in
from traindx.facts import DEVICE, READ_PLACE, READS_PER_STEP
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import READ_TIME, STEP_TIME
from traindx.run import Run

_OVER = 0.4
"""Of the step's time, beyond the limit, that is fully clear; bench/thresholds.md#reads."""


@sign(needs=(READS_PER_STEP,), severity=Severity.WARNING, healthy=-2.36, formerly="values_read_singly")
def many_item_calls(
    run: Run,
    *,
    reads: Annotated[float, "values in a step; bench/thresholds.md#reads"] = 30.0,
    share: Annotated[float, "of the step's time; bench/thresholds.md#reads"] = 0.15,
    many: Annotated[float, "values in a step, whatever they cost; bench/thresholds.md#reads"] = 500.0,
    on_device: Annotated[float, "values in a step, on a device; bench/thresholds.md#reads"] = 5.0,
) -> Answer:
    """Each step takes many values out of tensors one by one."""
    count = stated_number(run, READS_PER_STEP)
    if count is None:
        return CANNOT_TELL
    spent, steps = looked(run, READ_TIME), looked(run, STEP_TIME)
    part = 0.0
    if spent is not None and steps is not None:
        part = float(np.median(spent.values)) / max(float(np.median(steps.values)), TINY)
    waits = stated_word(run, DEVICE) not in ("", "cpu") and count >= on_device
    # Reading a value is a part of what it takes to get at it: indexing and Python come on top.
    if not waits and (count < reads or (part < share and count < many)):
        return None
    says = f"a step takes {count:.0f} values out of tensors one by one"
    says += ", and each waits for the device" if waits else f", {min(part, 1):.0%} of its time"
    evidence = [fact_evidence(run, READS_PER_STEP, READ_PLACE, limit=reads)]
    evidence += [seen_in(spent, float(np.median(spent.values)))] if spent is not None else []
    strength = 1.0 if waits or count >= many else linear(part, share, over=_OVER, least=FAIR)
    return Finding(strength, says, tuple(evidence))


CAUSE = Cause(
    slug="host-device-sync",
    title="Values are read from tensors one by one",
    prior=-4.59,
    clues=(Clue(many_item_calls, seen=+6.47, unseen=-4.06),),
    fixes=(
        Prescription(
            title="Compute on tensors and read once per epoch, or every hundred steps",
            expect="the step time falls, the loss curve is the same",
            safety=Safety.SAFE,
            not_when="the value decides what the next step does: then read once per step",
            before="""\
total, right = 0.0, 0
for x, y in train_loader:
    output = model(x)
    loss = loss_fn(output, y)
    total += loss.item()
    for score, label in zip(output, y):
        right += int(score.argmax().item() == label.item())""",
            code="""\
total = torch.zeros((), device=device)
right = torch.zeros((), device=device)
for x, y in train_loader:
    output = model(x)
    loss = loss_fn(output, y)
    total += loss.detach()
    right += (output.argmax(dim=1) == y).sum()
print(total.item() / len(train_loader), right.item() / len(train_data))""",
        ),
        Prescription(
            title="Replace Python loops and conditions over values by tensor operations",
            expect="the number of reads per step falls to one or none, and the step time with it",
            safety=Safety.MANUAL,
            not_when="the loop runs over a few fixed numbers that are no tensors",
            before="""\
for row in range(len(loss_per_sample)):
    if loss_per_sample[row] > limit:
        loss_per_sample[row] = limit""",
            code="""\
loss_per_sample = loss_per_sample.clamp_max(limit)  # or torch.where(condition, a, b)""",
        ),
        Prescription(
            title="Pin the loader's memory and copy without waiting",
            expect="the copy overlaps with the previous step, and utilisation rises",
            safety=Safety.SAFE,
            not_when="the training is on a CPU",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)
for x, y in train_loader:
    x, y = x.to(device), y.to(device)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True, pin_memory=True)
for x, y in train_loader:
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)""",
        ),
    ),
    experiment=Experiment(
        does='Run 50 steps with torch.cuda.set_sync_debug_mode("warn"), or with the reading lines taken out',
        if_true="warnings name lines inside the loop, and without them the steps are clearly faster",
        if_false="no warnings, or the same time: the device or the loader sets the pace",
        minutes=3,
    ),
    page=__doc__,
    symptoms=(Symptom.TAKES_LONG,),
    misdiagnoses=(Misdiagnosis(says="My GPU is too slow", blames="the hardware"),),
    places=(facts.READ_PLACE,),
)
