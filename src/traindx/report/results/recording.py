"""What only a recording shows of a training: its cost, where time went, what cannot learn, its code."""

from pathlib import PurePath

from traindx import facts as f
from traindx.curves.facts import is_recording
from traindx.curves.timing import Pace, times
from traindx.format import count, duration, listed, printable, step
from traindx.run import Event, EventKind, Fact, Parameter, Run

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
_ASIDE = "the training is not touched by it"
_ENOUGH = 6


def title(run: Run) -> str:
    """What heads a report: the program and the folder of its recording, or the name of the run."""
    script = run.facts.get(f.SCRIPT)
    if not is_recording(run) or not isinstance(script, str) or not script:
        return run.name
    return f"{PurePath(script).name} ({PurePath(run.name).name})"


def told(pace: Pace) -> str:
    """How far it came and what that cost: "1,240 steps in 41 s · recording cost 0.6 %"."""
    steps = f"{step(pace.steps)} {'step' if pace.steps == 1 else 'steps'} in {duration(pace.seconds)}"
    return steps if pace.cost is None else f"{steps} · recording cost {_percent(pace.cost)}"


def _percent(share: float) -> str:
    return "<0.1 %" if share < 0.001 else f"{100 * share:.1f} %" if share < 0.1 else f"{100 * share:.0f} %"


def told_times(run: Run) -> str:
    """Where the time of a step goes, in one sentence; empty where it is not known."""
    found = times(run)
    parts = ", ".join(f"{one.called} {100 * one.share:.0f} %" for one in found)
    whole = duration(sum(one.seconds for one in found))
    return f"a step takes {whole} (median): {parts}" if found else ""


def idle(run: Run, most: int = _ENOUGH) -> list[str]:
    """Sentences on the parameters that cannot learn: frozen, in no optimizer, without gradient, stale."""
    strays = [layer for layer in run.model if not layer.kind and not layer.gradient]
    model = [layer for layer in run.model if layer not in strays]
    found = {
        "frozen (requires_grad is off)": [one for one in model if not one.trainable],
        "in no optimizer": [one for one in model if one.trainable and not one.optimized],
        "without a gradient other than zero": [
            one for one in model if one.trainable and one.optimized and not one.gradient
        ],
        "in the optimizer but not in the model (stale)": strays,
    }
    return [
        f"{count(len(layers), 'parameter')} {what}: {listed([_name(one) for one in layers], most)}"
        for what, layers in found.items()
        if layers
    ]


def unusual(run: Run) -> list[str]:
    """Sentences on what the program does that a training seldom means to do."""
    found = []
    shapes, given = run.facts.get(f.LOSS_SHAPES), run.facts.get(f.OUTPUT_ACTIVATION)
    if shapes:
        found.append(f"prediction and target differ in shape, and the loss stretches them: {shapes}")
    if given in _SQUASHED and run.facts.get(f.LOSS_FUNCTION) in _RAW:
        found.append(f"the output of a {given} enters {run.facts[f.LOSS_FUNCTION]}, which expects raw scores")
    kept = 1 - _share(run, f.GRADIENTS_CLEARED, 1.0)
    if kept > _SELDOM:
        found.append(f"gradients of the step before are not cleared, in {_percent(kept)} of steps looked at")
    return found + _modes(run)


def _modes(run: Run) -> list[str]:
    """Train and eval mode where they make a difference, and gradients where nobody needs them."""
    layers = [run.facts.get(fact) for fact in (f.DROPOUT_LAYERS, f.NORMALISATION_LAYERS)]
    wrong = {
        f.TRAINED_IN_EVAL_MODE: "the model is in eval mode while it trains",
        f.VALIDATED_IN_TRAIN_MODE: "the model is in train mode while it is validated",
    }
    told = wrong if layers != [0, 0] else {}
    told = {**told, f.VALIDATED_WITH_GRADIENT: "validation builds graphs for gradients, which cost memory"}
    return [
        f"{says}, in {_percent(share)} of batches looked at"
        for fact, says in told.items()
        if (share := _share(run, fact, 0.0)) > _SELDOM
    ]


def _share(run: Run, fact: Fact, otherwise: float) -> float:
    value = run.facts.get(fact)
    return float(value) if isinstance(value, int | float) else otherwise


def _name(layer: Parameter) -> str:
    return printable(" ".join(word for word in (layer.part, layer.name) if word), 60)


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
        *(f"first value that is not finite: {told_event(event)}" for event in first),
        *(f"{event.kind.value}: {told_event(event)}" for event in ends),
        *(event.says for event in torn),
        *([_aside(aside)] if aside else []),
    ]


def told_event(event: Event) -> str:
    """What happened, and where as far as the sentence does not say it."""
    where = [
        ("layer", event.layer),
        ("operation", event.operation),
        ("batch", "" if event.batch is None else f"{event.batch:,}"),
        ("step", "" if event.step is None else step(event.step)),
    ]
    beside = [f"{what} {which}" for what, which in where if which and f"{what} {which}" not in event.says]
    return f"{event.says} ({', '.join(beside)})" if beside else event.says


def _aside(events: list[Event]) -> str:
    more = f" and {count(len(events) - 1, 'fault')} more" if len(events) > 1 else ""
    return f"a part of the recorder stepped aside, {_ASIDE}: {told_event(events[0])}{more}"
