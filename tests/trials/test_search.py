"""Which changes are tried, how often, and when it is enough."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import pytest

from traindx.causes.lr_too_high import CAUSE
from traindx.changes.types import ChangeSpec, Measure, name_of, parse_changes
from traindx.diagnosis.types import Suspect
from traindx.finding import Severity
from traindx.trials.engine import Budget
from traindx.trials.search import searched, updated
from traindx.trials.types import Arm, Candidate, Outcome, Pair

CONTROL = 2.0
Result = Callable[[int], float | None]


@dataclass
class Results:
    """In the place of running programs: what each change comes to with each seed."""

    by_change: dict[str, Result]
    budget: Budget = field(default_factory=lambda: Budget(arms=40, minutes=10))
    asked: list[tuple[str, int]] = field(default_factory=list)
    control: float = CONTROL
    healthy: float = 0.9
    """What the diagnosis of a treated run says."""
    heals: dict[str, float] = field(default_factory=dict)
    """The same for changes of which it says something else."""
    answers: dict[str, float] = field(default_factory=dict)
    """The share of right answers with a change; 0.8 without one."""

    def health(self, changes: tuple[ChangeSpec, ...], seed: int) -> float:
        return self.heals.get(name_of(changes), self.healthy)

    def at_once(self, measure: Measure) -> int:
        return 1

    def prepare(self, plans: Sequence[Candidate], seeds: Sequence[int]) -> None:
        """Nothing takes time here."""

    def pairs(self, planned: Candidate, seeds: Sequence[int]) -> list[Pair]:
        name = name_of(planned.changes)
        self.asked += [(name, seed) for seed in seeds if (name, seed) not in self.asked]
        self.budget.spent = len(self.asked)
        pairs = []
        for seed in seeds:
            value = self.by_change[name](seed)
            refused = "" if value is not None else "it has no such part"
            treated = Arm(seed, planned.changes, "", value, refused=refused, metric=self.answers.get(name))
            pairs.append(Pair(Arm(seed, (), "", self.control, metric=0.8), treated))
        return pairs


def plan(*names: str) -> list[Candidate]:
    """Each for a cause of its own, none of them close to the next."""
    return [
        Candidate(parse_changes(name), f"cause-{'abcdefgh'[index]}", name, Measure.LOSS, 0.3**index)
        for index, name in enumerate(names)
    ]


def _always(value: float, seed: int) -> float:
    return value


def search(results: Results, *names: str):  # type: ignore[no-untyped-def]
    return searched(results, plan(*names))  # type: ignore[arg-type]


def test_one_seed_screens_and_a_clear_win_ends_the_search() -> None:
    results = Results({"gradients.clip 1": lambda _: 1.99, "init.reset he": lambda _: 0.1})
    result = search(results, "gradients.clip 1", "init.reset he", "model.unfreeze")
    assert results.asked == [
        ("gradients.clip 1", 0),
        ("init.reset he", 0),
        ("init.reset he", 1),
        ("init.reset he", 2),
    ]
    assert result.best.name == "init.reset he"
    assert [candidate.changes for candidate in result.untried] == [parse_changes("model.unfreeze")]
    assert result.why_untried == "He initialization was enough"


def test_rivals_are_told_apart_by_one_pair_each_before_one_is_proven() -> None:
    results = Results({"schedule.warmup 100": lambda _: 1.98, "init.reset he": lambda _: 0.1})
    close = [replace(candidate, worth=0.5) for candidate in plan("schedule.warmup 100", "init.reset he")]
    treatment = searched(results, close)  # type: ignore[arg-type]
    assert results.asked[:2] == [("schedule.warmup 100", 0), ("init.reset he", 0)]
    assert [trial.name for trial in treatment.trials] == ["schedule.warmup 100", "init.reset he"]
    assert treatment.best is not None
    assert treatment.notes == (
        "cause-a and cause-b were about equally likely: one fix of each was tried first "
        "(warm-up 100 gains 1%, He initialization gains 95%)",
    )


def test_a_rival_that_promises_something_keeps_its_place() -> None:
    results = Results({"schedule.warmup 100": lambda _: 1.5, "init.reset he": lambda _: 1.2})
    close = [replace(candidate, worth=0.5) for candidate in plan("schedule.warmup 100", "init.reset he")]
    results.by_change["init.reset he + schedule.warmup 100"] = lambda _: 1.2
    treatment = searched(results, close)  # type: ignore[arg-type]
    names = [trial.name for trial in treatment.trials]
    assert names == ["schedule.warmup 100", "init.reset he", "init.reset he + schedule.warmup 100"]
    assert [len(trial.pairs) for trial in treatment.trials] == [1, 3, 1]


def test_of_two_whole_repairs_the_one_that_can_be_written_is_proven() -> None:
    results = Results({"schedule.cosine": lambda _: 0.1, "schedule.per_epoch": lambda _: 0.13})
    cosine, per_epoch = (
        replace(candidate, worth=0.5) for candidate in plan("schedule.cosine", "schedule.per_epoch")
    )
    treatment = searched(results, [cosine, replace(per_epoch, is_written=True)])  # type: ignore[arg-type]
    assert treatment.best is not None
    assert treatment.best.name == "schedule.per_epoch"


def test_a_win_that_leaves_the_run_sick_does_not_end_the_search() -> None:
    values: dict[str, Result] = {"init.reset he": lambda _: 0.6, "model.unfreeze": lambda _: 0.1}
    together: dict[str, Result] = {"model.unfreeze + init.reset he": lambda _: 0.1}
    assert search(Results(values), "init.reset he", "model.unfreeze").best.name == "init.reset he"
    result = search(Results(values | together, healthy=0.1), "init.reset he", "model.unfreeze")
    assert result.best.name == "model.unfreeze"
    assert result.best.healthy_after == 0.1


def close_rivals(results: Results, first: float = 0.6, second: float = 0.3):  # type: ignore[no-untyped-def]
    """Gradients that are not cleared, and a rival that lowers the rate instead."""
    names, sure = ("gradients.clear_each_step", "optimizer.lr x 0.1"), (first, second)
    close = [
        replace(candidate, worth=share, confidence=share)
        for candidate, share in zip(plan(*names), sure, strict=True)
    ]
    return searched(results, close)  # type: ignore[arg-type]


def test_a_change_that_makes_the_run_healthy_wins_over_a_larger_gain_that_does_not() -> None:
    values: dict[str, Result] = {"gradients.clear_each_step": lambda _: 0.2}
    values |= dict.fromkeys(("optimizer.lr x 0.1", "optimizer.lr x 0.01"), lambda _: 0.05)
    sick = {"optimizer.lr x 0.1": 0.2, "optimizer.lr x 0.01": 0.2}
    for sure in ((0.6, 0.3), (0.3, 0.6)):
        result = close_rivals(Results(values, heals=sick), *sure)
        assert result.best.name == "gradients.clear_each_step"
        assert [len(trial.pairs) for trial in result.trials if trial.name == "optimizer.lr x 0.1"] == [1]


def test_of_two_that_heal_that_of_the_likelier_cause_wins() -> None:
    values: dict[str, Result] = {"gradients.clear_each_step": lambda _: 0.2}
    values |= dict.fromkeys(("optimizer.lr x 0.1", "optimizer.lr x 0.01"), lambda _: 0.05)
    assert close_rivals(Results(values)).best.name == "gradients.clear_each_step"
    assert close_rivals(Results(values), 0.3, 0.6).best.name == "optimizer.lr x 0.1"


def test_what_leaves_the_run_sick_is_not_proven_while_an_unproven_rival_heals_it() -> None:
    budget = Budget(arms=4, minutes=10)
    values: dict[str, Result] = {"gradients.clear_each_step": lambda seed: (0.2, 1.9, 2.5)[seed]}
    values |= {"optimizer.lr x 0.1": lambda _: 0.1, "optimizer.lr x 0.01": lambda _: 0.1}
    sick = {"optimizer.lr x 0.1": 0.2, "optimizer.lr x 0.01": 0.2}
    result = close_rivals(Results(values, budget, heals=sick))
    assert result.best is None
    assert result.why_untried == "limit of 4 trials reached"


def test_a_difference_that_may_be_nothing_is_no_proof_of_what_leaves_the_run_sick() -> None:
    controls = {0: 1.4, 1: 4000.0, 2: 1.5}
    values: dict[str, Result] = {"gradients.clip 1": lambda _: 0.05}

    class Wild(Results):
        def pairs(self, planned: Candidate, seeds: Sequence[int]) -> list[Pair]:
            pairs = super().pairs(planned, seeds)
            return [
                replace(pair, control=replace(pair.control, value=controls[pair.control.seed]))
                for pair in pairs
            ]

    assert search(Wild(values, healthy=0.2), "gradients.clip 1").best is None
    assert search(Wild(values, healthy=0.9), "gradients.clip 1").best.name == "gradients.clip 1"


def test_a_search_that_runs_out_of_time_says_so_with_nothing_left_to_try() -> None:
    budget = Budget(arms=40, minutes=10)

    def slow(seed: int) -> float:
        budget.began -= 600
        return 0.2

    result = search(Results({"init.reset he": slow}, budget), "init.reset he")
    assert (result.best, result.why_untried) == (None, "time limit reached")


def test_where_the_program_broke_the_better_end_wins() -> None:
    values: dict[str, Result] = {"gradients.clip 1": lambda _: 1.4, "targets.standardize": lambda _: 0.2}
    values["targets.standardize + gradients.clip 1"] = lambda _: 0.2
    results = Results(values, control=math.inf, healthy=0.1)
    assert search(results, "gradients.clip 1", "targets.standardize").best.name == "targets.standardize"


def test_a_rate_that_helps_a_little_is_gone_on_with() -> None:
    results = Results({"optimizer.lr x 10": lambda _: 1.5, "optimizer.lr x 100": lambda _: 0.1})
    assert search(results, "optimizer.lr x 10").best.name == "optimizer.lr x 100"


def test_a_rate_that_was_too_much_is_taken_back() -> None:
    results = Results({"optimizer.lr x 10": lambda _: 4.0, "optimizer.lr x 3.2": lambda _: 0.5})
    assert search(results, "optimizer.lr x 10").best.name == "optimizer.lr x 3.2"


def test_what_was_too_much_is_taken_back_once() -> None:
    values: dict[str, Result] = {"optimizer.lr x 0.1": lambda _: 4.0, "optimizer.lr x 0.32": lambda _: 3.0}
    results = Results(values)
    assert search(results, "optimizer.lr x 0.1").best is None
    assert [name for name, _ in results.asked] == ["optimizer.lr x 0.1", "optimizer.lr x 0.32"]


def test_what_is_promising_gets_its_seeds_before_the_next_is_screened() -> None:
    ends = {"init.reset he": 1.7, "gradients.clip 1": 1.6, "model.unfreeze": 1.2}
    results = Results({name: partial(_always, end) for name, end in ends.items()})
    results.by_change["model.unfreeze + gradients.clip 1"] = lambda _: 1.2
    result = search(results, *ends)
    assert results.asked[:4] == [*(("init.reset he", seed) for seed in range(3)), ("gradients.clip 1", 0)]
    # 20% are no more than 15%: nothing that is worth the seeds of a second proof.
    assert [len(trial.pairs) for trial in result.trials] == [3, 1, 3, 1]
    assert result.best.name == "model.unfreeze"


def test_what_may_be_off_by_more_is_switched_off_at_last() -> None:
    ends = {"regularize.weight_decay x 0.1": 1.5, "regularize.weight_decay x 0.01": 1.2}
    results = Results({name: partial(_always, end) for name, end in ends.items()})
    results.by_change["regularize.weight_decay 0"] = lambda _: 0.1
    result = search(results, "regularize.weight_decay x 0.1")
    assert result.best.name == "regularize.weight_decay 0"
    clipped = {"gradients.clip x 10": 1.5, "gradients.clip x 100": 1.2}
    results = Results({name: partial(_always, end) for name, end in clipped.items()})
    results.by_change["gradients.clip none"] = lambda _: 0.1
    assert search(results, "gradients.clip x 10").best.name == "gradients.clip none"


def test_arms_to_prove_with_are_kept_back() -> None:
    results = Results({"init.reset he": lambda _: 1.5}, Budget(arms=3, minutes=10))
    result = search(results, "init.reset he", "model.unfreeze", "schedule.cosine")
    assert result.best.name == "init.reset he"
    assert len(result.untried) == 2


def test_other_factors_have_doses_as_well() -> None:
    values: dict[str, Result] = {"loader.batch_size x 0.125": lambda _: 1.5}
    results = Results(values | {"loader.batch_size x 0.016": lambda _: 0.1})
    assert search(results, "loader.batch_size x 0.125").best.name == "loader.batch_size x 0.016"


def test_a_lower_loss_that_costs_right_answers_does_not_end_the_search_nor_win_it() -> None:
    values: dict[str, Result] = {"stop.at 9": lambda _: 0.2, "regularize.dropout 0.2": lambda _: 0.7}
    both = {"regularize.dropout 0.2 + stop.at 9": lambda _: 0.7}
    results = Results(values | both, answers={"stop.at 9": 0.7, "regularize.dropout 0.2": 0.9})
    result = search(results, "stop.at 9", "regularize.dropout 0.2")
    assert result.best.name == "regularize.dropout 0.2"


def test_what_is_ruined_with_finite_numbers_is_tried_at_a_lower_rate() -> None:
    swap, slower = "activation.replace relu gelu", "activation.replace relu gelu + optimizer.lr x 0.3"
    results = Results({swap: lambda _: 1e9, slower: lambda _: 0.2})
    assert search(results, swap).best.name == slower


def test_what_breaks_with_a_seed_is_tried_at_a_lower_rate() -> None:
    swap, slower = "activation.replace relu gelu", "activation.replace relu gelu + optimizer.lr x 0.3"
    results = Results({swap: lambda seed: math.inf if seed == 1 else 0.1, slower: lambda _: 0.2})
    result = search(results, swap)
    assert [trial.outcome for trial in result.trials] == [Outcome.INCONCLUSIVE, Outcome.HELPED]
    assert result.best.name == slower


def test_seeds_that_agree_and_differ_much_get_two_more() -> None:
    values = [0.1, 1.5, 0.2, 0.1, 0.2]
    results = Results({"init.reset he": lambda seed: values[seed]})
    result = search(results, "init.reset he")
    assert len(result.trials[0].pairs) == 5
    assert result.best is not None


def test_seeds_that_disagree_prove_nothing_and_get_no_more() -> None:
    results = Results({"init.reset he": lambda seed: [0.1, 2.5, 0.2][seed]})
    result = search(results, "init.reset he")
    assert len(result.trials[0].pairs) == 3
    assert result.best is None


def test_the_best_two_are_tried_together_where_they_touch_different_things() -> None:
    first, other = "init.reset he", "gradients.clip 1"
    results = Results({first: lambda _: 1.5, other: lambda _: 1.4, f"{other} + {first}": lambda _: 0.3})
    assert search(results, first, other).best.name == f"{other} + {first}"


def test_two_that_touch_the_same_are_not() -> None:
    first, other = "schedule.cosine", "schedule.constant"
    results = Results({first: lambda _: 1.5, other: lambda _: 1.4})
    assert len(search(results, first, other).trials) == 2


def test_a_change_that_cannot_be_applied_is_not_tried_again() -> None:
    results = Results({"model.unfreeze": lambda _: None})
    (trial,) = search(results, "model.unfreeze").trials
    assert trial.outcome is Outcome.INCONCLUSIVE
    assert trial.says == "not applicable: it has no such part"


def test_the_search_ends_with_its_budget_and_says_so() -> None:
    results = Results({"init.reset he": lambda _: 2.0}, Budget(arms=1, minutes=10))
    result = search(results, "init.reset he", "model.unfreeze")
    assert len(result.trials) == 1
    assert result.why_untried == "limit of 1 trial reached"


def test_the_search_ends_with_what_it_has_when_nothing_can_be_run_any_more() -> None:
    budget = Budget(arms=40, minutes=10)

    def lost(seed: int) -> float:
        budget.over = "the cluster was lost"
        return 0.2

    result = search(Results({"init.reset he": lost}, budget), "init.reset he", "model.unfreeze")
    (trial,) = result.trials
    assert (trial.outcome, len(trial.pairs)) == (Outcome.INCONCLUSIVE, 1)
    assert result.best is None
    assert result.why_untried == "the cluster was lost"


def suspects(*fixes: str, shares: Sequence[float] = (0.6, 0.3)) -> list[Suspect]:
    """Causes with one fix each."""
    return [
        Suspect(
            replace(CAUSE, slug=f"cause-{'abcdefgh'[index]}", fixes=(replace(CAUSE.fixes[0], change=fix),)),
            share,
            0.0,
            (),
            Severity.WARNING,
        )
        for index, (fix, share) in enumerate(zip(fixes, shares, strict=True))
    ]


def test_a_cause_gains_by_its_own_fix_and_loses_by_one_that_does_nothing() -> None:
    results = Results({"init.reset he": lambda _: 2.0, "model.unfreeze": lambda _: 0.1})
    result = search(results, "init.reset he", "model.unfreeze")
    after = dict(updated(suspects("init.reset he", "model.unfreeze"), result.trials))
    assert after["cause-b"] > 0.7
    assert after["cause-a"] < 0.2
    assert sum(after.values()) < 1


def test_a_cause_gains_by_any_fix_of_its_own_that_is_proven() -> None:
    results = Results({"init.reset he": lambda _: 2.0, "model.unfreeze": lambda _: 0.1})
    result = search(results, "init.reset he", "model.unfreeze")
    flat, proven = (replace(trial, cause="cause-a") for trial in result.trials)
    undecided = replace(flat, outcome=Outcome.INCONCLUSIVE)
    alone = suspects("schedule.cosine", shares=(0.5,))
    assert dict(updated(alone, [undecided, proven]))["cause-a"] == pytest.approx(0.8)
    assert dict(updated(alone, [flat, proven]))["cause-a"] == pytest.approx(0.8)
    assert dict(updated(alone, [undecided]))["cause-a"] == pytest.approx(0.5)


def test_a_fix_that_helps_speaks_for_every_cause_that_prescribes_it() -> None:
    lower, smaller = "optimizer.lr x 0.1", "optimizer.lr x 0.01"
    result = search(Results({lower: lambda _: 0.1, smaller: lambda _: 0.1}), lower)
    after = dict(updated(suspects("optimizer.lr x 10", lower), result.trials))
    # The trial was made for the first cause, and its change is the own fix of the second, in another dose.
    assert result.trials[0].cause == "cause-a"
    both = dict(updated(suspects("gradients.clip 1", smaller, shares=(0.3, 0.6)), result.trials))
    assert after["cause-b"] > 0.3
    assert both["cause-b"] >= 0.6


def test_a_dose_that_is_worse_than_the_one_before_is_the_last() -> None:
    ends = {"optimizer.lr x 0.1": 1.2, "optimizer.lr x 0.01": 1.4, "optimizer.lr x 0.001": 1.6}
    results = Results({name: partial(lambda end, _: end, end) for name, end in ends.items()})
    result = search(results, "optimizer.lr x 0.1")
    assert [trial.name for trial in result.trials] == ["optimizer.lr x 0.1", "optimizer.lr x 0.01"]
    assert not result.untried
    assert [trial.title == "lr / 100" for trial in result.trials] == [False, True]


def test_only_what_is_asked_for_is_tried() -> None:
    values = {"optimizer.lr x 0.1": 1.5, "optimizer.lr x 0.01": 0.5, "model.unfreeze": 1.4}
    results = Results({name: partial(lambda end, _: end, end) for name, end in values.items()})
    treatment = searched(results, plan("optimizer.lr x 0.1", "model.unfreeze"), only=True)  # type: ignore[arg-type]
    assert {trial.name for trial in treatment.trials} == {"optimizer.lr x 0.1", "model.unfreeze"}


def test_a_dose_that_was_too_much_is_not_gone_back_to() -> None:
    ends = {"optimizer.lr x 10": 3.0, "optimizer.lr x 3.2": 1.5, "optimizer.lr x 32": 4.0}
    results = Results({name: partial(lambda end, _: end, end) for name, end in ends.items()})
    result = search(results, "optimizer.lr x 10")
    assert [trial.name for trial in result.trials] == ["optimizer.lr x 10", "optimizer.lr x 3.2"]


def test_a_rate_that_shows_nothing_is_taken_further_once() -> None:
    ends = {"optimizer.lr x 10": 1.99, "optimizer.lr x 100": 1.98, "optimizer.lr x 1000": 0.1}
    results = Results({name: partial(lambda end, _: end, end) for name, end in ends.items()})
    result = search(results, "optimizer.lr x 10")
    assert [trial.name for trial in result.trials] == ["optimizer.lr x 10", "optimizer.lr x 100"]
    far = Results({"optimizer.lr x 10": lambda _: 1.99, "optimizer.lr x 100": lambda _: 0.05})
    assert search(far, "optimizer.lr x 10").best.name == "optimizer.lr x 100"


def test_what_touches_the_same_is_not_combined() -> None:
    """A change that needs a lower rate, and a lower rate, are not independent."""
    steadied = "init.reset he + optimizer.lr x 0.3"
    values = {"optimizer.lr x 0.1": 1.2, "optimizer.lr x 0.01": 1.3, "init.reset he": math.inf, steadied: 1.5}
    results = Results({name: partial(lambda end, _: end, end) for name, end in values.items()})
    result = search(results, "optimizer.lr x 0.1", "init.reset he")
    assert result.best.name == "optimizer.lr x 0.1"
    assert {trial.name for trial in result.trials} == set(values)
