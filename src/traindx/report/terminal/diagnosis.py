"""One run and its diagnosis, in the order a person needs."""

from collections.abc import Sequence
from textwrap import indent

from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.cause import Prescription
from traindx.curves.timing import pace
from traindx.diagnosis.types import Diagnosis, NextExperiment, Reason, Suspect, Verdict
from traindx.finding import Severity
from traindx.format import count, percent, printable, step
from traindx.report.results.diagnosis import (
    against,
    answer,
    considered,
    culprit,
    inseparable,
    judged,
    missing,
    not_judged,
    ordered,
    points,
    questions,
    remark,
    ruled_out,
    sentence,
    since,
    spot,
    sureness,
    tally,
    total,
    unmentioned,
    unsettled,
    where,
    whereabouts,
)
from traindx.report.results.run import extent, main_series, span, title, told
from traindx.report.terminal.paper import cut, fitted, indented, print_curve, section
from traindx.report.terminal.reading import EVERY, print_incidents, print_interior, print_series
from traindx.run import Run

STYLES = {Verdict.SICK: "bold red", Verdict.HEALTHY: "bold green", Verdict.INCONCLUSIVE: "bold yellow"}
_LAYERS = 12
"""How many layers are shown of a run that is not healthy."""
_CODE = 4
"""How far code is moved to the right."""
_LONG = 1000
"""Longest sentence; what a log can put into one must not fill the screen."""


def print_diagnosis(console: Console, run: Run, diagnosis: Diagnosis, everything: bool) -> None:
    """The verdict on a run and all that leads to it and follows from it."""
    console.print(Text.assemble("traindx · ", (printable(title(run), 200), "bold"), f" · {_stretch(run)}"))
    console.print()
    _verdict(console, diagnosis)
    console.print()
    top = culprit(diagnosis)
    print_curve(console, run, since(top) if top else None)
    print_incidents(console, run)
    _questions(console, diagnosis, everything)
    if top:
        print_reasons(console, "why", top.reasons)
        _noticed(console, diagnosis, top.reasons)
        console.print()
        if unsettled(top):
            print_experiment(console, diagnosis.next_experiment)
        _treatment(console, run, top, everything)
        console.print()
    else:
        _no_cause(console, diagnosis, everything)
    _others(console, diagnosis, top, everything)
    section(console, "not recorded", *missing(diagnosis))
    if top is None or not unsettled(top):
        print_experiment(console, diagnosis.next_experiment)
    healthy = diagnosis.verdict is Verdict.HEALTHY
    print_interior(console, run, EVERY if everything else 0 if healthy else _LAYERS)
    _hints(console, run, top, everything)
    console.print()
    if everything:
        print_series(console, run, everything)


def _stretch(run: Run) -> str:
    """How far it goes; of a recording also how long it took and what recording it cost."""
    recorded = pace(run)
    if recorded:
        return told(recorded)
    curves = main_series(run)
    return span(curves[0]) if curves else extent(run)


def _verdict(console: Console, diagnosis: Diagnosis) -> None:
    sick = culprit(diagnosis)
    says = printable(sentence(diagnosis), _LONG)
    grid = Table.grid(padding=(0, 3, 0, 0), expand=True)
    grid.add_column(no_wrap=True, style=STYLES[diagnosis.verdict])
    grid.add_column(ratio=1, style="bold" if sick else "")
    grid.add_column(no_wrap=True, justify="right")
    word = f"{diagnosis.verdict.value.upper()} {sureness(diagnosis)}".rstrip()
    grid.add_row(Text(word), Text(sick.cause.title if sick else says), _odds(diagnosis, sick))
    console.print(grid)
    if sick:
        console.print(indented(Text(says)))
        _belief(console, diagnosis, sick)


def _odds(diagnosis: Diagnosis, sick: Suspect | None) -> Text:
    """The share of the cause and its begin; of a run in doubt the chance that it is healthy."""
    if sick is None:
        doubtful = diagnosis.verdict is Verdict.INCONCLUSIVE and judged(diagnosis)
        return Text(f"healthy {percent(diagnosis.healthy)}" if doubtful else "")
    begin = since(sick)
    place = f"   since {begin.axis.value} {step(begin.steps[0])}" if begin else ""
    return Text.assemble((f"cause {percent(sick.confidence)}", "bold"), place)


def _belief(console: Console, diagnosis: Diagnosis, top: Suspect) -> None:
    """How bad it is, by which mechanism, and whether the log can tell what it is."""
    how = f" · by way of {top.mechanism.slug}" if top.mechanism else ""
    found = "".join(f" · {one}" for one in whereabouts(top))
    console.print(indented(Text(f"{top.cause.slug} · {top.severity.value}{how}{found}", style="dim")))
    shared = inseparable(diagnosis)
    if shared:
        names = ", ".join(one.cause.slug for one in shared)
        console.print(indented(Text(f"What was recorded cannot tell these apart: {names}.", style="yellow")))


def _questions(console: Console, diagnosis: Diagnosis, everything: bool) -> None:
    if not everything:
        section(console, "asked", f"{tally(diagnosis)} (--all lists them)")
        return
    section(console, "asked", tally(diagnosis))
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for asked in questions(diagnosis):
        beside = printable(remark(asked), _LONG)
        question = Text.assemble(asked.sign.asks, (f"\n{beside}" if beside else "", "dim"))
        table.add_row(Text(answer(asked), style="bold" if asked.finding else "dim"), question)
    console.print(indented(table, 3))


def print_reasons(
    console: Console, heading: str, unordered: Sequence[Reason], *, with_places: bool = True
) -> None:
    """The sum that is a score, one reason to a line."""
    reasons = ordered(unordered)
    table = Table.grid(padding=(0, 1, 0, 0), expand=True)
    table.add_column(width=1)
    table.add_column(overflow="fold", ratio=1)
    if with_places:
        table.add_column(justify="right", overflow="fold", style="dim", max_width=24)
    table.add_column(justify="right", no_wrap=True, min_width=6)
    for reason, shown in zip(reasons, points(reasons), strict=True):
        if shown == "+0.0":
            continue
        style = "" if reason.points > 0 else "dim"
        cells = (shown[0], printable(reason.says, _LONG), *([where(reason)] if with_places else []), shown)
        table.add_row(*(Text(cell, style=style) for cell in cells))
    beside = [""] if with_places else []
    table.add_row("=", Text("together", style="bold"), *beside, Text(total(reasons), style="bold"))
    console.print(indented(Text(f"{heading:<{console.width - 8}}points", style="dim")))
    console.print(indented(table, 3))


def _treatment(console: Console, run: Run, top: Suspect, everything: bool) -> None:
    first, *rest = top.cause.fixes
    _fix(console, "if so, change" if unsettled(top) else "change", first, spot(top, run))
    if everything:
        for fix in rest:
            _fix(console, "or", fix)
    else:
        section(console, "or", *cut([fix.title for fix in rest], everything))
    section(console, "do not", *cut(list(top.cause.what_not_to_do), everything))


def _fix(console: Console, heading: str, fix: Prescription, target: str = "") -> None:
    line = f"{target}   " if target else ""
    section(console, heading, Text.assemble((line, "cyan"), (fix.title, "bold")))
    if fix.code:
        shown = indent(fitted(fix.code.strip("\n"), console.width - _CODE), " " * _CODE)
        # A line that has no place to be broken at runs on: broken it could not be copied.
        console.print(Text(shown, style="dim"), soft_wrap=True)
    section(console, "expect", fix.expect)
    section(console, "not when", fix.not_when)


def _no_cause(console: Console, diagnosis: Diagnosis, everything: bool) -> None:
    """What speaks for health, and what is not merely normal."""
    summed = diagnosis.verdict is Verdict.HEALTHY or everything
    _noticed(console, diagnosis, diagnosis.healthy_reasons if summed else ())
    if summed:
        print_reasons(console, "why healthy" if everything else "why", diagnosis.healthy_reasons)
    console.print()


def _noticed(console: Console, diagnosis: Diagnosis, told: tuple[Reason, ...]) -> None:
    """Every finding that is not told as a reason; what is merely normal is dimmed."""
    found = [
        Text(printable(remark(asked), _LONG), style="dim" if asked.sign.severity is Severity.INFO else "")
        for asked in unmentioned(diagnosis, told)
    ]
    section(console, "noticed", *found)


def _others(console: Console, diagnosis: Diagnosis, top: Suspect | None, everything: bool) -> None:
    """Suspects beside the first, those that were ruled out, and how many nothing is known about."""
    others = [suspect for suspect in diagnosis.suspects if suspect is not top]
    heading = "also considered" if top or diagnosis.verdict is Verdict.HEALTHY else "suspects"
    section(console, heading, *(_rival(diagnosis, suspect) for suspect in others))
    if everything:
        for suspect in others:
            print_reasons(console, suspect.cause.slug, suspect.reasons)
    dropped = [f"{one.cause.slug}: {printable(against(one), _LONG)}" for one in ruled_out(diagnosis)]
    section(console, "ruled out", *cut(dropped, everything))
    unknown = not_judged(diagnosis)
    section(console, "not judged", *([unknown] if unknown else []))


def _rival(diagnosis: Diagnosis, suspect: Suspect) -> str:
    why = printable(considered(diagnosis, suspect), _LONG)
    return f"{suspect.cause.slug} {percent(suspect.confidence)}: {why}"


def print_experiment(console: Console, following: NextExperiment | None) -> None:
    """The test that separates the leading suspects."""
    if following is None:
        return
    test, cause = following.experiment, following.tests
    section(
        console,
        "next experiment",
        f"{test.does.removesuffix('.')} (about {count(round(test.minutes), 'minute')})",
    )
    section(console, "", f"if it is {cause.slug}: {test.if_true}", f"if not: {test.if_false}")


def _hints(console: Console, run: Run, top: Suspect | None, everything: bool) -> None:
    """Where to read on."""
    hints = [f"traindx explain {top.cause.slug}"] if top else []
    if (run.unread or run.notes) and not everything:
        what = [count(len(run.notes), "note")] if run.notes else []
        what += [f"{count(len(run.unread), 'name')} unread"] if run.unread else []
        hints.append(f"traindx inspect: {', '.join(what)}")
    if hints:
        section(console, "more", Text(" · ".join(hints), style="dim"))
