"""What a search for a learning rate found, in the words that every output uses."""

import math
from dataclasses import dataclass

from traindx.exams.learning_rate.types import FoundRate, RateTrial
from traindx.format import count, number

_ALIKE = 0.95
_WITHIN = "of the rates tried, these end within 5 % of the best fall"
_SAFER = "the best one stands close to where it breaks, and the suggested one keeps away from there"
_CURRENT, _SUGGESTED, _LOWEST, _RAN_AWAY = "current", "suggested", "ends lowest", "ran away"


@dataclass(frozen=True)
class Row:
    """One trial as a line of a table."""

    rate: str
    end: str
    fall: str
    """Of the fall of the best trial."""
    remark: str
    is_suggested: bool


def verdict(found: FoundRate) -> str:
    """The answer in a few words."""
    if found.suggested is None:
        return "no learning rate to suggest"
    if found.suggested == found.current:
        return f"keep the learning rate at {number(found.current)}"
    return f"set the learning rate to {number(found.suggested)}, from {number(found.current)}"


def rows(found: FoundRate) -> list[Row]:
    """The trials, the lowest rate first."""
    return [
        Row(number(one.rate), _end(one), _fall(found, one), _remark(found, one), one.rate == found.suggested)
        for one in found.trials
    ]


def _end(one: RateTrial) -> str:
    return number(one.loss) if math.isfinite(one.loss) else "-"


def _fall(found: FoundRate, one: RateTrial) -> str:
    share = found.share(one)
    return "-" if share is None else f"{100 * share:.0f} %"


def _remark(found: FoundRate, one: RateTrial) -> str:
    said = [
        (one.rate == found.current, _CURRENT),
        (one.rate == found.suggested, _SUGGESTED),
        (one is found.best, _LOWEST),
        (one.ran_away, _RAN_AWAY),
    ]
    return ", ".join(word for is_so, word in said if is_so)


def heading(found: FoundRate) -> str:
    """What the table of trials shows."""
    steps = max((len(one.course.losses) for one in found.trials), default=0)
    return f"{found.measure} after {count(steps, 'step')}, from {number(found.begins)}"


def usable_line(found: FoundRate) -> str:
    """The rates that are about as good; empty where none is suggested."""
    if found.usable is None:
        return ""
    low, high = map(number, found.usable)
    if low == high:
        return f"{low} alone: rates three times lower and higher end more than 5 % of the fall above it"
    chosen = found.at(found.suggested)
    share = None if chosen is None else found.share(chosen)
    is_alike = share is None or share >= _ALIKE
    return f"{low} to {high}: {_WITHIN if is_alike else _SAFER}"


def current_line(found: FoundRate) -> str:
    """How the current rate stands against what was found."""
    now, usable = found.at(found.current), found.usable
    if usable is None or now is None:
        return ""
    share = found.share(now)
    fell = (
        "it ran away"
        if now.ran_away or share is None
        else f"it falls by {100 * max(0.0, share):.0f} % of what the best falls by"
    )
    low, high = usable
    if found.current < low:
        return f"{number(found.current)}, {_times(low / found.current)} below the usable rates: {fell}"
    if found.current > high:
        return f"{number(found.current)}, {_times(found.current / high)} above the usable rates: {fell}"
    return f"{number(found.current)} is among the usable rates: {fell}"


def _times(ratio: float) -> str:
    return f"{number(float(f'{ratio:.2g}'))} times"


def limit_line(found: FoundRate) -> str:
    """From which rate on the loss runs away."""
    if found.diverges is None:
        top = max(found.curve.rates, default=0.0)
        return f"at no rate up to {number(float(f'{top:.2g}'))}" if found.trials else ""
    return f"from about {number(float(f'{found.diverges:.2g}'))} on"


def cost_line(found: FoundRate, seconds: float | None = None) -> str:
    """What it took."""
    parts = f"{len(found.curve.losses)} in the range test"
    if found.trials:
        lengths = max(len(one.course.losses) for one in found.trials)
        parts += f", {count(len(found.trials), 'trial')} of {lengths}"
    took = "" if seconds is None else f", {seconds:.0f} s"
    return f"{count(found.steps, 'step')} ({parts}){took}"


def in_short(found: FoundRate, seconds: float, change: str) -> list[tuple[str, str]]:
    """What a page says below the trials, each line with its name."""
    told = [
        ("Usable", usable_line(found)),
        ("Current", current_line(found)),
        ("Runs away", limit_line(found)),
        ("Change", change),
        ("Cost", cost_line(found, seconds)),
        *(("Note", note) for note in found.notes),
    ]
    return [(name, line) for name, line in told if line]
