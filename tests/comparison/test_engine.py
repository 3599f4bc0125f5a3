"""Runs side by side, on sweeps of small real trainings (tests/data/sweeps/make.py made them)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from traindx import facts, quantities
from traindx.comparison.association import associations
from traindx.comparison.engine import compare
from traindx.comparison.hyperparameters import Hyperparameters, hyperparameters
from traindx.comparison.types import Comparison
from traindx.diagnosis.engine import diagnose
from traindx.errors import TraindxError
from traindx.format import number, step
from traindx.readers.loading.runs import load
from traindx.run import Axis, Floats, Quantity, Run, Scalar, Series

SWEEPS = Path(__file__).parents[1] / "data/sweeps"


def sweep(*names: str) -> list[Run]:
    """The runs of sweeps, named by their place in them."""
    runs = [run for name in names for run in load(SWEEPS / name)]
    return [replace(run, name=str(Path(run.name).relative_to(SWEEPS))) for run in runs]


def compared(runs: Sequence[Run]) -> Comparison:
    return compare(runs, [diagnose(run) for run in runs])


def drawn(name: str, values: Floats, quantity: Quantity = quantities.VAL_LOSS, axis: Axis = Axis.STEP) -> Run:
    return Run(name, (Series(quantity, np.arange(len(values), dtype=np.float64), np.asarray(values), axis),))


def note(comparison: Comparison, word: str) -> str:
    """The only note that holds a word."""
    (match,) = [text for text in comparison.notes if word in text]
    return match


def test_a_rate_sweep_has_the_best_first_and_the_broken_last() -> None:
    comparison = compared(sweep("lr"))
    assert comparison.measure is quantities.VAL_LOSS
    names = [entry.run for entry in comparison.entries]
    assert names == ["lr/0.2", "lr/0.02", "lr/0.002", "lr/0.0002", "lr/2", "lr/2e+12"]
    first, last = comparison.entries[0], comparison.entries[-1]
    assert (round(first.best, 4), first.best_at) == (0.0928, 230)
    assert first.final > first.best
    assert np.isnan(last.best)
    assert np.isnan(last.final)
    assert step(last.best_at) == "20"
    assert comparison.differing == ("learning_rate",)
    assert [entry.settings["learning_rate"] for entry in comparison.entries][:2] == [0.2, 0.02]
    assert "only in learning_rate (same seed): 0.2 is best, 2e12 worst" in note(comparison, "same seed")


def test_six_rates_with_the_best_in_the_middle_are_too_few_to_exclude_chance() -> None:
    comparison = compared(sweep("lr"))
    assert comparison.associations == ()
    assert "6 runs by learning_rate is not significant (p = 0.078)" in note(comparison, "significant")


def test_speed_is_measured_to_a_value_that_half_of_the_runs_reach() -> None:
    comparison = compared(sweep("lr"))
    reached = {entry.run: entry.reached_at for entry in comparison.entries if entry.reached_at is not None}
    assert len(reached) >= 3
    assert reached["lr/0.2"] < reached["lr/0.02"] < reached["lr/0.002"]
    assert comparison.target == pytest.approx(1.98, abs=0.01)


def test_a_seed_sweep_is_called_one_and_its_spread_is_the_noise() -> None:
    comparison = compared(sweep("seed"))
    bests = [entry.best for entry in comparison.entries]
    assert comparison.noise == pytest.approx(np.std(bests, ddof=1))
    assert comparison.differing == ()
    assert "The 5 runs differ only in their seed" in note(comparison, "seed")
    assert [parting.step for parting in comparison.partings] == [None] * 4


def test_runs_that_differ_by_luck_do_not_part_though_nothing_says_they_are_repeats() -> None:
    bare = [replace(run, facts={}, settings={}) for run in sweep("seed")]
    comparison = compared(bare)
    assert comparison.noise is None
    assert [parting.step for parting in comparison.partings] == [None] * 4
    assert "No hyperparameters found" in note(comparison, "hparams.yaml")


def test_the_first_two_of_a_grid_do_not_differ_beyond_the_noise_between_seeds() -> None:
    comparison = compared(sweep("grid", "seed"))
    said = note(comparison, "first two")
    assert "grid/0.1-32-tanh and grid/0.1-32-relu, do not differ beyond the noise" in said
    assert "between seeds" in said
    worse = compared([*sweep("seed"), *sweep("lr")[:1]])
    assert "beyond the noise (" in note(worse, "first two")


def test_a_grid_shows_both_hyperparameters_that_matter_and_not_the_third() -> None:
    rate, size = compared(sweep("grid")).associations
    assert (rate.name, size.name) == ("learning_rate", "batch_size")
    assert rate.correlation > 0.8
    assert size.correlation < -0.9
    assert max(rate.chance, size.chance) < 0.01
    assert "higher values go with a better validation loss" in rate.says
    assert "after accounting for learning_rate" in size.says
    assert "change only this hyperparameter" in note(compared(sweep("grid")), "cause")


def test_hyperparameters_that_vary_together_are_said_to() -> None:
    runs = [
        replace(run, settings={**run.settings, "decay": float(str(run.settings["lr"])) / 7})
        for run in sweep("grid")
    ]
    rate = compared(runs).associations[0]
    assert "cannot be separated from decay, which varies with it" in rate.says


def test_words_can_go_with_the_outcome() -> None:
    rng = np.random.default_rng(0)
    words = tuple(["adam", "sgd", "lion"][index % 3] for index in range(18))
    turned = [rng.normal() + 4 * (word == "sgd") for word in words]
    (association,) = associations(
        Hyperparameters({"optimizer": words}, (None,) * 18, ()), turned, "val_loss"
    ).found
    assert "sgd with the worst" in association.says
    assert 0.5 < association.correlation <= 1


def test_chance_is_not_called_an_association() -> None:
    """Over 200 random designs at most one in twenty may cry wolf; some slack for the dice."""
    rng = np.random.default_rng(5)
    alarms = 0
    for _ in range(200):
        differing: dict[str, tuple[Scalar | None, ...]] = {
            "rate": tuple(rng.normal(size=9).tolist()),
            "size": tuple(int(size) for size in rng.choice([16, 32, 64], 9)),
            "flag": tuple(bool(size) for size in rng.choice([0, 1], 9)),
        }
        chosen = Hyperparameters(differing, tuple(range(9)), ())
        alarms += bool(associations(chosen, rng.normal(size=9).tolist(), "val_loss").found)
    assert alarms <= 16


def test_repeats_of_one_configuration_count_once_where_several_hyperparameters_differ() -> None:
    """Five seeds each of two configurations are two cases, not ten."""
    chosen = Hyperparameters(
        {
            "rate": (0.1,) * 5 + (0.2,) * 5,
            "drop": (0.5,) * 3 + (None,) * 7,
            "size": (8,) * 5 + (9,) * 4 + (8,),
        },
        (*range(5), *range(5)),
        (),
    )
    assert associations(chosen, list(range(10)), "val_loss").found == ()


def test_twins_part_where_one_thing_was_changed() -> None:
    raised, steady = sweep("part/raised", "part/steady")
    (parting,) = compared([raised, steady]).partings
    assert (parting.first, parting.second) == ("part/steady", "part/raised")
    assert parting.quantity is quantities.TRAIN_LOSS
    # The rate is raised for step 150, so the loss of step 151 is the first to feel it.
    assert "identical up to step 150, " in parting.says
    assert parting.step is not None
    assert 151 <= parting.step <= 160


def test_runs_of_different_seeds_part_there_too() -> None:
    (parting,) = compared(sweep("part/raised-other-seed", "part/steady")).partings
    assert "identical" not in parting.says
    assert parting.step is not None
    assert 145 <= parting.step <= 160


def test_a_copy_never_parts() -> None:
    (run,) = sweep("part/steady")
    (parting,) = compared([run, replace(run, name="copy")]).partings
    assert parting.step is None
    assert "identical at all 315 shared points" in parting.says


def test_one_spike_is_no_parting() -> None:
    calm = np.linspace(2, 1, 200) + 0.01 * np.sin(np.arange(200.0) ** 2)
    spiked = calm + 0.01 * np.cos(np.arange(200.0) ** 2)
    spiked[90] = 9.0
    (parting,) = compared([drawn("calm", calm), drawn("spiked", spiked)]).partings
    assert parting.step is None


def test_a_run_that_is_lost_parts_where_it_is_lost() -> None:
    values = np.linspace(2, 1, 100)
    lost = np.where(np.arange(100) >= 60, np.nan, values)
    comparison = compared([drawn("lost", lost), drawn("kept", values)])
    assert [entry.run for entry in comparison.entries] == ["kept", "lost"]
    assert comparison.partings[0].step == 60
    assert "identical up to step 59" in comparison.partings[0].says


def test_double_descent_over_the_size_is_noted() -> None:
    comparison = compared(sweep("width"))
    said = note(comparison, "Double descent")
    assert "0.0645 at 250 parameters, worst (0.629) at 1,000, and 0.0579 at 10,000" in said
    small = [run for run in sweep("width") if float(str(run.facts[facts.PARAMETERS])) <= 1000]
    assert not any("Double descent" in sentence for sentence in compared(small).notes)


def test_steps_against_epochs_are_compared_by_share() -> None:
    by_step, by_epoch = np.linspace(2, 1, 500), np.linspace(2, 0.5, 20)
    comparison = compared([drawn("a", by_step), drawn("b", by_epoch, axis=Axis.EPOCH)])
    assert comparison.target is None
    assert "count epochs and steps" in note(comparison, "share")
    assert "% of each run" in comparison.partings[0].says


def test_losses_of_different_functions_give_way_to_an_accuracy() -> None:
    runs = [
        replace(run, facts={**run.facts, facts.LOSS_FUNCTION: kind})
        for run, kind in zip(sweep("seed"), ("ce", "mse", "ce", "ce", "ce"), strict=True)
    ]
    assert compared(runs).measure is quantities.VAL_ACCURACY


def test_percent_and_shares_are_brought_together() -> None:
    runs = [drawn("share", np.linspace(0.1, 0.9, 9), quantities.VAL_ACCURACY)]
    runs += [drawn("hundred", np.linspace(10, 80, 9), quantities.VAL_ACCURACY)]
    comparison = compared(runs)
    assert [round(entry.best, 3) for entry in comparison.entries] == [0.9, 0.8]
    assert "in percent" in note(comparison, "percent")


def test_what_nearly_all_have_is_compared_and_the_rest_sorted_last() -> None:
    runs = sweep("seed")
    runs[0] = replace(runs[0], series=(runs[0][quantities.TRAIN_LOSS],))
    comparison = compared(runs)
    assert comparison.measure is quantities.VAL_LOSS
    assert comparison.entries[-1].run == runs[0].name
    assert runs[0].name in note(comparison, "not recorded")


def test_paths_dates_names_and_seeds_are_no_hyperparameters() -> None:
    settings: list[dict[str, Scalar]] = [
        {"out": "/a/b", "exp_name": "one", "started": "2026-01-02", "k": 1, "seed_data": 1, "gamma": "1e-3"},
        {"out": "/a/c", "exp_name": "two", "started": "2026-01-03", "k": 2, "seed_data": 2, "gamma": "1e-4"},
    ]
    runs = [Run(str(index), (), settings=setting) for index, setting in enumerate(settings)]
    assert hyperparameters(runs).differing == {"k": (1, 2), "gamma": (0.001, 0.0001)}


def test_too_little_to_compare_says_what_to_do() -> None:
    (run,) = sweep("part/steady")
    with pytest.raises(TraindxError, match="needs two runs, got only part/steady; add another log"):
        compared([run])
    with pytest.raises(TraindxError, match="got none"):
        compare([], [])
    with pytest.raises(TraindxError, match=r"share no metric .*--map NAME=QUANTITY"):
        compared([drawn("a", np.ones(9)), drawn("b", np.ones(9), quantities.REWARD)])


@pytest.mark.parametrize(
    "values",
    [np.full(50, np.nan), np.zeros(50), np.full(50, 1e300), np.ones(1), np.full(2, np.inf), np.arange(4.0)],
)
def test_odd_runs_are_compared_with_anything(values: Floats) -> None:
    rng = np.random.default_rng(0)
    runs = [drawn("odd", values), drawn("twin", values), drawn("even", rng.normal(size=300))]
    comparison = compared(runs)
    assert len(comparison.entries) == 3
    for entry in comparison.entries:
        assert step(entry.best_at)
        assert number(entry.best)


def test_a_thousand_runs_are_compared_at_once() -> None:
    rng = np.random.default_rng(0)
    runs, rates = [], 10 ** rng.uniform(-4, 0, 1000)
    for index, rate in enumerate(rates.tolist()):
        values = 1 + abs(np.log10(rate / 0.01)) * np.linspace(0.5, 1, 30) + 0.05 * rng.normal(size=30)
        chosen = {facts.LEARNING_RATE: rate, facts.SEED: index % 7, facts.OPTIMIZER: f"o{index % 3}"}
        runs.append(replace(drawn(f"r{index}", values), facts=chosen))
    known = diagnose(runs[0])
    comparison = compare(runs, [known] * 1000)
    assert len(comparison.entries) == 1000
    assert len(comparison.partings) == 10
    (association,) = comparison.associations
    assert association.name == "learning_rate"
    assert "lower and higher ones with a worse" in association.says
