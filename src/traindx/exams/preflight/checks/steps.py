"""Whether the program takes its first steps, where they lead, and what the whole run is going to take."""

from dataclasses import replace

from traindx.causes.batch_too_small import batch_tiny
from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.host_device_sync import many_item_calls
from traindx.causes.memory_leak import memory_grows
from traindx.causes.wrong_output_activation import probabilities_refused
from traindx.curves.facts import pace, times
from traindx.curves.objective import is_adversarial
from traindx.curves.series import whole
from traindx.exams.preflight.types import Length, Part, Rehearsal, asked, by_signs, prolonged
from traindx.exams.questions import Outcome, check, unseen
from traindx.facts import BATCH_SIZE, LEARNING_RATE, OPTIMIZER
from traindx.finding import Finding, Severity, problem
from traindx.format import count, duration, number
from traindx.quantities import MEMORY, TRAIN_LOSS
from traindx.signs.data import labels_faulty
from traindx.signs.gradients import most_steps_clipped
from traindx.signs.loop import accumulation_undivided, few_updates_per_epoch, gradients_carried_over
from traindx.signs.loss import loss_diverges
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    fp16_overflow,
    gradient_not_finite,
    loss_not_finite,
    loss_scale_collapses,
    nonfinite_from_layers,
    nonfinite_from_loss,
    steps_overflow,
)
from traindx.signs.optimizer import (
    batchnorm_statistics_lag,
    decay_strong,
    dropout_extreme,
    l2_inside_adam,
    momentum_extreme,
    optimizer_ill_fitting,
)
from traindx.signs.spikes import loss_leaps_above_start, spikes_without_large_updates
from traindx.signs.weights import updates_tiny


@check("runs", "First steps", 10, Part.PROGRAM)
def runs(rehearsal: Rehearsal) -> Outcome:
    """Fail where it stopped with an error of its own."""
    taken = count(rehearsal.steps, "step")
    if not rehearsal.crash:
        return Outcome(f"{taken} without an error")
    # The checks of these have the reason; the error is only how it shows.
    explained = any(
        isinstance(sign(rehearsal.run), Finding) for sign in (labels_faulty, probabilities_refused)
    )
    after = f"crashed after {taken}"
    says = after if explained else f"{after}: {rehearsal.crash}"
    return Outcome(findings=(problem("", Severity.SERIOUS, says),))


@by_signs(
    "stability",
    "Stability",
    10,
    Part.STEPS,
    (
        nonfinite_from_loss,
        fp16_overflow,
        nonfinite_from_layers,
        loss_not_finite,
        gradient_not_finite,
        fails_in_first_steps,
        loss_diverges,
        spikes_without_large_updates,
        loss_leaps_above_start,
        loss_scale_collapses,
        steps_overflow,
    ),
    unknown="no training loss recorded",
)
def stability(rehearsal: Rehearsal) -> str:
    """Where the loss begins and ends."""
    loss = whole(rehearsal.run, TRAIN_LOSS).finite
    ends = f" ({number(float(loss.values[0]))} -> {number(float(loss.values[-1]))})" if len(loss) else ""
    return f"loss stays finite and does not diverge in {count(rehearsal.steps, 'step')}{ends}"


@by_signs(
    "loop",
    "Training loop",
    20,
    Part.STEPS,
    (gradients_carried_over, accumulation_undivided, most_steps_clipped),
    unknown="no optimizer step recorded",
)
def loop(_: Rehearsal) -> str:
    """What a step uses."""
    return "gradients are cleared every step and not over-clipped"


def _told(rehearsal: Rehearsal) -> str:
    facts = rehearsal.run.facts
    known = {OPTIMIZER: "{}", LEARNING_RATE: "lr {:g}", BATCH_SIZE: "batch size {}"}
    sentences = [form.format(facts[fact]) for fact, form in known.items() if facts.get(fact) is not None]
    return ", ".join(sentences) or "no unusual setting"


@check("settings", "Optimizer settings", 30, Part.STEPS)
def settings(rehearsal: Rehearsal) -> Outcome:
    """What signs say of the settings; those that reckon with the length of the run, where that is known."""
    findings, any_told = asked(
        rehearsal.run, (momentum_extreme, optimizer_ill_fitting, l2_inside_adam, dropout_extreme, batch_tiny)
    )
    to_the_end = prolonged(rehearsal)
    findings += asked(to_the_end or rehearsal.run, (decay_strong,))[0]
    findings += asked(to_the_end, (updates_tiny, batchnorm_statistics_lag))[0] if to_the_end else ()
    if findings:
        return Outcome(findings=findings)
    return Outcome(_told(rehearsal)) if any_told else unseen("no optimizer recorded")


_TOLD = 0.1
"""Share of a step from which a part of it is named."""
_GPU = "cuda"
_FULL = 0.9
"""Of the machine's memory: what is above leaves no room for anything else."""


@check("length", "Run length", 10, Part.COST)
def length(rehearsal: Rehearsal) -> Outcome:
    """Warn where batches are so large that the whole run is a few dozen steps."""
    length = rehearsal.length
    if length.steps is None:
        return unseen(length.says or "run length not known")
    # Of networks in turn, a round is a step of each, and no epoch.
    length_said = count(length.steps, "step") if is_adversarial(rehearsal.run) else _steps(length)
    few = few_updates_per_epoch(rehearsal.run)
    fewest = next(limit.value for limit in few_updates_per_epoch.limits if limit.name == "total")
    if isinstance(few, Finding) and length.steps <= fewest:
        says = f"only {length_said} in total; fewer than {fewest:g} barely change the weights"
        warning = replace(few, severity=Severity.WARNING, says=says, sign=few_updates_per_epoch.slug)
        return Outcome(findings=(warning,))
    return Outcome(length_said)


def _steps(length: Length) -> str:
    steps = count(length.steps or 0, "step")
    if length.epochs is None or length.epoch_steps is None or length.epochs == length.steps:
        return steps
    return f"{steps}, {count(length.epochs, 'epoch')} of {length.epoch_steps:,}"


@check("time", "Step time", 20, Part.COST)
def time(rehearsal: Rehearsal) -> Outcome:
    """Warn where steps wait; the time of the whole run, where its length is known."""
    findings, _ = asked(rehearsal.run, (data_wait_dominates, many_item_calls))
    seconds = _of_a_step(rehearsal)
    if seconds is None:
        return Outcome(findings=findings) if findings else unseen("no step timed")
    sentence = f"{duration(seconds)} per step, validation included"
    parts = [f"{each.called} {each.share:.0%}" for each in times(rehearsal.run) if each.share >= _TOLD]
    sentence += f" ({', '.join(parts)})" if parts else ""
    steps, epoch = rehearsal.length.steps, rehearsal.length.epoch_steps
    if steps is not None:
        sentence += f"; about {duration(seconds * steps)} for {count(steps, 'step')}"
    elif epoch is not None:
        sentence += f"; about {duration(seconds * epoch)} per epoch"
    return Outcome(sentence, findings)


def _of_a_step(rehearsal: Rehearsal) -> float | None:
    """Seconds, without what recording took."""
    rate = pace(rehearsal.run)
    if rate is None or not rate.steps or not rate.seconds:
        return None
    return rate.seconds * (1 - (rate.cost or 0.0)) / rate.steps


@check("memory", "Memory", 30, Part.COST)
def memory_use(rehearsal: Rehearsal) -> Outcome:
    """Warn where memory grows from step to step, or is nearly all taken."""
    findings, _ = asked(rehearsal.run, (memory_grows,))
    all_of = rehearsal.run.all(MEMORY)
    held = [series.values.max() for series in all_of if len(series.finite) and not series.part.endswith(_GPU)]
    cuda = [series.values.max() for series in all_of if len(series.finite) and series.part.endswith(_GPU)]
    if not held:
        why = "memory use not available on this system"
        return Outcome(findings=findings) if findings else unseen(why)
    peak, machine = float(max(held)), rehearsal.memory
    sentence = f"peak {_bytes(peak)}{f' of {_bytes(machine)}' if machine else ''}"
    sentence += f", {_bytes(float(max(cuda)))} on the GPU" if cuda else ""
    if machine and peak > _FULL * machine:
        return Outcome(
            findings=(*findings, problem("", Severity.WARNING, f"{sentence}: almost no memory left"))
        )
    return Outcome(sentence, findings)


def _bytes(size: float) -> str:
    return f"{size / 2**30:.1f} GB" if size >= 2**30 else f"{size / 2**20:.0f} MB"
