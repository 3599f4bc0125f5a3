"""Where the learning rate stands between what learns and what breaks."""

from traindx.curves.facts import location_of
from traindx.curves.objective import is_adversarial
from traindx.exams.learning_rate.range_test import Reading, fallen, reading_of
from traindx.exams.preflight.types import Check, Part, Ramp, Rehearsal, Seen
from traindx.facts import OPTIMIZER_PLACE
from traindx.finding import Mark
from traindx.format import number

_FAR_BELOW = 1000.0
"""Times below the rate at which the loss was lowest. A tenth of that rate is what range tests suggest; a
hundred times less than that is slow even for fine-tuning."""
_CLEAR = 3.5
"""Standard errors that the loss has to fall by for the rates to mean anything; as in rate_search."""
_TAIL = 5


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """The program's own rate in the range test."""
    ramp = rehearsal.ramp
    if isinstance(ramp, str):
        return [Seen(Mark.UNSEEN, ramp)]
    if is_adversarial(rehearsal.run):
        return [
            Seen(Mark.UNSEEN, "not applicable: losses of networks that train against each other do not fall")
        ]
    reading = reading_of(ramp.course, ramp.steps)
    if reading.fault:
        return [Seen(Mark.UNSEEN, reading.fault)]
    return [_judged(ramp, reading, location_of(rehearsal.run, OPTIMIZER_PLACE))]


def _judged(ramp: Ramp, reading: Reading, place: str) -> Seen:
    own, lowest = ramp.own, reading.lowest
    told = f"the program runs at {number(own)}{f' ({place})' if place else ''}"
    if reading.diverges is not None and own >= reading.diverges:
        says = f"{told}; in a range test the loss ran away at {number(reading.diverges)} already"
        return Seen(Mark.FAIL, says, causes=("lr-too-high", "missing-warmup"))
    if not _has_fallen(ramp, reading):
        return Seen(Mark.UNSEEN, f"{told}; in a range test of {ramp.steps} steps the loss fell at no rate")
    where = f"in a range test the loss is lowest at {number(lowest)}"
    where += f" and runs away at {number(reading.diverges)}" if reading.diverges is not None else ""
    if own * _FAR_BELOW < lowest:
        return Seen(
            Mark.WARN,
            f"{told}, {lowest / own:.0f} times lower than what learns fastest: {where}",
            causes=("lr-too-low",),
        )
    if own > lowest and reading.diverges is not None and 2 * own > reading.diverges:
        return Seen(Mark.WARN, f"{told}, at the edge: {where}", causes=("lr-too-high", "missing-warmup"))
    return Seen(Mark.PASS, f"{told}; {where}")


def _has_fallen(ramp: Ramp, reading: Reading) -> bool:
    """Whether the losses around the lowest lie below the first ones by more than chance."""
    losses, rates = ramp.course.losses, ramp.course.rates
    at = min(range(len(losses)), key=lambda one: abs(rates[one] - reading.lowest))
    around = losses[max(0, at - _TAIL) : at + 1]
    return fallen(reading.untrained, around) >= _CLEAR


CHECK = Check("rate", "The learning rate lies where the loss falls", Part.STEPS, 40, ask)
