"""Train and eval mode mixed up.

## What happens
Dropout and batch normalisation behave differently in training and in evaluation, and the switch is set
wrongly. Three forms are common:

1. Validation runs without `model.eval()`: dropout stays on, batch statistics depend on what else is in the
   batch, and the validation data even updates the running averages.
2. `model.train()` is not called again after the first validation: dropout is off and batch normalisation
   frozen for the rest of the run.
3. The switch is right, but the running averages are not: batches too small or too few, a momentum so small
   that the first values are still in them (0.99 of Keras is 0.01 of PyTorch), weights shared or averaged
   without updating them, or a pre-trained part that is meant to stay in evaluation mode.

## What you see
The training loss is good. The validation loss is ragged, far too high, or jumps by factors between
neighbouring evaluations although training is calm; or it stays at chance while training accuracy approaches
100 %. In the second form the training loss steps down right after the first validation and the validation
loss soon turns up. Evaluating twice without a training step in between gives two different numbers.

## Often confused with
- `overfitting`: training examples score perfectly in evaluation mode; with this bug they score as badly as
  the validation set.
- `train-val-mismatch`: training examples score well in evaluation mode too.
- `batch-too-small`: the running averages are wrong because batches of two or four give no statistics;
  larger evaluation batches change nothing, larger training batches cure it.
- `dropout-misuse`: the switch is right and batch normalisation obeys it; a dropout is in the wrong place, too
  strong, or a functional call that ignores the switch.
- `misleading-metric`: the validation loss is fine, and only the metric is computed wrongly.
- `lr-too-high`: the training loss jumps as well.

## What not to do
- Leaving train mode on in validation because the numbers look better: the result depends on the batch, and
  a single example in use gives nonsense.
- Adding regularisation: the network is fine and the measurement is wrong.
- Using torch.no_grad() in place of model.eval(): it stops gradients and changes neither dropout nor batch
  normalisation.
- Setting track_running_stats to False as a patch: evaluation then depends on the batch for ever.
- Training longer: running averages that do not match stay so.

## References
- PyTorch documentation: torch.nn.Module.eval and torch.nn.BatchNorm2d; Autograd mechanics, Evaluation Mode.
- Ioffe, Szegedy: Batch Normalization: Accelerating Deep Network Training by Reducing Internal Covariate
  Shift, ICML, 2015.
- Li, Chen, Hu, Yang: Understanding the Disharmony between Dropout and Batch Normalization by Variance
  Shift, CVPR, 2019.
- Wu, Johnson: Rethinking "Batch" in BatchNorm, 2021.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned, validation_at_chance
from traindx.signs.generalization import validation_starts_worse_than_untrained
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode
from traindx.signs.loss import loss_falls
from traindx.signs.optimizer import batchnorm_statistics_lag
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import (
    validation_gap_wide,
    validation_improves,
    validation_never_improves,
    validation_noisy,
)

CAUSE = Cause(
    slug="train-eval-mode-bug",
    title="Train and eval mode are mixed up",
    prior=-4.35,
    clues=(
        Clue(little_learned, seen=-0.36),
        Clue(validated_in_train_mode, seen=+7.64, unseen=-2.66, group="mode"),
        Clue(trained_in_eval_mode, seen=+10.16, unseen=-2.40, group="mode"),
        Clue(batchnorm_statistics_lag, seen=+8.21),
        Clue(validation_starts_worse_than_untrained, seen=+1.76),
        Clue(validation_at_chance, seen=+1.33),
        Clue(validation_never_improves, seen=+3.50, unseen=-0.30, group="behind"),
        Clue(validation_noisy, seen=+1.59, unseen=-0.39),
        Clue(validation_gap_wide, seen=+3.90, unseen=-0.62, group="behind"),
        Clue(validation_improves, seen=-0.96, unseen=+0.29),
        Clue(loss_oscillates, seen=-1.51),
        Clue(loss_falls, seen=+0.00, unseen=-1.19),
    ),
    fixes=(
        Prescription(
            title="Call model.eval() before each validation and model.train() after it",
            expect="two evaluations in a row give the same number, and the validation loss becomes smooth",
            safety=Safety.SAFE,
            not_when="the framework does it (Lightning, the Hugging Face Trainer, Keras)",
            before="""\
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    with torch.no_grad():  # dropout and batch statistics are still on
        val_loss = sum(loss_fn(model(x), y).item() for x, y in val_loader) / len(val_loader)""",
            code="""\
for epoch in range(epochs):
    model.train()
    train_one_epoch(model, train_loader, optimizer)
    model.eval()
    with torch.no_grad():
        val_loss = sum(loss_fn(model(x), y).item() for x, y in val_loader) / len(val_loader)""",
            change="model.restore_mode",
        ),
        Prescription(
            title="Recompute the running averages of batch normalisation on training data",
            expect="the validation loss drops to the level of the training loss without any training",
            safety=Safety.SAFE,
            not_when="the network has no batch normalisation",
            code="""\
for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        module.reset_running_stats()
        module.momentum = None  # the plain mean over all batches
model.train()
with torch.no_grad():
    for x, _ in train_loader:
        model(x)""",
        ),
        Prescription(
            title="Replace batch normalisation by group or layer normalisation",
            expect="training and evaluation give the same output for the same input without dropout",
            safety=Safety.MANUAL,
            not_when="batches are large and the switch is set right",
            code="""\
block = nn.Sequential(
    nn.Conv2d(64, 64, kernel_size=3, padding=1, bias=False),
    nn.GroupNorm(num_groups=8, num_channels=64),  # was BatchNorm2d(64)
    nn.ReLU(),
)""",
        ),
    ),
    experiment=Experiment(
        does="Evaluate one training batch in train mode, and twice the way the validation code does it",
        if_true="the validation code gives a far higher loss than train mode, or two different numbers",
        if_false="the validation code gives the same number twice, no worse than train mode",
        minutes=2,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALISES_BADLY, Symptom.LYING_NUMBERS),
    misdiagnoses=(Misdiagnosis(says="My model overfits", blames="too little regularisation"),),
    places=(facts.VALIDATION_PLACE,),
)
