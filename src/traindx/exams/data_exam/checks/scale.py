"""The scale of what a network gets and of the numbers it predicts."""

from typing import Annotated

import numpy as np

from traindx.causes import degenerate_labels, input_outliers, unnormalized_inputs, unnormalized_targets
from traindx.exams.data_exam.data import Kind, Task
from traindx.exams.data_exam.look import Look, named, rows_at
from traindx.exams.data_exam.measures import FEWEST, measured
from traindx.exams.questions import Outcome, check, fault, unseen
from traindx.finding import Finding, Severity, problem
from traindx.format import count, number
from traindx.run import Floats

_INPUT_SIZE: Annotated[float, "root mean square; bench/thresholds.md#input-scale"] = 8.0
_FAR: Annotated[
    float, "root mean square from which what is fed so is serious; bench/thresholds.md#exam-scale"
] = 100.0
_SPREAD: Annotated[float, "largest over typical feature; bench/thresholds.md#input-scale"] = 15.0
_ONE: Annotated[float, "root mean square below which features that differ do no harm"] = 1.5

_STANDARDISE = """\
mean = train_x.mean(axis=0)  # of the training rows only
std = train_x.std(axis=0).clip(min=1e-6)
train_x, val_x = (train_x - mean) / std, (val_x - mean) / std"""


@check(
    "input scale",
    "Are features near unit scale and alike in scale?",
    2,
    clears=(unnormalized_inputs.CAUSE.slug,),
)
def input_scale(look: Look) -> Outcome:
    """Features of very different scales make one rate too high and too low at once."""
    data = look.data
    if data.kind is Kind.TOKENS:
        return unseen("tokens are numbers of words, whose size means nothing")
    chosen = look.judged & look.usual.varies
    if not chosen.any():
        return unseen("no number column varies")
    mean, std = look.usual.mean[chosen], look.usual.std[chosen]
    names = [name for name, one in zip(look.names, chosen, strict=True) if one]
    typical = float(np.sqrt(np.mean(mean**2 + std**2)))
    if data.kind is Kind.IMAGES and data.training.inputs.dtype == np.uint8:
        return _bytes(mean, std)
    spreads = std[std > 0]
    differ = float(spreads.max() / np.median(spreads)) if len(spreads) else 1.0
    large, wide = typical >= _INPUT_SIZE, differ >= _SPREAD and typical >= _ONE
    small = typical < 1 / (10 * _INPUT_SIZE)
    says = f"inputs have a root mean square of {number(typical)}"
    if not (large or wide or small):
        return Outcome(says)
    sizes = np.sqrt(mean**2 + std**2)
    order = np.argsort(sizes if small else -sizes)
    guilty = tuple(
        names[place]
        for place in order
        if small or sizes[place] >= _INPUT_SIZE or std[place] >= _SPREAD * np.median(spreads)
    )
    says += f" (limit {'1/80' if small else number(_INPUT_SIZE)})" if large or small else ""
    says += f", and the widest feature spreads {differ:,.0f} times the typical one" if wide else ""
    if guilty and len(names) > 1:
        says += f"; {'smallest' if small else 'largest'}: {named(guilty)}"
    severity = Severity.SERIOUS if data.source.is_fed and typical >= _FAR else Severity.WARNING
    todo = "Standardise every feature with the mean and deviation of the training rows"
    cause, code = unnormalized_inputs.CAUSE.slug, _code(mean, std)
    return fault(cause, severity, says, todo, code, columns=guilty[:50])


def _bytes(mean: Floats, std: Floats) -> Outcome:
    """Pixels of a byte are usual in storage; what matters is that the pipeline scales them."""
    says = f"pixels are bytes, 0 to 255, with mean {mean.mean():.1f} and deviation {std.mean():.1f}"
    todo = "Scale them in the pipeline, as ToTensor does, and normalise the channels"
    code = _normalise(mean / 255, std / 255)
    return fault(unnormalized_inputs.CAUSE.slug, Severity.INFO, says, todo, code)


def _code(mean: Floats, std: Floats) -> str:
    return _normalise(mean, std) if len(mean) in (1, 3) else _STANDARDISE


def _normalise(mean: Floats, std: Floats) -> str:
    if len(mean) > 4:
        return "train_x = train_x.float() / 255\n" + _STANDARDISE
    means, stds = (", ".join(f"{value:.4g}" for value in values) for values in (mean, std))
    return f"normalize = transforms.Normalize(mean=[{means}], std=[{stds}])  # after ToTensor()"


_TARGET_SIZE: Annotated[float, "root mean square; bench/thresholds.md#exam-scale"] = 8.0
_TINY: Annotated[float, "root mean square; bench/thresholds.md#target-scale"] = 0.05
_FURTHER: Annotated[float, "times the reach of the own tail; bench/thresholds.md#exam-outliers"] = 3.0
_DECADES: Annotated[float, "largest over smallest of the middle nine tenths, all above zero"] = 100.0

_STANDARDISE_TARGETS = """\
mean, std = train_y.mean(axis=0), train_y.std(axis=0)
train_y = (train_y - mean) / std  # here {mean} and {std}
# and predictions * std + mean where they are used"""


@check(
    "target numbers",
    "Are the numbers to predict near unit scale, varied, without wild ones?",
    6,
    clears=(unnormalized_targets.CAUSE.slug,),
)
def target_numbers(look: Look) -> Outcome:
    """A network begins near zero: far targets cost the first epochs, or the training."""
    data, part = look.data, look.data.training
    if data.task is not Task.NUMBERS or part.given is None:
        return unseen("there are no numbers to predict")
    values = part.given.reshape(len(part.given), -1).astype(np.float64)
    finite = values[np.isfinite(values).all(axis=1)]
    if not len(finite):
        return unseen("no target is finite")
    if bool((finite == finite[0]).all()):
        says = f"every target is {number(float(finite[0, 0]))}"
        todo = "Look at the line that makes the targets: there is nothing to learn"
        code = "print(np.unique(train_y, return_counts=True))"
        return fault(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo, code)
    usual = measured(finite)
    rms = float(np.sqrt(np.mean(usual.mean**2 + usual.std**2)))
    mean, std = (number(float(one.mean())) for one in (usual.mean, usual.std))
    says = f"targets have mean {mean} and deviation {std}"
    faults = [*_target_scale(look, finite, rms, says), *_wild_targets(look, values)]
    return Outcome(says, tuple(faults))


def _target_scale(look: Look, values: Floats, rms: float, says: str) -> list[Finding]:
    if _TINY <= rms < _TARGET_SIZE:
        return []
    mean, std = (number(float(one)) for one in (values.mean(), values.std()))
    code = _STANDARDISE_TARGETS.format(mean=mean, std=std)
    todo = (
        "Standardise the targets with the mean and deviation of the training rows, and undo it in predictions"
    )
    low, high = np.percentile(values, (5, 95))
    if values.min() > 0 and high >= _DECADES * low:
        todo = "Take the logarithm of the targets, which span several powers of ten, and standardise that"
        code = f"train_y = np.log(train_y)\n{code}"
    severity = Severity.SERIOUS if look.data.source.is_fed and rms >= _FAR else Severity.WARNING
    limit = f"a root mean square of {number(rms)} (limits {_TINY} to {_TARGET_SIZE:g})"
    return [problem(unnormalized_targets.CAUSE.slug, severity, f"{says}, {limit}", todo=todo, code=code)]


def _wild_targets(look: Look, values: Floats) -> list[Finding]:
    if len(values) < FEWEST:
        return []
    usual = measured(values)
    with np.errstate(invalid="ignore"):
        above = values - usual.median > _FURTHER * (usual.high - usual.median)
        below = usual.median - values > _FURTHER * (usual.median - usual.low)
    wild = np.flatnonzero(((above | below) & np.isfinite(values)).any(axis=1))
    if not len(wild) or len(wild) > 0.05 * len(values):
        return []
    part = look.data.training
    worst = number(float(np.abs(values[wild]).max()))
    says = f"{count(len(wild), 'target')} lie far outside of the rest, up to {worst}"
    todo = "Look at these rows; where they are real, use a loss that grows linearly"
    code = "loss_fn = torch.nn.SmoothL1Loss()"
    rows = rows_at(part, wild, "target far outside")
    return [problem(input_outliers.CAUSE.slug, Severity.WARNING, says, todo=todo, code=code, samples=rows)]
