"""Exams as pages: of data, of a model with its gradients and activations, and the preflight of a program."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from traindx.exams.data_exam.types import Examination
from traindx.exams.preflight.types import Checklist
from traindx.exams.questions import Checked, is_bad
from traindx.exams.types import ActivationExam, GradientExam, ModelExam
from traindx.finding import Mark
from traindx.format import count, duration, number
from traindx.report import blocks as b
from traindx.report.results import problems
from traindx.report.results.layer_tables import (
    LayerTable,
    activation_table,
    design_table,
    gradient_table,
    memory_lines,
)

ModelResult = ActivationExam | GradientExam | ModelExam
_SHOWN = 6
"""Rows of the table of layers on the screen."""
READY = {Mark.FAIL: "NOT READY", Mark.WARN: "READY", Mark.PASS: "READY", Mark.UNSEEN: "NOT CHECKED"}
"""How a preflight ended, as its headline says it."""
_UNDECIDED = 4
"""Checks that could not be decided and have a row on the screen."""


def _worst_first(checks: Sequence[Checked]) -> list[Checked]:
    return sorted(checks, key=lambda checked: -checked.mark.rank)


def data_page(examination: Examination, picture: bytes | None = None) -> b.Page:
    """The verdict, what is wrong, and what to do about the worst of it."""
    verdict = examination.verdict
    rows = _data_rows(examination)
    screen: tuple[b.Block, ...] = (
        b.Header(examination.subject, (examination.about,)),
        b.Gap(),
        b.Headline(problems.VERDICTS[verdict], _data_told(examination), "", problems.TONES[verdict]),
        *problems.rows_table(problems.cut(rows)),
        *([b.Gap()] if rows else []),
        *problems.fix_and_next(examination.problems),
    )
    named = [
        (checked.check.slug, finding)
        for checked in _worst_first(examination.checks)
        for finding in checked.findings
    ]
    sections = (
        *problems.picture_section("the data", picture),
        *problems.problem_sections(named),
        problems.checks_section(examination.checks),
        *problems.notes_section(examination.notes),
    )
    return b.Page(f"{examination.subject}: {verdict.value} · traindx", screen, sections)


def data_summary(examination: Examination) -> str:
    """One line: verdict, counts and the worst problem."""
    first = [
        f" · {problem.cause}: {problem.says}" if problem.cause else f" · {problem.says}"
        for problem in examination.problems
    ]
    return f"{problems.VERDICTS[examination.verdict]} {_data_told(examination)}{''.join(first[:1])}"


def _data_told(examination: Examination) -> str:
    marks = [checked.mark for checked in examination.checks]
    bad = [problem.mark for problem in examination.problems]
    failed, warned = bad.count(Mark.FAIL), bad.count(Mark.WARN)
    return problems.tally(failed, warned, marks.count(Mark.PASS), marks.count(Mark.UNSEEN))


def _data_rows(examination: Examination) -> list[problems.ResultRow]:
    """A row for each problem, the worst first."""
    named = [(checked.check.slug, finding) for checked in examination.checks for finding in checked.findings]
    result_rows = [problems.finding_row(finding, name) for name, finding in named if is_bad(finding)]
    return sorted(result_rows, key=lambda row: -row.mark.rank)


def model_page(exam: ModelResult, source: str = "", picture: bytes | None = None) -> b.Page:
    """The verdict, what is wrong, what to do about the worst, and the layers; `source` gave the batch."""
    subject, notes, sentence, layers, sections = _parts(exam)
    shown = layers.shortened(_SHOWN)
    screen: tuple[b.Block, ...] = (
        b.Header(subject, tuple(filter(None, (source, *notes)))),
        b.Gap(),
        b.Headline(problems.VERDICTS[exam.mark], _counts(exam), "", problems.TONES[exam.mark]),
        *([b.Paragraph(sentence)] if sentence and not exam.problems else []),
        *problems.rows_table(problems.cut(_rows(exam))),
        b.Gap(),
        *problems.fix_and_next(exam.problems),
        *([b.Gap()] if exam.problems else []),
        shown.table,
        *([b.Paragraph(shown.rest, b.Tone.QUIET)] if shown.rest else []),
    )
    whole = b.Section("Layers", (*layers.tables, b.Paragraph(layers.legend, b.Tone.QUIET)), is_open=True)
    everything = (
        *problems.picture_section(subject, picture),
        *problems.problem_sections((problem.cause, problem) for problem in exam.problems),
        whole,
        *sections,
        *b.lists({"Not found": exam.cleared}),
        *problems.notes_section(exam.notes),
    )
    return b.Page(f"{subject}: {exam.mark.value} · traindx", screen, everything)


def summary(exam: ModelResult) -> str:
    """One line: verdict, counts and the worst problem."""
    first = "".join(f" · {problem}" for problem in exam.problems[:1])
    return f"{problems.VERDICTS[exam.mark]} {_counts(exam)}{first}"


def _counts(exam: ModelResult) -> str:
    marks = [problem.mark for problem in exam.problems]
    return problems.tally(
        marks.count(Mark.FAIL), marks.count(Mark.WARN), len(exam.cleared), len(exam.undecided)
    )


def _rows(exam: ModelResult) -> list[problems.ResultRow]:
    rows = [problems.finding_row(problem) for problem in exam.problems]
    if exam.undecided:
        says = f"{', '.join(exam.undecided)}: pass a batch with --data FILE"
        rows.append(problems.ResultRow(Mark.UNSEEN, count(len(exam.undecided), "check"), says))
    return rows


_Parts = tuple[str, Sequence[str], str, LayerTable, tuple[b.Section, ...]]


def _parts(exam: ModelResult) -> _Parts:
    """What is examined, remarks on it, what is good if nothing is wrong, the table and further sections."""
    if isinstance(exam, ModelExam):
        return _design(exam)
    return _gradients(exam) if isinstance(exam, GradientExam) else _activations(exam)


def _gradients(exam: GradientExam) -> _Parts:
    loss = "" if exam.loss is None else f"loss {number(exam.loss)} ({exam.loss_function})"
    reached = sum(row.state == "" for row in exam.rows)
    sentence = f"Gradients reach {reached} of {count(len(exam.rows), 'parameter')}; norm {number(exam.norm)}."
    return f"gradients of {exam.model}", (loss,), sentence, gradient_table(exam), _depth(exam)


def _depth(exam: GradientExam) -> tuple[b.Section, ...]:
    if exam.decay is None:
        return ()
    factor = number(float(f"{exam.decay.factor:.2g}"))
    layers = count(exam.decay.layers, "layer")
    says = f"Toward the input the gradient changes by a factor of {factor} per layer, over {layers}."
    return (b.Section("Depth", (b.Paragraph(says),)),)


def _activations(exam: ActivationExam) -> _Parts:
    extent = count(exam.batches, "batch", "batches")
    extent = f"{count(exam.inputs, 'input')} in {extent}" if exam.inputs else extent
    sentence = f"{count(len(exam.rows), 'layer')}: none is dead, saturated or non-finite."
    return f"activations of {exam.model}", (extent,), sentence, activation_table(exam), ()


def _design(exam: ModelExam) -> _Parts:
    frozen = exam.parameters - exam.trainable
    size = count(exam.parameters, "parameter") + (f", {frozen:,} frozen" if frozen else "")
    sections = b.lists({"Size": [*_size(exam), *memory_lines(exam.memory)]})
    return f"model {exam.model}", (size,), "", design_table(exam), sections


def _size(exam: ModelExam) -> list[str]:
    parts = []
    if exam.samples:
        each = number(exam.trainable / exam.samples)
        parts.append(f"{each} trainable parameters per sample ({exam.samples:,} samples)")
    if exam.plain_depth is not None:
        what = count(exam.plain_depth, "weight matrix", "weight matrices")
        parts.append(f"at most {what} in a row without normalization or skip connection")
    return parts


def preflight_page(found: Checklist) -> b.Page:
    """Whether the long run may start, and what speaks against it."""
    bad = [each for checked in _worst_first(found.checked) for each in checked.findings if is_bad(each)]
    undecided = [
        problems.ResultRow(Mark.UNSEEN, checked.check.slug, checked.says)
        for checked in found.having(Mark.UNSEEN)
    ]
    rows = [*problems.cut(_bad(found)), *problems.cut(undecided, _UNDECIDED), *_passed(found)]
    screen: tuple[b.Block, ...] = (
        b.Header(f"preflight {found.title}", (count(found.steps, "step"),)),
        b.Gap(),
        b.Headline(
            READY[found.mark],
            _preflight_told(found),
            duration(found.seconds),
            b.Tone.DOUBT if found.mark is Mark.UNSEEN else problems.TONES[found.mark],
        ),
        *problems.rows_table(rows),
        *([b.Gap()] if bad else []),
        *problems.fix_and_next(bad, found.run),
    )
    return b.Page(f"{found.title}: {READY[found.mark].lower()} · traindx", screen, preflight_sections(found))


def preflight_summary(found: Checklist) -> str:
    """One line: ready or not, and the first failure with its line."""
    worst = [f" · {row.name}: {row.says}" + (f" ({row.at})" if row.at else "") for row in _bad(found)]
    return f"{READY[found.mark]} {_preflight_told(found)}{''.join(worst[:1])}"


def _preflight_told(checklist: Checklist) -> str:
    """How many checks failed or passed."""
    failed, warned, passed = (len(checklist.having(mark)) for mark in (Mark.FAIL, Mark.WARN, Mark.PASS))
    warnings = f", {count(warned, 'warning')}" if warned else ""
    if failed:
        return f"{failed} of {count(len(checklist.checked), 'check')} failed{warnings}"
    if not passed and not warned:
        return "no check could run"
    return f"{passed} of {count(len(checklist.checked), 'check')} passed{warnings}"


def preflight_sections(found: Checklist) -> tuple[b.Section, ...]:
    """Every check by its part, what to do about those that failed, and what it cost."""
    bad = [
        (checked.check.slug, each)
        for checked in _worst_first(found.checked)
        for each in checked.findings
        if is_bad(each)
    ]
    parts = groupby(found.checked, key=lambda checked: checked.check.part)
    cost = f"{count(found.steps, 'step')} in {duration(found.seconds)}, over all runs of the program"
    return (
        *problems.problem_sections(bad),
        *(problems.checks_section(list(group), f"Checks: {part}") for part, group in parts),
        b.Section("Cost and notes", (b.Bullets((cost, *found.notes)),)),
    )


def _bad(checklist: Checklist) -> list[problems.ResultRow]:
    """A row for each check that failed or warns: the worst it found."""
    return [
        problems.finding_row(max(checked.findings, key=lambda each: each.degree.rank), checked.check.slug)
        for checked in _worst_first(checklist.checked)
        if checked.mark in (Mark.FAIL, Mark.WARN)
    ]


def _passed(checklist: Checklist) -> list[problems.ResultRow]:
    """The checks that passed, counted by part."""
    passed = checklist.having(Mark.PASS)
    parts = Counter(str(checked.check.part) for checked in passed)
    says = " · ".join(f"{part} {number}" for part, number in parts.items())
    return [problems.ResultRow(Mark.PASS, count(len(passed), "check"), says)] if passed else []
