"""The casebook of a project as a page: what was tried, and whether it helped."""

import math
from collections import Counter
from collections.abc import Sequence

from traindx.diagnosis.types import Verdict
from traindx.format import count, number, percent, printable
from traindx.report import blocks as b
from traindx.trials.types import Case, Outcome

_TONES = {
    Outcome.HELPED.value: b.Tone.GOOD,
    Outcome.WORSE.value: b.Tone.BAD,
    Outcome.INCONCLUSIVE.value: b.Tone.DOUBT,
}
_CHANGE, _WORD = 26, 24
_MOST_ROWS = 8
"""Cases on the screen; each has a line or two."""


def page(cases: Sequence[Case], where: str, *, narrowed: bool = False) -> b.Page:
    """The cases, the latest first; `where` is the casebook, `narrowed` if only some are asked for."""
    if not cases:
        return b.Page("no cases · traindx", _empty(where, narrowed))
    shown = cases[:_MOST_ROWS]
    more = len(cases) - len(shown)
    screen: tuple[b.Block, ...] = (
        b.Header("cases", (tally(cases),)),
        b.Gap(),
        b.table("when, change, before -> after>, outcome", [_row(case) for case in shown]),
        *([b.Paragraph(f"{more:,} older cases: --all", b.Tone.QUIET)] if more else []),
    )
    every = b.Section("All cases", (b.Bullets(tuple(map(_line, cases))),))
    return b.Page(f"{count(len(cases), 'case')} · traindx", screen, (every,))


def tally(cases: Sequence[Case]) -> str:
    """How many cases there are, and how they came out."""
    tried = Counter(case.outcome for case in cases if case.change)
    counts = [f"{tried[outcome.value]} {outcome.value}" for outcome in Outcome if tried[outcome.value]]
    without = sum(not case.change for case in cases)
    counts += [f"{without} without a trial"] if without else []
    return f"{count(len(cases), 'case')}: {', '.join(counts)}"


def _empty(where: str, narrowed: bool) -> tuple[b.Block, ...]:
    head = b.Header("cases", (where,))
    if narrowed:
        return head, b.Gap(), b.Paragraph("No case matches.")
    says = "No cases yet. traindx treat diagnoses a run, tries fixes in paired trials, and records them here."
    return head, b.Gap(), b.Paragraph(says), b.Command("next", "traindx treat train.py")


def _row(case: Case) -> tuple[str | b.Cell, ...]:
    change = printable(case.change, _CHANGE) if case.change else "no trial"
    return (case.when[:10], change, _figures(case), b.Cell(_outcome(case), _tone(case)))


def _line(case: Case) -> str:
    """All that is known of a case."""
    when = f"{case.when[:16].replace('T', ' ')} UTC"
    if not case.change:
        return f"{when} · {case.run} · no trial · {_outcome(case)}"
    cause = f" for {case.cause}" if case.cause else ""
    why = f": {case.says}" if case.says else ""
    sentence = f"{case.measure} {_figures(case)}, {_outcome(case)}{why}"
    return f"{when} · {case.run} · {case.change}{cause} · {sentence}"


def _figures(case: Case) -> str:
    return f"{_figure(case.control)} -> {_figure(case.treated)}" if case.change else ""


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return number(value) if math.isfinite(value) else "NaN"


def _tone(case: Case) -> b.Tone:
    return _TONES.get(case.outcome, b.Tone.PLAIN) if case.change else b.Tone.QUIET


def _outcome(case: Case) -> str:
    """How a trial came out; of a diagnosis without a trial, its verdict."""
    if not case.change:
        is_healthy = case.verdict == Verdict.HEALTHY.value or not case.suspect
        suspect = printable(case.suspect, _WORD)
        return case.verdict if is_healthy else f"{case.verdict}: {suspect} {percent(case.confidence or 0.0)}"
    seeds = f", {count(case.seeds, 'seed')}" if case.seeds else ""
    proven = ", proven" if case.proven else ""
    return f"{printable(case.outcome, _WORD)}{seeds}{proven}{', applied' if case.patch_applied else ''}"
