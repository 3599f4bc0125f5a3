"""Canonical reports, built by hand: a change of the knowledge base must not change how it is shown."""

import math
from contextlib import chdir
from dataclasses import replace
from pathlib import Path

import numpy as np

from traindx.cause import Cause, Clue, Experiment, Kind, Prescription, Safety
from traindx.comparison.types import Association, Comparison, Entry, Parting
from traindx.diagnosis.types import (
    Diagnosis,
    NextExperiment,
    NotRecorded,
    Reason,
    SignResult,
    Suspect,
    Verdict,
)
from traindx.finding import CannotTell, Evidence, Finding, Severity, Sign
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, VAL_LOSS
from traindx.readers.loading.runs import read
from traindx.run import Axis, Run, Scalar, Series, Skipped
from traindx.trials.types import Report

DEMO = Path(__file__).parents[3] / "src/traindx/demo"

PAGE = """{title}.

## What happens

Every step is longer than the valley is wide, so the loss climbs the other side.

## What you see

A loss that falls for a few steps and then jumps.

## Often confused with

- `{rival}`: {told_apart}
- A loss that is merely noisy.

## What not to do

- Clip first: the learning rate stays wrong.
- Train longer: the loss does not come back.

## References

- Smith, "Cyclical Learning Rates for Training Neural Networks", 2017.
"""


def _sign(slug: str, asks: str, severity: Severity = Severity.INFO) -> Sign:
    return Sign(slug, asks, (TRAIN_LOSS,), severity, lambda run: None)


DIVERGES = _sign("loss_diverges", "The training loss ends far above its best.", Severity.SERIOUS)
GROWS = _sign("gradient_norm_grows", "The gradient norm grows over the run.", Severity.WARNING)
NOT_FINITE = _sign("loss_not_finite", "The loss becomes NaN or infinite.", Severity.CRITICAL)
FALLS = _sign("loss_falls", "The training loss falls.")
VANISHES = _sign("gradient_norm_vanishes", "The gradient norm falls to nothing.", Severity.SERIOUS)
TURNS_UP = _sign(
    "validation_turns_up", "The validation loss turns up while the training loss falls.", Severity.WARNING
)


def cause(slug: str, title: str, rival: str, told_apart: str, kind: Kind = Kind.WHY) -> Cause:
    return Cause(
        slug=slug,
        title=title,
        prior=-3.0,
        clues=(Clue(DIVERGES, seen=2.5, unseen=-1.0),),
        fixes=(
            Prescription(
                title="Divide the learning rate by 10",
                expect="the loss falls steadily within 50 steps",
                safety=Safety.ASK,
                not_when="the loss is flat from the first step",
                code="for group in optimizer.param_groups:\n    group['lr'] *= 0.1",
                change="optimizer.lr x 0.1",
            ),
            Prescription(
                title="Find the learning rate with a range test",
                expect="the loss is lowest just below the learning rate where it turns up",
                safety=Safety.MANUAL,
                not_when="a run takes less time than the test",
            ),
        ),
        experiment=Experiment(
            "Repeat 200 steps at a tenth of the learning rate",
            "the loss falls",
            "the loss jumps as before",
            5,
        ),
        page=PAGE.format(title=title, rival=rival, told_apart=told_apart),
        kind=kind,
    )


TOO_HIGH = cause(
    "lr-too-high",
    "Learning rate too high",
    "missing-warmup",
    "a warm-up to the same learning rate fixes it; here nothing shows whether it would.",
)
WARMUP = cause(
    "missing-warmup",
    "No warm-up",
    "lr-too-high",
    "a lower learning rate fixes it, and a warm-up to the same one does not.",
)
EXPLODING = cause(
    "exploding-gradients",
    "Exploding gradients",
    "lr-too-high",
    "gradients are normal until the weights have moved.",
    Kind.HOW,
)
TOO_LOW = cause("lr-too-low", "Learning rate too low", "vanishing-gradients", "gradients keep their size.")
VANISHING = cause(
    "vanishing-gradients", "Vanishing gradients", "lr-too-low", "gradients shrink layer by layer.", Kind.HOW
)

PRIOR = Reason("prior log-odds", -3.0)


def _asked(run: str) -> tuple[SignResult, ...]:
    steps = (14.0, 299.0)
    diverged = Finding(
        0.9, "training loss fell to 0.877 at step 18 and ended at 1.10", (evidence(steps, 1.1, 0.93),)
    )
    grown = Finding(
        0.5,
        "gradient norm grows 31x over steps 14-20",
        (Evidence(GRADIENT_NORM, (14.0, 20.0), 31.0, 10.0, layer="fc2.weight"),),
    )
    fell = Finding(1.0, "training loss fell from 1.09 to 0.01", (evidence((0.0, 299.0), 0.01),))
    return (
        SignResult(DIVERGES, diverged if run == "hot" else None),
        SignResult(GROWS, grown if run == "hot" else None),
        SignResult(NOT_FINITE, None),
        SignResult(FALLS, fell if run == "cool" else None),
        SignResult(VANISHES, CannotTell.NOT_RECORDED),
        SignResult(TURNS_UP, CannotTell.TOO_LITTLE),
    )


def evidence(steps: tuple[float, float], value: float, limit: float | None = None) -> Evidence:
    return Evidence(TRAIN_LOSS, steps, value, limit)


def _reasons(asked: tuple[SignResult, ...], points: dict[Sign, float]) -> tuple[Reason, ...]:
    findings = {result.sign: result.finding for result in asked}
    reasons = [
        Reason(finding.says, points[sign], sign, True, finding.evidence)
        if (finding := findings[sign])
        else Reason(f"not found: {sign.asks[0].lower()}{sign.asks[1:-1]}", points[sign], sign)
        for sign in points
    ]
    return (*reasons, PRIOR)


def suspect(
    one: Cause, confidence: float, reasons: tuple[Reason, ...], mechanism: Cause | None = None
) -> Suspect:
    score = math.fsum(reason.points for reason in reasons)
    return Suspect(one, confidence, score, reasons, Severity.SERIOUS, mechanism)


def sick() -> Diagnosis:
    """One clear cause with a mechanism."""
    asked = _asked("hot")
    reasons = _reasons(asked, {DIVERGES: 2.25, GROWS: 3.04, NOT_FINITE: -0.43})
    weak = _reasons(asked, {GROWS: 1.52, NOT_FINITE: -1.05})
    return Diagnosis(
        run="hot",
        verdict=Verdict.SICK,
        says="Gradient norm grows 31x over steps 14-20",
        healthy=0.02,
        suspects=(
            suspect(TOO_HIGH, 0.87, reasons, EXPLODING),
            suspect(EXPLODING, 0.06, weak),
            suspect(WARMUP, 0.04, weak),
        ),
        ruled_out=tuple(suspect(candidate, 0.003, weak) for candidate in (TOO_LOW, VANISHING)),
        asked=asked,
        healthy_reasons=_reasons(asked, {DIVERGES: -4.0}),
        not_recorded=(
            NotRecorded("update_ratio", "lr-too-high"),
            NotRecorded("learning_rate", "lr-too-high, health"),
            NotRecorded("weight_norm", "lr-too-high"),
        ),
        next_experiment=NextExperiment(TOO_HIGH, TOO_HIGH.experiment, ()),
    )


def shared() -> Diagnosis:
    """Two causes that the log cannot tell apart."""
    diagnosis = sick()
    first, second, third = diagnosis.suspects
    return replace(
        diagnosis,
        suspects=(
            replace(first, confidence=0.44, mechanism=None),
            replace(third, confidence=0.41),
            replace(second, confidence=0.11),
        ),
        next_experiment=NextExperiment(TOO_HIGH, TOO_HIGH.experiment, (WARMUP,)),
    )


def healthy() -> Diagnosis:
    asked = _asked("cool")
    return Diagnosis(
        run="cool",
        verdict=Verdict.HEALTHY,
        says="Training loss fell from 1.09 to 0.01 and validation loss from 1.08 to 0.04",
        healthy=0.93,
        suspects=(suspect(TOO_LOW, 0.04, _reasons(asked, {FALLS: -1.5})),),
        ruled_out=(suspect(TOO_HIGH, 0.004, _reasons(asked, {DIVERGES: -1.0})),),
        asked=asked,
        healthy_reasons=_reasons(asked, {FALLS: 4.0, DIVERGES: 1.5, NOT_FINITE: 0.5}),
    )


def inconclusive() -> Diagnosis:
    asked = tuple(SignResult(result.sign, CannotTell.TOO_LITTLE) for result in _asked("short"))
    return Diagnosis(
        run="short",
        verdict=Verdict.INCONCLUSIVE,
        says="Too short to judge: training loss has only 4 finite points",
        healthy=0.46,
        suspects=(suspect(TOO_LOW, 0.3, (PRIOR,)), suspect(VANISHING, 0.2, (PRIOR,))),
        ruled_out=(),
        asked=asked,
        healthy_reasons=(Reason("prior log-odds", 0.0),),
        not_recorded=(NotRecorded("gradient_norm", "vanishing-gradients"),),
        next_experiment=NextExperiment(TOO_LOW, TOO_LOW.experiment, (VANISHING,)),
    )


def demo_runs() -> tuple[Run, Run]:
    with chdir(DEMO):
        hot, cool = read(["hot", "cool"]).runs
    return hot, cool


def short_run() -> Run:
    loss = Series(TRAIN_LOSS, np.arange(4.0), np.array([2.3, 2.2, 2.31, 2.25]), Axis.EPOCH, name="loss")
    return Run(
        "short", (loss,), ("short.csv",), ("Table (CSV, TSV)",), unread=(Skipped("odd", 4, "no numbers"),)
    )


def nan_run() -> Run:
    steps = np.arange(400.0)
    values = 2.0 * np.exp(-steps / 90) + 0.05 * np.sin(steps)
    values[120], values[310:] = 40.0, np.nan
    val = Series(VAL_LOSS, steps[19::20].copy(), 2.1 * np.exp(-steps[19::20] / 120) + 0.3, name="val")
    return Run(
        "nan", (Series(TRAIN_LOSS, steps, values, name="loss"), val), ("nan.csv",), ("Table (CSV, TSV)",)
    )


def report() -> Report:
    """A sick, a healthy, an inconclusive run, and one with two likely causes."""
    hot, cool = demo_runs()
    diagnoses = (sick(), healthy(), inconclusive(), replace(shared(), run="nan"))
    return Report((hot, cool, short_run(), nan_run()), diagnoses=diagnoses, other_files=1)


def compared() -> Report:
    settings: dict[str, Scalar] = {
        "lr": 0.01,
        "optimizer": "adam",
        "batch_size": 32,
        "weight_decay": 1e-4,
        "augmentation.mixup": 0.2,
    }
    entries = tuple(
        Entry(
            run=f"sweep/{index:02}-lr{rate:g}",
            best=0.31 + 0.12 * index,
            best_at=280.0 - 10 * index,
            final=float("nan") if index == 4 else 0.33 + 0.2 * index,
            axis=Axis.STEP,
            points=300,
            reached_at=120.0 + 40 * index if index < 3 else None,
            verdict=(Verdict.HEALTHY, Verdict.HEALTHY, Verdict.INCONCLUSIVE, Verdict.SICK, Verdict.SICK)[
                index
            ],
            says="The training loss fell.",
            settings={**settings, "lr": rate, "seed": index, "model.hidden_layers_of_the_encoder": 2 + index},
        )
        for index, rate in enumerate((0.01, 0.003, 0.03, 0.3, 3.0))
    )
    comparison = Comparison(
        measure=VAL_LOSS,
        part="",
        target=0.55,
        entries=entries,
        differing=("seed", "lr", "batch_size", "augmentation.mixup", "model.hidden_layers_of_the_encoder"),
        associations=(
            Association("lr", 0.9, 5, "the lower lr, the lower val_loss (rank correlation 0.90 over 5 runs)"),
        ),
        partings=(
            Parting(
                "sweep/00-lr0.01", "sweep/04-lr3", 12.0, Axis.STEP, "sweep/00 and sweep/04 diverge at step 12"
            ),
            Parting(
                "sweep/00-lr0.01", "sweep/01-lr0.003", None, Axis.STEP, "sweep/00 and sweep/01 never diverge"
            ),
        ),
        notes=("5 runs, 1 seed each: too few to be sure",),
    )
    runs = tuple(replace(nan_run(), name=entry.run) for entry in entries)
    return Report(runs, comparison=comparison)
