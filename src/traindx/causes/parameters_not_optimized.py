"""Parameters not optimized.

## What happens
Weights get a gradient, and no optimizer uses it. An optimizer holds the very tensors it was given; what is
made or exchanged afterwards it does not know. The usual ways: the head was replaced after the optimizer was
built; the model was built again, copied with `deepcopy` or loaded as a new object, and the optimizer still
holds the parameters of the old one; only `model.head.parameters()` was passed; layers stand in a plain
Python list or dict, so that `model.parameters()` does not list them (a hint: they do not follow
`model.to(device)` either); a weight is a plain tensor instead of an `nn.Parameter`; adapters were added
later. An optimizer with an empty list stops with an error; one with the wrong list says nothing.

There is an unpleasant companion. `optimizer.zero_grad()` clears only what it holds, so the gradients of the
others add up without end. `clip_grad_norm_(model.parameters())` then sees a norm that grows with every step
and scales the gradients of the trained part down to nothing.

## What you see
The optimizer holds a stale model: the loss is flat from the first step, with noise from batch to batch and
no trend, the validation loss is the same at each validation to the last digit, and neither a rate of 1e-5
nor one of 10 changes anything; the gradient norm is ordinary, or grows in a straight line. A part is
missing: the loss falls as far as the rest can take it and stays there, as if that part were random, which
it is. The weight norms of the part never change.

## Often confused with
- `frozen-parameters`: `requires_grad` is off, and the gradient is None.
- `detached-graph`: the optimizer holds the weights, and their gradient is None or zero.
- `lr-too-low`: a hundred times higher rate moves the curve.
- `gradients-not-cleared`: the weights do move, and the loss falls and turns back.
- `labels-misaligned`: all weights move, and 16 samples can be memorised.
- `capacity-too-small`: all weights move, and a wider model ends lower.

## What not to do
- Raising the rate: it applies to what the optimizer holds, and the others do not feel it.
- Training longer: a weight that is never updated is random in every epoch.
- Checking `requires_grad` alone: it is on; what is missing is the entry in a parameter group.
- Calling `add_param_group` with parameters it holds already: it refuses duplicates, so add the missing
  ones.
- Building the optimizer anew in each epoch to be safe: its moments and the schedule are lost every time.

## References
- PyTorch documentation: torch.optim, "Constructing it"; Optimizer.add_param_group; torch.nn.ModuleList.
- PyTorch documentation: Saving and Loading Models.
- Karpathy: A Recipe for Training Neural Networks, 2019, overfit one batch.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.loss import loss_flat_from_start, loss_plateaus
from traindx.signs.weights import optimizer_has_stale_parameters, parameters_unoptimized, updates_tiny

CAUSE = Cause(
    slug="parameters-not-optimized",
    title="Parameters are missing from the optimizer",
    prior=-3.72,
    clues=(
        Clue(little_learned, seen=+0.60, unseen=-0.77),
        Clue(parameters_unoptimized, seen=+9.31, unseen=-1.74, group="held"),
        Clue(optimizer_has_stale_parameters, seen=+9.68, group="held"),
        Clue(loss_flat_from_start, seen=+1.43),
        Clue(loss_plateaus, seen=+0.63),
        Clue(updates_tiny, seen=+0.29),
    ),
    fixes=(
        Prescription(
            title="Build the optimizer last, from all parameters of the final model",
            expect="every weight changes after one step, and the loss leaves its level within 200 steps",
            safety=Safety.ASK,
            not_when="parameters are left out on purpose: then switch off their requires_grad to say so",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model.head = torch.nn.Linear(512, classes)  # the optimizer holds the old head""",
            code="""\
model.head = torch.nn.Linear(512, classes)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)""",
            change="optimizer.add_missing_parameters",
        ),
        Prescription(
            title="Put layers into nn.ModuleList or nn.ModuleDict, and weights into nn.Parameter",
            expect="the number of parameters grows by those of the layers, and their weights move",
            safety=Safety.MANUAL,
            not_when="model.parameters() lists all weights already",
            before="""\
class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = [torch.nn.Linear(64, 64) for _ in range(4)]""",
            code="""\
class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(64, 64) for _ in range(4))""",
        ),
        Prescription(
            title="Check before training that the optimizer holds what should learn, and nothing else",
            expect="the check names the missing weights at once; after the repair it passes",
            safety=Safety.MANUAL,
            not_when="several optimizers share the model: then take their groups together",
            code="""\
held = {id(p) for group in optimizer.param_groups for p in group["params"]}
missing = [name for name, p in model.named_parameters() if p.requires_grad and id(p) not in held]
strangers = held - {id(p) for p in model.parameters()}
assert not missing and not strangers, (missing, len(strangers))""",
        ),
    ),
    experiment=Experiment(
        does="Compare the ids of model.parameters() with those in optimizer.param_groups",
        if_true="weights that should learn are in no group, or the groups hold tensors of another model",
        if_false="both hold the same tensors",
        minutes=1,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My learning rate is too low", blames="the learning rate"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
