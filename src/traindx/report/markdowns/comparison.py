"""Runs side by side."""

from traindx.comparison.types import Comparison, Entry
from traindx.format import count, number, step
from traindx.report.markdowns.literal import bullets, chapter, escape, prose, table
from traindx.report.results.diagnosis import speed


def compared(comparison: Comparison) -> list[str]:
    """The table of runs, what goes with the outcome, speed, and where the runs part."""
    measure = " ".join(escape(word) for word in (comparison.measure.slug, comparison.part) if word)
    better = comparison.measure.better.value
    settings = [f"{escape(name, 60)}:" for name in comparison.differing]
    headings = ["run", "best:", "at", "final:", "verdict", *settings]
    rows = [_row(entry, comparison.differing) for entry in comparison.entries]
    lines = [f"{count(len(rows), 'run')} by {measure}, {better} is better, the best first.", ""]
    lines += [*table(headings, rows), ""]
    associations = [prose(one.says) for one in comparison.associations]
    lines += chapter("What goes with the outcome", bullets(associations))
    lines += chapter("Speed", bullets([prose(line) for line in [speed(comparison)] if line]))
    lines += chapter("Where runs part", bullets([prose(one.says) for one in comparison.partings]))
    return lines + chapter("Notes", bullets([prose(note) for note in comparison.notes]))


def _row(entry: Entry, names: tuple[str, ...]) -> list[str]:
    at = f"{entry.axis.value} {step(entry.best_at)}"
    values = [number(entry.best), at, number(entry.final)] if entry.points else ["", "", ""]
    figures = [escape(entry.run, 60), *values, entry.verdict.value]
    return figures + [_setting(entry, name) for name in names]


def _setting(entry: Entry, name: str) -> str:
    value = entry.settings.get(name)
    if isinstance(value, float):
        return number(value)
    return "" if value is None else escape(str(value), 60)
