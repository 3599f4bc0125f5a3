"""Too many GPU syncs.

The program reads many single values from tensors in each step, and each read makes the CPU and the GPU wait
for each other.

## What happens
On a GPU, PyTorch only queues work: a line of Python returns long before its kernel has run, and the CPU
stays many kernels ahead. Reading a value ends that. `item()`, `tolist()`, `cpu()`, `numpy()`, `float(loss)`,
`print(tensor)`, `if tensor > 0`, indexing with a Boolean mask, `nonzero()` and `unique()` need the number
now, so the CPU waits until the queue is empty, and then the GPU waits until the next kernels are queued. One
such sync per step often costs little; one per sample or per token, in a Python loop, costs more than the
training itself.

Copies are the second form: `tensor.to("cuda")` from pageable memory blocks, while a copy from pinned memory
with `non_blocking=True` does not. Tensors created on the CPU inside the loop are copied each time.

A CPU has no such queue, but each `item()` still costs a microsecond or more of Python overhead: a loop over
the 10,000 outputs of a small layer took 24 ms, the layer itself 0.06 ms.

## What you see
The loss is normal, but steps are slow although the GPU is not busy. Utilization is 30% to 60% and varies in
a sawtooth, one CPU core is at 100%, and a faster GPU or a smaller model changes nothing. A profile shows the
time in `aten::item`, `aten::_local_scalar_dense`, `cudaStreamSynchronize` or `cudaMemcpyAsync`, called from
a metric, a progress bar, a logging line or a loop over a batch.

## Often confused with
- `data-loading-bottleneck`: the wait is before the step, for the next batch, and is gone with synthetic
  data.
- `batch-too-small`: kernels are tiny, and a larger batch takes the same time per step.
- A slow rank in distributed training: the other ranks wait for it in the all-reduce, and are fast alone.
- `memory-leak`: steps become slower over time; here they are slow from the start.

## What not to do
- Time lines of Python without synchronizing: the line that reads first gets all the blame; use a profiler,
  or `torch.cuda.synchronize()` around the timed code.
- Add data loader workers: the wait is not in the loader.
- Buy a faster GPU: it waits more.
- Call `torch.cuda.synchronize()` each step: every call is such a sync.
- Remove one `loss.item()` per 100 steps: that one is nearly free.
- Collect tensors in a list undetached: the syncs are gone, but memory grows; call `detach()` first.

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
from traindx.curves.facts import fact_evidence, stated_number, stated_word, uncontended
from traindx.curves.limits import FAIR, TINY, linear
from traindx.curves.series import looked, seen_in
from traindx.facts import DEVICE, READ_PLACE, READS_PER_STEP
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area
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
    """Many values read from tensors one by one in each step."""
    count = stated_number(run, READS_PER_STEP)
    if count is None:
        return CANNOT_TELL
    spent, steps = looked(run, READ_TIME), looked(run, STEP_TIME)
    part = 0.0
    if spent is not None and steps is not None:
        part = uncontended(run, float(np.median(spent.values)) / max(float(np.median(steps.values)), TINY))
    waits = stated_word(run, DEVICE) not in ("", "cpu") and count >= on_device
    # Reading a value is a part of what it takes to get at it: indexing and Python come on top.
    if not waits and (count < reads or (part < share and count < many)):
        return None
    says = f"{count:.0f} values are read from tensors one by one in each step"
    says += ", and each waits for the GPU" if waits else f" ({min(part, 1):.0%} of step time)"
    evidence = [fact_evidence(run, READS_PER_STEP, READ_PLACE, limit=reads)]
    evidence += [seen_in(spent, float(np.median(spent.values)))] if spent is not None else []
    strength = 1.0 if waits or count >= many else linear(part, share, over=_OVER, least=FAIR)
    return Finding(strength, says, tuple(evidence))


def _is_on_cpu(run: Run) -> bool:
    return stated_word(run, DEVICE) == "cpu"


CAUSE = Cause(
    slug="host-device-sync",
    area=Area.SYSTEM,
    title="Too many GPU syncs",
    prior=-4.59,
    clues=(Clue(many_item_calls, seen=+6.47, unseen=-4.06),),
    fixes=(
        Prescription(
            title="Accumulate in tensors and call item() once per epoch",
            expect="step time falls, and the loss curve is unchanged",
            safety=Safety.SAFE,
            not_when="the next step depends on the value: read it once per step",
            before="""\
total, correct = 0.0, 0
for x, y in train_loader:
    output = model(x)
    loss = loss_fn(output, y)
    total += loss.item()
    for logits, label in zip(output, y):
        correct += int(logits.argmax().item() == label.item())
print(total / len(train_loader), correct / len(train_data))""",
            code="""\
total, correct = torch.zeros((), device=device), torch.zeros((), device=device)
for x, y in train_loader:
    output = model(x)
    loss = loss_fn(output, y)
    total += loss.detach()
    correct += (output.argmax(dim=1) == y).sum()
print(total.item() / len(train_loader), correct.item() / len(train_data))""",
        ),
        Prescription(
            title="Replace Python loops over values with tensor operations",
            expect="at most one value is read per step, and step time falls",
            safety=Safety.MANUAL,
            not_when="the loop runs over a few fixed numbers that are not tensors",
            before="""\
for row in range(len(loss_per_sample)):
    if loss_per_sample[row] > limit:
        loss_per_sample[row] = limit""",
            code="""\
loss_per_sample = loss_per_sample.clamp_max(limit)""",
        ),
        Prescription(
            title="Pin the loader's memory and copy with non_blocking=True",
            expect="copies overlap with compute, and GPU utilization rises",
            safety=Safety.SAFE,
            not_when="training runs on the CPU",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)
for x, y in train_loader:
    x, y = x.to(device), y.to(device)""",
            code="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True, pin_memory=True)
for x, y in train_loader:
    x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)""",
            unless=(_is_on_cpu,),
        ),
    ),
    experiment=Experiment(
        does='Run 50 steps with torch.cuda.set_sync_debug_mode("warn"), or without the reading lines',
        if_true="the warnings name lines inside the loop, or the steps are clearly faster",
        if_false="no line is named, and the steps take the same time",
        steps=50,
    ),
    page=__doc__,
    symptoms=(Symptom.TAKES_LONG,),
    misdiagnoses=(Misdiagnosis(says="My GPU is too slow", blames="the hardware"),),
    places=(facts.READ_PLACE,),
)
