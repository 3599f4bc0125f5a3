"""Parameters not optimized.

Weights get a gradient, but they are in no optimizer, so they never change.

## What happens
An optimizer updates exactly the tensors it was given; it does not know what is created or replaced
afterward. Common ways: the head was replaced after the optimizer was created; the model was created again,
copied with `deepcopy` or loaded as a new object, and the optimizer still references the parameters of the
old one; only `model.head.parameters()` was passed; layers are in a plain Python list or dict, so
`model.parameters()` does not list them (a hint: they do not follow `model.to(device)` either); a weight is
a plain tensor instead of an `nn.Parameter`; adapters were added later; a layer is created inside
`forward`, so that every call has new random weights. An optimizer with an empty list
raises an error; one with the wrong list does not.

There is a side effect. `optimizer.zero_grad()` clears only its own parameters, so the gradients of the
others add up without end. `clip_grad_norm_(model.parameters())` then sees a norm that grows with every step
and scales the gradients of the trained part down to nothing.

## What you see
If the optimizer has a stale model: the loss is flat from the first step, with noise but no trend, the
validation loss is identical at each evaluation to the last digit, and a learning rate of 1e-5 or 10 makes
no difference; the gradient norm is normal, or grows in a straight line. With batch normalization the
validation loss still moves, because its running statistics do. If a part is missing: the loss falls as far
as the rest can take it and stays there, as if that part were random, which it is. The weight norms of that
part never change.

## Often confused with
- `frozen-parameters`: `requires_grad` is off, and the gradient is None.
- `detached-graph`: the weights are in the optimizer, and their gradient is None or zero.
- `lr-too-low`: lr x 100 moves the curve.
- `gradients-not-cleared`: the weights do change, and the loss falls and turns back.
- `labels-misaligned`: all weights change, and 16 samples can be memorized.
- `capacity-too-small`: all weights change, and a wider model ends lower.

## What not to do
- Raise the learning rate: it applies only to the parameters in the optimizer.
- Train longer: a weight that is never updated keeps its initial value in every epoch.
- Check requires_grad alone: it is on; the entry in a parameter group is missing.
- Pass known parameters to add_param_group: it rejects duplicates; add only the missing ones.
- Recreate the optimizer every epoch: its moments and the schedule are lost every time.

## References
- PyTorch documentation: torch.optim, "Constructing it"; Optimizer.add_param_group; torch.nn.ModuleList.
- PyTorch documentation: Saving and Loading Models.
- Karpathy: A Recipe for Training Neural Networks, 2019, overfit one batch.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence
from traindx.finding import Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.loss import loss_flat_from_start, loss_plateaus
from traindx.signs.weights import (
    optimizer_has_stale_parameters,
    parameters_unoptimized,
    updates_tiny,
)


@sign(needs=(facts.UNOPTIMIZED_PARAMETERS,), severity=Severity.SERIOUS)
def weights_made_anew(run: Run) -> Answer:
    """A module with weights is created anew in each forward pass."""
    if facts.MADE_ANEW not in run.facts:
        return None
    says = f"a new `{run.facts[facts.MADE_ANEW]}` is created in each forward pass, so its weights never learn"
    return Finding(1.0, says, (fact_evidence(run, facts.MADE_ANEW, facts.MADE_ANEW_PLACE),))


def hides_parts(run: Run) -> bool:
    """Whether the model uses parts whose parameters it does not list."""
    return facts.UNLISTED_PARTS in run.facts or facts.MADE_ANEW in run.facts


def makes_nothing_anew(run: Run) -> bool:
    """Whether no part of the model is created in the forward pass."""
    return facts.MADE_ANEW not in run.facts


def lists_all_parts(run: Run) -> bool:
    """Whether no part of the model is known to be in a plain list."""
    return facts.UNLISTED_PARTS not in run.facts


CAUSE = Cause(
    slug="parameters-not-optimized",
    area=Area.LOOP,
    title="Parameters missing from the optimizer",
    prior=-3.72,
    clues=(
        Clue(little_learned, seen=+0.60, unseen=-0.77),
        Clue(parameters_unoptimized, seen=+9.31, unseen=-1.74, group="held"),
        Clue(optimizer_has_stale_parameters, seen=+9.68, group="held"),
        Clue(weights_made_anew, seen=+9.31, group="held"),
        Clue(loss_flat_from_start, seen=+1.43),
        Clue(loss_plateaus, seen=+0.63),
        Clue(updates_tiny, seen=+0.29),
    ),
    fixes=(
        Prescription(
            title="Pass all parameters to the optimizer",
            expect="every weight changes after one step, and the loss starts to fall",
            safety=Safety.ASK,
            not_when="parameters are left out on purpose: then set requires_grad=False for them",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
model.head = torch.nn.Linear(512, classes)  # the optimizer has the old head""",
            code="""\
model.head = torch.nn.Linear(512, classes)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)""",
            change="optimizer.add_missing_parameters",
            unless=(hides_parts,),
        ),
        Prescription(
            title="Register layers in nn.ModuleList instead of a list",
            expect="model.parameters() lists the layers, and their weights change",
            safety=Safety.ASK,
            not_when="model.parameters() already lists all weights",
            change="model.register_parts",
            unless=(lists_all_parts,),
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
            title="Create layers in __init__",
            expect="model.parameters() lists the layers, and their weights change",
            safety=Safety.MANUAL,
            not_when="the layer is created once, at the first call, before the optimizer",
            unless=(makes_nothing_anew,),
            before="""\
def forward(self, x: torch.Tensor) -> torch.Tensor:
    return torch.nn.Linear(64, 10)(x)  # new random weights in each call""",
            code="""\
def __init__(self) -> None:
    super().__init__()
    self.head = torch.nn.Linear(64, 10)

def forward(self, x: torch.Tensor) -> torch.Tensor:
    return self.head(x)""",
        ),
        Prescription(
            title="Assert that the optimizer has exactly the model's weights",
            expect="the check names the missing weights; after the fix it passes",
            safety=Safety.MANUAL,
            not_when="several optimizers share the model, or the loss has weights: check all together",
            code="""\
optimized = {id(p) for group in optimizer.param_groups for p in group["params"]}
missing = [name for name, p in model.named_parameters() if p.requires_grad and id(p) not in optimized]
stale = optimized - {id(p) for p in model.parameters()}
assert not missing and not stale, (missing, len(stale))""",
        ),
    ),
    experiment=Experiment(
        does="Check whether the parameters outside the optimizer are meant to stay fixed",
        if_true="they are meant to learn",
        if_false="they are frozen on purpose, or there are none",
        steps=0,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My learning rate is too low", blames="the learning rate"),
    ),
    places=(facts.UNLISTED_PLACE, facts.MADE_ANEW_PLACE, facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
