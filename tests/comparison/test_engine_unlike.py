"""Runs that share less than they might: steps, statements, diagnoses."""

from dataclasses import replace

import numpy as np

from tests.comparison.test_engine import compared, drawn, note, sweep
from traindx import facts
from traindx.comparison.engine import compare
from traindx.comparison.hyperparameters import hyperparameters
from traindx.run import Fact, Run, Scalar


def test_runs_without_common_steps_are_not_said_to_stay_together() -> None:
    early = drawn("early", np.linspace(1, 0.5, 25))
    late = drawn("late", np.linspace(3, 2, 40))
    (series,) = late.series
    late = replace(late, series=(replace(series, steps=series.steps * 20 + 44),))
    (parting,) = compared([early, late]).partings
    assert parting.step is None
    assert "share no steps to find where they diverge: 0-24 and 44-824 (validation loss)" in parting.says


def test_what_a_run_does_not_state_is_not_said_to_differ() -> None:
    values = np.linspace(2, 1, 50)
    full = {facts.LABEL_SMOOTHING: 0.0, facts.BETA2: 0.999, facts.SEED: 1}
    runs = [
        replace(drawn("ok", values), facts={**full, facts.LEARNING_RATE: 0.001}),
        replace(drawn("hot", values + 1), facts={**full, facts.LEARNING_RATE: 0.1}),
        replace(drawn("bare", values - 1), facts={facts.LEARNING_RATE: 0.01}),
    ]
    comparison = compared(runs)
    assert comparison.differing == ("learning_rate",)
    assert not any("The runs differ" in sentence for sentence in comparison.notes)
    assert "beta2, label_smoothing; the runs may differ there" in note(comparison, "Not every run")


def test_a_run_that_leaves_something_out_is_no_repeat_of_one_that_states_it() -> None:
    stated: list[dict[Fact, Scalar]] = [
        {facts.DROPOUT: 0.1, facts.BATCH_SIZE: 8, facts.SEED: 1},
        {facts.DROPOUT: 0.1, facts.BATCH_SIZE: 8, facts.SEED: 2},
        {facts.BATCH_SIZE: 8, facts.SEED: 3},
    ]
    chosen = hyperparameters([Run(str(index), (), facts=settings) for index, settings in enumerate(stated)])
    assert chosen.repeats() == [[0, 1]]
    assert not chosen.only_seeds


def test_runs_alone_are_diagnosed_on_the_way() -> None:
    runs = sweep("seed")
    assert compare(runs) == compared(runs)


def test_runs_of_other_programs_or_tasks_are_ranked_with_a_warning() -> None:
    values = np.linspace(2, 1, 50)
    runs = [
        replace(drawn("a", values), facts={facts.SCRIPT: "a.py", facts.CLASSES: 10}),
        replace(drawn("b", values - 1), facts={facts.SCRIPT: "b.py", facts.CLASSES: 10}),
        drawn("bare", values + 1),
    ]
    (warning,) = compared(runs).warnings
    assert "script (a.py, b.py)" in warning
    assert "classes" not in warning
    assert compared([runs[0], runs[2]]).warnings == ()
