"""What reports show of a run, and of runs beside each other; of a recording also cost, time and code."""

from collections.abc import Sequence
from itertools import groupby, takewhile
from pathlib import PurePath

import numpy as np

from traindx import facts as f
from traindx.comparison.types import Comparison
from traindx.curves.facts import is_program, is_recording, is_told, pace, times
from traindx.curves.objective import learning_curve
from traindx.curves.series import shares, whole
from traindx.format import count, duration, listed, number, printable, step
from traindx.quantities import QUANTITIES, TRAIN_LOSS
from traindx.report.results.origin import origin
from traindx.run import Axis, Event, EventKind, Fact, Run, Series

_PLACES = {
    f.OPTIMIZER_PLACE: "optimizer",
    f.LOSS_PLACE: "loss",
    f.STEP_PLACE: "step",
    f.VALIDATION_PLACE: "validation",
}
_RAW = ("cross_entropy", "binary_cross_entropy_with_logits")
"""Loss functions that squash by themselves what they are given."""
_SQUASHED = ("softmax", "sigmoid", "relu")
_SELDOM = 0.1
"""The share of looked-at batches from which on a habit is more than one odd batch."""
_ASIDE = "your run is not affected"
_ENOUGH = 6
_DEAR, _LONG = 0.025, 30.0
"""Share of the time from which on the cost of recording is worth a word: above the default budget. And how
many seconds a run takes at least for it to matter: the first steps are always sampled densely."""


def title(run: Run) -> str:
    """What heads a report: the program that was recorded, or the name of the run."""
    script = run.facts.get(f.SCRIPT)
    if not is_program(run) or not isinstance(script, str) or not script:
        return run.name
    return PurePath(script).name


def _percent(share: float) -> str:
    return "<0.1%" if share < 0.001 else f"{100 * share:.1f}%" if share < 0.1 else f"{100 * share:.0f}%"


def told_times(run: Run) -> str:
    """Where the time of a step goes, in one sentence; empty where it is not known."""
    found = times(run)
    parts = ", ".join(f"{one.called} {one.share:.0%}" for one in found)
    whole = duration(sum(one.seconds for one in found))
    return f"a step takes {whole} (median): {parts}" if found else ""


def idle(run: Run, most: int = _ENOUGH) -> list[str]:
    """Sentences on the parameters that cannot learn: frozen, in no optimizer, without gradient, stale."""
    strays = [layer for layer in run.model if not layer.kind and not layer.gradient]
    model = [layer for layer in run.model if layer not in strays]
    found = {
        "frozen (requires_grad is off)": [one for one in model if not one.trainable],
        "not in any optimizer": [one for one in model if one.trainable and not one.optimized],
        "with a zero gradient": [
            one for one in model if one.trainable and one.optimized and not one.gradient
        ],
        "in the optimizer but not in the model (stale)": strays,
    }
    names = {
        what: [printable(f"{one.part} {one.name}".strip(), 60) for one in layers]
        for what, layers in found.items()
        if layers
    }
    return [
        f"{count(len(those), 'parameter')} {what}: {listed(those, most)}" for what, those in names.items()
    ]


def unusual(run: Run) -> list[str]:
    """Sentences on what the program does that a training seldom means to do."""
    found = []
    shapes, given = run.facts.get(f.LOSS_SHAPES), run.facts.get(f.OUTPUT_ACTIVATION)
    if shapes:
        found.append(f"the loss broadcasts the prediction against the target: {shapes}")
    if given in _SQUASHED and run.facts.get(f.LOSS_FUNCTION) in _RAW:
        found.append(f"{given} output goes into {run.facts[f.LOSS_FUNCTION]}, which expects logits")
    kept = 1 - _share(run, f.GRADIENTS_CLEARED, 1.0)
    if kept > _SELDOM:
        found.append(f"gradients are not cleared before {_percent(kept)} of the sampled steps")
    return found + _modes(run)


def _modes(run: Run) -> list[str]:
    """Train and eval mode where they make a difference, and gradients where nobody needs them."""
    layers = [run.facts.get(fact) for fact in (f.DROPOUT_LAYERS, f.NORMALIZATION_LAYERS)]
    wrong = {
        f.TRAINED_IN_EVAL_MODE: "the model trains in eval mode",
        f.VALIDATED_IN_TRAIN_MODE: "validation runs in train mode",
    }
    told = wrong if layers != [0, 0] else {}
    told = {
        **told,
        f.VALIDATED_WITH_GRADIENT: "validation builds autograd graphs, which cost memory (no torch.no_grad)",
    }
    return [
        f"{says}, in {_percent(share)} of sampled batches"
        for fact, says in told.items()
        if (share := _share(run, fact, 0.0)) > _SELDOM
    ]


def _share(run: Run, fact: Fact, otherwise: float) -> float:
    value = run.facts.get(fact)
    return float(value) if isinstance(value, int | float) else otherwise


def places(run: Run) -> list[str]:
    """Where the program does what: "step train.py:31"."""
    return [f"{called} {run.facts[fact]}" for fact, called in _PLACES.items() if fact in run.facts]


def incidents(run: Run) -> list[str]:
    """What happened while it was recorded: the first NaN, an exception, and once that a probe failed."""
    if not is_recording(run):
        return []
    bad = [event for event in run.events if event.kind is EventKind.NONFINITE]
    first = sorted(bad, key=lambda event: event.step if event.step is not None else 0.0)[:1]
    ends = [event for event in run.events if event.kind in (EventKind.EXCEPTION, EventKind.INTERRUPTED)]
    torn = [event for event in run.events if event.kind is EventKind.TORN]
    aside = [event for event in run.events if event.kind is EventKind.STEPPED_ASIDE]
    return [
        *(f"first NaN or infinity: {told_event(event)}" for event in first),
        *(f"{event.kind.value}: {told_event(event)}" for event in ends),
        *(event.says for event in torn),
        *([_aside(aside)] if aside else []),
    ]


def told_event(event: Event, place: str = "") -> str:
    """What happened, and where as far as the sentence does not say it; `place` is a line of code."""
    where = [
        ("layer", event.layer),
        ("operation", event.operation),
        ("batch", "" if event.batch is None else f"{event.batch:,}"),
        ("step", "" if event.step is None else step(event.step)),
    ]
    known = [f"{what} {which}" for what, which in where if which and f"{what} {which}" not in event.says]
    beside = [place, *known] if place else known
    return f"{event.says} ({', '.join(beside)})" if beside else event.says


def _aside(events: list[Event]) -> str:
    more = f" and {len(events) - 1:,} more" if len(events) > 1 else ""
    return f"part of the recorder was switched off ({_ASIDE}): {told_event(events[0])}{more}"


def main_series(run: Run) -> tuple[Series, ...]:
    """The curve a run is judged by, and the same on validation data if there is one."""
    judged = learning_curve(run)
    if judged is None:
        return run.all(TRAIN_LOSS)[:2]
    first = whole(run, judged.quantity)
    if not first.quantity.slug.startswith("train_"):
        return (first,)
    measure = first.quantity.slug.removeprefix("train_")
    beside = [QUANTITIES.get(f"{split}_{measure}") for split in ("val", "test")]
    second = next((whole(run, quantity) for quantity in beside if quantity and quantity in run), None)
    return (first,) if second is None else (first, second)


def span(series: Series) -> str:
    """From where to where a series goes: "steps 0-299"."""
    return f"{series.axis.value}s {step(series.steps[0])}-{step(series.steps[-1])}"


def extent(run: Run) -> str:
    """From where to where the longest series of a run goes."""
    return span(max(run.series, key=len)) if run.series else "no quantity recognized"


def share_at(run: Run, axis: Axis, position: float) -> float | None:
    """Where a position lies in the run, 0 its begin and 1 its end; None if nothing is counted so."""
    alike = [series for series in run.series if series.axis is axis and len(series)]
    if not alike:
        return None
    longest = max(alike, key=len)
    return float(np.interp(position, longest.steps, shares(run, longest)))


def speed(comparison: Comparison) -> str:
    """Which run reaches the common target first, and how much later the others do; empty without a target."""
    if comparison.target is None:
        return ""
    reached = [entry for entry in comparison.entries if entry.reached_at is not None]
    reached.sort(key=lambda entry: entry.reached_at or 0.0)
    never = len(comparison.entries) - len(reached)
    rest = f"{count(never, 'run')} never reached it" if never else ""
    target = f"{comparison.measure.slug} {number(comparison.target)}"
    if not reached or reached[0].reached_at is None:
        return f"no run reaches {target}"
    together = groupby(reached[:4], key=lambda entry: (entry.axis.value, entry.reached_at or 0.0))
    places = [
        f"{' and '.join(entry.run for entry in entries)} ({axis} {step(at)})"
        for (axis, at), entries in together
    ]
    more = [f"{len(reached) - 4} later"] if len(reached) > 4 else []
    return f"{target} is reached by " + "; ".join(
        [", then ".join([*places, *more]), *([rest] if rest else [])]
    )


def shared_folder(names: Sequence[str]) -> str:
    """The folder below which all runs are, with its slash; empty for one run, or where they share none."""
    levels = zip(*(name.split("/")[:-1] for name in names), strict=False)
    shared = takewhile(lambda level: len(set(level)) == 1, levels)
    return "".join(f"{level[0]}/" for level in shared) if len(names) > 1 else ""


def header_notes(run: Run, shown: str = "judged") -> tuple[str, ...]:
    """How far it goes, and which run of its log it is, `shown` in the report.

    Of a recording how long it took, what cut it short, and a cost that was too high.
    """
    before = origin(run, shown)
    recorded = pace(run)
    ends = _interruption(run)
    if recorded is None:
        curves = main_series(run)
        source = f"read from {run.facts[f.READ_FROM]}" if is_told(run) else listed(list(run.formats), 2)
        return (source, span(curves[0]) if curves else extent(run), *ends[-1:], *before)
    steps = f"{step(recorded.steps)} {'step' if recorded.steps == 1 else 'steps'}"
    notes = [f"{steps} in {duration(recorded.seconds)}", *ends[-1:]]
    if f.READ_FROM_FILES in run.facts:
        notes.append(str(run.facts[f.READ_FROM_FILES]))
    if recorded.cost is not None and recorded.cost > _DEAR and recorded.seconds >= _LONG:
        notes.append(f"recording cost {_percent(recorded.cost)}")
    return (*notes, *before)


def _interruption(run: Run) -> list[str]:
    """How a run was interrupted; of a log only if it did not go on after that."""
    stops = [event for event in run.events if event.kind is EventKind.INTERRUPTED]
    if is_program(run):
        return [event.says for event in stops]
    last = max((one.steps[-1] for one in run.series if one.axis is Axis.STEP and len(one)), default=0.0)
    at_end = [event for event in stops if event.step is None or event.step >= last]
    # A log says it with the name of an exception.
    return ["interrupted"] if at_end else []
