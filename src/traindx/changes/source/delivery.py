"""Writes changes where their values are given: on the command line, in the source, in a configuration."""

import math
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice, product
from pathlib import Path

from traindx.changes.source.hyperparameter import Option
from traindx.changes.source.literal import arguments_of
from traindx.changes.source.patch import Patch, arguments_for, patch_of, read_source, together
from traindx.changes.source.settings import (
    Written,
    parses_arguments_of_trainer,
    retyped,
    short_options,
    typed,
    written,
)
from traindx.changes.types import ChangeSpec, RefusedError, known_changes
from traindx.curves.facts import stated_number
from traindx.facts import COMMAND, SCRIPT
from traindx.readers.loading.program_run import started_in
from traindx.run import Run

_MOST = 3
"""Ways to write the same changes that are worth running."""


def patches_of(changes: Sequence[ChangeSpec], run: Run) -> list[Patch]:
    """The patches that may do the same as all the changes, the surest first.

    Of the command line, of the source, else of a configuration file or of a default elsewhere in the project:
    these may only have the name and the value of what is meant, so run them before they are believed.
    """
    patches = [*_on_command_line(changes, run)]
    in_source = patch_of(changes, run)
    if in_source is not None:
        return [*patches, in_source][:_MOST]
    return [*patches, *_in_files(changes, run), *_in_both(changes, run), *_added_option(changes, run)][:_MOST]


def certain_patch(changes: Sequence[ChangeSpec], run: Run) -> Patch | None:
    """The one patch that does the same as the changes; None where there is none, or several may."""
    patches = patches_of(changes, run)
    is_typed = bool(patches) and patches[0].arguments is not None
    is_one_value = len({(patch.path, patch.says.partition(" -> ")[0]) for patch in patches}) == 1
    return (
        patches[0] if patches and (is_typed or is_one_value or patch_of(changes, run) is not None) else None
    )


def _on_command_line(changes: Sequence[ChangeSpec], run: Run) -> Iterator[Patch]:
    """Patches of the arguments that were typed, where every change sets one of them."""
    words = arguments_of(run)
    options = [_option(spec) for spec in changes]
    if not words or not options:
        return
    short = short_options(_home(run)) if any(len(word) == _SHORT for word in words) else {}
    lines, says = [words], []
    for spec, option in zip(changes, options, strict=True):
        at = typed(words, option, short) if option is not None else None
        if option is None or at is None:
            lines = []
            break
        values = option.becomes(spec, run, at.value or "true")
        lines = [retyped(line, at, value) for line in lines for value in values]
        says += [" ".join(words[max(0, at.index - (not at.lead)) : at.index + 1])] if values else []
    lines = lines or [new for _, new in [arguments_for(changes, run) or (words, [])] if new]
    for new in lines:
        if new != words:
            yield _command_patch(run, words, new, f"{' '.join(says)} on the command line")


_SHORT = len("-b")


def _home(run: Run) -> Path:
    """The folder that the program was started in."""
    return started_in(run, str(run.facts.get(SCRIPT, "")))


def _option(spec: ChangeSpec) -> Option | None:
    change = known_changes().get(spec.name)
    return change.option if change is not None else None


def _command_patch(run: Run, words: Sequence[str], new: Sequence[str], says: str) -> Patch:
    called = str(run.facts.get(COMMAND, "")) or f"python {run.facts.get(SCRIPT, 'train.py')}"
    # As it was started: with an interpreter and a script, or with -m and a module.
    start = shlex.split(called)
    if words and start[-len(words) :] == list(words):
        start = start[: -len(words)]
    return Patch(
        "", shlex.join([*start, *words]), shlex.join([*start, *new]), says, "", tuple(new), len(words)
    )


def _in_files(changes: Sequence[ChangeSpec], run: Run) -> Iterator[Patch]:
    """Patches of values that stand beside their names in files of the project."""
    ways = [_entries(spec, run) for spec in changes]
    for chosen in islice(product(*ways), _MOST) if ways else ():
        with suppress(RefusedError):
            paths = dict.fromkeys(choice.path for choice, _ in chosen)
            yield together(
                [_of_file(path, [choice for choice in chosen if choice[0].path == path]) for path in paths]
            )


def _entries(spec: ChangeSpec, run: Run) -> list[tuple[Written, str]]:
    """Where the value of a change may be written, each with what it becomes."""
    option = _option(spec)
    if option is None:
        return []
    entries = written(_home(run), arguments_of(run), option)
    used = [entry for entry in entries if _is_used(entry.value, option, run)]
    return [
        (entry, value)
        for entry in used
        for value in option.becomes(spec, run, entry.value)
        if value != entry.value
    ]


def _of_file(path: Path, entries: Sequence[tuple[Written, str]]) -> Patch:
    before, encoding = read_source(path, path.name)
    after, says = before, []
    # From the end, so that what stands before keeps its place.
    for entry, value in sorted(entries, key=lambda entry: -entry[0].start):
        after = entry.rewritten(after, value)
        line = before.count("\n", 0, entry.start) + 1
        says.append(f"{entry.key} {entry.value} -> {value} at {os.path.relpath(path)}:{line}")
    return Patch(str(path.absolute()), before, after, "; ".join(reversed(says)), encoding)


def _in_both(changes: Sequence[ChangeSpec], run: Run) -> Iterator[Patch]:
    """Patches of several changes, some of which stand in the source and others in other files."""
    in_source = [spec for spec in changes if patch_of([spec], run) is not None]
    others = [spec for spec in changes if spec not in in_source]
    whole = patch_of(in_source, run) if in_source and others else None
    if whole is None:
        return
    for patch in _in_files(others, run):
        with suppress(RefusedError):
            yield together([replace(part, also=()) for part in (*whole.files, *patch.files)])


def _is_used(value: str, option: Option, run: Run) -> bool:
    """Whether a value is the one that the run used, as far as the run tells that."""
    used = stated_number(run, option.fact) if option.fact is not None else None
    if used is None:
        return True
    try:
        present = float(value)
    except ValueError:
        return False
    return any(
        math.isclose(present, rate, rel_tol=1e-4) for rate in (used, option.peak(run)) if rate is not None
    )


def _added_option(changes: Sequence[ChangeSpec], run: Run) -> Iterator[Patch]:
    """One more argument, where Hugging Face makes an option of every setting of its trainer."""
    words, new, says = arguments_of(run), [], []
    for spec in changes:
        option = _option(spec)
        used = run.facts.get(option.fact) if option is not None and option.fact is not None else None
        if option is None or not option.trainer or not isinstance(used, int | float):
            return
        values = option.becomes(spec, run, f"{used:g}")
        new += [f"--{option.trainer}", *values[:1]]
        says.append(f"--{option.trainer} {' '.join(values[:1])}")
    if new and parses_arguments_of_trainer(_home(run)):
        yield _command_patch(run, words, [*words, *new], f"{' '.join(says)} on the command line")
