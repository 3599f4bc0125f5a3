"""Several diagnoses as a page, the worst first; and runs that were only read."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace

from traindx.curves.curve import curve_of
from traindx.curves.facts import is_recording
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.format import count, listed, number, percent, printable, uncapitalized
from traindx.report import blocks as b
from traindx.report.fix import nearby
from traindx.report.results import diagnosis as one_diagnosis
from traindx.report.results.diagnosis_sections import references
from traindx.report.results.inconclusive import headline
from traindx.report.results.recording import recording_sections, series_table
from traindx.report.results.run import (
    crash_of,
    ending,
    extent,
    header_notes,
    main_series,
    shared_folder,
    title,
)
from traindx.run import Run

_TONES = {"SICK": b.Tone.BAD, "CRASHED": b.Tone.BAD, "INCONCLUSIVE": b.Tone.DOUBT, "HEALTHY": b.Tone.GOOD}
"""What runs are called, the worst first."""
_MOST_ROWS = 16
"""Runs that are not healthy and have a line of their own: with the rest they fill a terminal."""
_WHOLE = 40
"""Of more runs than this, a page keeps what is read first; a run's own page has the rest."""
_SERIES, _FACTS, _SKIPPED, _NOTES = 14, 6, 2, 2
"""What a screen shows of a run that was only read."""
_LINES = 24
_TRAININGS = 3
"""Other trainings of a program that are named one by one."""

Judged = tuple[Run, Diagnosis]
_Row = tuple[str | b.Cell, ...]


def overview(pairs: Sequence[Judged]) -> b.Page:
    """Every run that is not healthy in a line, the healthy ones together."""
    folder = shared_folder([run.name for run, _ in pairs])
    ranked = sorted(pairs, key=_badness)
    bad = [pair for pair in ranked if one_diagnosis.word(*pair) != "HEALTHY"]
    healthy = ranked[len(bad) :]
    rows = [_row(run, diagnosis, folder) for run, diagnosis in bad[:_MOST_ROWS]]
    if len(bad) > _MOST_ROWS:
        rows.append(("", f"{len(bad) - _MOST_ROWS} more", "", "--all lists them"))
    rows += [_healthy(healthy, folder)] if healthy else []
    screen: tuple[b.Block, ...] = (
        b.Header(printable(folder.rstrip("/") or "runs", 100), (tally(pairs), "worst first")),
        b.Gap(),
        b.table(",,,", rows),
        b.Command("details", f"traindx diagnose {_address(ranked[0][0])}"),
    )
    named = references([diagnosis for _, diagnosis in pairs])
    return b.Page(f"{count(len(pairs), 'run')}", screen, _each(ranked, folder), references=named)


def is_one_program(runs: Sequence[Run]) -> bool:
    """Whether all runs are trainings of one program, one after the other in its recording."""
    return all(map(is_recording, runs)) and len({run.sources[:1] for run in runs}) == 1


def trainings(pairs: Sequence[Judged], *, report: str = "") -> b.Page:
    """The trainings of one program: the worst as if it were alone, of equals the last; and the others."""
    ranked = sorted(pairs, key=lambda pair: (*_badness(pair), -pair[0].number))
    run, diagnosis = ranked[0]
    page = one_diagnosis.page(run, diagnosis, report=report)
    head, *blocks = page.screen
    assert isinstance(head, b.Header)
    which = "the worst" if _badness(ranked[0]) != _badness(ranked[-1]) else "the last"
    note = f"training {run.number} of {len(pairs)}, {which}"
    rest = [pair for pair in pairs if pair[0] is not run]
    first = next((index for index, block in enumerate(blocks) if isinstance(block, b.Command)), len(blocks))
    beside = (b.Entry("OTHERS", _beside(rest)), _others(rest))
    named = {pair[0].name for pair in ranked[1:]}
    return replace(
        page,
        screen=(replace(head, notes=(*head.notes, note)), *blocks[:first], *beside, *blocks[first:]),
        sections=(*page.sections, *(section for section in _each(ranked, "") if section.key in named)),
        most_lines=page.most_lines + 2,
        references=references([diagnosed for _, diagnosed in pairs]),
    )


def _beside(pairs: Sequence[Judged]) -> str:
    """The other trainings: what became of each, or of many how many of each verdict."""
    if len(pairs) > _TRAININGS:
        return tally(pairs)
    summaries = ((run, one_diagnosis.summary(run, diagnosis).partition(" · ")[0]) for run, diagnosis in pairs)
    return " · ".join(f"training {run.number}: {says}, {ending(run)}" for run, says in summaries)


def _others(pairs: Sequence[Judged]) -> b.Command:
    """The command that shows another training."""
    run = pairs[0][0]
    folder = shlex.quote(nearby(os.path.dirname(os.path.abspath(run.sources[0]))))
    more = f"--run N: {pairs[0][0].number} to {pairs[-1][0].number}" if len(pairs) > 1 else ""
    return b.Command(f"training {run.number}", f"traindx diagnose {folder} --run {run.number}", more)


def tally(pairs: Sequence[Judged]) -> str:
    """How many runs there are, and how many of each verdict."""
    words = [one_diagnosis.word(*pair) for pair in pairs]
    counts = [f"{words.count(word)} {word.lower()}" for word in _TONES if word in words]
    return f"{count(len(words), 'run')}: {', '.join(counts)}"


def _address(run: Run) -> str:
    """What `traindx diagnose` takes to judge a run alone."""
    if not is_recording(run) or run.name.rpartition(":")[2] != f"training {run.number}":
        return shlex.quote(run.sources[0] if len(run.sources) == 1 else run.name)
    return f"{shlex.quote(nearby(os.path.dirname(os.path.abspath(run.sources[0]))))} --run {run.number}"


def _badness(pair: Judged) -> tuple[int, float]:
    """By which the worst run comes first."""
    return list(_TONES).index(one_diagnosis.word(*pair)), -_blame(pair[1])


def _blame(diagnosis: Diagnosis) -> float:
    return diagnosis.suspects[0].confidence if diagnosis.suspects else 0.0


def _row(run: Run, diagnosis: Diagnosis, folder: str) -> _Row:
    word, crash = one_diagnosis.word(run, diagnosis), crash_of(run)
    clear = diagnosis.verdict is Verdict.SICK and one_diagnosis.is_clear(diagnosis)
    sure = percent(_blame(diagnosis)) if clear else ""
    if diagnosis.verdict is Verdict.INCONCLUSIVE:
        says = diagnosis.says
    elif crash and diagnosis.verdict is Verdict.HEALTHY:
        says = " · ".join(filter(None, (crash.says, crash.line)))
    elif clear:
        says = f"{uncapitalized(diagnosis.suspects[0].cause.title)} · {ending(run)}"
    else:
        wrong = "cause unclear" if diagnosis.suspects else uncapitalized(headline(diagnosis))
        says = f"{wrong} · {ending(run)}"
    name = printable(run.name.removeprefix(folder), 60)
    curve = next(iter(main_series(run)), None)
    linked = b.Cell(name, curve=curve, leads_to=run.name)
    return (b.Cell(word, _TONES[word]), linked, sure, says)


def _healthy(pairs: Sequence[Judged], folder: str) -> _Row:
    """The healthy runs in one line, with the one that ends best, where one number tells."""
    if len(pairs) == 1:
        run, diagnosis = pairs[0]
        name, says, sure = run.name.removeprefix(folder), ending(run), percent(diagnosis.confidence)
    else:
        name, says, sure = count(len(pairs), "run"), f"{_best(pairs, folder)}(--all lists them)", ""
    return (b.Cell("HEALTHY", b.Tone.GOOD), printable(name, 60), sure, says)


def _best(pairs: Sequence[Judged], folder: str) -> str:
    curves = [(run, main_series(run)[-1]) for run, _ in pairs if main_series(run)]
    if len({series.quantity for _, series in curves}) != 1 or len(curves) != len(pairs):
        return ""
    run, series = min(curves, key=lambda pair: curve_of(pair[1]).end)
    curve = curve_of(series)
    name = printable(run.name.removeprefix(folder), 40)
    return f"best {name}, {series.quantity.slug.replace('_', ' ')} {number(curve.shown(curve.end))}  "


def _each(pairs: Sequence[Judged], folder: str) -> tuple[b.Section, ...]:
    """Each run's own page as a section; of hundreds, only the sections that are read first."""
    blocks = []
    for index, (run, diagnosis) in enumerate(pairs):
        page = one_diagnosis.page(run, diagnosis)
        name = printable(run.name.removeprefix(folder), 100)
        shown = [section for section in page.sections if section.is_open or len(pairs) <= _WHOLE]
        blocks.append(
            b.Section(
                f"{name}: {one_diagnosis.word(run, diagnosis).lower()}",
                (*page.screen[2:], *shown),
                is_open=index == 0 and diagnosis.verdict is Verdict.SICK,
                name=name,
                key=run.name,
            )
        )
    return tuple(blocks)


def reading(runs: Sequence[Run]) -> b.Page:
    """What was read of each run: quantities with their figures, facts, what was skipped."""
    screen = [
        block for index, run in enumerate(runs) for block in (*([b.Gap()] if index else []), *_read(run))
    ]
    sections = [
        replace(section, title=section.title if len(runs) == 1 else f"{run.name}: {section.title}")
        for run in runs
        for section in recording_sections(run)
        if section.blocks
    ]
    return b.Page(f"{count(len(runs), 'run')} as read", tuple(screen), tuple(sections), _LINES * len(runs))


def summary(run: Run) -> str:
    """One line of what was read of a run: how far it goes, and its quantities."""
    quantities = list(dict.fromkeys(series.quantity.slug for series in run.series))
    return " · ".join([*header_notes(run, "shown"), listed(quantities, 8)]) if run.series else extent(run)


def _read(run: Run) -> list[b.Block]:
    program = [title(run)] if title(run) != run.name else []
    notes = (
        *program,
        count(len(run.sources), "file"),
        *(header_notes(run, "shown") if run.series else (extent(run),)),
    )
    facts = [f"{fact.slug} {printable(str(value), 40)}" for fact, value in run.facts.items()]
    blocks: list[b.Block] = [b.Entry("FACTS", listed(facts, _FACTS))] if facts else []
    skipped = [
        f"{entry.name} ({count(entry.count, 'value')}): {entry.why}" for entry in run.unread[:_SKIPPED]
    ]
    skipped += [f"{len(run.unread) - _SKIPPED} more: --all lists them"] if len(run.unread) > _SKIPPED else []
    blocks += [*b.entries("SKIPPED", skipped), *b.entries("NOTES", run.notes[:_NOTES])]
    return [
        b.Header(run.name, notes),
        b.Gap(),
        b.Chart(run, rows=0),
        *([series_table(run, most=_SERIES)] if run.series else []),
        *blocks,
    ]
