"""The casebook as a table: what was tried, and what came out."""

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.changes.types import Measure
from traindx.diagnosis.types import Verdict
from traindx.format import count, percent, printable
from traindx.report.results.trials import figure, signed
from traindx.report.terminal.paper import paper, printed
from traindx.report.terminal.treatment import STYLES, broken
from traindx.trials.types import Case, Outcome

_WIDE = 100
"""From this width on there is room for the run, the effect and what it was compared by."""
_CHANGE, _RUN, _MEASURE = 26, 16, 16
_LONG = 300


def cases_text(cases: Sequence[Case], *, width: int = 80, colour: bool = False) -> str:
    """Cases as a table of a given width, and what they add up to."""
    console = paper(width, colour)
    print_cases(console, cases)
    return printed(console)


def print_cases(console: Console, cases: Sequence[Case]) -> None:
    """A line or two for each case, and what they add up to."""
    wide = console.width >= _WIDE
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("when", no_wrap=True)
    if wide:
        table.add_column("run", overflow="fold", max_width=_RUN)
    table.add_column("change", overflow="fold", width=_CHANGE)
    if wide:
        table.add_column("compared by", overflow="fold", max_width=_MEASURE)
    for heading in ("control", "treated", "effect") if wide else ("control", "treated"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("outcome", overflow="fold")
    for case in cases:
        run, measure = ([Text(printable(one, 40))] if wide else [] for one in (case.run, case.measure))
        figures = map(Text, _figures(case)[: 3 if wide else 2])
        table.add_row(Text(_day(case)), *run, _change(case, wide), *measure, *figures, _outcome(case))
    console.print(table)
    console.print(Text(_sum(cases), style="dim"))


def _day(case: Case) -> str:
    """The day and the minute, in UTC."""
    return f"{case.when[:10]}\n{case.when[11:16]} UTC"


def _change(case: Case, wide: bool) -> Text:
    """What was tried and what for; of a mere diagnosis, what was suspected."""
    if not case.change:
        told = f"{case.suspect} {percent(case.confidence or 0.0)}" if case.suspect else ""
        suspect = "" if case.verdict == Verdict.HEALTHY.value else told
        return Text(
            "\n".join(filter(None, ["nothing tried", broken(printable(suspect, 60), _CHANGE)])), "dim"
        )
    about = case.cause or "asked for"
    # A loss is what one expects; in a narrow table anything else is said.
    by = "" if wide or case.measure == Measure.LOSS.value else f"\n{printable(case.measure, 60)}"
    name = broken(printable(case.change, 120), _CHANGE)
    return Text.assemble(name, (f"\n{broken(printable(about, 60), _CHANGE)}{by}", "dim"))


def _figures(case: Case) -> tuple[str, str, str]:
    effect = "" if case.effect is None else signed(case.effect)
    return (figure(case.control), figure(case.treated), effect) if case.change else ("", "", "")


def _outcome(case: Case) -> Text:
    if not case.change:
        return Text(printable(case.verdict, 40), style="dim")
    outcomes = {outcome.value: style for outcome, style in STYLES.items()}
    told = Text(printable(case.outcome, 40), style=outcomes.get(case.outcome, ""))
    if case.outcome == Outcome.INCONCLUSIVE.value:
        told.append(f": {printable(case.says, _LONG)}")
    else:
        told.append(f", {count(case.seeds, 'seed')}")
    return (
        told.append("\nproven" + (", patch applied" if case.patch_applied else "")) if case.proven else told
    )


def _sum(cases: Sequence[Case]) -> str:
    tried = Counter(case.outcome for case in cases if case.change)
    told = [f"{tried[one.value]} {one.value}" for one in Outcome if tried[one.value]]
    without = sum(not case.change for case in cases)
    told += [f"{without} without a trial"] if without else []
    return f"{count(len(cases), 'case')}: {', '.join(told)}"
