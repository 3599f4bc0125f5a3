"""What trials show, in the words that every output uses."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from traindx.changes.types import Measure, label_of, name_of
from traindx.format import count, number, percent
from traindx.quantities import VAL_ACCURACY
from traindx.run import Run
from traindx.trials.types import Candidate, Outcome, Pair, Treatment, Trial

Beliefs = Sequence[tuple[str, float, float]]
"""Causes by slug, with what they were worth before the trials and after them."""

_UNTOLD = "-"
_EVEN = 0.5


@dataclass(frozen=True)
class Row:
    """One trial as a line of a table."""

    change: str
    control: str
    treated: str
    effect: str
    verdict: str
    outcome: Outcome


def rows_by_measure(treatment: Treatment) -> dict[Measure, list[Row]]:
    """The trials as lines, under what they were compared by, in the order they were tried."""
    by_measure: dict[Measure, list[Row]] = {}
    for trial in treatment.trials:
        by_measure.setdefault(trial.measure, []).append(row(trial))
    return by_measure


def row(trial: Trial) -> Row:
    """One trial as a line of a table."""
    pairs = trial.counted or trial.pairs
    control = _side([pair.control.value for pair in pairs])
    treated = _side([pair.treated.value for pair in pairs])
    return Row(trial.name, control, treated, effect(trial), verdict(trial), trial.outcome)


def compared_by(measure: Measure) -> str:
    """What arms are compared by, and which way is better."""
    return f"{measure.value}, {'higher' if measure.is_better_higher else 'lower'} is better"


def effect(trial: Trial) -> str:
    """The difference with its interval; in percent where that says more, or in words."""
    if trial.effect is not None and math.isfinite(trial.effect) and not _is_lopsided(trial):
        ends = "" if trial.interval is None else f" [{', '.join(map(signed, trial.interval))}]"
        return signed(trial.effect) + ends
    if _is_judged(trial) and abs(trial.gain or 1) < 1:
        return _in_percent(trial)
    control, treated = _broken(trial)
    if not control and not treated:
        return _UNTOLD
    if control == treated == len(trial.counted):
        return "NaN in both"
    if not treated:
        return "no more NaN"
    return "NaN with it" if not control else _UNTOLD


def _in_percent(trial: Trial) -> str:
    """The gain with its interval; what falls with a minus, as differences have it."""
    sign = 1 if trial.measure.is_better_higher else -1
    ends = ", ".join(signed(end) for end in sorted(100 * sign * end for end in trial.gain_interval or ()))
    return f"{signed(100 * sign * (trial.gain or 0.0))}% [{ends}]"


def _is_lopsided(trial: Trial) -> bool:
    """Whether an arm that ran away makes the difference say less than what the outcome follows from."""
    ends = trial.interval
    return _is_judged(trial) and ends is not None and ends[0] <= 0 <= ends[1]


def _is_judged(trial: Trial) -> bool:
    return trial.outcome in (Outcome.HELPED, Outcome.WORSE)


def verdict(trial: Trial) -> str:
    """The outcome and in how many seeds it shows; if it is open, why."""
    seeds = count(len(trial.counted), "seed")
    if trial.outcome is Outcome.HELPED:
        return f"{trial.outcome.value}, {better_with(trial)} of {seeds}"
    if trial.outcome is Outcome.WORSE:
        worse = sum(_is_better(_values(pair)[::-1], trial.measure) for pair in trial.counted)
        return f"{trial.outcome.value}, {worse} of {seeds}"
    if trial.outcome is Outcome.NO_DIFFERENCE:
        return f"{trial.outcome.value}, {seeds}"
    return trial.says or trial.outcome.value


def better_with(trial: Trial) -> int:
    """With how many seeds the treated arm is the better one."""
    return sum(_is_better(_values(pair), trial.measure) for pair in trial.counted)


def conclusion(treatment: Treatment) -> str:
    """The proven change; an honest sentence where there is none."""
    best = treatment.best
    if best is not None:
        return named(best)
    return _no_win(treatment)


def metric_line(treatment: Treatment, run: Run) -> str:
    """Accuracy without and with the proven change; empty where the program has none."""
    best = treatment.best
    if best is None or best.metrics is None:
        return ""
    control, treated = (f"{share:.1%}" for share in best.metrics)
    return f"{'val' if VAL_ACCURACY in run else 'train'} accuracy {control} -> {treated}"


def health_line(treatment: Treatment) -> str:
    """What the diagnosis says of the run with the proven change; empty where there is none."""
    best = treatment.best
    if best is None or best.healthy_after is None:
        return ""
    if best.healthy_after < _EVEN and treatment.patch_verified is None:
        # A change at run time leaves the mistake in the program, and the recorder sees it there.
        return ""
    shown = percent(best.healthy_after)
    word = f"healthy ({shown})" if best.healthy_after >= _EVEN else f"not healthy yet ({shown} healthy)"
    return f"re-diagnosed after the fix: {word}"


def named(trial: Trial) -> str:
    """The fix and its change, unless the one contains the other."""
    change = label_of(trial.changes)
    if not trial.title or change in trial.title:
        return trial.title or change
    return f"{trial.title} ({change})"


def _no_win(treatment: Treatment) -> str:
    trials = treatment.trials
    if not trials:
        return "no fix was tried"
    hopeful = [
        trial
        for trial in trials
        if trial.outcome is Outcome.INCONCLUSIVE and 2 * better_with(trial) > len(trial.counted)
    ]
    if hopeful:
        first = max(hopeful, key=lambda trial: _gain(trial) or 0.0)
        return f"{label_of(first.changes)}, {first.says}"
    judged = [trial for trial in trials if trial.outcome in (Outcome.NO_DIFFERENCE, Outcome.WORSE)]
    if judged:
        return "the fix did not help" if len(judged) == 1 else f"none of {len(judged)} fixes helped"
    if all(pair.treated.refused for trial in trials for pair in trial.pairs):
        return "no fix applies to this program"
    return f"{count(len(trials), 'trial')}, not conclusive"


def set_aside(treatment: Treatment) -> list[str]:
    """The arms that do not count, and why; not those whose reason is the verdict of their trial."""
    sentences = []
    for trial in treatment.trials:
        for pair in trial.pairs:
            for arm in (pair.control, pair.treated):
                if arm.problem and arm.problem not in trial.says:
                    name = name_of(arm.changes) or "control"
                    sentences.append(f"{name}, seed {arm.seed}: {arm.problem}")
    return list(dict.fromkeys(sentences))


def left_untried(treatment: Treatment) -> list[str]:
    """The changes that are left, with what they are for."""
    return [_planned(candidate) for candidate in treatment.untried]


def tried(treatment: Treatment) -> str:
    """How many fixes were tried, and why it was no more where none is proven."""
    fixes = f"{count(len(treatment.trials), 'fix', 'fixes')} tried"
    is_cut = treatment.best is None and treatment.why_untried
    return f"{fixes}, {treatment.why_untried}" if is_cut else fixes


def why_left(treatment: Treatment) -> list[str]:
    """Why the search ended before all was tried, where it did."""
    return [treatment.why_untried] if treatment.untried and treatment.why_untried else []


def _planned(planned: Candidate) -> str:
    name = name_of(planned.changes)
    because = f"; {planned.because}" if planned.because else ""
    return f"{name}: {planned.title}{because}" if planned.title not in ("", name) else f"{name}{because}"


def belief_lines(beliefs: Beliefs) -> list[str]:
    """How the trials moved the confidence in causes, the likeliest first."""
    ordered = sorted(beliefs, key=lambda entry: -entry[2])
    rows = [(slug, percent(before), percent(after)) for slug, before, after in ordered]
    return [f"{slug} {before} -> {after}" for slug, before, after in rows if before != after]


def patch_line(treatment: Treatment) -> str:
    """What the patch changes and whether it was run; empty where nothing was proven."""
    if not treatment.patch:
        return "no source patch" if treatment.best else ""
    said = {
        True: "verified: the patched program reproduces the effect",
        False: "not verified: the patched program does not reproduce the effect",
        None: "not verified: the patched program was not run",
    }[treatment.patch_verified]
    return " · ".join(filter(None, (treatment.patch_says, said)))


def share_of_control(trial: Trial) -> tuple[float, tuple[float, float] | None] | None:
    """The effect and its interval over the size of the control; None where that is no number."""
    control = trial.control
    if trial.effect is None or not control or not math.isfinite(control) or not math.isfinite(trial.effect):
        return None
    size = abs(control)
    ends = trial.interval
    return trial.effect / size, None if ends is None else (ends[0] / size, ends[1] / size)


def _gain(trial: Trial) -> float | None:
    """How much better it is, as a share of the control."""
    shares = share_of_control(trial)
    if shares is None:
        return None
    return shares[0] if trial.measure.is_better_higher else -shares[0]


def ranked(trials: Sequence[Trial]) -> list[Trial]:
    """The best first: whole wins over NaN, then by effect; those that tell nothing at the end."""

    def worth(trial: Trial) -> float:
        gain = _gain(trial)
        if gain is not None:
            return gain
        control, treated = _broken(trial)
        return math.copysign(math.inf, control - treated) if trial.counted and control != treated else -1e300

    return sorted(trials, key=lambda trial: -worth(trial))


def figure(value: float | None) -> str:
    """A value of an arm for a person."""
    if value is None:
        return _UNTOLD
    return number(value) if math.isfinite(value) else "NaN"


def signed(value: float) -> str:
    """A difference with its sign, to three digits."""
    if not math.isfinite(value):
        return figure(value)
    shown = number(float(f"{value:.3g}"))
    return f"+{shown}" if value > 0 else shown


def _side(values: Sequence[float | None]) -> str:
    """The mean of one side; how many broke, where only some did."""
    known = [value for value in values if value is not None]
    broken = sum(not math.isfinite(value) for value in known)
    if 0 < broken < len(known):
        return f"NaN {broken} of {len(known)}"
    return figure(sum(known) / len(known) if known else None)


def _values(pair: Pair) -> tuple[float, float]:
    control, treated = pair.control.value, pair.treated.value
    assert control is not None
    assert treated is not None
    return control, treated


def _is_better(values: tuple[float, float], measure: Measure) -> bool:
    """Whether the second value is better than the first; any number is better than none."""
    before, after = values
    if not math.isfinite(before) or not math.isfinite(after):
        return math.isfinite(after) and not math.isfinite(before)
    return after > before if measure.is_better_higher else after < before


def _broken(trial: Trial) -> tuple[int, int]:
    """How many control arms and how many treated arms end in no number."""
    values = [_values(pair) for pair in trial.counted]
    return (
        sum(not math.isfinite(control) for control, _ in values),
        sum(not math.isfinite(treated) for _, treated in values),
    )
