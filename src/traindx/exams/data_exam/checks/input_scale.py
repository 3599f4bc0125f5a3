"""The scale of what a network will get."""

from typing import Annotated

import numpy as np

from traindx.causes import unnormalized_inputs
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import Kind
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import named
from traindx.finding import Severity, problem
from traindx.format import number
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


def _input_scale(look: Look) -> Outcome:
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
    severity = Severity.SERIOUS if data.is_fed and typical >= _FAR else Severity.WARNING
    todo = "Standardise every feature with the mean and deviation of the training rows"
    return Outcome(
        says,
        (
            problem(
                unnormalized_inputs.CAUSE.slug,
                severity,
                says,
                todo=todo,
                code=_code(mean, std),
                columns=guilty[:50],
            ),
        ),
    )


def _bytes(mean: Floats, std: Floats) -> Outcome:
    """Pixels of a byte are usual in storage; what matters is that the pipeline scales them."""
    says = f"pixels are bytes, 0 to 255, with mean {mean.mean():.1f} and deviation {std.mean():.1f}"
    todo = "Scale them in the pipeline, as ToTensor does, and normalise the channels"
    remark = problem(
        unnormalized_inputs.CAUSE.slug, Severity.INFO, says, todo=todo, code=_normalise(mean / 255, std / 255)
    )
    return Outcome(says, (remark,))


def _code(mean: Floats, std: Floats) -> str:
    return _normalise(mean, std) if len(mean) in (1, 3) else _STANDARDISE


def _normalise(mean: Floats, std: Floats) -> str:
    if len(mean) > 4:
        return "train_x = train_x.float() / 255\n" + _STANDARDISE
    means, stds = (", ".join(f"{value:.4g}" for value in values) for values in (mean, std))
    return f"normalize = transforms.Normalize(mean=[{means}], std=[{stds}])  # after ToTensor()"


INPUT_SCALE = Check(
    "input scale",
    "Are features near unit scale and alike in scale?",
    _input_scale,
    2,
    clears=(unnormalized_inputs.CAUSE.slug,),
)
