"""From several runs to one comparison: which is best, why they differ, how fast, and where they part."""

from collections.abc import Sequence
from os import PathLike

import numpy as np

from traindx.comparison import noise
from traindx.comparison.association import associations
from traindx.comparison.divergence_point import partings
from traindx.comparison.hyperparameters import Hyperparameters, hyperparameters
from traindx.comparison.measure import measure_of
from traindx.comparison.noise import one_training
from traindx.comparison.outcome import Outcome, double_descent_notes, order, outcomes, reached, shown, target
from traindx.comparison.types import Comparison, Entry
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.errors import TraindxError
from traindx.facts import CLASSES, DATASET, SCRIPT
from traindx.format import listed, number, printable, step
from traindx.readers.loading.runs import load
from traindx.run import Run, Scalar

_TASK = (SCRIPT, DATASET, CLASSES)
"""What runs have in common that are worth ranking."""
_UNEVEN = 1.5
"""Runs are not equally long when the longest is so many times the shortest."""


_Path = str | PathLike[str]


def compare(what: Sequence[Run | _Path] | _Path, diagnoses: Sequence[Diagnosis] | None = None) -> Comparison:
    """The runs side by side, the best first; needs two that share a measure.

    `what` is runs, or the paths of logs, or a folder of runs.
    """
    sources = [what] if isinstance(what, str | PathLike) else what
    runs = [run for source in sources for run in ([source] if isinstance(source, Run) else load(source))]
    if len(runs) < 2:
        have = f"got only {runs[0].name}" if runs else "got none"
        raise TraindxError(f"compare needs two runs, {have}; add another log, or a folder with several")
    if diagnoses is None:
        diagnoses = [diagnose(run) for run in runs]
    # The squares of a diverged run's values may overflow: infinite noise is then the right answer.
    with np.errstate(over="ignore", invalid="ignore"):
        return _compare(runs, diagnoses)


def _compare(runs: Sequence[Run], diagnoses: Sequence[Diagnosis]) -> Comparison:
    measure = measure_of(runs)
    results = outcomes(measure)
    chosen = hyperparameters(runs)
    ranking = order(results)
    speed = target(results)
    arrivals = reached(results, speed)
    between_seeds = noise.seed_noise(results, chosen)
    linked = associations(chosen, [outcome.turned for outcome in results], measure.called)
    deviation = between_seeds.deviation if between_seeds else None
    notes = [
        *measure.notes,
        *noise.remarks(runs, results, chosen, between_seeds, measure),
        *_about_hyperparameters(runs, chosen, ranking, one_training(measure.series)),
        *linked.notes,
        *double_descent_notes(results, chosen, measure, deviation),
        *_about_positions(results),
    ]
    return Comparison(
        measure.quantity,
        measure.part,
        None if speed is None else shown(measure, speed),
        tuple(
            _entry(runs[run], diagnoses[run], results[run], chosen.of(run), arrivals[run]) for run in ranking
        ),
        tuple(chosen.differing),
        linked.found,
        partings(runs, ranking, measure, chosen),
        tuple(notes),
        deviation,
        _about_tasks(runs),
    )


def _about_tasks(runs: Sequence[Run]) -> tuple[str, ...]:
    """A warning where runs are of several programs, or of tasks whose losses are not of one size."""
    stated = {fact: dict.fromkeys(run.facts[fact] for run in runs if fact in run.facts) for fact in _TASK}
    differing = [
        f"{fact.slug} ({listed([printable(str(value), 40) for value in values], 3)})"
        for fact, values in stated.items()
        if len(values) > 1
    ]
    if not differing:
        return ()
    return (f"The runs differ in {', '.join(differing)}; the ranking may not be meaningful.",)


def _entry(
    run: Run, diagnosis: Diagnosis, outcome: Outcome, settings: dict[str, Scalar], arrival: float | None
) -> Entry:
    return Entry(
        run.name,
        outcome.best,
        outcome.best_at,
        outcome.final,
        outcome.axis,
        outcome.points,
        arrival,
        diagnosis.verdict,
        diagnosis.says,
        settings,
    )


def _about_hyperparameters(
    runs: Sequence[Run], chosen: Hyperparameters, ranking: Sequence[int], repeated: bool
) -> list[str]:
    if len(chosen.unknown) == len(runs):
        return ["No hyperparameters found: put hparams.yaml, config.json or args.json next to each log."]
    notes = []
    if chosen.unknown:
        names = listed([runs[run].name for run in chosen.unknown], 4)
        notes.append(f"No hyperparameters found for {names}.")
    if chosen.only_seeds:
        return notes
    complete = not chosen.unknown and not chosen.partly_stated
    if chosen.partly_stated:
        names = listed(list(chosen.partly_stated), 4)
        notes.append(f"Not every run states {names}; the runs may differ there.")
    if not chosen.differing and complete and not repeated:
        notes.append("No recorded hyperparameter differs; what makes the runs differ was not logged.")
    if len(chosen.differing) == 1 and complete:
        seeds = set(chosen.seeds)
        same = " (same seed)" if len(seeds) == 1 and None not in seeds else ""
        name, values = next(iter(chosen.differing.items()))
        best, worst = (values[ranking[end]] for end in (0, -1))
        notes.append(f"The runs differ only in {name}{same}: {_shown(best)} is best, {_shown(worst)} worst.")
    return notes


def _shown(value: Scalar | None) -> str:
    return number(value) if isinstance(value, float) else printable(str(value), 40)


def _about_positions(results: Sequence[Outcome]) -> list[str]:
    curves = [outcome.curve for outcome in results if outcome.curve is not None]
    axes = sorted({curve.axis.value for curve in curves})
    if len(axes) > 1:
        counted = " and ".join(f"{axis}s" for axis in axes)
        return [f"The runs count {counted}: they are aligned by share of the run, and speed is not compared."]
    ends = sorted(float(curve.steps[-1]) for curve in curves)
    if len(ends) < 2 or ends[-1] <= _UNEVEN * max(ends[0], 1.0):
        return []
    return [
        f"The runs end between {axes[0]} {step(ends[0])} and {axes[0]} {step(ends[-1])}; longer runs had more"
        " time to improve."
    ]
