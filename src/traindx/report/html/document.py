"""The page as one file: what it may do, how it looks, its parts, and the plotly it carries."""

import gzip
import hashlib
from functools import cache
from pathlib import Path

from traindx import __version__
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count, percent, printable
from traindx.report.html.advice import alternatives, unknowns
from traindx.report.html.advice import treatment as advice
from traindx.report.html.chart import chart
from traindx.report.html.drawing import figure_of
from traindx.report.html.grounds import numbers_of, questions, sum_table
from traindx.report.html.interior import happened, interior
from traindx.report.html.markup import (
    Detail,
    Markup,
    deciding,
    detail_for,
    encoded,
    escape,
    fill,
    joined,
)
from traindx.report.html.opening import badge, facts_line, opening
from traindx.report.html.recorded import overview, remainder, series_table, short_names
from traindx.report.html.side_by_side import comparison_part
from traindx.report.html.trials import trials_part
from traindx.report.results.diagnosis import culprit, judged
from traindx.report.results.run import title
from traindx.run import Run
from traindx.trials.types import Report, Treatment

_ASSETS = Path(__file__).parent / "assets"
_PLOTLY = "plotly-basic-4.1.1.min.js.gz"
"""plotly-basic.min.js of npm's plotly.js-basic-dist-min after `gzip -9n`, with its licence beside it."""


def document(report: Report) -> str:
    """The whole page; it needs nothing else, and its policy lets it ask for nothing else."""
    detail = detail_for(len(report.runs))
    return fill(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        "<title>{title}</title><style>{style}</style></head>\n"
        '<body><header class="top"><h1>traindx<span> {what}</span></h1>'
        '<button type="button" id="theme" hidden>Dark</button></header>\n<main>{main}</main>\n'
        "<footer><p>{made}</p></footer>\n{carried}<script>{script}</script></body></html>\n",
        policy=_policy(),
        title=_title(report),
        what=_what(report),
        style=Markup(_asset("page.css")),
        main=_main(report, detail),
        made=f"Made by traindx {__version__}. This page is complete in itself and loads nothing.",
        carried=_plotly(),
        script=Markup(_asset("page.js")),
    )


def _what(report: Report) -> str:
    runs = count(len(report.runs), "run")
    if report.comparison:
        return f"comparison of {runs}"
    return f"diagnosis of {runs}" if report.diagnoses else f"{runs} as read"


def _title(report: Report) -> str:
    """What a browser's tab says: enough to tell two reports apart."""
    if len(report.runs) > 1:
        return f"{_what(report)} \u00b7 traindx"
    names = "".join(printable(run.name, 100) for run in report.runs)
    verdict = "".join(f": {diagnosis.verdict.value}" for diagnosis in report.diagnoses)
    return f"{names}{verdict} \u00b7 traindx"


def _main(report: Report, detail: Detail) -> Markup:
    parts = [comparison_part(report, report.comparison, detail)] if report.comparison else []
    if len(report.runs) > 1 and not report.comparison:
        parts.append(overview(report, detail.tiny))
    runs = [_run_part(report, index, name, detail) for index, name in enumerate(short_names(report.runs))]
    return joined([*parts, *runs, _problems(report)], "\n")


def _opened(report: Report) -> int:
    """The first sick run; the first of all where none is."""
    if report.comparison:
        return -1
    sick = (place for place, one in enumerate(report.diagnoses) if one.verdict is Verdict.SICK)
    return next(sick, 0)


def _run_part(report: Report, index: int, name: str, detail: Detail) -> Markup:
    run = report.runs[index]
    diagnosis = report.diagnoses[index] if report.diagnoses else None
    shown = title(run) if len(report.runs) == 1 else name
    heading = fill("<h2>{name}</h2>", name=escape(shown, 200))
    body = fill(
        '<div id="run-{place}">{body}</div>',
        place=str(index + 1),
        body=_body(run, diagnosis, detail, report.treatment if index == 0 else None),
    )
    if len(report.runs) == 1:
        return fill('<section class="run">{heading}{body}</section>', heading=heading, body=body)
    return fill(
        '<details class="run"{open}><summary>{heading}{badge}</summary>{body}</details>',
        open=Markup(" open") if index == _opened(report) else Markup(),
        heading=heading,
        badge=badge(diagnosis.verdict) if diagnosis else Markup(),
        body=body,
    )


def _body(run: Run, diagnosis: Diagnosis | None, detail: Detail, treatment: Treatment | None) -> Markup:
    """One run in the order a person needs."""
    figure = figure_of(run, diagnosis, detail.chart)
    return joined(
        [
            opening(diagnosis) if diagnosis else Markup(),
            facts_line(run),
            happened(run),
            chart(figure, run.name, detail.still) if figure else Markup(),
            trials_part(treatment) if treatment else Markup(),
            _judgement(run, diagnosis, detail.brief) if diagnosis else Markup(),
            interior(run, detail.brief),
            series_table(run, detail.tiny),
            remainder(run),
        ],
        "\n",
    )


def _judgement(run: Run, diagnosis: Diagnosis, brief: bool) -> Markup:
    top = culprit(diagnosis)
    return joined(
        [
            questions(run, diagnosis, brief),
            _why(diagnosis) if judged(diagnosis) else Markup(),
            advice(top, run) if top else Markup(),
            alternatives(diagnosis, brief),
            unknowns(diagnosis),
        ],
        "\n",
    )


def _why(diagnosis: Diagnosis) -> Markup:
    top = culprit(diagnosis)
    about = f"{percent(top.confidence)} for this cause" if top else f"{percent(diagnosis.healthy)} for health"
    caption = f"Points are log odds. Their sum, held against the sums of all rivals, gives {about}."
    return fill("<h3>Why</h3>{sum}", sum=sum_table(deciding(diagnosis), numbers_of(diagnosis), caption))


def _problems(report: Report) -> Markup:
    items = [fill("<li>{problem}</li>", problem=escape(str(one), 600)) for one in report.problems]
    beside = f"{count(report.other_files, 'other file')} beside the logs" if report.other_files else ""
    return fill(
        "{problems}{beside}",
        problems=fill("<h2>Not read</h2><ul>{items}</ul>", items=joined(items)) if items else Markup(),
        beside=fill("<p class='quiet'>{beside}.</p>", beside=beside) if beside else Markup(),
    )


def _policy() -> str:
    """Nothing may be fetched; of scripts, only the two this page carries may run, known by their hashes."""
    hashes = " ".join(
        f"'sha256-{_digest(source)}'" for source in (_asset("page.js").encode(), _plotly_source())
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(source: bytes) -> str:
    return encoded(hashlib.sha256(source).digest())


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _plotly_source() -> bytes:
    return gzip.decompress((_ASSETS / _PLOTLY).read_bytes())


def _plotly() -> Markup:
    """Plotly as it lies on disk; the browser inflates it when the first drawing is wanted."""
    packed = encoded((_ASSETS / _PLOTLY).read_bytes())
    return fill('<script type="text/plain" id="plotly">{packed}</script>', packed=packed)
