"""Train and eval mode mixed up.

Dropout or batch normalization runs in the wrong mode, in training or in validation.

## What happens
Dropout and batch normalization behave differently in train and eval mode. Three bugs are common:

1. Validation runs without `model.eval()`: dropout stays on, outputs depend on the rest of the batch, and
   the validation data even updates the running statistics.
2. `model.train()` is not called again after the first validation: dropout is off and batch normalization
   frozen for the rest of the run.
3. The mode is right but the running statistics are not: batches too small or too few, a momentum so small
   that the initial values still dominate (0.99 in Keras is 0.01 in PyTorch), or weights that were averaged
   or shared without updating the statistics.

## What you see
The training loss is good. The validation loss is noisy, far too high, or jumps by factors between
evaluations although training is stable; or it stays at chance level while training accuracy approaches
100%. In the second case the training loss drops right after the first validation, and the validation loss
soon turns up. Evaluating twice without a training step in between gives two different numbers if dropout is
on; with batch normalization in train mode the number depends on the batch size.

## Often confused with
- `overfitting`: the validation code gives perfect scores on training samples; with this bug it gives scores
  as bad as on the validation set.
- `train-val-mismatch`: training samples score well in eval mode too.
- `batch-too-small`: batches of two or four give no usable statistics; larger training batches fix it.
- `dropout-misuse`: the mode is right; a dropout is misplaced, too strong, or a functional call that ignores
  the mode.
- `misleading-metric`: the validation loss is fine, and only the metric is computed wrongly.
- `lr-too-high`: the training loss jumps as well.

## What not to do
- Validate in train mode for better numbers: the result depends on the batch, and `BatchNorm1d` raises an
  error for a single sample.
- Add regularization: the network is fine, the measurement is wrong.
- Use `torch.no_grad()` instead of `model.eval()`: it changes neither dropout nor batch normalization.
- Set `track_running_stats=False` as a patch: evaluation then depends on the batch.
- Train longer: the mode stays wrong, and so does every validation.

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
from traindx.curves.facts import stated_number
from traindx.facts import NORMALIZATION_LAYERS
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned, validation_at_chance
from traindx.signs.generalization import validation_starts_worse_than_untrained
from traindx.signs.generalization_gap import gap_widens, validation_gap_wide, validation_starts_level
from traindx.signs.loop import library_runs_loop, trained_in_eval_mode, validated_in_train_mode
from traindx.signs.loss import loss_falls
from traindx.signs.optimizer import batchnorm_statistics_lag
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import validation_improves, validation_never_improves, validation_noisy


def _mode_is_right(run: Run) -> bool:
    return trained_in_eval_mode(run) is None and validated_in_train_mode(run) is None


def _has_no_normalization(run: Run) -> bool:
    return stated_number(run, NORMALIZATION_LAYERS) == 0


CAUSE = Cause(
    slug="train-eval-mode-bug",
    area=Area.LOOP,
    title="Train and eval mode mixed up",
    prior=-4.35,
    clues=(
        Clue(gap_widens, seen=-1.50),
        Clue(library_runs_loop, seen=-2.00),
        Clue(validation_starts_level, seen=-0.70),
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
            title="Call model.eval() to validate, model.train() to train",
            expect="two evaluations agree, and the batch size hardly matters",
            safety=Safety.SAFE,
            not_when="the modes are right, or the framework sets them (Lightning, HF Trainer, Keras fit)",
            before="""\
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    with torch.no_grad():
        val_loss = sum(loss_fn(model(x), y).item() for x, y in val_loader) / len(val_loader)""",
            code="""\
for epoch in range(epochs):
    model.train()
    train_one_epoch(model, train_loader, optimizer)
    model.eval()
    with torch.no_grad():
        val_loss = sum(loss_fn(model(x), y).item() for x, y in val_loader) / len(val_loader)""",
            change="model.restore_mode",
            unless=(_mode_is_right,),
        ),
        Prescription(
            title="Recompute the batch-norm statistics on training data",
            expect="the validation loss drops close to the training loss without any training",
            safety=Safety.ASK,
            not_when="the network has no batch normalization",
            code="""\
# Resets the statistics and averages them over one epoch, without gradients.
torch.optim.swa_utils.update_bn(train_loader, model)""",
            unless=(_has_no_normalization,),
        ),
        Prescription(
            title="Replace batch normalization by group normalization",
            expect="without dropout, train and eval mode give the same output",
            safety=Safety.MANUAL,
            not_when="batches are large and the modes are right, or the weights are pretrained",
            code="""\
block = nn.Sequential(
    nn.Conv2d(64, 64, kernel_size=3, padding=1, bias=False),
    nn.GroupNorm(num_groups=8, num_channels=64),
    nn.ReLU(),
)""",
            unless=(_has_no_normalization,),
            before="""\
block = nn.Sequential(
    nn.Conv2d(64, 64, kernel_size=3, padding=1, bias=False),
    nn.BatchNorm2d(64),
    nn.ReLU(),
)""",
        ),
    ),
    experiment=Experiment(
        does="Print model.training in both loops; run the validation code twice on one training batch",
        if_true="a mode is wrong, the two losses differ, or both are far above the training loss",
        if_false="both modes are right, and the losses are equal and no worse than in training",
        steps=0,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALIZES_BADLY, Symptom.LYING_NUMBERS),
    misdiagnoses=(Misdiagnosis(says="My model overfits", blames="too little regularization"),),
    places=(facts.VALIDATION_PLACE,),
)
