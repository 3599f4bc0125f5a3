"""Several diagnoses as a page, the worst first; and runs that were only read."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from traindx.curves.curve import curve_of
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count, listed, number, percent, printable, uncapitalized
from traindx.report.blocks import (
    Block,
    Cell,
    Chart,
    Command,
    Entry,
    Gap,
    Header,
    Page,
    Section,
    entries,
    table,
)
from traindx.report.results import diagnosis as one_diagnosis
from traindx.report.results.diagnosis_sections import references
from traindx.report.results.recording import recording_sections, series_table
from traindx.report.results.run import ending, extent, header_notes, main_series, shared_folder, title
from traindx.report.results.undecided import headline
from traindx.run import Run

_ORDER = (Verdict.SICK, Verdict.INCONCLUSIVE, Verdict.HEALTHY)
_MOST_ROWS = 16
"""Runs that are not healthy and have a line of their own: with the rest they fill a terminal."""
_WHOLE = 40
"""Of more runs than this, a page keeps what is read first; a run's own page has the rest."""
_SERIES, _FACTS, _SKIPPED, _NOTES = 14, 6, 2, 2
"""What a screen shows of a run that was only read."""
_LINES = 24

Judged = tuple[Run, Diagnosis]


def overview(pairs: Sequence[Judged]) -> Page:
    """Every run that is not healthy in a line, the healthy ones together."""
    folder = shared_folder([run.name for run, _ in pairs])
    ranked = sorted(pairs, key=lambda pair: (_ORDER.index(pair[1].verdict), -_blame(pair[1])))
    bad = [pair for pair in ranked if pair[1].verdict is not Verdict.HEALTHY]
    healthy = [pair for pair in ranked if pair[1].verdict is Verdict.HEALTHY]
    rows = [_row(run, diagnosis, folder) for run, diagnosis in bad[:_MOST_ROWS]]
    if len(bad) > _MOST_ROWS:
        rows.append((Cell(""), Cell(f"{len(bad) - _MOST_ROWS} more"), Cell(""), Cell("--all lists them")))
    rows += [_healthy(healthy, folder)] if healthy else []
    screen: tuple[Block, ...] = (
        Header(
            printable(folder.rstrip("/") or "runs", 100), (tally([one for _, one in pairs]), "worst first")
        ),
        Gap(),
        table(",,,", rows),
        Command("details", f"traindx diagnose {_address(ranked[0][0])}"),
    )
    named = references([diagnosis for _, diagnosis in pairs])
    return Page(f"{count(len(pairs), 'run')}", screen, _each(ranked, folder), references=named)


def tally(diagnoses: Sequence[Diagnosis]) -> str:
    """How many runs there are, and how many of each verdict."""
    verdicts = [one.verdict for one in diagnoses]
    counts = [f"{verdicts.count(verdict)} {verdict.value}" for verdict in _ORDER if verdict in verdicts]
    return f"{count(len(verdicts), 'run')}: {', '.join(counts)}"


def _address(run: Run) -> str:
    """What `traindx diagnose` takes to judge a run alone."""
    return shlex.quote(run.sources[0] if len(run.sources) == 1 else run.name)


def _blame(diagnosis: Diagnosis) -> float:
    return diagnosis.suspects[0].confidence if diagnosis.suspects else 0.0


def _row(run: Run, diagnosis: Diagnosis, folder: str) -> tuple[Cell, ...]:
    tone = one_diagnosis.TONES[diagnosis.verdict]
    clear = diagnosis.verdict is Verdict.SICK and one_diagnosis.is_clear(diagnosis)
    sure = percent(_blame(diagnosis)) if clear else ""
    if diagnosis.verdict is Verdict.INCONCLUSIVE:
        says = diagnosis.says
    elif clear:
        says = f"{uncapitalized(diagnosis.suspects[0].cause.title)} · {ending(run)}"
    else:
        wrong = "cause unclear" if diagnosis.suspects else uncapitalized(headline(diagnosis))
        says = f"{wrong} · {ending(run)}"
    name = printable(run.name.removeprefix(folder), 60)
    curve = next(iter(main_series(run)), None)
    linked = Cell(name, curve=curve, leads_to=run.name)
    return (Cell(diagnosis.verdict.value.upper(), tone), linked, Cell(sure), Cell(says))


def _healthy(pairs: Sequence[Judged], folder: str) -> tuple[Cell, ...]:
    """The healthy runs in one line, with the one that ends best, where one number tells."""
    if len(pairs) == 1:
        run, diagnosis = pairs[0]
        name, says, sure = run.name.removeprefix(folder), ending(run), percent(diagnosis.confidence)
    else:
        name, says, sure = count(len(pairs), "run"), f"{_best(pairs, folder)}(--all lists them)", ""
    tone = one_diagnosis.TONES[Verdict.HEALTHY]
    return (Cell("HEALTHY", tone), Cell(printable(name, 60)), Cell(sure), Cell(says))


def _best(pairs: Sequence[Judged], folder: str) -> str:
    curves = [(run, main_series(run)[-1]) for run, _ in pairs if main_series(run)]
    if len({series.quantity for _, series in curves}) != 1 or len(curves) != len(pairs):
        return ""
    run, series = min(curves, key=lambda pair: curve_of(pair[1]).end)
    curve = curve_of(series)
    name = printable(run.name.removeprefix(folder), 40)
    return f"best {name}, {series.quantity.slug.replace('_', ' ')} {number(curve.shown(curve.end))}  "


def _each(pairs: Sequence[Judged], folder: str) -> tuple[Section, ...]:
    """Each run's own page as a section; of hundreds, only the sections that are read first."""
    found = []
    for index, (run, diagnosis) in enumerate(pairs):
        page = one_diagnosis.page(run, diagnosis)
        name = printable(run.name.removeprefix(folder), 100)
        shown = [section for section in page.sections if section.is_open or len(pairs) <= _WHOLE]
        found.append(
            Section(
                f"{name}: {diagnosis.verdict.value}",
                (*page.screen[2:], *shown),
                is_open=index == 0 and diagnosis.verdict is Verdict.SICK,
                name=name,
                key=run.name,
            )
        )
    return tuple(found)


def reading(runs: Sequence[Run]) -> Page:
    """What was read of each run: quantities with their figures, facts, what was skipped."""
    screen = [block for index, run in enumerate(runs) for block in (*([Gap()] if index else []), *_read(run))]
    sections = [
        replace(section, title=section.title if len(runs) == 1 else f"{run.name}: {section.title}")
        for run in runs
        for section in recording_sections(run)
        if section.blocks
    ]
    return Page(f"{count(len(runs), 'run')} as read", tuple(screen), tuple(sections), _LINES * len(runs))


def summary(run: Run) -> str:
    """One line of what was read of a run: how far it goes, and its quantities."""
    quantities = list(dict.fromkeys(series.quantity.slug for series in run.series))
    return " · ".join([*header_notes(run, "shown"), listed(quantities, 8)]) if run.series else extent(run)


def _read(run: Run) -> list[Block]:
    program = [title(run)] if title(run) != run.name else []
    notes = (
        *program,
        count(len(run.sources), "file"),
        *(header_notes(run, "shown") if run.series else (extent(run),)),
    )
    facts = [f"{fact.slug} {printable(str(value), 40)}" for fact, value in run.facts.items()]
    told: list[Block] = [Entry("FACTS", listed(facts, _FACTS))] if facts else []
    skipped = [f"{one.name} ({count(one.count, 'value')}): {one.why}" for one in run.unread[:_SKIPPED]]
    skipped += [f"{len(run.unread) - _SKIPPED} more: --all lists them"] if len(run.unread) > _SKIPPED else []
    told += [*entries("SKIPPED", skipped), *entries("NOTES", run.notes[:_NOTES])]
    return [
        Header(run.name, notes),
        Gap(),
        Chart(run, rows=0),
        *([series_table(run, most=_SERIES)] if run.series else []),
        *told,
    ]
