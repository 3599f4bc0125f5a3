"""Whether optimizer, regularisation and batch are within what works."""

from traindx.causes.batch_too_small import batch_tiny
from traindx.exams.preflight.check import asked, prolonged
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.facts import BATCH_SIZE, LEARNING_RATE, OPTIMIZER
from traindx.finding import Mark
from traindx.signs.optimizer import (
    decay_coupled,
    dropout_extreme,
    momentum_extreme,
    optimizer_ill_fitting,
    running_averages_lag,
)
from traindx.signs.weights import decay_strong, updates_tiny


def _passes(rehearsal: Rehearsal) -> str:
    facts = rehearsal.run.facts
    known = {OPTIMIZER: "{}", LEARNING_RATE: "rate {:g}", BATCH_SIZE: "batches of {}"}
    told = [form.format(facts[fact]) for fact, form in known.items() if facts.get(fact) is not None]
    return ", ".join(told) or "nothing stands out"


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """What signs say of the settings; those that reckon with the length of the run, where that is known."""
    found, any_told = asked(
        rehearsal.run, (momentum_extreme, optimizer_ill_fitting, decay_coupled, dropout_extreme, batch_tiny)
    )
    whole = prolonged(rehearsal)
    found += asked(whole or rehearsal.run, (decay_strong,))[0]
    found += asked(whole, (updates_tiny, running_averages_lag))[0] if whole else []
    if not found and not any_told:
        return [Seen(Mark.UNSEEN, "the optimizer was not seen")]
    return found or [Seen(Mark.PASS, _passes(rehearsal))]


CHECK = Check(
    "settings", "Optimizer, decay, dropout and batch size are within what works", Part.STEPS, 30, ask
)
