"""A comparison and the casebook as text."""

from collections import Counter
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.changes.types import Measure
from traindx.comparison.types import Comparison, Entry
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count, listed, number, percent, printable, step
from traindx.report.results.diagnosis import blame, outcome, sureness
from traindx.report.results.run import main_series, shared_folder, speed
from traindx.report.results.trials import figure, signed
from traindx.report.terminal.diagnosis import STYLES
from traindx.report.terminal.paper import name, paper, printed, section
from traindx.report.terminal.treatment import OUTCOME_STYLES, broken
from traindx.report.text_plots import (
    sparkline,
)
from traindx.run import Run
from traindx.trials.types import Case, Outcome

_HEADINGS = ("best", "at", "final")
_GAP = 2
_EDGES = 2
_NAME = 28
_VALUE = 14


def print_comparison(console: Console, comparison: Comparison, everything: bool) -> None:
    """All that a comparison says."""
    measure = name(comparison.measure, comparison.part)
    better = comparison.measure.better.value
    runs = count(len(comparison.entries), "run")
    console.print(Text.assemble("traindx · ", (runs, "bold"), f" by {measure}, {better} is better"))
    shown = _settings_that_fit(console.width, comparison)
    console.print(_table(comparison, shown))
    hidden = [printable(one, 40) for one in comparison.differing if one not in shown]
    section(console, "also differ", *([listed(hidden, 99 if everything else 6)] if hidden else []))
    if everything and hidden:
        section(console, "", *(_settings(entry, comparison.differing) for entry in comparison.entries))
    section(console, "goes with it", *(printable(one.says, 600) for one in comparison.associations))
    section(console, "speed", *filter(None, [printable(speed(comparison), 600)]))
    most = len(comparison.partings) if everything else 6
    more = len(comparison.partings) - most
    partings = [printable(one.says, 600) for one in comparison.partings[:most]]
    section(console, "they part", *partings, *([f"and {more} more (--all lists them)"] if more > 0 else []))
    section(console, "notes", *(printable(note, 600) for note in comparison.notes))
    console.print()


def _table(comparison: Comparison, settings: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, _GAP - 1, 0, 0), header_style="dim")
    table.add_column("run", overflow="fold", max_width=_NAME)
    for heading in _HEADINGS:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for setting in settings:
        table.add_column(printable(setting, _VALUE), justify="right", no_wrap=True)
    for entry in comparison.entries:
        table.add_row(
            Text(printable(entry.run, 60)),
            *map(Text, _figures(entry)),
            Text(entry.verdict.value, style=STYLES[entry.verdict]),
            *(Text(_setting(entry, one)) for one in settings),
        )
    return table


def _figures(entry: Entry) -> tuple[str, str, str]:
    if not entry.points:
        return "-", "-", "-"
    return number(entry.best), f"{entry.axis.value} {step(entry.best_at)}", number(entry.final)


def _setting(entry: Entry, setting: str) -> str:
    value = entry.settings.get(setting)
    if isinstance(value, float):
        return number(value)
    return "" if value is None else printable(str(value), _VALUE)


def _settings_that_fit(width: int, comparison: Comparison) -> list[str]:
    """The hyperparameters with room in the table, those that go with the outcome most before others."""
    entries = comparison.entries
    room = width - _EDGES - _width("run", [printable(entry.run, 60) for entry in entries], _NAME)
    room -= _width("verdict", [entry.verdict.value for entry in entries])
    for index, heading in enumerate(_HEADINGS):
        room -= _width(heading, [_figures(entry)[index] for entry in entries])
    weight = {one.name: abs(one.correlation) for one in comparison.associations}
    shown = []
    for setting in sorted(comparison.differing, key=lambda one: -weight.get(one, 0.0)):
        needed = _width(printable(setting, _VALUE), [_setting(entry, setting) for entry in entries])
        if needed <= room:
            shown.append(setting)
            room -= needed
    return shown


def _width(heading: str, cells: Sequence[str], most: int = 200) -> int:
    return min(most, max(map(cell_len, (heading, *cells)))) + _GAP


def _settings(entry: Entry, names: Sequence[str]) -> str:
    values = (f"{printable(one, 40)}={_setting(entry, one)}" for one in names if one in entry.settings)
    return f"{printable(entry.run, 60)}: {', '.join(values)}"


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
        figures = map(Text, _case_figures(case)[: 3 if wide else 2])
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


def _case_figures(case: Case) -> tuple[str, str, str]:
    effect = "" if case.effect is None else signed(case.effect)
    return (figure(case.control), figure(case.treated), effect) if case.change else ("", "", "")


def _outcome(case: Case) -> Text:
    if not case.change:
        return Text(printable(case.verdict, 40), style="dim")
    outcomes = {outcome.value: style for outcome, style in OUTCOME_STYLES.items()}
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


def print_overview(console: Console, runs: Sequence[Run], diagnoses: Sequence[Diagnosis]) -> None:
    """A table of runs: verdict and its probability, first suspect, curve."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("run", overflow="fold", ratio=2)
    table.add_column("verdict", no_wrap=True)
    table.add_column("because", overflow="fold", ratio=2)
    table.add_column("cause", no_wrap=True, justify="right")
    table.add_column("curve", no_wrap=True, min_width=16)
    folder = shared_folder(runs)
    if folder.strip("/"):
        console.print(Text(f"all below {printable(folder, 200)}", style="dim"))
    for run, diagnosis in zip(runs, diagnoses, strict=True):
        drawn = main_series(run)
        table.add_row(
            Text(printable(run.name.removeprefix(folder), 60)),
            Text.assemble(
                (diagnosis.verdict.value.upper(), STYLES[diagnosis.verdict]), f" {sureness(diagnosis)}"
            ),
            Text(printable(outcome(diagnosis))),
            Text(blame(diagnosis)),
            Text(sparkline(drawn[0]) if drawn else "", style="cyan"),
        )
    console.print(table)
