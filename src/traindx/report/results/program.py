"""What a recorded program does: where time goes, what cannot learn, what is unusual, and what happened."""

from traindx import facts as f
from traindx.curves.facts import is_recording, times
from traindx.format import count, duration, listed, printable, step
from traindx.report.blocks import Section, entries
from traindx.run import Event, EventKind, Fact, Run

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


def program_section(run: Run) -> Section:
    """Where time goes, what cannot learn, what is unusual, and where the code is."""
    if not is_recording(run):
        return Section("Program", ())
    blocks = [
        *entries("TIME", filter(None, [told_times(run)])),
        *entries("STUCK", idle(run)),
        *entries("UNUSUAL", unusual(run)),
        *entries("CODE", filter(None, [" · ".join(places(run))])),
    ]
    return Section("Program", tuple(blocks), is_open=True)


def share_text(share: float) -> str:
    """A share of time or of batches, with a decimal where it is small."""
    return "<0.1%" if share < 0.001 else f"{100 * share:.1f}%" if share < 0.1 else f"{100 * share:.0f}%"


def told_times(run: Run) -> str:
    """Where the time of a step goes, in one sentence; empty where it is not known."""
    shares = times(run)
    parts = ", ".join(f"{part.called} {part.share:.0%}" for part in shares)
    whole = duration(sum(part.seconds for part in shares))
    return f"a step takes {whole} (median): {parts}" if shares else ""


def idle(run: Run, most: int = _ENOUGH) -> list[str]:
    """Sentences on the parameters that cannot learn: frozen, in no optimizer, without gradient, stale."""
    strays = [layer for layer in run.model if not layer.kind and not layer.gradient]
    model = [layer for layer in run.model if layer not in strays]
    parameters = {
        "frozen (requires_grad is off)": [parameter for parameter in model if not parameter.trainable],
        "not in any optimizer": [
            parameter for parameter in model if parameter.trainable and not parameter.optimized
        ],
        "with a zero gradient": [
            parameter
            for parameter in model
            if parameter.trainable and parameter.optimized and not parameter.gradient
        ],
        "in the optimizer but not in the model (stale)": strays,
    }
    names = {
        what: [printable(f"{layer.part} {layer.name}".strip(), 60) for layer in layers]
        for what, layers in parameters.items()
        if layers
    }
    return [
        f"{count(len(group), 'parameter')} {what}: {listed(group, most)}" for what, group in names.items()
    ]


def unusual(run: Run) -> list[str]:
    """Sentences on what the program does that a training seldom means to do."""
    sentences = []
    shapes, activation = run.facts.get(f.LOSS_SHAPES), run.facts.get(f.OUTPUT_ACTIVATION)
    if shapes:
        sentences.append(f"the loss broadcasts the prediction against the target: {shapes}")
    if activation in _SQUASHED and run.facts.get(f.LOSS_FUNCTION) in _RAW:
        sentences.append(f"{activation} output goes into {run.facts[f.LOSS_FUNCTION]}, which expects logits")
    kept = 1 - _share(run, f.GRADIENTS_CLEARED, 1.0)
    if kept > _SELDOM:
        sentences.append(f"gradients are not cleared before {share_text(kept)} of the sampled steps")
    return sentences + _modes(run)


def _modes(run: Run) -> list[str]:
    """Train and eval mode where they make a difference, and gradients where nobody needs them."""
    layers = [run.facts.get(fact) for fact in (f.DROPOUT_LAYERS, f.NORMALIZATION_LAYERS)]
    wrong = {
        f.TRAINED_IN_EVAL_MODE: "the model trains in eval mode",
        f.VALIDATED_IN_TRAIN_MODE: "validation runs in train mode",
    }
    sentences = wrong if layers != [0, 0] else {}
    sentences = {
        **sentences,
        f.VALIDATED_WITH_GRADIENT: "validation builds autograd graphs, which cost memory (no torch.no_grad)",
    }
    return [
        f"{says}, in {share_text(share)} of sampled batches"
        for fact, says in sentences.items()
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


def told_event(event: Event) -> str:
    """What happened, and where as far as the sentence does not say it."""
    where = [
        ("layer", event.layer),
        ("operation", event.operation),
        ("batch", "" if event.batch is None else f"{event.batch:,}"),
        ("step", "" if event.step is None else step(event.step)),
    ]
    known = [f"{what} {which}" for what, which in where if which and f"{what} {which}" not in event.says]
    return f"{event.says} ({', '.join(known)})" if known else event.says


def _aside(events: list[Event]) -> str:
    more = f" and {len(events) - 1:,} more" if len(events) > 1 else ""
    return f"part of the recorder was switched off ({_ASIDE}): {told_event(events[0])}{more}"
