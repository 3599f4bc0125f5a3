"""Several runs at a glance: a table that leads to each of them."""

from collections import Counter
from collections.abc import Sequence

from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count
from traindx.report.html.heads import heads
from traindx.report.html.markup import Markup, escape, fill, joined
from traindx.report.html.opening import badge
from traindx.report.html.svg import tiny
from traindx.report.results.diagnosis import blame, extent, main_series, outcome, shared_folder, sureness
from traindx.run import Run
from traindx.trials.types import Report

_ORDER = (Verdict.SICK, Verdict.INCONCLUSIVE, Verdict.HEALTHY)


def overview(report: Report, columns: int) -> Markup:
    """Name, verdict and its probability, first suspect and curve of each run."""
    words = ["run", *(["verdict", "curve", "why"] if report.diagnoses else ["curve", "recorded"])]
    return fill(
        '<h2>All runs</h2><p>{tally}</p><div class="scroll" tabindex="0" role="region" aria-label="All runs">'
        '<table class="overview"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>',
        tally=f"{tally(report)}{_below(report)}.",
        heads=heads(words, 4),
        rows=joined(
            _row(report, index, name, columns) for index, name in enumerate(short_names(report.runs))
        ),
    )


def tally(report: Report) -> str:
    """How many runs there are, and how many of each verdict."""
    verdicts = Counter(diagnosis.verdict for diagnosis in report.diagnoses)
    counts = [f"{verdicts[verdict]} {verdict.value}" for verdict in _ORDER if verdicts[verdict]]
    return count(len(report.runs), "run") + (f": {', '.join(counts)}" if counts else "")


def short_names(runs: Sequence[Run]) -> list[str]:
    """The names without the folder they have in common."""
    common = len(shared_folder(runs))
    return [run.name[common:] for run in runs]


def _below(report: Report) -> str:
    folder = shared_folder(report.runs)
    return f", all below {folder}" if folder.strip("/") else ""


def _row(report: Report, index: int, name: str, columns: int) -> Markup:
    run = report.runs[index]
    drawn = main_series(run)[:1]
    curve = fill("<td>{curve}</td>", curve=tiny(drawn[0], columns) if drawn else Markup())
    told = _judged(report.diagnoses[index], curve) if report.diagnoses else joined([curve, _read(run)])
    return fill(
        '<tr><th scope="row"><a href="#run-{place}">{name}</a></th>{told}</tr>',
        place=str(index + 1),
        name=escape(name, 100),
        told=told,
    )


def _judged(diagnosis: Diagnosis, curve: Markup) -> Markup:
    share = blame(diagnosis)
    return fill(
        '<td class="judged">{badge} {sure}</td>{curve}<td class="why">{why}</td>',
        badge=badge(diagnosis.verdict),
        curve=curve,
        sure=sureness(diagnosis),
        why=f"{outcome(diagnosis)} (cause {share})" if share else outcome(diagnosis),
    )


def _read(run: Run) -> Markup:
    return fill(
        "<td>{series}, {extent}</td>", series=count(len(run.series), "series", "series"), extent=extent(run)
    )
