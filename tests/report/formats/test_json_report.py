"""The JSON report against its published schema."""

import json as standard_json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from tests.report.formats import canonical
from tests.report.formats.test_diagnosis_reports import HOSTILE, alone, hostile
from traindx.diagnosis.engine import diagnose
from traindx.readers.loading.runs import load
from traindx.report.json import report as json
from traindx.report.json.values import Document, Json
from traindx.trials.types import Report

SCHEMA = standard_json.loads((Path(__file__).parents[3] / "docs/report.schema.json").read_text())


def closed(schema: Document) -> Document:
    """The schema with no room for keys it does not name, so that none is left undocumented."""
    inner = {key: _closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if isinstance(schema.get("properties"), dict) else inner


def _closed(value: Json) -> Json:
    if isinstance(value, list):
        return [_closed(part) for part in value]
    return closed(value) if isinstance(value, dict) else value


def reports() -> dict[str, Report]:
    runs = canonical.demo_runs()
    really = Report(tuple(load(canonical.DEMO)), diagnoses=tuple(map(diagnose, load(canonical.DEMO))))
    return {
        "inspect": Report((*runs, canonical.nan_run(), canonical.short_run()), other_files=3),
        "diagnose": canonical.report(),
        "diagnose, really": really,
        "compare": canonical.compared(),
        "hostile": hostile(),
        "empty": Report(()),
    }


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("values", [False, True])
@pytest.mark.parametrize("name", list(reports()))
def test_every_report_follows_the_schema(name: str, values: bool) -> None:
    document = standard_json.loads(json.render(reports()[name], values=values))
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert list(Draft202012Validator(closed(SCHEMA)).iter_errors(document)) == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("schema",), "traindx.report/2"),
        (("runs", 0, "verdict"), "fine"),
        (("runs", 0, "healthy"), 1.5),
        (("runs", 0, "suspects", 0, "severity"), "high"),
        (("runs", 0, "series", 0, "first"), "nan"),
        (("runs", 0, "questions", 0, "answer"), "maybe"),
    ],
)
def test_the_schema_refuses_what_is_wrong(path: tuple[str | int, ...], wrong: str | float) -> None:
    document = standard_json.loads(json.render(canonical.report()))
    parent = document
    for key in path[:-1]:
        parent = parent[key]
    parent[path[-1]] = wrong
    assert not Draft202012Validator(SCHEMA).is_valid(document)


def test_a_verdict_comes_with_everything_that_explains_it() -> None:
    document = standard_json.loads(json.render(canonical.report()))
    del document["runs"][0]["suspects"]
    assert not Draft202012Validator(SCHEMA).is_valid(document)


def test_diagnosis(snapshot: SnapshotAssertion) -> None:
    document = standard_json.loads(json.render(alone(canonical.demo_runs()[0], canonical.sick())))
    del (
        document["traindx"],
        document["runs"][0]["series"],
    )  # the version changes, the series are shown elsewhere
    assert standard_json.dumps(document, indent=2) == snapshot


def test_comparison(snapshot: SnapshotAssertion) -> None:
    document = standard_json.loads(json.render(canonical.compared()))
    assert standard_json.dumps(document["comparison"], indent=2) == snapshot


def test_points_add_up_to_the_score() -> None:
    document = standard_json.loads(json.render(reports()["diagnose, really"]))
    for run in document["runs"]:
        assert run["suspects"] == sorted(run["suspects"], key=lambda suspect: -suspect["confidence"])
        for suspect in run["suspects"] + run["ruled_out"]:
            points = sum(reason["points"] for reason in suspect["reasons"])
            assert math.isclose(points, suspect["score"], abs_tol=1e-9)


def test_what_was_only_read_has_no_verdict() -> None:
    document = standard_json.loads(json.render(Report(canonical.demo_runs())))
    assert "comparison" not in document
    assert "verdict" not in document["runs"][0]


def test_names_survive_and_nothing_in_them_is_obeyed() -> None:
    lone = replace(canonical.nan_run(), name=HOSTILE + "\udcff")
    shown = json.render(Report((lone,)))
    assert not {"\x1b", "\x9b", "\u202e", "\udcff"} & set(shown)
    assert standard_json.loads(shown)["runs"][0]["name"] == HOSTILE + "\udcff"
