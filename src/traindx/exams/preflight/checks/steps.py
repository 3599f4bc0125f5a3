"""Whether the program takes its first steps, and whether they go somewhere."""

from traindx.causes.batch_too_small import batch_tiny
from traindx.causes.wrong_output_activation import probabilities_refused
from traindx.curves.series import whole
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.preflight.signs import asked, by_signs, prolonged
from traindx.exams.preflight.types import Part, Rehearsal
from traindx.facts import BATCH_SIZE, LEARNING_RATE, OPTIMIZER
from traindx.finding import Finding, Severity, problem
from traindx.format import count, number
from traindx.quantities import TRAIN_LOSS
from traindx.signs.data import labels_faulty
from traindx.signs.gradients import most_steps_clipped
from traindx.signs.loop import accumulation_undivided, gradients_carried_over
from traindx.signs.loss import loss_diverges
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    gradient_not_finite,
    loss_not_finite,
    loss_scale_collapses,
    nonfinite_from_half,
    nonfinite_from_layers,
    nonfinite_from_loss,
    steps_overflow,
)
from traindx.signs.optimizer import (
    decay_coupled,
    dropout_extreme,
    momentum_extreme,
    optimizer_ill_fitting,
    running_averages_lag,
)
from traindx.signs.spikes import leaps_on_small_steps, loss_leaps_above_start
from traindx.signs.weights import decay_strong, updates_tiny


def _runs(rehearsal: Rehearsal) -> Outcome:
    """Fail where it stopped with an error of its own."""
    taken = count(rehearsal.steps, "step")
    if not rehearsal.crash:
        return Outcome(f"it took {taken}")
    # The checks of these have the reason; the error is only how it shows.
    explained = any(
        isinstance(sign(rehearsal.run), Finding) for sign in (labels_faulty, probabilities_refused)
    )
    after = f"it stopped with an error after {taken}"
    says = after if explained else f"{after}: {rehearsal.crash}"
    return Outcome(findings=(problem("", Severity.SERIOUS, says),))


RUNS = Check("runs", "The program takes its first steps", _runs, 10, Part.PROGRAM)


def _stays(rehearsal: Rehearsal) -> str:
    loss = whole(rehearsal.run, TRAIN_LOSS).finite
    ends = f" ({number(float(loss.values[0]))} to {number(float(loss.values[-1]))})" if len(loss) else ""
    return f"the loss stays finite and does not run away in {count(rehearsal.steps, 'step')}{ends}"


STABILITY = Check(
    "stability",
    "The first steps neither break nor run away",
    by_signs(
        nonfinite_from_loss,
        nonfinite_from_half,
        nonfinite_from_layers,
        loss_not_finite,
        gradient_not_finite,
        fails_in_first_steps,
        loss_diverges,
        leaps_on_small_steps,
        loss_leaps_above_start,
        loss_scale_collapses,
        steps_overflow,
        passes=_stays,
        unknown=lambda _: "no training loss was seen",
    ),
    10,
    Part.STEPS,
)

LOOP = Check(
    "loop",
    "Gradients are cleared, divided and clipped as they should be",
    by_signs(
        gradients_carried_over,
        accumulation_undivided,
        most_steps_clipped,
        passes=lambda _: "each step uses the gradients of its own batches, and is not clipped to nothing",
        unknown=lambda _: "no step of an optimizer was looked at",
    ),
    20,
    Part.STEPS,
)


def _told(rehearsal: Rehearsal) -> str:
    facts = rehearsal.run.facts
    known = {OPTIMIZER: "{}", LEARNING_RATE: "rate {:g}", BATCH_SIZE: "batches of {}"}
    told = [form.format(facts[fact]) for fact, form in known.items() if facts.get(fact) is not None]
    return ", ".join(told) or "nothing stands out"


def _settings(rehearsal: Rehearsal) -> Outcome:
    """What signs say of the settings; those that reckon with the length of the run, where that is known."""
    found, any_told = asked(
        rehearsal.run, (momentum_extreme, optimizer_ill_fitting, decay_coupled, dropout_extreme, batch_tiny)
    )
    to_the_end = prolonged(rehearsal)
    found += asked(to_the_end or rehearsal.run, (decay_strong,))[0]
    found += asked(to_the_end, (updates_tiny, running_averages_lag))[0] if to_the_end else ()
    if found:
        return Outcome(findings=found)
    return Outcome(_told(rehearsal)) if any_told else unseen("the optimizer was not seen")


SETTINGS = Check(
    "settings", "Optimizer, decay, dropout and batch size are within what works", _settings, 30, Part.STEPS
)
