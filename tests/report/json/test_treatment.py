"""Treatments and cases as data."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests import treatments
from tests.report.formats import canonical
from tests.report.formats.test_json_report import SCHEMA, closed
from traindx.changes.types import Measure
from traindx.report.json import report as rendered
from traindx.report.json.report import treatment_document, trial_document
from traindx.report.json.results import cases_document
from traindx.trials.casebook import Casebook
from traindx.trials.types import Arm, Case, Outcome, Pair, Report, Treatment, Trial


def document(treatment: Treatment) -> Any:
    run, cool = canonical.demo_runs()
    report = Report((run, cool), diagnoses=(canonical.sick(), canonical.healthy()), treatment=treatment)
    return json.loads(rendered.render(report))


def test_a_trial_tells_what_came_out_seed_by_seed() -> None:
    trial = trial_document(treatments.LOWER)
    pairs = trial.pop("pairs")
    assert trial == {
        "name": "optimizer.lr x 0.01",
        "changes": ["optimizer.lr x 0.01"],
        "cause": "lr-too-high",
        "title": "Divide the learning rate by 100",
        "measure": "training loss",
        "better": "lower",
        "control": pytest.approx(2.31),
        "treated": pytest.approx(0.24),
        "effect": -2.07,
        "interval": [-2.21, -1.93],
        "gain": pytest.approx(0.9, abs=0.05),
        "gain_interval": [pytest.approx(0.9, abs=0.1), pytest.approx(0.9, abs=0.1)],
        "healthy_after": None,
        "outcome": "helped",
        "says": "better in 3 of 3 seeds",
        "seeds": 3,
        "refused": None,
        "problem": None,
    }
    assert isinstance(pairs, list)
    assert pairs[1] == {
        "seed": 1,
        "control": {
            "value": 2.29,
            "broke": False,
            "metric": pytest.approx(0.05, abs=0.05),
            "steps": 200,
            "folder": ".traindx/runs/train-1/trials/control-seed1",
            "refused": None,
            "problem": None,
        },
        "treated": {
            "value": 0.26,
            "broke": False,
            "metric": pytest.approx(0.9, abs=0.05),
            "steps": 200,
            "folder": ".traindx/runs/train-1/trials/optimizer.lr x 0.01-seed1",
            "refused": None,
            "problem": None,
        },
    }


def test_a_broken_arm_is_null_and_says_that_it_broke() -> None:
    trial = json.loads(json.dumps(trial_document(treatments.SAVED), allow_nan=False))
    assert trial["control"] is trial["effect"] is trial["interval"] is None
    assert [pair["control"]["broke"] for pair in trial["pairs"]] == [True, True]
    assert [pair["treated"]["broke"] for pair in trial["pairs"]] == [False, False]


def test_why_a_change_was_refused_or_an_arm_set_aside_is_told() -> None:
    assert trial_document(treatments.REFUSED)["refused"] == "the model has no softmax"
    assert trial_document(treatments.STALLED)["problem"] == "stalled after 12 steps"
    assert trial_document(treatments.STALLED)["seeds"] == 1


@pytest.mark.parametrize(
    "treatment", [treatments.won(), treatments.lost(), treatments.mixed(), treatments.hostile()]
)
def test_the_report_of_the_first_run_holds_its_trials(treatment: Treatment) -> None:
    written = document(treatment)
    first, second = written["runs"]
    assert [trial["name"] for trial in first["trials"]] == [trial.name for trial in treatment.trials]
    assert first["treatment"]["best"] == (treatment.best.name if treatment.best else None)
    assert second["trials"] == []
    assert "treatment" not in second
    for schema in (SCHEMA, closed(SCHEMA)):
        assert list(Draft202012Validator(schema).iter_errors(written)) == []


def test_a_treatment_tells_what_it_led_to() -> None:
    written = treatment_document(treatments.won())
    assert written["patch"] == treatments.PATCH
    assert (written["patch_says"], written["patch_verified"]) == ("train.py:31 lr=3.0 -> lr=0.03", True)
    assert written["untried"] == [
        {
            "name": "optimizer.momentum 0.5",
            "cause": "momentum-too-high",
            "title": "Lower the momentum",
            "measure": "training loss",
            "worth": 0.02,
            "because": "helped in 0 of 2 past trials of this project",
        }
    ]


@given(value=st.floats() | st.none(), other=st.floats() | st.none(), text=st.text(max_size=20))
def test_any_trial_is_plain_json(value: float | None, other: float | None, text: str) -> None:
    arms = Arm(0, (), text, value, problem=text), Arm(0, treatments.LOWER.changes, text, other, refused=text)
    odd = Trial(
        treatments.LOWER.changes,
        text,
        text,
        Measure.LOSS,
        (Pair(*arms),),
        value,
        (value or 0.0, math.nan),
        Outcome.INCONCLUSIVE,
        text,
    )
    written = json.loads(json.dumps(trial_document(odd), allow_nan=False))
    trials = closed({"$ref": "#/$defs/trial", "$defs": SCHEMA["$defs"]})
    assert list(Draft202012Validator(trials).iter_errors(written)) == []


def test_cases_are_plain_data(tmp_path: Path) -> None:
    book = Casebook(tmp_path / "cases.db")
    book.record(canonical.sick(), treatments.mixed(), command="train")
    book.record(canonical.healthy(), command="\x1b[2J\u202e")
    written = json.loads(cases_document(book.cases()))
    assert (written["schema"], written["kind"]) == ("traindx.report/1", "cases")
    plain, faster, saved = written["cases"]
    assert plain["change"] is plain["outcome"] is plain["interval"] is None
    assert faster["interval"] == [28.4, 60.1]
    assert (saved["control"], saved["treated"]) == (None, 0.39)
    assert cases_document(book.cases()).isascii()
    assert set(plain) >= {field for field in Case.__dataclass_fields__ if field not in ("low", "high")}
