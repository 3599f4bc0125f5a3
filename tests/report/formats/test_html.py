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
from tests.report.formats import canonical
from traindx.diagnosis.types import Diagnosis
from traindx.errors import UnreadableError
from traindx.finding import Sign
from traindx.quantities import ACTIVATION_MEAN, GRADIENT_NORM, LEARNING_RATE, TRAIN_LOSS, VAL_LOSS
from traindx.report.pages import as_html
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
    return as_html(Report((run,), diagnoses=(diagnosis,)))


def said(sign: Sign) -> str:
    """What the sick run's finding of a sign says."""
    (finding,) = (asked.finding for asked in canonical.sick().findings if asked.sign is sign)
    assert finding is not None
    return finding.says


def sick_page() -> str:
    return one(canonical.sick(), canonical.demo_runs()[0])


def drawings(page: str) -> list[dict[str, list[dict[str, object]]]]:
    """What plotly is given, figure by figure."""
    packed = re.findall(r'<script type="text/plain">([^<]+)</script>', page)
    return [json.loads(gzip.decompress(base64.b64decode(figure_text))) for figure_text in packed]


def array(packed: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    assert isinstance(packed, dict)
    return np.frombuffer(base64.b64decode(packed["bdata"]), "<" + packed["dtype"]).astype(float)


def run_of(*values: float, quantity: str = "loss") -> Run:
    series = Series(TRAIN_LOSS, np.arange(float(len(values))), np.array(values), name=quantity)
    return Run("odd", (series,), ("odd.csv",), ("Table",))


def plain(page: str) -> str:
    """A page without its scripts and styles."""
    return re.sub(r"(?s)<(script|style)\b.*?</\1>", "", page)


def test_a_run_is_told_in_the_order_a_person_needs() -> None:
    page = plain(sick_page())
    text = Elements(
        page.partition("<main>")[2].replace(page.partition("<nav")[2].partition("</nav>")[0], "")
    ).text
    order = (
        "SICK",
        "Learning rate too high",
        "confidence 87%",
        "FIX",
        "review",
        "expect",
        "OR",
        "Why learning rate too high",
        "Fixes",
        "What not to do",
        "Rivals",
        "Next experiment",
        "Missing",
        "Recorded quantities",
        "Ruled out",
        "All checks",
        "Pages of the causes",
    )
    places = [text.index(words) for words in order]
    assert places == sorted(places)


def test_every_sentence_of_the_diagnosis_is_on_the_page() -> None:
    diagnosis = canonical.sick()
    top = diagnosis.suspects[0]
    text = Elements(sick_page()).text.lower()
    sentences = [asked.finding.says if asked.finding else asked.sign.asks for asked in diagnosis.asked]
    sentences += [word for fix in top.cause.fixes for word in (fix.title, fix.expect, fix.not_when)]
    sentences += list(top.cause.what_not_to_do)
    sentences += [suspect.cause.title for suspect in (*diagnosis.suspects, *diagnosis.ruled_out)]
    sentences += [unrecorded.would_tell for unrecorded in diagnosis.not_recorded]
    sentences += [top.cause.experiment.does, top.cause.experiment.if_true, top.cause.experiment.if_false]
    assert [sentence for sentence in sentences if sentence.lower() not in text] == []
    assert "group['lr'] *= 0.1" in text


def test_points_add_up_to_the_total_shown() -> None:
    table = sick_page().partition('id="why"')[2].partition("</table>")[0]
    *points, total = (float(point) for point in re.findall(r'<td class="number[^"]*">([^<]+)</td>', table))
    assert len(points) == 4
    assert sum(points) == pytest.approx(total)


def test_a_healthy_run_is_called_so_and_gets_no_treatment() -> None:
    text = Elements(plain(one(canonical.healthy(), canonical.demo_runs()[1]))).text
    assert "HEALTHY 93%" in text
    assert "FIX" not in text


def test_a_run_too_short_to_judge_has_no_probability_of_health() -> None:
    text = Elements(plain(one(canonical.inconclusive(), canonical.short_run()))).text
    lead = text.partition("COULD BE")[0]
    assert f"INCONCLUSIVE {canonical.inconclusive().says}" in lead
    assert "%" not in lead


def test_evidence_is_shaded_and_labeled_in_words_on_the_chart() -> None:
    page = sick_page()
    bands = re.findall(r'<i class="band bad (\w+)" data-span="([^"]+)"', page)
    assert bands == [("local", "14.0 20.0")]
    (lanes,) = re.findall(r'<ol class="lanes">(.*?)</ol>', page)
    first, second = lanes.split("</li><li")
    assert 'data-span="14.0 20.0"' in first
    # Its steps are in the sentence.
    assert f"<span>{said(canonical.GROWS)}</span></a>" in first
    assert 'data-span="14.0 299.0"' in second
    assert f"<span>{said(canonical.DIVERGES)} <b>steps 14-299</b></span></a>" in second


def test_tables_tell_a_finding_once() -> None:
    text = Elements(plain(sick_page()).partition('<details class="appendix">')[0]).text.lower()
    fix = canonical.sick().suspects[0].cause.fixes[0]
    # Below the verdict, below the curve, and in the sum of the reasons.
    for sentence, times in ((said(canonical.GROWS), 3), (said(canonical.DIVERGES), 2), (fix.expect, 1)):
        assert text.count(sentence.lower()) == times, sentence
    assert "WHY" not in text, "the section tells it"


def test_a_mark_leads_to_the_row_of_its_finding() -> None:
    page = sick_page()
    lane = page.partition('<ol class="lanes">')[2].partition("</ol>")[0]
    assert '<a href="#loss_diverges">' in lane
    row = page.partition('<tr id="loss_diverges">')[2].partition("</tr>")[0]
    assert said(canonical.DIVERGES) in row


def test_a_cause_links_to_its_page_in_the_file() -> None:
    page = sick_page()
    assert '<a href="#cause-missing-warmup">no warm-up</a> 4%' in page
    about = page.partition('<div id="cause-missing-warmup">')[2].partition("</details>")[0]
    assert "A loss that falls for a few steps and then jumps." in about
    assert page.index('<details class="appendix">') < page.index('<div id="cause-missing-warmup">')


@pytest.mark.parametrize("name", ["sick", "several", "compared"])
def test_every_link_leads_somewhere_and_no_name_is_used_twice(name: str) -> None:
    reports = {"several": canonical.report, "compared": canonical.compared}
    elements = Elements(as_html(reports[name]()) if name in reports else sick_page())
    identities = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(identities) == len(set(identities))
    targets = {str(link["href"]).removeprefix("#") for link in elements.all("a")}
    assert targets - set(map(str, identities)) == set()


def test_loss_and_accuracy_have_colors_and_axes_of_their_own() -> None:
    first, rest = drawings(sick_page())
    losses = {trace["line"]["color"] for trace in first["data"]}  # type: ignore[index]
    others = {trace["name"]: trace for trace in rest["data"]}
    assert others["validation accuracy"]["line"]["color"] not in losses  # type: ignore[index]
    assert others["validation accuracy"]["yaxis"] != others["gradient norm"]["yaxis"]


def test_smoothing_is_only_drawn_and_said() -> None:
    page = sick_page()
    assert "training loss, smoothed" in Elements(page).text
    raw = next(trace for trace in drawings(page)[0]["data"] if trace["name"] == "training loss")
    recorded = canonical.demo_runs()[0][TRAIN_LOSS]
    assert array(raw["y"]) == pytest.approx(recorded.values, rel=1e-6)


def test_a_constant_has_one_value_at_its_axis() -> None:
    rate = Series(LEARNING_RATE, np.arange(50.0), np.full(50, 0.3), name="lr")
    run = replace(canonical.nan_run(), series=(*canonical.nan_run().series, rate))
    scales = re.findall(r'<div class="scale">(.*?)</div>', one(canonical.sick(), run))
    assert "<span></span><span>0.3</span><span></span>" in scales


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
    page = as_html(Report((Run("long", tuple(series), ("long.csv",), ("Table",)),)))
    assert len(page) < 1_000_000
    assert "minimum and maximum of every 500 steps" in Elements(page).text
    raw = next(trace for trace in drawings(page)[0]["data"] if trace["name"] == "training loss")
    assert array(raw["x"])[np.nanargmax(array(raw["y"]))] == 123_456
    crosses = next(trace for trace in drawings(page)[0]["data"] if trace["mode"] == "markers")
    assert array(crosses["x"]).tolist() == [900_001]
    assert crosses["text"] == ["is not a number"]


def test_large_steps_do_not_move() -> None:
    steps = np.array([2**24 + 1.0, 2**24 + 3.0, 2**40 + 1.0])
    run = Run("far", (Series(TRAIN_LOSS, steps, np.array([3.0, 2.0, 1.0])),), ("far.csv",), ("Table",))
    (figure,) = drawings(as_html(Report((run,))))
    assert array(figure["data"][0]["x"]).tolist() == steps.tolist()


def test_several_runs_have_an_overview_and_the_first_sick_one_is_open() -> None:
    page = as_html(canonical.report())
    elements = Elements(page)
    main = page.partition("<main>")[2]
    folds = re.findall(r"<details( open)?><summary><h2>(\w+): (\w+)</h2>", main)
    assert folds == [
        (" open", "hot", "sick"),
        ("", "nan", "sick"),
        ("", "short", "inconclusive"),
        ("", "cool", "healthy"),
    ]
    assert '<a href="#hot">hot</a><svg class="tiny"' in page
    assert "4 runs: 2 sick, 1 inconclusive, 1 healthy" in elements.text


def test_hundreds_of_runs_stay_small() -> None:
    hot, _ = canonical.demo_runs()
    runs = tuple(replace(hot, name=f"sweep/{index}") for index in range(300))
    page = as_html(Report(runs, diagnoses=(canonical.sick(),) * 300))
    assert len(page) < 8_000_000
    assert page.count('<div class="charts">') == 300
    assert "300 runs: 300 sick" in Elements(page).text


def test_what_was_only_read_is_shown_without_a_verdict() -> None:
    report = Report(canonical.demo_runs(), (UnreadableError("nowhere.log", "no such file"),))
    elements = Elements(as_html(report))
    assert "All checks" not in elements.text
    assert "nowhere.log: no such file" in elements.text
    assert "val_accuracy" in elements.text
    assert "<figure" in as_html(report)


def test_a_comparison_shows_the_table_and_every_curve() -> None:
    report = canonical.compared()
    page = as_html(report)
    text = Elements(plain(page)).text
    assert report.comparison
    names = [entry.run.removeprefix("sweep/") for entry in report.comparison.entries]
    table = text.partition("they diverge")[2]
    places = [table.index(name) for name in names]
    assert places == sorted(places)
    for words in ("the lower lr", "Where runs diverge", "never diverge", "Speed", "batch_size"):
        assert words in text
    assert {trace["name"] for trace in drawings(page)[0]["data"]} == set(names)


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
    page = as_html(hostile_report())
    elements = Elements(page)
    assert not elements.all("img")
    assert {attributes.get("type") for attributes in elements.all("script")} == {None, "text/plain"}
    assert len([attributes for attributes in elements.all("script") if "type" not in attributes]) == 1
    assert not [name for _, attributes in elements.found for name in attributes if name.startswith("on")]
    assert "\u202e" not in page
    assert "alert(1)" in elements.text
    for figure in drawings(page):
        text = json.dumps([figure["data"], figure["layout"]["annotations"]])  # type: ignore[call-overload]
        assert "<script" not in text
        assert "<img" not in text


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
    page = as_html(Report((run,)))
    assert "odd" in Elements(plain(page)).text
    assert "nan " not in "".join(re.findall(r' d="([^"]*)"', page))
    assert as_html(Report((run,))) == page


def test_curves_on_other_axes_are_laid_over_the_run_and_that_is_said() -> None:
    epochs = Series(VAL_LOSS, np.arange(1.0, 5.0), np.array([2.0, 1.5, 1.2, 1.1]), Axis.EPOCH)
    steps = Series(TRAIN_LOSS, np.arange(400.0), np.linspace(2, 1, 400))
    page = as_html(Report((Run("both", (steps, epochs), ("both.csv",), ("Table",)),)))
    assert "Logged per epoch, placed by its share of the run: validation loss." in Elements(page).text
    curve = next(trace for trace in drawings(page)[0]["data"] if trace["name"] == "validation loss")
    first, *_, last = array(curve["x"]).tolist()
    assert 50 < first < 120
    assert last == 399


def test_the_page_is_complete_without_script() -> None:
    visible = plain(sick_page())
    still = visible.partition('<div class="still">')[2]
    assert still.count('<path class="raw ') == 2  # the loss and the gradient norm
    assert still.count('<path class="plain ') == 2  # the loss and the accuracy on validation data
    # What does nothing without a script is not seen without it.
    tools = re.sub(r'(?s)<div class="tools" hidden>.*?</div>', "", visible)
    assert all(
        "hidden" in attributes or "disabled" in attributes for attributes in Elements(tools).all("button")
    )


def test_every_listing_and_command_can_be_copied() -> None:
    page = plain(sick_page())
    assert page.count("data-copy") == page.count('class="copy"') > 1
    assert len(re.findall(r"<pre\b", page)) == page.count('<div class="listing" data-copy>')


def contrast(one: str, other: str) -> float:
    """The ratio of the lightness of two colors, as WCAG 2 defines it."""

    def light(color: str) -> float:
        parts = [int(color[index : index + 2], 16) / 255 for index in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_is_readable_on_its_ground(theme: int) -> None:
    pairs = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", sick_page())
    colors = {name: pair[theme] for name, *pair in pairs}
    for name in ("ink", "muted", "link", "good", "bad", "doubt"):
        assert contrast(colors[name], colors["paper"]) >= 4.5, name
        assert contrast(colors[name], colors["card"]) >= 4.5, name
    for name in ("good", "bad", "doubt"):
        assert contrast(colors[name], colors[f"{name}-wash"]) >= 4.5, name
    for name in ("c0", "c1", "c2", "c3", "c4", "c5"):
        assert contrast(colors[name], colors["paper"]) >= 3, name


def test_headings_and_tables_are_told_to_those_who_do_not_see() -> None:
    elements = Elements(as_html(canonical.report()))
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all("scope" in attributes for attributes in elements.all("th"))
    assert elements.all("html") == [{"lang": "en"}]


@needs_browser
def test_the_browser_draws_the_open_run_and_complains_about_nothing(tmp_path: Path) -> None:
    page = opened(as_html(hostile_report()), tmp_path)
    assert page.complaints == ""
    elements = Elements(page.dom)
    drawn = [attributes for attributes in elements.all("figure") if "data-drawn" in attributes]
    assert len(drawn) == 1
    assert page.dom.count('class="main-svg"') > 0
    assert not elements.all("img")
    buttons = [attributes for attributes in elements.all("button") if attributes.get("class") == "copy"]
    assert buttons
    assert not any("hidden" in attributes for attributes in buttons)


@needs_browser
@pytest.mark.parametrize("name", ["sick", "hostile", "compared"])
def test_a_narrow_window_does_not_scroll_sideways(tmp_path: Path, name: str) -> None:
    reports = {"hostile": hostile_report, "compared": canonical.compared}
    page = opened(as_html(reports[name]()) if name in reports else sick_page(), tmp_path, width=360)
    assert page.width == 360
    assert page.scroll_width <= 360
