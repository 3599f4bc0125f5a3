"""Memory leak.

Every step keeps something in memory that is never freed.

## What happens
The classic: `total += loss` keeps the loss tensor, which keeps its graph, which keeps every activation of
that step. Others: predictions collected in a list with their graph, hooks that append, caches keyed by
shape. A carried RNN state without `detach()` usually raises "Trying to backward through the graph a second
time"; it leaks only if `retain_graph=True` silences the error. On the host: worker processes that touch
Python lists of millions of objects, so that shared memory pages are copied one by one.

A validation loop without `no_grad`, or `retain_graph=True` alone, raises the peak but leaks only if the
result is kept. Memory that grows in the first steps and then stays level is not a leak: the allocator
caches blocks, and the optimizer creates its state in the first step.

## What you see
The loss curve is normal. Memory in use climbs by about the same amount every step or every epoch and never
comes back, until the process runs out of memory or is killed, far into the run and at a step with nothing
special about it. Steps may get slower as it grows.

## Often confused with
- `data-loading-bottleneck`: steps are slow from the start, and memory is level.
- `host-device-sync`: steps are slow from the start because they wait for values, and memory is level.
- `detached-graph`: the opposite mistake, one `detach()` too many; the loss does not fall and memory is
  level.
- `gradients-not-cleared`: memory is level and the gradient norm grows.

## What not to do
- Call torch.cuda.empty_cache() in the loop: it frees unused blocks and slows the run; leaked ones are in
  use.
- Reduce the batch size: it only delays the crash.
- Call gc.collect() each step: what a list still references is not garbage.
- Restart from a checkpoint every few hours: each restart loses steps, and the leak stays.
- Rely on nvidia-smi alone: it shows reserved memory; torch.cuda.memory_allocated() shows what is in use.

## References
- PyTorch documentation: Frequently Asked Questions, My model reports "cuda runtime error(2): out of
  memory".
- PyTorch documentation: Understanding CUDA Memory Usage.
- pytorch/pytorch issue 13246: DataLoader workers and copy-on-write memory.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import stated_number
from traindx.curves.limits import SMALL, linear
from traindx.curves.series import whole
from traindx.facts import VALIDATED_WITH_GRADIENT
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.objective import Area, Problem
from traindx.quantities import MEMORY
from traindx.run import Run, Series

_PACES = 3
"""Stretches whose pace is compared; bench/thresholds.md#memory."""
_STRETCHES = 6
"""Parts of the second half, between which memory rises five times; bench/thresholds.md#memory."""
_EVEN = 0.4
"""Lowest pace over the highest that is even; bench/thresholds.md#memory."""
_FULL = 0.2
"""Growth that is fully clear; bench/thresholds.md#memory."""


@sign(needs=(MEMORY,), severity=Severity.WARNING, problem=Problem.WASTES, healthy=-3.97)
def memory_grows(
    run: Run,
    *,
    growth: Annotated[float, "over the second half; bench/thresholds.md#memory"] = 0.1,
    steady: Annotated[float, "share of intervals that rise; bench/thresholds.md#memory"] = 0.8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
    looks: Annotated[int, "fewest samples at growing intervals; bench/thresholds.md#few-points"] = 6,
    leak: Annotated[float, "over the second half, at an even pace; bench/thresholds.md#memory"] = 0.01,
) -> Answer:
    """Memory use that grows to the end of the run."""
    memory = whole(run, MEMORY).finite
    if len(memory) < max(looks, _PACES + 1) or float(memory.values.min()) <= 0:
        return CANNOT_TELL
    if len(memory) < points:
        return _at_an_even_pace(memory, leak)
    # The second half only: caches and workers fill up at first in every run.
    late = memory.values[len(memory) // 2 :]
    levels = np.array([float(np.median(part)) for part in np.array_split(late, _STRETCHES)])
    grown = levels[-1] / levels[0] - 1
    if grown < growth or float(np.mean(np.diff(levels) > 0)) < steady:
        return None
    where = (float(memory.steps[len(memory) // 2]), float(memory.steps[-1]))
    says = f"memory use grows from {number(levels[0])} to {number(levels[-1])} in the second half of the run"
    evidence = Evidence(MEMORY, where, float(levels[-1]), float(levels[0] * (1 + growth)), memory.axis)
    return Finding(linear(grown, over=_FULL, least=1 / 2), says, (evidence,))


def _at_an_even_pace(memory: Series, leak: float) -> Answer:
    """The answer from few samples at growing intervals: caches fill up and flatten, a leak does not."""
    steps, values = memory.steps, memory.values
    pace = (np.diff(values) / np.diff(steps))[-_PACES:]
    middle = float(np.interp(steps[-1] / 2, steps, values))
    grown = float(values[-1]) / middle - 1
    # A peak so far only ever rises, in jumps with nothing between them; a leak grows in every stretch.
    if grown < leak or float(pace.min()) < _EVEN * float(pace.max()):
        return None
    says = f"memory use grows steadily, from {number(middle)} at mid-run to {number(float(values[-1]))}"
    where = (float(steps[-_PACES - 1]), float(steps[-1]))
    evidence = Evidence(MEMORY, where, float(values[-1]), middle * (1 + leak), memory.axis)
    return Finding(linear(grown, over=SMALL, least=1 / 2), says, (evidence,))


def _validates_without_gradient(run: Run) -> bool:
    return stated_number(run, VALIDATED_WITH_GRADIENT) == 0


CAUSE = Cause(
    slug="memory-leak",
    area=Area.SYSTEM,
    title="Memory leak: usage grows every step",
    prior=-4.30,
    clues=(Clue(memory_grows, seen=+7.02, unseen=-2.22),),
    fixes=(
        Prescription(
            title="Detach losses before you add them up",
            expect="memory is level from the second step on",
            safety=Safety.SAFE,
            not_when="the sum is meant to be differentiated later",
            before="""\
total = torch.zeros((), device=device)
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = total + loss  # keeps the graph of every step so far
print(total.item() / len(train_loader))""",
            code="""\
total = torch.zeros((), device=device)
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = total + loss.detach()
print(total.item() / len(train_loader))""",
        ),
        Prescription(
            title="Collect validation outputs under torch.no_grad()",
            expect="memory after a validation is what it was before",
            safety=Safety.SAFE,
            not_when="validation builds no graph, or needs gradients (adversarial examples)",
            code="""\
with torch.no_grad():
    outputs = [model(x) for x, _ in val_loader]""",
            unless=(_validates_without_gradient,),
            before="""\
outputs = [model(x) for x, _ in val_loader]  # each output keeps its graph""",
        ),
        Prescription(
            title="Detach the RNN state between batches",
            expect="memory and step time stay level over the epoch",
            safety=Safety.SAFE,
            not_when="the state starts from zero in each batch",
            code="""\
state = None
for x, y in train_loader:
    output, state = rnn(x, state)
    loss = loss_fn(head(output), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    state = tuple(part.detach() for part in state)  # an LSTM's h and c""",
        ),
        Prescription(
            title="Store samples in one array, not a list of Python objects",
            expect="host memory is level with any number of workers",
            safety=Safety.MANUAL,
            not_when="device memory grows, not host memory",
            code="""\
class Paths(Dataset):
    def __init__(self, paths: list[str]) -> None:
        self.paths = np.array(paths)  # one block: reading it changes no reference counts

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> torch.Tensor:
        return load(str(self.paths[index]))""",
        ),
    ),
    experiment=Experiment(
        does="Print torch.cuda.memory_allocated(), or the resident memory, after each of 200 steps",
        if_true="it rises by about the same amount every step",
        if_false="it is level after the first few steps",
        steps=200,
    ),
    page=__doc__,
    symptoms=(Symptom.TAKES_LONG, Symptom.CRASHES),
    misdiagnoses=(Misdiagnosis(says="My batch does not fit into memory", blames="the batch size"),),
    places=(facts.LOSS_PLACE, facts.VALIDATION_PLACE),
)
