"""Reports on recordings: what only a recording knows is in all of them, and in none on logs."""

import json as standard_json
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from tests.browser import needs_browser, opened
from tests.recordings import layer, tape_at, where, write_facts, write_look, write_steps
from tests.report.formats import canonical
from tests.report.formats.test_diagnosis_reports import HOSTILE
from tests.report.formats.test_json_report import SCHEMA, closed
from traindx import facts as f
from traindx.quantities import (
    ACTIVATION_MEAN,
    ACTIVATION_ZERO_SHARE,
    BACKWARD_TIME,
    DEAD_UNIT_SHARE,
    GRADIENT_NORM,
    STEP_TIME,
    TRAIN_LOSS,
    UPDATE_RATIO,
    WEIGHT_NORM,
)
from traindx.readers.loading.runs import load
from traindx.report import markdown, text
from traindx.report.json import report as json
from traindx.report.pages import as_html, page_of
from traindx.run import Event, EventKind, Run
from traindx.trials.types import Report

NAMES = ("fc1", "fc2", "fc3", "fc4", "head")


def recorded(folder: Path, *, deep: int = 0, odd: str = "") -> Run:
    """A training of a small network that one layer cannot take part in, or of a deep one."""
    tape = tape_at(folder / "train-1" / "rank-0.traindx")
    tape.begin(1, "Net", [])
    steps = range(1, 61)
    columns = {
        TRAIN_LOSS: [2.0 / step for step in steps],
        STEP_TIME: [0.010] * 60,
        BACKWARD_TIME: [0.004] * 60,
    }
    write_steps(tape, 1, columns, every=0.5)
    names = [f"{odd}{name}" for name in NAMES] + [f"deep{n}" for n in range(deep)]
    weights = [f"{name}.weight" for name in names]
    for step in (1, 10, 60):
        write_look(tape, 1, step, GRADIENT_NORM, {w: 2.0**-n / step for n, w in enumerate(weights)})
        write_look(tape, 1, step, WEIGHT_NORM, dict.fromkeys(weights, 4.0))
        write_look(tape, 1, step, UPDATE_RATIO, dict.fromkeys(weights, 0.001))
        write_look(tape, 1, step, ACTIVATION_MEAN, {"fc1": 0.1, "act": 0.2, "fc2": 0.1})
        write_look(tape, 1, step, ACTIVATION_ZERO_SHARE, {"act": 0.5})
        write_look(tape, 1, step, DEAD_UNIT_SHARE, {"act": 0.25})
    frozen = layer("spare.weight", 3, 3, kind=odd or "Conv1d", trainable=False, gradient=False)
    tape.layers(1, [*(layer(w, 8, 4) for w in weights), frozen])
    write_facts(tape, 0, {f.RECORDING_COST: 0.0063, f.RECORDED_SECONDS: 30.2})
    write_facts(tape, 1, {f.OPTIMIZER: "SGD", f.STEP_PLACE: f"{odd}train.py:31", f.LOSS_PLACE: "train.py:29"})
    tape.happened(1, Event(EventKind.NONFINITE, f"{odd}log of 0 gives -inf", 31, f"{odd}fc2", "log", 31))
    tape.happened(0, Event(EventKind.STEPPED_ASIDE, "probe Inputs failed (OSError: no)", 12))
    tape.happened(0, Event(EventKind.EXCEPTION, "ValueError: labels out of range", 60))
    tape.close()
    (run,) = load(where(tape))
    return replace(run, name="runs/train-1", sources=("runs/train-1/rank-0.traindx",))


def sick(run: Run) -> Report:
    return Report((run,), diagnoses=(replace(canonical.sick(), run=run.name),))


def healthy(run: Run) -> Report:
    return Report((run,), diagnoses=(replace(canonical.healthy(), run=run.name),))


@pytest.mark.parametrize("width", [80, 120])
def test_text(tmp_path: Path, width: int, snapshot: SnapshotAssertion) -> None:
    assert text.write(page_of(sick(recorded(tmp_path))), width=width) == snapshot


def test_inspected_text(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert text.write(page_of(Report((recorded(tmp_path),)))) == snapshot


def test_markdown(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    assert markdown.write(page_of(sick(recorded(tmp_path)))) == snapshot


def test_a_healthy_report_stays_short(tmp_path: Path) -> None:
    run = recorded(tmp_path)
    shown = text.write(page_of(healthy(run), kept="report.html"))
    assert len(shown.splitlines()) <= 8
    assert "fc1.weight" not in shown
    assert "fc1.weight" in text.write(page_of(healthy(run)), everything=True)


def test_a_deep_model_is_cut_on_the_terminal_and_whole_elsewhere(tmp_path: Path) -> None:
    run = recorded(tmp_path, deep=200)
    shown = text.write(page_of(sick(run), kept="report.html"))
    assert len(shown.splitlines()) <= 24
    assert "deep" not in shown
    everything = text.write(page_of(sick(run)), everything=True)
    layers = everything.partition("\nLAYERS\n")[2].partition("\nPROGRAM\n")[0]
    assert len(re.findall(r"^ +\S+\.weight", layers, re.MULTILINE)) == 40
    assert everything.count("deep199.weight") > 0
    for whole in (" ".join(everything.split()), as_html(sick(run))):
        assert "the 40 that differ most of 207" in whole
    document = standard_json.loads(json.render(sick(run)))
    assert len(document["runs"][0]["layers"]) == 207


def test_the_page_of_a_deep_model_lists_no_more_series_than_it_can_bear(tmp_path: Path) -> None:
    page = as_html(sick(recorded(tmp_path, deep=400)))
    assert "more: --json lists all" in page
    assert len(page) < 1_500_000


def test_json(tmp_path: Path) -> None:
    document = standard_json.loads(json.render(sick(recorded(tmp_path))))
    (run,) = document["runs"]
    assert run["overhead"] == {"share": 0.0063, "steps": 60, "seconds": 30.2}
    assert [(row["part"], round(row["share"], 3)) for row in run["time"]] == [
        ("backward", 0.4),
        ("other", 0.6),
    ]
    assert run["layers"][0] == {
        "name": "fc1.weight",
        "part": "",
        "kind": "Linear",
        "shape": [8, 4],
        "trainable": True,
        "optimized": True,
        "gradient": True,
        "last": {"gradient_norm": pytest.approx(1 / 60), "weight_norm": 4, "update_ratio": 0.001},
    }
    assert run["layers"][1] == {
        "name": "act",
        "part": "",
        **dict.fromkeys(("kind", "shape", "trainable", "optimized", "gradient")),
        "last": {"activation_zero_share": 0.5, "dead_unit_share": 0.25},
    }
    assert run["events"][0] == {
        "kind": "nonfinite",
        "says": "log of 0 gives -inf",
        "step": 31,
        "layer": "fc2",
        "operation": "log",
        "batch": 31,
    }


def test_a_log_has_none_of_it(tmp_path: Path) -> None:
    document = standard_json.loads(json.render(canonical.report()))
    assert all(run["overhead"] is None and run["layers"] == run["time"] == [] for run in document["runs"])
    for write in (text.write, markdown.write):
        shown = write(page_of(canonical.report()), everything=True)
        assert "recording cost" not in shown
        assert re.search("(?im)^[# ]*layers$", shown) is None
        assert re.search("(?im)^[# ]*layers$", write(page_of(sick(recorded(tmp_path))), everything=True))
    assert ">Layers</h" not in as_html(canonical.report())
    assert ">Layers</h" in as_html(sick(recorded(tmp_path)))


@pytest.mark.parametrize("judged", [True, False])
def test_the_schema_knows_every_key(tmp_path: Path, judged: bool) -> None:
    run = recorded(tmp_path)
    document = standard_json.loads(json.render(sick(run) if judged else Report((run,))))
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert list(Draft202012Validator(closed(SCHEMA)).iter_errors(document)) == []


def test_the_page_tells_the_inside_after_the_diagnosis(tmp_path: Path) -> None:
    page = as_html(sick(recorded(tmp_path))).partition("<main>")[2]
    order = ["SICK", "<h2>Fixes</h2>", "<h2>Events</h2>", "first NaN or infinity"]
    order += ["<h2>Layers</h2>", "fc1.weight", "<h2>Program</h2>", "<h2>Recorded quantities</h2>"]
    places = [page.index(words) for words in order]
    assert places == sorted(places)


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("width", [60, 80, 97, 120])
def test_only_single_words_are_wider_than_the_terminal(tmp_path: Path, width: int, everything: bool) -> None:
    for run in (recorded(tmp_path / "a"), recorded(tmp_path / "b", odd=HOSTILE)):
        shown = text.write(page_of(sick(run)), width=width, everything=everything)
        for line in shown.splitlines():
            assert cell_len(line) <= width or len(line.split()) == 1, line


def test_names_from_a_recording_reach_no_terminal_and_no_page_unchecked(tmp_path: Path) -> None:
    run = recorded(tmp_path, odd=HOSTILE)
    shown = text.write(page_of(sick(run)), everything=True)
    assert {c for c in shown if unicodedata.category(c) in ("Cc", "Cf") and c != "\n"} == set()
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown.write(page_of(sick(run))))
    for made in (page, as_html(sick(run))):
        assert "<img src=x" not in made
        assert '<a href="javascript' not in made
    assert "<h1>" not in page
    assert page.count("<h2>") == len(["crashed", "sick"])


@needs_browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_browser_shows_it_without_complaint_or_sideways_scrolling(tmp_path: Path, width: int) -> None:
    page = opened(as_html(sick(recorded(tmp_path, deep=30))), tmp_path, width=width)
    assert page.complaints == ""
    assert page.scroll_width <= page.width
