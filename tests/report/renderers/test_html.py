"""The HTML report: complete, safe and small; and in a real browser, drawn."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.browser import needs_browser, opened
from tests.report.renderers import canonical
from traindx.diagnosis.types import Diagnosis
from traindx.errors import UnreadableError
from traindx.quantities import ACTIVATION_MEAN, GRADIENT_NORM, LEARNING_RATE, TRAIN_LOSS, VAL_LOSS
from traindx.report.renderers import html
from traindx.run import Axis, Event, EventKind, Run, Scalar, Series, Skipped
from traindx.trials.types import Report

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{0}%{x}\u202etxt"


class Elements(HTMLParser):
    """Every element with its attributes, and the visible text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._pieces: list[str] = []
        self.feed(page)
        self.text = "".join(self._pieces)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self._pieces.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def one(diagnosis: Diagnosis, run: Run) -> str:
    return html.render(Report((run,), diagnoses=(diagnosis,)))


def sick_page() -> str:
    return one(canonical.sick(), canonical.demo_runs()[0])


def drawings(page: str) -> list[dict[str, list[dict[str, object]]]]:
    """What plotly is given, figure by figure."""
    packed = re.findall(r'<script type="text/plain">([^<]+)</script>', page)
    return [json.loads(gzip.decompress(base64.b64decode(one))) for one in packed]


def array(packed: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    assert isinstance(packed, dict)
    return np.frombuffer(base64.b64decode(packed["bdata"]), "<" + packed["dtype"]).astype(float)


def run_of(*values: float, quantity: str = "loss") -> Run:
    series = Series(TRAIN_LOSS, np.arange(float(len(values))), np.array(values), name=quantity)
    return Run("odd", (series,), ("odd.csv",), ("Table",))


def test_a_run_is_told_in_the_order_a_person_needs() -> None:
    text = Elements(sick_page()).text
    order = (
        "Learning rate too high",
        "87\u00a0% that this is the cause",
        "What was asked",
        "Why",
        "What to change",
        "What not to do",
        "What else was considered",
        "What was not recorded",
        "The next experiment",
        "All series",
    )
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_every_sentence_of_the_diagnosis_is_on_the_page() -> None:
    diagnosis = canonical.sick()
    top = diagnosis.suspects[0]
    text = Elements(sick_page()).text
    told = [asked.sign.asks for asked in diagnosis.asked]
    told += [word for fix in top.cause.fixes for word in (fix.title, fix.expect, fix.not_when)]
    told += list(top.cause.what_not_to_do)
    told += [suspect.cause.title for suspect in (*diagnosis.suspects, *diagnosis.ruled_out)]
    told += [one.would_tell for one in diagnosis.not_recorded]
    told += [top.cause.experiment.does, top.cause.experiment.if_true, top.cause.experiment.if_false]
    assert [sentence for sentence in told if sentence not in text] == []
    assert "group['lr'] *= 0.1" in text


def test_points_add_up_to_the_total_shown() -> None:
    table = sick_page().partition('<table class="sum">')[2].partition("</table>")[0]
    *points, total = re.findall(r'<td class="number">([^<]+)</td>', table)
    numbers = [float(point.replace("\u2212", "-")) for point in points]
    assert len(numbers) == 4
    assert sum(numbers) == pytest.approx(float(total.replace("\u2212", "-")))


def test_yes_stands_first_and_no_is_folded() -> None:
    page = sick_page()
    folded = re.search(r"<details><summary>2 questions answered no</summary>(.*?)</details>", page)
    assert folded
    assert "The loss becomes NaN or infinite." in folded[1]
    assert page.index('class="answer">yes') < folded.start()
    unknown = re.search(
        r"<details><summary>2 questions that the log cannot answer</summary>(.*?)</details>", page
    )
    assert unknown
    assert "too few points" in unknown[1]


def test_a_healthy_run_is_called_so_and_gets_no_treatment() -> None:
    text = Elements(one(canonical.healthy(), canonical.demo_runs()[1])).text
    assert "93\u00a0% that the run is healthy" in text
    assert "What to change" not in text


def test_what_cannot_be_told_apart_is_said() -> None:
    text = Elements(one(canonical.shared(), canonical.nan_run())).text
    assert "cannot tell these apart: Learning rate too high (44\u00a0%), No warm-up (41\u00a0%)" in text


def test_evidence_is_marked_on_its_own_curve() -> None:
    (figure,) = drawings(sick_page())
    lanes = [trace for trace in figure["data"] if trace["hovertemplate"] == "%{text}"]
    says = ("gradients grow 31 times over steps 14-20", "the loss fell to 0.877 at step 18 and ended at 1.1")
    assert [lane["text"] for lane in lanes] == [[one] * len(array(lanes[0]["x"])) for one in says]
    assert np.nanmin(array(lanes[0]["x"])) == 14
    assert np.nanmax(array(lanes[0]["x"])) == 20
    shapes = figure["layout"]["shapes"]  # type: ignore[call-overload]  # a layout is a mapping
    assert [(shape["x0"], shape["x1"], shape["yref"]) for shape in shapes] == [(14, 20, "y2 domain")]


def test_smoothing_is_only_drawn_and_said() -> None:
    page = sick_page()
    assert "training loss, smoothed for the eye" in Elements(page).text
    raw = next(trace for trace in drawings(page)[0]["data"] if trace["name"] == "training loss")
    recorded = canonical.demo_runs()[0][TRAIN_LOSS]
    assert array(raw["y"]) == pytest.approx(recorded.values, rel=1e-6)


def test_a_million_steps_stay_small_and_keep_every_spike() -> None:
    count = 1_000_000
    steps = np.arange(float(count))
    loss = 1 + np.random.default_rng(0).random(count)
    loss[123_456], loss[900_001] = 50.0, np.nan
    series = [
        Series(quantity, steps.copy(), values, name=quantity.slug)
        for quantity, values in (
            (TRAIN_LOSS, loss),
            (LEARNING_RATE, 1 / (1 + steps)),
            (GRADIENT_NORM, loss.copy()),
        )
    ]
    page = html.render(Report((Run("long", tuple(series), ("long.csv",), ("Table",)),)))
    assert len(page) < 1_000_000
    assert "lowest and highest value of every 500 steps" in Elements(page).text
    raw = next(trace for trace in drawings(page)[0]["data"] if trace["name"] == "training loss")
    assert array(raw["x"])[np.nanargmax(array(raw["y"]))] == 123_456
    crosses = next(trace for trace in drawings(page)[0]["data"] if trace["mode"] == "markers")
    assert array(crosses["x"]).tolist() == [900_001]
    assert crosses["text"] == ["is not a number"]


def test_large_steps_do_not_move() -> None:
    steps = np.array([2**24 + 1.0, 2**24 + 3.0, 2**40 + 1.0])
    run = Run("far", (Series(TRAIN_LOSS, steps, np.array([3.0, 2.0, 1.0])),), ("far.csv",), ("Table",))
    (figure,) = drawings(html.render(Report((run,))))
    assert array(figure["data"][0]["x"]).tolist() == steps.tolist()


def test_several_runs_have_an_overview_and_the_first_sick_one_is_open() -> None:
    report = canonical.report()
    page = html.render(
        Report((report.runs[1], *report.runs), diagnoses=(report.diagnoses[1], *report.diagnoses))
    )
    elements = Elements(page)
    opened = [attributes for attributes in elements.all("details") if attributes.get("class") == "run"]
    assert ["open" in attributes for attributes in opened] == [False, True, False, False, False]
    links = [attributes["href"] for attributes in elements.all("a")]
    assert links == [f"#run-{place}" for place in range(1, 6)]
    identities = {attributes.get("id") for _, attributes in elements.found}
    assert {f"run-{place}" for place in range(1, 6)} <= identities
    assert "5 runs: 2 sick, 1 inconclusive, 2 healthy" in elements.text


def test_hundreds_of_runs_stay_small() -> None:
    hot, _ = canonical.demo_runs()
    runs = tuple(replace(hot, name=f"sweep/{place}") for place in range(300))
    page = html.render(Report(runs, diagnoses=(canonical.sick(),) * 300))
    assert len(page) < 8_000_000
    assert len(drawings(page)) == 300
    assert "300 runs: 300 sick, all below sweep/." in Elements(page).text


def test_what_was_only_read_is_shown_without_a_verdict() -> None:
    report = Report(canonical.demo_runs(), (UnreadableError("nowhere.log", "no such file"),), other_files=3)
    elements = Elements(html.render(report))
    assert "What was asked" not in elements.text
    assert "nowhere.log: no such file" in elements.text
    assert "3 other files" in elements.text
    assert "validation accuracy" in elements.text
    assert "Dropout" not in elements.text


def test_a_comparison_shows_the_table_and_every_curve() -> None:
    report = canonical.compared()
    page = html.render(report)
    text = Elements(page).text
    assert report.comparison
    places = [text.index(entry.run) for entry in report.comparison.entries]
    assert places == sorted(places)
    for words in (
        "What goes with the outcome",
        "Where runs part",
        "never part",
        "reached 0.55 at",
        "batch_size",
    ):
        assert words in text
    names = {trace["name"] for trace in drawings(page)[0]["data"]}
    assert names == {entry.run for entry in report.comparison.entries}


def test_nothing_can_be_fetched_and_only_the_carried_scripts_run() -> None:
    page = sick_page()
    elements = Elements(page)
    (policy,) = [meta["content"] for meta in elements.all("meta") if meta.get("http-equiv")]
    assert policy
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert not any("src" in attributes for _, attributes in elements.found)
    assert all(str(link["href"]).startswith("#") for link in elements.all("a"))
    assert not elements.all("link")
    own = re.findall(r"<script>(.*?)</script>", page, re.S)
    plotly = re.search(r'<script type="text/plain" id="plotly">([^<]+)</script>', page)
    assert plotly
    source = gzip.decompress(base64.b64decode(plotly[1]))
    assert b"plotly.js (basic - minified)" in source[:100]
    for script in (own[0].encode(), source):
        assert base64.b64encode(hashlib.sha256(script).digest()).decode() in policy
    assert len(own) == 1


def hostile_report() -> Report:
    steps = np.arange(40.0)
    series = (
        Series(TRAIN_LOSS, steps, 2 - steps / 40, name=HOSTILE),
        Series(VAL_LOSS, steps.copy(), 2 - steps / 80, part=HOSTILE, name=HOSTILE),
        Series(ACTIVATION_MEAN, steps.copy(), steps / 80, layer=HOSTILE, name=HOSTILE),
    )
    settings: dict[str, Scalar] = {HOSTILE: HOSTILE}
    run = Run(
        HOSTILE,
        series,
        (HOSTILE,),
        (HOSTILE,),
        settings=settings,
        events=(Event(EventKind.EXCEPTION, HOSTILE, 3.0),),
        unread=(Skipped(HOSTILE, 3, HOSTILE),),
        notes=(HOSTILE,),
    )
    asked = canonical.sick().asked
    assert asked[0].finding
    finding = replace(asked[0].finding, says=HOSTILE)
    diagnosis = replace(canonical.sick(), says=HOSTILE, asked=(replace(asked[0], answer=finding), *asked[1:]))
    return Report(
        (run, replace(run)), (UnreadableError(HOSTILE, HOSTILE, HOSTILE),), 1, (diagnosis, diagnosis)
    )


def test_names_from_a_log_never_become_markup() -> None:
    page = html.render(hostile_report())
    elements = Elements(page)
    assert not elements.all("img")
    assert len(elements.all("script")) == 4
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert "\u202e" not in page
    assert "alert(1)" in elements.text
    for figure in drawings(page):
        told = json.dumps([figure["data"], figure["layout"]["annotations"]])  # type: ignore[call-overload]
        assert "<script" not in told
        assert "<img" not in told


ODD = {
    "no series": Run("odd", (), ("odd.csv",), ("Table",)),
    "one point": run_of(1.0),
    "all NaN": run_of(*[float("nan")] * 9),
    "constant": run_of(*[0.5] * 9),
    "infinite": run_of(1.0, float("inf"), float("-inf"), 2.0),
    "huge": run_of(1e308, -1e308, 1e308),
    "tiny": run_of(1e-320, 1e-300, 1e-310),
    "negative": run_of(*np.linspace(3, -3, 90).tolist()),
    "NaN after a while": run_of(*np.linspace(3, 1, 90).tolist(), *[float("nan")] * 9000),
}


@pytest.mark.parametrize("run", ODD.values(), ids=ODD.keys())
def test_odd_runs_are_drawn(run: Run) -> None:
    page = html.render(Report((run,)))
    assert "All series" in page
    assert "nan " not in "".join(re.findall(r' d="([^"]*)"', page))
    assert html.render(Report((run,))) == page


def test_curves_on_other_axes_are_laid_over_the_run_and_that_is_said() -> None:
    epochs = Series(VAL_LOSS, np.arange(1.0, 5.0), np.array([2.0, 1.5, 1.2, 1.1]), Axis.EPOCH)
    steps = Series(TRAIN_LOSS, np.arange(400.0), np.linspace(2, 1, 400))
    page = html.render(Report((Run("both", (steps, epochs), ("both.csv",), ("Table",)),)))
    assert "Recorded by epoch, drawn at its share of the run: validation loss." in Elements(page).text
    curve = next(trace for trace in drawings(page)[0]["data"] if trace["name"] == "validation loss")
    first, *_, last = array(curve["x"]).tolist()
    assert 50 < first < 120
    assert last == 399


def test_the_page_is_complete_without_script() -> None:
    page = sick_page()
    visible = re.sub(r"<script.*?</script>", "", page, flags=re.S)
    still = visible.partition('<div class="still">')[2]
    assert still.count('<path class="raw c0 d0" d="M') == 2  # the loss and the gradient norm
    assert still.count('<path class="plain c1') == 2  # the loss and the accuracy on validation data
    controls = Elements(visible).all("button")
    assert all("disabled" in one or "data-do" in one or "hidden" in one for one in controls)


def test_headings_and_tables_are_told_to_those_who_do_not_see() -> None:
    elements = Elements(html.render(canonical.report()))
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all("scope" in attributes for attributes in elements.all("th"))
    assert elements.all("html") == [{"lang": "en"}]


@needs_browser
def test_the_browser_draws_the_open_run_and_complains_about_nothing(tmp_path: Path) -> None:
    page = opened(html.render(hostile_report()), tmp_path)
    assert page.complaints == ""
    elements = Elements(page.dom)
    drawn = [attributes for attributes in elements.all("figure") if "data-drawn" in attributes]
    assert len(drawn) == 1
    assert page.dom.count('class="main-svg"') > 0
    assert not elements.all("img")


@needs_browser
@pytest.mark.parametrize("name", ["sick", "hostile", "compared"])
def test_a_narrow_window_does_not_scroll_sideways(tmp_path: Path, name: str) -> None:
    reports = {"hostile": hostile_report, "compared": canonical.compared}
    page = opened(html.render(reports[name]()) if name in reports else sick_page(), tmp_path, width=360)
    assert page.width == 360
    assert page.scroll_width <= 360
