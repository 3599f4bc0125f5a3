"""The scale of inputs and of numeric targets."""

from typing import Annotated

import numpy as np

from traindx.causes import degenerate_labels, input_outliers, unnormalized_inputs, unnormalized_targets
from traindx.exams.data_exam.data import Kind, Task
from traindx.exams.data_exam.measures import FEWEST, measured
from traindx.exams.data_exam.profile import DataProfile, named, rows_at
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

_STANDARDIZE = """\
mean = train_x.mean(axis=0)  # of the training rows only
std = train_x.std(axis=0).clip(min=1e-6)
train_x, val_x = (train_x - mean) / std, (val_x - mean) / std"""


@check("input-scale", "Input scale", 2, clears=(unnormalized_inputs.CAUSE.slug,))
def input_scale(profile: DataProfile) -> Outcome:
    """With features of very different scales, one learning rate is too high and too low at once."""
    data = profile.data
    if data.kind is Kind.TOKENS:
        return unseen("token data has no scale")
    chosen = profile.judged & profile.usual.varies
    if not chosen.any():
        return unseen("no numeric column varies")
    mean, std = profile.usual.mean[chosen], profile.usual.std[chosen]
    names = [name for name, is_chosen in zip(profile.names, chosen, strict=True) if is_chosen]
    typical = float(np.sqrt(np.mean(mean**2 + std**2)))
    if data.kind is Kind.IMAGES and data.training.inputs.dtype == np.uint8:
        return _bytes(mean, std)
    spreads = std[std > 0]
    differ = float(spreads.max() / np.median(spreads)) if len(spreads) else 1.0
    large, wide = typical >= _INPUT_SIZE, differ >= _SPREAD and typical >= _ONE
    small = typical < 1 / (10 * _INPUT_SIZE)
    if not (large or wide or small):
        return Outcome(f"input RMS {number(typical)}")
    sizes = np.sqrt(mean**2 + std**2)
    order = np.argsort(sizes if small else -sizes)
    offending = tuple(
        names[index]
        for index in order
        if small or sizes[index] >= _INPUT_SIZE or std[index] >= _SPREAD * np.median(spreads)
    )
    measured = [f"RMS {number(typical)}, expected about 1"]
    measured += (
        [f"limit {number(1 / (10 * _INPUT_SIZE) if small else _INPUT_SIZE)}"] if large or small else []
    )
    measured += [f"the largest std is {differ:,.0f}x the median"] if wide else []
    says = f"inputs are not normalized ({'; '.join(measured)})"
    if offending and len(names) > 1:
        says += f"; {'smallest' if small else 'largest'}: {named(offending)}"
    severity = Severity.SERIOUS if data.source.is_fed and typical >= _FAR else Severity.WARNING
    todo = "Standardize every feature with the mean and std of the training rows"
    cause, code = unnormalized_inputs.CAUSE.slug, _code(mean, std)
    return fault(cause, severity, says, todo, code, columns=offending[:50])


def _bytes(mean: Floats, std: Floats) -> Outcome:
    """Pixels of a byte are usual in storage; what matters is that the pipeline scales them."""
    says = f"pixels are bytes from 0 to 255 (mean {mean.mean():.3g}, std {std.mean():.3g})"
    todo = "Scale them in the pipeline (ToTensor), and normalize the channels"
    code = _normalize(mean / 255, std / 255)
    return fault(unnormalized_inputs.CAUSE.slug, Severity.INFO, says, todo, code)


def _code(mean: Floats, std: Floats) -> str:
    return _normalize(mean, std) if len(mean) in (1, 3) else _STANDARDIZE


def _normalize(mean: Floats, std: Floats) -> str:
    if len(mean) > 4:
        return "train_x = train_x.float() / 255\n" + _STANDARDIZE
    means, stds = (", ".join(f"{value:.4g}" for value in values) for values in (mean, std))
    return f"normalize = transforms.Normalize(mean=[{means}], std=[{stds}])  # after ToTensor()"


_TARGET_SIZE: Annotated[float, "root mean square; bench/thresholds.md#exam-scale"] = 8.0
_TINY: Annotated[float, "root mean square; bench/thresholds.md#target-scale"] = 0.05
_FURTHER: Annotated[float, "times the reach of the own tail; bench/thresholds.md#exam-outliers"] = 3.0
_DECADES: Annotated[float, "largest over smallest of the middle nine tenths, all above zero"] = 100.0

_STANDARDIZE_TARGETS = """\
mean, std = train_y.mean(axis=0), train_y.std(axis=0)
train_y = (train_y - mean) / std  # here {mean} and {std}
# and use predictions * std + mean"""


@check("target-scale", "Target scale", 6, clears=(unnormalized_targets.CAUSE.slug,))
def target_numbers(profile: DataProfile) -> Outcome:
    """A network starts near zero: targets far from it cost the first epochs, or the whole run."""
    data, part = profile.data, profile.data.training
    if data.task is not Task.NUMBERS or part.given is None:
        return unseen("no numeric targets")
    values = part.given.reshape(len(part.given), -1).astype(np.float64)
    finite = values[np.isfinite(values).all(axis=1)]
    if not len(finite):
        return unseen("no finite targets")
    if bool((finite == finite[0]).all()):
        says = f"every target is {number(float(finite[0, 0]))}"
        todo = "Check the code that makes the targets: they carry no signal"
        code = "print(np.unique(train_y, return_counts=True))"
        return fault(degenerate_labels.CAUSE.slug, Severity.SERIOUS, says, todo, code)
    usual = measured(finite)
    rms = float(np.sqrt(np.mean(usual.mean**2 + usual.std**2)))
    mean, std = (number(float(statistic.mean())) for statistic in (usual.mean, usual.std))
    measured_scale = f"mean {mean}, std {std}"
    faults = [*_target_scale(profile, finite, rms, measured_scale), *_wild_targets(profile, values)]
    return Outcome(f"targets have {measured_scale}", tuple(faults))


def _target_scale(profile: DataProfile, values: Floats, rms: float, measured_scale: str) -> list[Finding]:
    if _TINY <= rms < _TARGET_SIZE:
        return []
    mean, std = (number(float(statistic)) for statistic in (values.mean(), values.std()))
    code = _STANDARDIZE_TARGETS.format(mean=mean, std=std)
    todo = "Standardize targets with the training mean and std, and invert that for predictions"
    low, high = np.percentile(values, (5, 95))
    if values.min() > 0 and high >= _DECADES * low:
        todo = "Take the log of the targets (they span orders of magnitude), then standardize it"
        code = f"train_y = np.log(train_y)\n{code}"
    severity = Severity.SERIOUS if profile.data.source.is_fed and rms >= _FAR else Severity.WARNING
    limits = f"limits {_TINY} to {_TARGET_SIZE:g}"
    says = f"targets are not normalized ({measured_scale}, RMS {number(rms)}; {limits})"
    return [problem(unnormalized_targets.CAUSE.slug, severity, says, todo=todo, code=code)]


def _wild_targets(profile: DataProfile, values: Floats) -> list[Finding]:
    if len(values) < FEWEST:
        return []
    usual = measured(values)
    with np.errstate(invalid="ignore"):
        above = values - usual.median > _FURTHER * (usual.high - usual.median)
        below = usual.median - values > _FURTHER * (usual.median - usual.low)
    wild = np.flatnonzero(((above | below) & np.isfinite(values)).any(axis=1))
    if not len(wild) or len(wild) > 0.05 * len(values):
        return []
    part = profile.data.training
    worst = number(float(np.abs(values[wild]).max()))
    says = f"{count(len(wild), 'target is an outlier', 'targets are outliers')} (up to {worst} in size)"
    todo = "Check these rows; if the values are real, use a robust loss"
    code = "loss_fn = torch.nn.SmoothL1Loss()"
    rows = rows_at(part, wild, "target is an outlier")
    return [problem(input_outliers.CAUSE.slug, Severity.WARNING, says, todo=todo, code=code, samples=rows)]
