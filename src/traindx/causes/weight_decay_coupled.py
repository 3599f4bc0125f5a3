"""Weight decay coupled with Adam.

## What happens
`torch.optim.Adam(weight_decay=d)` is not weight decay. It adds `d * w` to the gradient, an L2 penalty,
before Adam computes its moments; the step is then divided by the root of the second moment, and the decay
with it. Where the gradient of a weight is small against `d * w`, the penalty is all that Adam sees, and the
weight walks to zero by about `lr` per step, however small `d` is: a weight of 0.05 is gone after 50 steps
at a rate of 0.001. Where the gradient is large, the decay is divided away and hardly acts. So the weights
that matter little to this batch are wiped out and those that matter most are not held, the opposite of what
was meant. The same is true of RMSprop, Adagrad, NAdam, RAdam and Adamax with their plain `weight_decay`;
newer versions of Adam, NAdam and RAdam have a switch for the other kind, `decoupled_weight_decay`.

AdamW takes the decay out of the gradient: `w -= lr * d * w` beside the step, the same relative pull on all
weights. The values are not the same currency. AdamW is usual at 0.01 to 0.1; 0.1 in Adam is a disaster. For
SGD the two kinds are one, up to a factor of the rate.

## What you see
The loss falls a little and levels off high, train and validation together, and the weight norms shrink from
the first step on, far below where they began. With a strong value the loss goes to chance and stays. One
example, five classes, Adam at a rate of 0.001 for 2,000 steps: with 0.1 the loss stopped at 1.02 and the
weight norm fell to 2.7; AdamW with the same 0.1 reached 0.055 at a norm of 12.5. With 1.0 Adam sat at
chance with a norm of 0.13, and AdamW reached 0.21.

## Often confused with
- `over-regularized`: AdamW with the same value is no better; the value itself is too large.
- `capacity-too-small`: a wider model ends lower, and the weight norms grow.
- `lr-too-low`: the weights hardly move; here they shrink steadily.
- `vanishing-gradients`: gradients are small in the first layers from the start; here they are because the
  weights became small.
- `lr-decayed-too-early`: the loss stops where the rate became small.
- `underfitting`: the mechanism alone, with weights that do not shrink.

## What not to do
- Widening the model: the new weights walk to zero as well.
- Training longer: the loss is a balance between penalty and gradient, and time does not move it.
- Switching to AdamW and dividing the value by a hundred in one go: two changes at once tell nothing.
- Taking over a value from SGD: 5e-4 there is a pull of `lr * 5e-4` per step, another thing in Adam.
- Removing all decay for good: with the decoupled kind it does its work.
- Decaying biases and normalisation along with the weights: they are few and need their scale.

## References
- Loshchilov, Hutter: Decoupled Weight Decay Regularization, 2019.
- Zhang, Wang, Xu, Grosse: Three Mechanisms of Weight Decay Regularization, 2019.
- PyTorch documentation: torch.optim.Adam (weight_decay: L2 penalty), torch.optim.AdamW.
- fast.ai, Gugger, Howard: AdamW and Super-convergence Is Now the Fastest Way to Train Neural Nets, 2018.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.generalization import both_losses_high
from traindx.signs.loss import loss_plateaus
from traindx.signs.optimizer import l2_inside_adam
from traindx.signs.weights import weights_shrink

CAUSE = Cause(
    slug="weight-decay-coupled",
    title="Weight decay is mixed into Adam's gradient",
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
            title="Use AdamW with the same rate and the same weight decay",
            expect="weight norms stop shrinking, and the training loss falls below its old level",
            safety=Safety.ASK,
            not_when="the value was tuned for L2 in Adam and the run does well",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            change="optimizer.decoupled_weight_decay",
        ),
        Prescription(
            title="Exempt biases and normalisation from the decay",
            expect="their values no longer go to zero; the loss ends a little lower",
            safety=Safety.ASK,
            not_when="there is no weight decay",
            code="""\
decayed = [p for p in model.parameters() if p.dim() >= 2]
plain = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=1e-3
)""",
        ),
        Prescription(
            title="Lower the value a hundred times, if Adam has to stay",
            expect="the weight norms are level or grow, and the loss falls below its old level",
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
        does="Run 500 steps with AdamW, all values and the seed the same, and compare loss and weight norms",
        if_true="with AdamW the norms hold and the loss ends clearly lower",
        if_false="both shrink alike: the value is too large in either kind",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(Misdiagnosis(says="My model is too small", blames="the capacity of the network"),),
    places=(facts.OPTIMIZER_PLACE,),
)
