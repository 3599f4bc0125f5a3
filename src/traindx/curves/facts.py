"""Facts of a run as signs see them, and how long a recorded training took."""

import math
from dataclasses import dataclass
from functools import wraps

import numpy as np

from traindx import facts as f
from traindx import quantities as q
from traindx.finding import CANNOT_TELL, Answer, Ask, Evidence
from traindx.run import Axis, EventKind, Fact, Quantity, Run


def stated_number(run: Run, fact: Fact) -> float | None:
    """The value of a fact as a finite number; None where it was not stated or is none."""
    value = run.facts.get(fact)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def stated_word(run: Run, fact: Fact) -> str:
    """The value of a fact in lower case; empty where it was not stated."""
    value = run.facts.get(fact)
    return value.lower() if isinstance(value, str) else ""


def needs_beginning(ask: Ask) -> Ask:
    """A question about the first steps of a training, which the log of a resumed run does not have."""

    @wraps(ask)
    def asked(run: Run, **limits: float) -> Answer:
        return CANNOT_TELL if f.RESUMED_AT in run.facts else ask(run, **limits)

    return asked


def location_of(run: Run, *facts: Fact) -> str:
    """The first of several places that is known, as file:line; empty where none is."""
    return next((str(run.facts[fact]) for fact in facts if run.facts.get(fact)), "")


def fact_evidence(run: Run, fact: Fact, *locations: Fact, limit: float | None = None) -> Evidence:
    """A fact as evidence: it holds of the whole run; `locations` name the line that makes it so."""
    return Evidence(fact, extent(run), run.facts[fact], limit, location=location_of(run, *locations))


def extent(run: Run) -> tuple[float, float]:
    """The first and the last step of a run."""
    steps = [series for series in run.series if series.axis is Axis.STEP and len(series)]
    first = min((float(series.steps[0]) for series in steps), default=0.0)
    return first, max((float(series.steps[-1]) for series in steps), default=first)


def is_recording(run: Run) -> bool:
    """Whether traindx recorded the run itself, so that what it did not see did not happen."""
    return bool(run.model) or f.RECORDING_COST in run.facts or f.RECORDED_SECONDS in run.facts


def was_cut_short(run: Run) -> bool:
    """Whether an exception or a person ended the program before it was done."""
    return any(event.kind in (EventKind.EXCEPTION, EventKind.INTERRUPTED) for event in run.events)


def is_told(run: Run) -> bool:
    """Whether traindx ran the program itself but could only read what it printed and wrote."""
    return f.READ_FROM in run.facts


def is_program(run: Run) -> bool:
    """Whether traindx ran or watched the program itself, however much it saw."""
    return is_recording(run) or is_told(run)


_BY_BATCH = ("BatchNorm", "BatchNormalization", "InstanceNorm")


def matters(run: Run, *, frozen: bool = True) -> bool:
    """Whether the model has dropout, or a normalization over the batch, be it `frozen` or not."""
    drops = (stated_number(run, f.DROPOUT_LAYERS) or 0) > 0 and stated_number(run, f.DROPOUT) != 0.0
    return drops or normalizes_over_batch(run, frozen=frozen)


def normalizes_over_batch(run: Run, *, frozen: bool = True) -> bool:
    """Whether the model has a normalization that keeps statistics of the batches, be it `frozen` or not."""
    layers = [layer for layer in run.model if frozen or layer.trainable]
    return any(word in layer.kind for layer in layers for word in _BY_BATCH)


_DECAYING_IN_GRADIENT = frozenset("sgd adam nadam radam adamax rmsprop adagrad adadelta".split())


def decays_in_gradient(run: Run) -> bool:
    """Whether the optimizer adds its weight decay to the gradient: values of AdamW are too strong for it."""
    return stated_word(run, f.OPTIMIZER) in _DECAYING_IN_GRADIENT


_NUMBER_LOSSES = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss mean_squared_error mean_absolute_error log_cosh huber"
    " mean_squared_logarithmic_error mean_absolute_percentage_error".split()
)


def compares_numbers(run: Run) -> bool:
    """Whether the loss function compares numbers with numbers, as in a regression."""
    return run.facts.get(f.LOSS_FUNCTION) in _NUMBER_LOSSES


def losses_differ(run: Run) -> bool:
    """Whether the recorder saw that training and validation loss have different units."""
    return bool(stated_word(run, f.LOSSES_DIFFER))


def batches_per_epoch(run: Run) -> float | None:
    """Optimizer steps in one pass over the data, as stated or as sizes tell; None where neither is known."""
    stated = run.facts.get(f.STEPS_PER_EPOCH)
    if isinstance(stated, int | float) and stated > 0:
        return float(stated)
    samples, batch = run.facts.get(f.TRAINING_SAMPLES), run.facts.get(f.BATCH_SIZE)
    if isinstance(samples, int | float) and isinstance(batch, int | float) and batch > 0:
        return math.ceil(samples / batch)
    return None


_VIEWS = 2
"""Rows that one sample may enter as, such as its two views; bench/thresholds.md#samples."""


def training_samples(run: Run) -> float | None:
    """Samples of the training data; None if unknown, or if its items are series or graphs of many rows."""
    items, rows = stated_number(run, f.TRAINING_SAMPLES), stated_number(run, f.ROWS_AT_ONCE)
    return None if items is not None and rows is not None and rows > _VIEWS * items else items


def uncontended(run: Run, share: float) -> float:
    """A share of time that was waited, less what other programs on the processors explain of it at most."""
    return share * (1 - min(max(stated_number(run, f.CONTENTION) or 0.0, 0.0), 1.0))


_TIMES = {
    q.DATA_TIME: "data",
    q.FORWARD_TIME: "forward",
    q.BACKWARD_TIME: "backward",
    q.UPDATE_TIME: "optimizer",
    q.OTHER_TIME: "other",
}


@dataclass(frozen=True)
class Pace:
    """How far a recorded training came, and what recording it cost."""

    steps: float
    seconds: float
    cost: float | None
    """Share of the run's time that recording took; None where it was not stated."""


@dataclass(frozen=True)
class Time:
    """One part of a step's time."""

    called: str
    seconds: float
    share: float


def pace(run: Run) -> Pace | None:
    """Steps, seconds and cost; None for a log, which nobody recorded."""
    if not is_recording(run):
        return None
    clocks = run.all(q.WALL_TIME)
    seconds = run.facts.get(f.RECORDED_SECONDS)
    if not isinstance(seconds, int | float):
        seconds = max((float(clock.values[-1]) for clock in clocks), default=0.0)
    cost = run.facts.get(f.RECORDING_COST)
    steps = max((float(series.steps[-1]) for series in clocks or run.series), default=0.0)
    return Pace(steps, float(seconds), float(cost) if isinstance(cost, int | float) else None)


def seconds_for(run: Run, steps: float) -> float | None:
    """About how long so many steps of a run take, at most all of them; None where its pace is not known."""
    recorded = pace(run)
    if recorded is None or not recorded.steps or not recorded.seconds or not steps:
        return None
    return recorded.seconds * min(steps / recorded.steps, 1.0)


def times(run: Run) -> tuple[Time, ...]:
    """Where the time of a step goes, by medians: one slow step must not decide."""
    if not is_recording(run):
        return ()
    parts = {called: _median(run, quantity) for quantity, called in _TIMES.items()}
    whole = _median(run, q.STEP_TIME)
    if whole is not None and parts["other"] is None:
        # Without a data loader only the two calls that were seen can be told from the rest.
        parts["other"] = max(whole - sum(part or 0.0 for part in parts.values()), 0.0)
    known = {called: seconds for called, seconds in parts.items() if seconds is not None}
    total = sum(known.values())
    if not total > 0:
        return ()
    return tuple(Time(called, seconds, seconds / total) for called, seconds in known.items())


def _median(run: Run, quantity: Quantity) -> float | None:
    """The median of a quantity; of several optimizers, the sum of theirs."""
    medians = [float(np.median(series.finite.values)) for series in run.all(quantity) if len(series.finite)]
    return sum(medians) if medians else None
