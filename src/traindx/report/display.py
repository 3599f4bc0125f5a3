"""How results show themselves: with `print`, in a notebook, in one line, as JSON."""

from functools import singledispatch

from traindx.changes.types import label_of
from traindx.comparison.types import Comparison
from traindx.diagnosis.types import Diagnosis
from traindx.format import count
from traindx.report import text
from traindx.report.blocks import Page
from traindx.report.documents.diagnosis import comparison_document, diagnosis_document
from traindx.report.documents.run import head
from traindx.report.renderers import json
from traindx.report.results import comparison, diagnosis, treatment
from traindx.run import Run
from traindx.trials.treatment import TreatResult


def screen(result: object) -> str:
    """The text that a terminal shows."""
    return text.write(page_of(result)).rstrip("\n")


def card(result: object) -> str:
    """The first card of the page, with the rest folded."""
    # Not before it is needed: it reads what pages are made of.
    from traindx.report.html.writer import card as written

    return written(page_of(result))


@singledispatch
def page_of(result: object) -> Page:
    """The page of a result."""
    raise TypeError(f"{type(result).__name__} has no page")


@singledispatch
def line(result: object) -> str:
    """A result in a few words."""
    raise TypeError(f"{type(result).__name__} has no line")


@singledispatch
def document(result: object) -> str:
    """A result as JSON."""
    raise TypeError(f"{type(result).__name__} has no document")


@page_of.register
def _(result: Diagnosis) -> Page:
    return diagnosis.page(_run_of(result), result)


@line.register
def _(result: Diagnosis) -> str:
    return diagnosis.summary(_run_of(result), result).partition(" · ")[0] + _at(result)


@document.register
def _(result: Diagnosis) -> str:
    return json.as_text({**head("diagnosis"), "runs": [{"name": result.run, **diagnosis_document(result)}]})


def _run_of(result: Diagnosis) -> Run:
    return result.source or Run(result.run, (), (), ())


def _at(result: Diagnosis) -> str:
    place = result.suspects[0].place if result.suspects and diagnosis.is_clear(result) else ""
    return f" {place}" if place else ""


@page_of.register
def _(result: Comparison) -> Page:
    return comparison.page(result)


@line.register
def _(result: Comparison) -> str:
    best = result.entries[0].run if result.entries else ""
    return f"{count(len(result.entries), 'run')}, best {best}"


@document.register
def _(result: Comparison) -> str:
    return json.as_text({**head("comparison"), "comparison": comparison_document(result)})


@page_of.register
def _(result: TreatResult) -> Page:
    run, judged = result.report.runs[0], result.report.diagnoses[0]
    if not result.treatment.trials:
        return diagnosis.page(run, judged)
    name, seconds = result.folder.name, result.elapsed
    return treatment.page(run, judged, result.treatment, beliefs=result.beliefs, name=name, seconds=seconds)


@line.register
def _(result: TreatResult) -> str:
    best = result.treatment.best
    proven = f"PROVEN {label_of(best.changes)}" if best else "NO PROVEN FIX"
    return f"{proven}, {count(len(result.treatment.trials), 'fix', 'fixes')} tried"


@document.register
def _(result: TreatResult) -> str:
    return json.render(result.report)
