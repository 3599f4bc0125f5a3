"""Memory leak.

## What happens
Each step leaves something behind. The classic: `total += loss` keeps the loss tensor, which keeps its
graph, which keeps every activation of that step. Others: predictions collected in a list on the device,
hooks that append, `retain_graph=True`, a validation without `no_grad`, a hidden state of a recurrent
network carried on without `detach`, caches keyed by shape. On the host: worker processes that touch Python
lists of millions of objects, so that shared pages are copied one by one.

Memory that grows in the first steps and then stays is not a leak: the allocator caches blocks, and the
optimizer creates its state in the first step.

## What you see
The loss curve is ordinary. Memory in use climbs by about the same amount every step or every epoch and
never comes back, until the process ends with out-of-memory or is killed, far into the run and at a step
with nothing special about it. Steps may get slower as it grows.

## Often confused with
- `data-loading-bottleneck`: steps are slow from the start and memory is level.
- `host-device-sync`: steps are slow from the start, waiting for values, and memory is level.
- `detached-graph`: the opposite mistake, a detach too many: the loss does not fall and memory is level.
- `gradients-not-cleared`: memory is level and the gradient norm grows.
- `straggler`: one rank slows down for reasons of its own machine; memory is level on all.

## What not to do
- Calling torch.cuda.empty_cache() in the loop: it returns unused blocks and slows the run, and the leaked
  ones are in use.
- Making the batch smaller: the end comes later and not never.
- Calling gc.collect() each step: what a list still refers to is no garbage.
- Restarting from a checkpoint every few hours: each restart loses the steps since the last save, and the
  leak stays.
- Reading nvidia-smi alone: it shows what the allocator holds; torch.cuda.memory_allocated() shows what is
  in use.

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
from traindx.curves.limits import SMALL, linear
from traindx.curves.series import whole
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number
from traindx.quantities import MEMORY
from traindx.run import Run, Series

_PACES = 3
"""Stretches whose pace is compared; bench/thresholds.md#memory."""
_STRETCHES = 6
"""Parts of the second half, between which memory rises five times; bench/thresholds.md#memory."""
_EVEN = 0.4
"""Last pace over the highest that is even; bench/thresholds.md#memory."""
_FULL = 0.2
"""Growth that is fully clear; bench/thresholds.md#memory."""


@sign(needs=(MEMORY,), severity=Severity.WARNING, healthy=-3.97)
def memory_grows(
    run: Run,
    *,
    growth: Annotated[float, "over the second half; bench/thresholds.md#memory"] = 0.1,
    steady: Annotated[float, "share of stretches that rise; bench/thresholds.md#memory"] = 0.8,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 12,
    looks: Annotated[int, "fewest looks at ever longer distances; bench/thresholds.md#few-points"] = 6,
    leak: Annotated[float, "over the second half, at an even pace; bench/thresholds.md#memory"] = 0.01,
) -> Answer:
    """Memory in use grows steadily to the end."""
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
    says = f"memory goes from {number(levels[0])} to {number(levels[-1])} in the second half"
    evidence = Evidence(MEMORY, where, float(levels[-1]), float(levels[0] * (1 + growth)), memory.axis)
    return Finding(linear(grown, over=_FULL, least=1 / 2), says, (evidence,))


def _at_an_even_pace(memory: Series, leak: float) -> Answer:
    """The answer from few looks at ever longer distances: caches fill up and flatten, a leak does not."""
    steps, values = memory.steps, memory.values
    pace = (np.diff(values) / np.diff(steps))[-_PACES:]
    middle = float(np.interp(steps[-1] / 2, steps, values))
    grown = float(values[-1]) / middle - 1
    if grown < leak or float(pace.min()) <= 0 or float(pace[-1]) < _EVEN * float(pace.max()):
        return None
    says = f"memory goes from {number(middle)} to {number(float(values[-1]))} in the second half, evenly"
    where = (float(steps[-_PACES - 1]), float(steps[-1]))
    evidence = Evidence(MEMORY, where, float(values[-1]), middle * (1 + leak), memory.axis)
    return Finding(linear(grown, over=SMALL, least=1 / 2), says, (evidence,))


CAUSE = Cause(
    slug="memory-leak",
    title="Memory grows with every step",
    prior=-4.30,
    clues=(Clue(memory_grows, seen=+7.02, unseen=-2.22),),
    fixes=(
        Prescription(
            title="Keep numbers instead of tensors: detach what is collected",
            expect="memory is level from the second step on",
            safety=Safety.SAFE,
            not_when="the collected tensor is meant to be differentiated later",
            before="""\
total = torch.zeros((), device=device)
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total = total + loss  # holds the graph of every step so far
print(total.item() / len(train_loader))""",
            code="""\
total = torch.zeros((), device=device)
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.detach()
print(total.item() / len(train_loader))  # one transfer per epoch""",
        ),
        Prescription(
            title="Validate under torch.no_grad() and move collected outputs to the CPU",
            expect="memory after a validation is what it was before",
            safety=Safety.SAFE,
            not_when="the validation needs gradients, as for adversarial examples",
            code="""\
model.eval()
outputs = []
with torch.no_grad():
    for x, _ in val_loader:
        outputs.append(model(x).cpu())
model.train()""",
        ),
        Prescription(
            title="Detach the state a recurrent network carries from batch to batch",
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
            title="Hold the examples in one array instead of a list of Python objects",
            expect="host memory is level with any number of workers",
            safety=Safety.MANUAL,
            not_when="it is device memory that grows",
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
        does="Print torch.cuda.memory_allocated(), or the process's resident memory, after each of 200 steps",
        if_true="it rises by about the same amount every step; leaving out parts of the loop shows which one",
        if_false="it is level after the first few steps",
        minutes=3,
    ),
    page=__doc__,
    symptoms=(Symptom.TAKES_LONG, Symptom.CRASHES),
    misdiagnoses=(Misdiagnosis(says="My batch does not fit into memory", blames="the batch size"),),
    places=(facts.LOSS_PLACE, facts.VALIDATION_PLACE),
)
