"""How results show themselves: with `print`, in a notebook, in one line, as JSON."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, singledispatch

from traindx.changes.types import label_of
from traindx.comparison.types import Comparison
from traindx.diagnosis.types import Diagnosis
from traindx.exams.data_exam.types import Examination
from traindx.exams.learning_rate.program import ProgramRate
from traindx.exams.preflight.types import Checklist
from traindx.exams.types import ActivationExam, GradientExam, ModelExam
from traindx.format import count
from traindx.report import text
from traindx.report.blocks import Page
from traindx.report.json import report as json
from traindx.report.json.report import comparison_document, diagnosis_document
from traindx.report.json.results import (
    checklist_document,
    examination_document,
    model_exam_document,
    rate_document,
)
from traindx.report.json.values import as_text, head
from traindx.report.results import comparison, diagnosis, exams, learning_rate
from traindx.report.results import treatment as treatments
from traindx.report.results.trials import tried
from traindx.run import Run
from traindx.trials.treatment import TreatResult


@dataclass(frozen=True)
class View:
    """A result in every form, each made when it is asked for."""

    page: Callable[[], Page]
    line: Callable[[], str]
    """The result in a few words."""
    document: Callable[[], str]
    """The result as JSON."""


def screen(result: object) -> str:
    """The text that a terminal shows."""
    return text.write(view(result).page()).rstrip("\n")


def card(result: object) -> str:
    """The first card of the page, with the rest folded."""
    # Not before it is needed: it reads what pages are made of.
    from traindx.report.html.writer import card as written

    return written(view(result).page())


def line(result: object) -> str:
    """The result in a few words."""
    return view(result).line()


def document(result: object) -> str:
    """The result as JSON."""
    return view(result).document()


_MODEL_EXAM = exams.model_page, exams.summary, model_exam_document
_EXAMS: dict[type, tuple[Callable[..., Page], Callable[..., str], Callable[..., str]]] = {
    ActivationExam: _MODEL_EXAM,
    GradientExam: _MODEL_EXAM,
    ModelExam: _MODEL_EXAM,
    Examination: (exams.data_page, exams.data_summary, examination_document),
    Checklist: (exams.preflight_page, exams.preflight_summary, checklist_document),
    ProgramRate: (learning_rate.page, learning_rate.summary, rate_document),
}
"""What makes the page, the line and the document of a result that says all of itself."""


@singledispatch
def view(result: object) -> View:
    """The forms of a result."""
    if type(result) not in _EXAMS:
        raise TypeError(f"{type(result).__name__} is not a result that can be shown")
    page, line, document = _EXAMS[type(result)]
    return View(partial(page, result), partial(line, result), partial(document, result))


@view.register
def _(result: Diagnosis) -> View:
    run = result.source or Run(result.run, (), (), ())
    runs = [{"name": result.run, **diagnosis_document(result)}]
    return View(
        lambda: diagnosis.page(run, result),
        lambda: diagnosis.in_a_line(run, result),
        lambda: as_text({**head("diagnosis"), "runs": [*runs]}),
    )


@view.register
def _(result: Comparison) -> View:
    best = result.entries[0].run if result.entries else ""
    return View(
        lambda: comparison.page(result),
        lambda: f"{count(len(result.entries), 'run')}, best {best}",
        lambda: as_text({**head("comparison"), "comparison": comparison_document(result)}),
    )


@view.register
def _(result: TreatResult) -> View:
    best = result.treatment.best
    proven = f"PROVEN {label_of(best.changes)}" if best else "NO PROVEN FIX"
    return View(
        lambda: _treatment(result),
        lambda: f"{proven}, {tried(result.treatment)}",
        lambda: json.render(result.report),
    )


def _treatment(result: TreatResult) -> Page:
    run, judged = result.report.runs[0], result.report.diagnoses[0]
    if not result.treatment.trials:
        return diagnosis.page(run, judged)
    name, seconds = result.folder.name, result.elapsed
    return treatments.page(run, judged, result.treatment, beliefs=result.beliefs, name=name, seconds=seconds)
