"""Weight decay coupled with Adam.

Adam's `weight_decay` is an L2 penalty that passes through its normalization, so it shrinks the wrong
weights.

## What happens
`torch.optim.Adam(weight_decay=d)` is not weight decay. It adds `d * w` to the gradient before Adam computes
its moments; the step is then divided by the root of the second moment, and the penalty with it. If `d * w`
is larger than the gradient of a weight, its noise and `eps`, the penalty is all that Adam sees, and the
weight moves to zero by about `lr` per step, at any such `d`: a weight of 0.05 is gone after 50 steps at
`lr=0.001`. If the gradient is large, the penalty is divided away and hardly acts. So weights that matter
little to this batch are wiped out, and those that matter most are not constrained, the opposite of the
intention. The same is true of RMSprop, Adagrad, NAdam, RAdam and Adamax with plain `weight_decay`; newer
versions of Adam, NAdam and RAdam have `decoupled_weight_decay`.

AdamW keeps the decay out of the gradient: `w -= lr * d * w` next to the step, the same relative decay for
all weights. The values are not comparable. 0.01 to 0.1 is typical for AdamW; 0.1 in Adam stops learning.
For SGD the two are the same, up to a factor of the learning rate.

## What you see
The loss falls a little and levels off high, train and validation together, and the weight norms shrink from
the first step on, far below where they started. With a strong value the loss goes to chance level and
stays. Example (five classes, `lr=0.001`, 2,000 steps): with 0.1 in Adam the loss stopped at 1.02 and the
weight norm fell to 2.7; AdamW with the same 0.1 reached 0.055 at a norm of 12.5. With 1.0 Adam stayed at
chance level with a norm of 0.13, and AdamW reached 0.21.

## Often confused with
- `over-regularized`: AdamW with the same value is no better; the value itself is too large.
- `capacity-too-small`: a wider model ends lower, and the weight norms grow.
- `lr-too-low`: the weights hardly move; here they shrink steadily.
- `vanishing-gradients`: gradients are small in the first layers from the start; here they shrink with the
  weights.
- `lr-decayed-too-early`: the loss stops when the learning rate becomes small.
- `underfitting`: the general mechanism, with weights that do not shrink.

## What not to do
- Widen the model: the new weights shrink to zero as well.
- Train longer: penalty and gradient are in balance, and time does not change that.
- Switch to AdamW and change the value at once: after two changes you cannot say which one helped.
- Copy the value from SGD: 5e-4 there is a decay of `lr * 5e-4` per step; in Adam it is something else.
- Remove all weight decay for good: decoupled weight decay is useful.
- Decay biases and normalization weights: they are few and need their scale.

## References
- Loshchilov, Hutter: Decoupled Weight Decay Regularization, 2019.
- Zhang, Wang, Xu, Grosse: Three Mechanisms of Weight Decay Regularization, 2019.
- PyTorch documentation: torch.optim.Adam (weight_decay: L2 penalty), torch.optim.AdamW.
- fast.ai, Gugger, Howard: AdamW and Super-convergence Is Now the Fastest Way to Train Neural Nets, 2018.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import stated_number
from traindx.facts import WEIGHT_DECAY
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.loss import loss_plateaus
from traindx.signs.optimizer import l2_inside_adam
from traindx.signs.weights import weights_shrink


def _has_no_decay(run: Run) -> bool:
    return stated_number(run, WEIGHT_DECAY) == 0


CAUSE = Cause(
    slug="weight-decay-coupled",
    area=Area.FIT,
    title="Weight decay coupled into Adam's gradient",
    prior=-4.50,
    clues=(
        Clue(little_learned, seen=+0.52, unseen=-0.65),
        Clue(l2_inside_adam, seen=+5.54, unseen=-6.01),
        Clue(weights_shrink, seen=+3.49, unseen=-0.77),
        Clue(both_losses_high, seen=+1.01),
        Clue(loss_plateaus, seen=+0.78),
    ),
    fixes=(
        Prescription(
            title="Use AdamW with the same lr and weight decay",
            expect="weight norms stop shrinking, and the loss falls below its plateau",
            safety=Safety.ASK,
            not_when="the value was tuned for L2 in Adam and the run does well",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            change="optimizer.decoupled_weight_decay",
        ),
        Prescription(
            title="Exclude biases and norm weights from the weight decay",
            expect="their values no longer shrink; the loss ends a little lower",
            safety=Safety.ASK,
            not_when="there is no weight decay",
            code="""\
matrices = [p for p in model.parameters() if p.dim() >= 2]
vectors = [p for p in model.parameters() if p.dim() < 2]
groups = [{"params": matrices}, {"params": vectors, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=1e-3, weight_decay=0.01)""",
            unless=(_has_no_decay,),
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)""",
        ),
        Prescription(
            title="Divide the weight decay by 100, if Adam has to stay",
            expect="weight norms are level or grow, and the loss falls below its plateau",
            safety=Safety.ASK,
            not_when="AdamW can be used",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0.01)""",
            code="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-4)""",
            change="regularize.weight_decay x 0.01",
        ),
    ),
    experiment=Experiment(
        does="Run 500 steps with AdamW, all values and the seed the same, and compare the weight norms",
        if_true="with AdamW the norms stay and the loss ends clearly lower",
        if_false="both runs shrink alike: the value is too large in either optimizer",
        steps=500,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.OPTIMIZER_PLACE,),
)
