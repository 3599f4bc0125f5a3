"""Samples taken for time steps.

A recurrent or attention layer without `batch_first=True` gets the batch as its first dimension, so it reads
the samples as the time steps of one sequence.

## What happens
`nn.RNN`, `nn.LSTM`, `nn.GRU`, `nn.MultiheadAttention` and `nn.TransformerEncoderLayer` expect inputs of shape
(steps, samples, features) unless `batch_first=True` is set. A DataLoader gives (samples, steps, features).
Both shapes are valid, so nothing raises an error: the layer runs over the samples of the batch, one after
another, and treats each time step as a sample of its own. `out[:, -1]` then takes the last
time step alone, whose state was computed from the samples before it, not from the steps before it.

So the prediction for a sample depends on the samples that happen to precede it in the batch, and hardly on
its own sequence.

## What you see
The loss stays near chance level or falls slowly, and the validation metric with it, also for a task in which
one glance at a sequence is enough. Another batch size or another order of the samples changes the predictions
in eval mode. If the last time step alone tells something about the label, the model learns that much.

## Often confused with
- `labels-misaligned`: each row alone gives the same prediction as in its batch.
- `vanishing-gradients`: only long sequences fail; here short ones fail too.
- `lr-too-low`: a higher learning rate lowers the loss.
- `capacity-too-small`: a wider layer lowers the loss.
- `target-shape-broadcast`: the shapes of prediction and target differ in the loss.

## What not to do
- Reshape with view() until the shapes fit: it cuts the sequences up; use transpose(0, 1).
- Transpose and set batch_first=True as well: the two cancel out.
- Make the layer wider or deeper: it still sees other samples instead of earlier steps.
- Judge by the shape of the output: it is the same in both cases.

## References
- PyTorch documentation: torch.nn.LSTM, batch_first; torch.nn.MultiheadAttention, batch_first.
- Karpathy: A Recipe for Training Neural Networks, 2019, "use backprop to chart dependencies".
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, stated_number
from traindx.curves.limits import MISTAKE
from traindx.facts import LAYOUT_PLACE, MIXED_SAMPLES, MIXING_LAYER, MODEL_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned


@sign(needs=(MIXED_SAMPLES,), severity=Severity.SERIOUS, healthy=MISTAKE)
def samples_mixed(run: Run) -> Answer:
    """A layer without batch_first takes the samples of a batch for time steps."""
    samples = stated_number(run, MIXED_SAMPLES)
    if samples is None:
        return CANNOT_TELL
    if not samples or MIXING_LAYER not in run.facts:
        return None
    says = f"layer `{run.facts[MIXING_LAYER]}` has batch_first=False but gets the batch first: it reads"
    says += f" {samples:.0f} samples as {samples:.0f} time steps, so the samples of a batch mix"
    return Finding(1.0, says, (fact_evidence(run, MIXING_LAYER, LAYOUT_PLACE, MODEL_PLACE),))


CAUSE = Cause(
    slug="sequence-layout-wrong",
    area=Area.TARGETS,
    title="Samples taken for time steps",
    prior=-4.50,
    clues=(
        Clue(little_learned, seen=+0.50, unseen=-0.70),
        Clue(samples_mixed, seen=+10.00),
    ),
    fixes=(
        Prescription(
            title="Set batch_first=True",
            expect="the loss falls below chance level within the first epochs",
            safety=Safety.ASK,
            not_when="the model transposes its input to (steps, samples, features) on purpose",
            before="""\
lstm = torch.nn.LSTM(6, 48)  # expects (steps, samples, features)
out, _ = lstm(x)  # x: (samples, steps, features)""",
            code="""\
lstm = torch.nn.LSTM(6, 48, batch_first=True)
out, _ = lstm(x)  # x: (samples, steps, features)""",
            change="model.batch_first",
        ),
        Prescription(
            title="Transpose the input, and the output back",
            expect="the loss falls below chance level within the first epochs",
            safety=Safety.MANUAL,
            not_when="batch_first=True is set",
            before="""\
out, _ = lstm(x)  # x: (samples, steps, features)
last = out[:, -1]""",
            code="""\
out, _ = lstm(x.transpose(0, 1))
last = out[-1]  # the last time step of each sample""",
        ),
    ),
    experiment=Experiment(
        does="In eval mode, predict one row alone and in its batch, and compare the two",
        if_true="the predictions differ",
        if_false="they are equal up to rounding",
        steps=0,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too low", blames="the learning rate"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.LAYOUT_PLACE, facts.MODEL_PLACE),
)
