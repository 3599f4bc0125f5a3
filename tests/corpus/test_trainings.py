"""What the corpus trains: every fault can be made, twins differ in nothing else, and harm is measured."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("sklearn")

import torch

from corpus.fault import Harm
from corpus.harm import Outcome, is_harmed, outcome, skill
from corpus.program import run
from corpus.recipe import HEALTHY, draw, faults, from_row, planned, twin_of
from corpus.tasks import TASKS
from traindx.diagnosis import knowledge

GOOD = Outcome((0.2, 0.6, 0.9), 0.9, True, 2.0, 5.0)


def _never() -> Outcome:
    raise AssertionError("no other seed is needed")


@pytest.mark.parametrize("cause", list(faults()))
def test_a_fault_is_one_of_the_catalogue_and_can_be_made(cause: str) -> None:
    assert cause in {known.slug for known in knowledge.causes()}
    recipe = draw(0, cause)
    assert draw(0, cause) == recipe
    assert from_row(json.loads(json.dumps(recipe.row()))) == recipe
    assert planned(recipe).notes[-1:] != planned(twin_of(recipe)).notes[-1:]


@pytest.mark.parametrize("task", TASKS.values(), ids=list(TASKS))
def test_nothing_that_a_task_is_scored_on_is_trained_on(task: object) -> None:
    made = task()  # type: ignore[operator]
    trained = {tuple(row.flatten().tolist()) for row in made.train.inputs}
    held = [tuple(row.flatten().tolist()) for row in made.test.inputs]
    assert sum(row in trained for row in held) <= 0.02 * len(held)


def test_a_training_leaves_what_it_is_scored_by(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    recipe = replace(draw(3, HEALTHY), task="wine", family="linear", epochs=20, oddity="", log="steps.csv")
    recipe = replace(recipe, optimizer="adam", rate=0.02, batch=16, clip=0.0, schedule="constant")
    run(recipe, tmp_path)
    trained = outcome(planned(recipe), tmp_path, recipe.id)
    assert trained.finished
    assert trained.end > 0.8
    assert trained.reported is not None
    assert trained.reported > 0.8
    header, *rows = (tmp_path / f"{recipe.id}.csv").read_text().splitlines()
    assert header == "epoch,step,train_loss,val_loss,val_metric,lr"
    assert len(rows) > 20


def test_a_model_without_numbers_has_no_skill() -> None:
    plan = planned(draw(3, HEALTHY))
    state = {
        name: torch.full_like(value.float(), torch.nan) for name, value in plan.model.state_dict().items()
    }
    assert skill(plan, state) == -1


def test_harm_is_more_than_the_bar_and_more_than_luck() -> None:
    worse, lucky = replace(GOOD, skills=(0.2, 0.5, 0.75)), replace(GOOD, skills=(0.2, 0.6, 0.7))
    assert is_harmed(worse, GOOD, lambda: GOOD, Harm.SKILL)
    assert not is_harmed(worse, GOOD, lambda: lucky, Harm.SKILL)
    assert not is_harmed(replace(GOOD, skills=(0.2, 0.6, 0.85)), GOOD, _never, Harm.SKILL)
    assert is_harmed(replace(GOOD, skills=(0.0, 0.0, 0.0)), GOOD, _never, Harm.SKILL)


def test_other_harm_than_skill_has_its_own_measure() -> None:
    assert is_harmed(replace(GOOD, seconds=20.0), GOOD, _never, Harm.TIME)
    assert not is_harmed(replace(GOOD, seconds=20.0), GOOD, _never, Harm.SKILL)
    assert is_harmed(replace(GOOD, megabytes=100.0), GOOD, _never, Harm.MEMORY)
    assert is_harmed(replace(GOOD, reported=0.4), GOOD, _never, Harm.REPORT)
    assert is_harmed(GOOD, GOOD, _never, Harm.CERTAIN)
    assert is_harmed(replace(GOOD, skills=(), finished=False), GOOD, _never, Harm.SKILL)
