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

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.memory_grows import memory_grows

CAUSE = Cause(
    slug="memory-leak",
    title="Memory grows with every step",
    prior=-4.5,
    clues=(Clue(memory_grows, seen=+7.0, unseen=-5.0),),
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
