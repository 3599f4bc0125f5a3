"""Results of exams, built by hand: a change of a check must not change how it is shown."""

from traindx.changes.source.patch import Patch
from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.program import ProgramRate
from traindx.exams.learning_rate.types import Course, FoundRate, RateTrial
from traindx.exams.preflight.types import Checklist, Part
from traindx.exams.questions import Check, Checked, Outcome, unseen
from traindx.exams.types import (
    ActivationExam,
    ActivationRow,
    Decay,
    GradientExam,
    GradientRow,
    Memory,
    ModelExam,
    ModelRow,
    Spread,
)
from traindx.facts import OUTPUT_ACTIVATION
from traindx.finding import Evidence, Finding, Row, RowKind, Severity, problem
from traindx.run import Parameter, Run

HOSTILE = "evil\x1b[31m|<b>`name`\u202e"
EMPTY = Run("net", ())


def checked(slug: str, outcome: Outcome, part: str = "") -> Checked:
    return Checked(Check(slug, slug.capitalize(), lambda _: outcome, 0, part), outcome)


def found(slug: str, cause: str, severity: Severity, says: str, part: str = "", **more: object) -> Checked:
    finding = problem(cause, severity, says, todo="Fix it before you train", **more)  # type: ignore[arg-type]
    return checked(slug, Outcome(says, (finding,)), part)


_ROWS = tuple(Row(RowKind.SAMPLE, part="training", index=index, reason="NaN") for index in range(30))
_NAN = found(
    "non-finite",
    "non-finite-inputs",
    Severity.CRITICAL,
    "312 NaN in column 4 (rows 17, 96, ...)",
    columns=("4",),
    samples=_ROWS,
    code="x = np.nan_to_num(x)",
)
_SENTINEL = found(
    "sentinel", "input-outliers", Severity.WARNING, "-999 repeats 210 times in column 2: missing values?"
)
_LEAKAGE = found(
    "leakage", "train-val-leakage", Severity.SERIOUS, "48% of validation rows also occur in training"
)
_FINE = tuple(checked(name, Outcome(f"{name} OK")) for name in ("scale", "labels", "balance"))
_NO_IMAGES = checked("images", unseen("not image data"))

DATA = {
    "fail": Examination(
        "train.csv",
        "1,000 rows, 5 features",
        (_SENTINEL, _NAN, *_FINE, _LEAKAGE, _NO_IMAGES),
        ("sampled",),
    ),
    "warn": Examination("train.csv", "1,000 rows, 5 features", (*_FINE, _SENTINEL)),
    "pass": Examination("train.csv", "1,000 rows, 5 features", _FINE),
    "unseen": Examination("train.csv", "1 row", (_NO_IMAGES,)),
    "many": Examination(
        f"a/very/long/folder/{HOSTILE}/train.csv",
        "1,000,000 training rows, 250,000 validation rows, 1,024 features, 1,000 classes",
        tuple(
            found(f"check-{index}", "label-noise", Severity.SERIOUS, f"{HOSTILE} and more " * 5)
            for index in range(12)
        ),
    ),
}

_VANISHING = problem(
    "vanishing-gradients",
    Severity.SERIOUS,
    "the gradient of `0.weight` is 6,000,000x smaller than that of `20.weight`",
    ("0.weight",),
    "Use ReLU in hidden layers",
)


def _gradient(index: int, *, full: bool) -> GradientRow:
    name = f"{index}.weight"
    layer = Parameter(name, "Linear", (32, 32), trainable=True, optimized=True, gradient=True)
    norm = 2e-9 * 10**index
    return GradientRow(layer, norm, 3.3, Spread(0.0, norm / 32, -norm, norm, 0.01, 0.0) if full else None)


def _gradients(*, full: bool, problems: tuple[Finding, ...]) -> GradientExam:
    rows = tuple(_gradient(index, full=full) for index in range(9))
    return GradientExam(
        model="Sequential",
        run=EMPTY,
        rows=rows,
        problems=problems,
        decay=Decay(0.1, 9),
        loss=1.47,
        loss_function="cross_entropy",
        notes=("guessed the loss",),
    )


def _activation(name: str, kind: str, dead: float | None) -> ActivationRow:
    return ActivationRow(name, kind, 0.1, 0.5, -1.0, 1.0, dead, dead, None, None)


_DEAD = problem("dead-relu", Severity.SERIOUS, "layer `1`: 100% of units are dead", ("1",), "Use LeakyReLU")
_LAYERS = (_activation("0", "Linear", None), _activation("1", "ReLU", 1.0), _activation("2", "Linear", None))
_MODULES = (ModelRow("0", "Linear", 168, 168, (64, 24), 0.58), ModelRow("1", "Linear", 75, 0, (64, 3), 0.57))
_MEMORY = Memory(1000, 1000, 243, 64_000, 64)

MODELS: dict[str, ActivationExam | GradientExam | ModelExam] = {
    "gradients-fail": _gradients(full=True, problems=(_VANISHING,)),
    "gradients-recorded": _gradients(full=False, problems=()),
    "activations-fail": ActivationExam(
        model="Net",
        run=EMPTY,
        rows=_LAYERS,
        problems=(_DEAD,),
        batches=8,
        inputs=320,
        cleared=("saturation",),
    ),
    "model-pass": ModelExam(
        model="Net",
        run=EMPTY,
        rows=_MODULES,
        problems=(),
        memory=_MEMORY,
        samples=100,
        plain_depth=2,
        cleared=("dead-relu", "vanishing-gradients"),
    ),
    "model-without-batch": ModelExam(
        model="Net",
        run=EMPTY,
        rows=_MODULES,
        problems=(),
        memory=Memory(1000, 1000, 243),
        undecided=("layer order", "output"),
    ),
}


def _softmax() -> Checked:
    evidence = Evidence(OUTPUT_ACTIVATION, (0, 0), "softmax", location="train.py:15")
    says = "softmax output goes into `cross_entropy`, which applies softmax again"
    todo = "Pass logits to the loss: remove the softmax"
    finding = Finding(1.0, says, (evidence,), Severity.SERIOUS, "wrong-output-activation", todo)
    return checked("output", Outcome(findings=(finding,)), Part.LOSS)


def checklist(*checks: Checked) -> Checklist:
    return Checklist("train.py", "python train.py", checks, 475, 58.0, ".traindx/preflights/train-1")


_PASSED = tuple(
    checked(name, Outcome(f"{name} OK"), part)
    for name, part in (
        ("runs", Part.PROGRAM),
        ("finite", Part.DATA),
        ("order", Part.DATA),
        ("time", Part.COST),
    )
)
_OPEN = checked("one-batch", unseen("loss still falling after 300 steps"), Part.LEARNING)
_SLOW = found("wait", "data-loading-slow", Severity.WARNING, "60% of the time waits for data", Part.COST)
PREFLIGHTS = {
    "not-ready": checklist(*_PASSED, _softmax(), _OPEN),
    "warnings": checklist(*_PASSED, _SLOW),
    "ready": checklist(*_PASSED),
    "nothing": checklist(_OPEN),
    "crashed": checklist(
        found("runs", "", Severity.SERIOUS, "crashed after 6 steps: ValueError: disk is full", Part.PROGRAM),
        *(checked(f"check-{index}", unseen("the program crashed"), Part.MODEL) for index in range(20)),
    ),
}
BUG = PREFLIGHTS["not-ready"].problems[0]

_BEFORE = "import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.0003)\n"
_PATCH = Patch("train.py", _BEFORE, _BEFORE.replace("0.0003", "0.03"), "lr=0.0003 -> lr=0.03 at train.py:3")
_RANGE = Course(
    tuple(10 ** (-7 + index / 5) for index in range(40)),
    tuple([1.1] * 25 + [1.1 - 0.06 * index for index in range(12)] + [0.5, 1.5, 3.5]),
)


def _trial(rate: float, loss: float, *, ran_away: bool = False) -> RateTrial:
    return RateTrial(rate, loss, Course((rate,) * 45, (1.1,) * 45), ran_away)


_TRIALS = (
    _trial(0.0003, 1.09),
    _trial(0.01, 0.3),
    _trial(0.03, 0.12),
    _trial(3.0, float("inf"), ran_away=True),
)


def _program(rate: FoundRate, patch: Patch | None = None, no_patch: str = "") -> ProgramRate:
    from pathlib import Path

    return ProgramRate(rate, "train.py", "python train.py", "train.py", Path("rates"), 21.0, patch, no_patch)


_FOUND = FoundRate(
    0.0003, 0.03, "lowest final loss of 4 trials", 1.1, _RANGE, _TRIALS, (0.01, 0.03), 3.0, notes=("short",)
)
_KEPT = FoundRate(0.03, 0.03, "lowest final loss of 4 trials", 1.1, _RANGE, _TRIALS, (0.03, 0.03))
_NONE = FoundRate(0.03, None, "the loss is the same to the last digit at every learning rate", 1.1, _RANGE)
RATES = {
    "set": _program(_FOUND, _PATCH),
    "set-without-patch": _program(_FOUND, no_patch="train.py:3 uses positional arguments"),
    "keep": _program(_KEPT),
    "none": _program(_NONE),
}
