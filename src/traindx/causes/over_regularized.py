"""Over-regularized.

## What happens
What is meant to keep the network from memorising keeps it from learning. Dropout removes too much of the
signal, weight decay pulls the weights back as fast as the gradient moves them, augmentation destroys what
the label stands for, label smoothing or mixing puts a floor under the loss. Several mild measures add up to
a strong one.

Keep in mind which numbers are comparable. The training loss is measured with dropout, augmentation and
smoothing, the validation loss without. A validation loss below the training loss is therefore normal, and
not the illness; the illness is that both stay high.

## What you see
The training loss settles early on a high level. The validation loss lies at or below it, often clearly
below, and there is hardly any sign of a turn. Training accuracy, logged with dropout, is lower than
validation accuracy. If weight decay is the reason, the weight norm shrinks from the start, and the loss may
drift back towards chance.

## Often confused with
- `capacity-too-small`: switching the regularisation off does not lower the training loss.
- `weight-decay-coupled`: AdamW with the same value of weight decay cures it.
- `dropout-misuse`: one badly placed dropout (before the output, inside a recurrent step, before batch
  normalisation) does the harm, and moving it cures.
- `train-val-leakage`: validation lies below training in evaluation mode too; here the order turns there.
- `lr-too-low`: the loss creeps down to the end and a higher rate speeds it up.
- `lr-decayed-too-early`: the loss stops at the step where the rate became small.
- `underfitting`: the mechanism alone: the training loss stays where it is with less regularisation.

## What not to do
- Widening the model first: with the same penalties the wider model stops on nearly the same level.
- Training longer: the level is a balance between gradient and penalty, and time does not move it.
- Taking a small gap between train and validation for success: both can be bad.
- Removing all regularisation for good: fit the training set first, then put back one measure at a time.
- Comparing a training loss with dropout to a validation loss without: evaluate the training set in
  evaluation mode instead.

## References
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, chapter 7.
- Krogh, Hertz: A Simple Weight Decay Can Improve Generalization, NIPS, 1991.
- Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov: Dropout: A Simple Way to Prevent Neural Networks
  from Overfitting, JMLR, 2014.
- Loshchilov, Hutter: Decoupled Weight Decay Regularization, ICLR, 2019.
- Müller, Kornblith, Hinton: When Does Label Smoothing Help?, NeurIPS, 2019.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned, loss_at_chance
from traindx.signs.generalization import both_losses_high, training_inputs_wider
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_plateaus, loss_still_falling
from traindx.signs.lr import lr_decayed_early
from traindx.signs.optimizer import dropout_extreme, l2_inside_adam
from traindx.signs.spikes import loss_leaps_above_start
from traindx.signs.validation import validation_below_train, validation_gap_wide, validation_turns_up
from traindx.signs.weights import decay_strong, weights_shrink

CAUSE = Cause(
    slug="over-regularized",
    title="Too much regularisation",
    prior=-3.96,
    acts_through=("underfitting",),
    clues=(
        Clue(training_inputs_wider, seen=+5.24),
        Clue(little_learned, seen=+0.95),
        Clue(l2_inside_adam, seen=-1.55),
        Clue(dropout_extreme, seen=+6.27, unseen=-0.30, group="strength"),
        Clue(weights_shrink, seen=+1.64),
        Clue(decay_strong, seen=+4.29, unseen=-1.18, group="strength"),
        Clue(both_losses_high, seen=+3.65, unseen=-0.36),
        Clue(validation_below_train, seen=+1.99, unseen=-0.52),
        Clue(loss_plateaus, seen=+0.69),
        Clue(loss_at_chance, seen=+0.54),
        Clue(loss_still_falling, seen=-0.32),
        Clue(loss_falls_slowly, seen=+1.91),
        Clue(loss_leaps_above_start, seen=-2.02),
        Clue(loss_diverges, seen=-1.00),
        Clue(validation_turns_up, seen=-3.03),
        Clue(validation_gap_wide, seen=-2.01),
        Clue(lr_decayed_early, seen=-1.51),
    ),
    fixes=(
        Prescription(
            title="Lower the weight decay ten times, and exempt biases and normalisation",
            expect="the training loss falls below its old floor within an epoch",
            safety=Safety.ASK,
            not_when="the weight decay is already 0.01 or less with AdamW (1e-4 with SGD)",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1.0)""",
            code="""\
decayed = [p for p in model.parameters() if p.dim() >= 2]
plain = [p for p in model.parameters() if p.dim() < 2]
optimizer = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}], lr=1e-3
)""",
            change="regularize.weight_decay x 0.1",
        ),
        Prescription(
            title="Lower dropout to 0.1, or remove it",
            expect="the logged training loss drops at once and goes on falling; the validation loss follows",
            safety=Safety.ASK,
            not_when="the validation loss already turns up while the training loss falls",
            code="""\
for module in model.modules():
    if isinstance(module, (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)):
        module.p = 0.1""",
            change="regularize.dropout 0.1",
        ),
        Prescription(
            title="Weaken the augmentation until a person names the label of every picture at once",
            expect="the training loss falls faster and further, and the validation loss with it",
            safety=Safety.MANUAL,
            not_when="augmented examples look natural and the training set is small",
            code="""\
from torchvision.transforms import v2

augment = v2.Compose([
    v2.RandomCrop(size=(32, 32), padding=2),  # instead of a crop of 8 % of the picture
    v2.RandomHorizontalFlip(),
])
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.0)""",
        ),
    ),
    experiment=Experiment(
        does="Train one epoch from the last checkpoint without dropout, decay, augmentation and smoothing",
        if_true="the training loss falls clearly below its floor within the epoch",
        if_false="the training loss stays where it was: the model, the rate or the data sets the level",
        minutes=10,
    ),
    page=__doc__,
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
        Misdiagnosis(says="I need more epochs", blames="too little training"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
