"""Where the learning rate stands between what learns and what breaks."""

from traindx.causes import lr_too_high, lr_too_low, missing_warmup
from traindx.curves.facts import location_of
from traindx.curves.objective import is_adversarial
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.learning_rate.range_test import Reading, fallen, reading_of
from traindx.exams.preflight.types import Part, Ramp, Rehearsal
from traindx.facts import OPTIMIZER_PLACE
from traindx.finding import Finding, Severity, problem
from traindx.format import number

_FAR_BELOW = 1000.0
"""Times below the rate at which the loss was lowest. A tenth of that rate is what range tests suggest; a
hundred times less than that is slow even for fine-tuning."""
_CLEAR = 3.5
"""Standard errors that the loss has to fall by for the rates to mean anything; as in rate_search."""
_TAIL = 5


def ask(rehearsal: Rehearsal) -> Outcome:
    """The program's own rate in the range test."""
    ramp = rehearsal.ramp
    if isinstance(ramp, str):
        return unseen(ramp)
    if is_adversarial(rehearsal.run):
        return unseen("not applicable: losses of networks that train against each other do not fall")
    reading = reading_of(ramp.course, ramp.steps)
    if reading.fault:
        return unseen(reading.fault)
    return _judged(ramp, reading, location_of(rehearsal.run, OPTIMIZER_PLACE))


def _judged(ramp: Ramp, reading: Reading, place: str) -> Outcome:
    own, lowest = ramp.own, reading.lowest
    told = f"the program runs at {number(own)}{f' ({place})' if place else ''}"
    if reading.diverges is not None and own >= reading.diverges:
        says = f"{told}; in a range test the loss ran away at {number(reading.diverges)} already"
        return Outcome(findings=(_too_high(Severity.SERIOUS, says),))
    if not _has_fallen(ramp, reading):
        return unseen(f"{told}; in a range test of {ramp.steps} steps the loss fell at no rate")
    where = f"in a range test the loss is lowest at {number(lowest)}"
    where += f" and runs away at {number(reading.diverges)}" if reading.diverges is not None else ""
    if own * _FAR_BELOW < lowest:
        says = f"{told}, {lowest / own:.0f} times lower than what learns fastest: {where}"
        return Outcome(findings=(problem(lr_too_low.CAUSE.slug, Severity.WARNING, says),))
    if own > lowest and reading.diverges is not None and 2 * own > reading.diverges:
        return Outcome(findings=(_too_high(Severity.WARNING, f"{told}, at the edge: {where}"),))
    return Outcome(f"{told}; {where}")


def _too_high(severity: Severity, says: str) -> Finding:
    return problem(lr_too_high.CAUSE.slug, severity, says, also=(missing_warmup.CAUSE.slug,))


def _has_fallen(ramp: Ramp, reading: Reading) -> bool:
    """Whether the losses around the lowest lie below the first ones by more than chance."""
    losses, rates = ramp.course.losses, ramp.course.rates
    at = min(range(len(losses)), key=lambda one: abs(rates[one] - reading.lowest))
    around = losses[max(0, at - _TAIL) : at + 1]
    return fallen(reading.untrained, around) >= _CLEAR


CHECK = Check("rate", "The learning rate lies where the loss falls", ask, 40, Part.STEPS)
