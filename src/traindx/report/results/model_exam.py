"""Exams of a model as pages: its design, its gradients, its activations."""

from collections.abc import Sequence

from traindx.exams.types import ActivationExam, GradientExam, ModelExam
from traindx.finding import Mark
from traindx.format import count, number
from traindx.report.blocks import (
    Block,
    Bullets,
    Gap,
    Header,
    Headline,
    Page,
    Paragraph,
    Picture,
    Section,
    Tone,
)
from traindx.report.results.layer_tables import (
    LayerTable,
    activation_table,
    design_table,
    gradient_table,
    memory_lines,
)
from traindx.report.results.problems import (
    TONES,
    VERDICTS,
    ResultRow,
    cut,
    finding_row,
    fix_and_next,
    notes_section,
    problem_sections,
    rows_table,
    tally,
)

ModelResult = ActivationExam | GradientExam | ModelExam
_SHOWN = 6
"""Rows of the table of layers on the screen."""


def page(exam: ModelResult, source: str = "", picture: bytes | None = None) -> Page:
    """The verdict, what is wrong, what to do about the worst, and the layers; `source` gave the batch."""
    subject, notes, told, layers, sections = _parts(exam)
    shown = layers.shortened(_SHOWN)
    screen: tuple[Block, ...] = (
        Header(subject, tuple(filter(None, (source, *notes)))),
        Gap(),
        Headline(VERDICTS[exam.mark], _counts(exam), "", TONES[exam.mark]),
        *([Paragraph(told)] if told and not exam.problems else []),
        *rows_table(cut(_rows(exam))),
        Gap(),
        *fix_and_next(exam.problems),
        *([Gap()] if exam.problems else []),
        shown.table,
        *([Paragraph(shown.rest, Tone.QUIET)] if shown.rest else []),
    )
    drawn = (Section("Picture", (Picture(subject, picture),), is_open=True),) if picture else ()
    whole = Section("Layers", (*layers.tables, Paragraph(layers.legend, Tone.QUIET)), is_open=True)
    everything = (
        *drawn,
        *problem_sections((one.cause, one) for one in exam.problems),
        whole,
        *sections,
        *(Section("Not found", (Bullets(exam.cleared),)) for _ in exam.cleared[:1]),
        *notes_section(exam.notes),
    )
    return Page(f"{subject}: {exam.mark.value} · traindx", screen, everything)


def summary(exam: ModelResult) -> str:
    """One line: verdict, counts and the worst problem."""
    first = "".join(f" · {one}" for one in exam.problems[:1])
    return f"{VERDICTS[exam.mark]} {_counts(exam)}{first}"


def _counts(exam: ModelResult) -> str:
    marks = [one.mark for one in exam.problems]
    return tally(marks.count(Mark.FAIL), marks.count(Mark.WARN), len(exam.cleared), len(exam.undecided))


def _rows(exam: ModelResult) -> list[ResultRow]:
    rows = [finding_row(one) for one in exam.problems]
    if exam.undecided:
        says = f"{', '.join(exam.undecided)}: pass a batch with --data FILE"
        rows.append(ResultRow(Mark.UNSEEN, count(len(exam.undecided), "check"), says))
    return rows


_Parts = tuple[str, Sequence[str], str, LayerTable, tuple[Section, ...]]


def _parts(exam: ModelResult) -> _Parts:
    """What is examined, remarks on it, what is good if nothing is wrong, the table and further sections."""
    if isinstance(exam, GradientExam):
        return _gradients(exam)
    if isinstance(exam, ActivationExam):
        return _activations(exam)
    return _design(exam)


def _gradients(exam: GradientExam) -> _Parts:
    loss = "" if exam.loss is None else f"loss {number(exam.loss)} ({exam.loss_function})"
    reached = sum(row.state == "" for row in exam.rows)
    told = f"Gradients reach {reached} of {count(len(exam.rows), 'parameter')}; norm {number(exam.norm)}."
    return f"gradients of {exam.model}", (loss,), told, gradient_table(exam), _depth(exam)


def _depth(exam: GradientExam) -> tuple[Section, ...]:
    if exam.decay is None:
        return ()
    factor = number(float(f"{exam.decay.factor:.2g}"))
    layers = count(exam.decay.layers, "layer")
    says = f"Toward the input the gradient changes by a factor of {factor} per layer, over {layers}."
    return (Section("Depth", (Paragraph(says),)),)


def _activations(exam: ActivationExam) -> _Parts:
    seen = count(exam.batches, "batch", "batches")
    seen = f"{count(exam.inputs, 'input')} in {seen}" if exam.inputs else seen
    told = f"{count(len(exam.rows), 'layer')}: none is dead, saturated or non-finite."
    return f"activations of {exam.model}", (seen,), told, activation_table(exam), ()


def _design(exam: ModelExam) -> _Parts:
    frozen = exam.parameters - exam.trainable
    size = count(exam.parameters, "parameter") + (f", {frozen:,} frozen" if frozen else "")
    lines = [*_size(exam), *memory_lines(exam.memory)]
    return (
        f"model {exam.model}",
        (size,),
        "",
        design_table(exam),
        (Section("Size", (Bullets(tuple(lines)),)),),
    )


def _size(exam: ModelExam) -> list[str]:
    told = []
    if exam.samples:
        each = number(exam.trainable / exam.samples)
        told.append(f"{each} trainable parameters per sample ({exam.samples:,} samples)")
    if exam.plain_depth is not None:
        what = count(exam.plain_depth, "weight matrix", "weight matrices")
        told.append(f"at most {what} in a row without normalization or skip connection")
    return told
