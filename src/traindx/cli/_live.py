"""Looking at a recording while the program writes it: what is serious is said, and may end the program.

Looks are taken in a thread of our own process; the program is not asked and does not wait. What is worth a
line is what a diagnosis is sure of twice in a row, once.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from traindx.cli._conditions import Condition, Met, reached, stopping
from traindx.cli._output import colored, terminal_width
from traindx.cli._progress import ProgressLine
from traindx.cli._report import Judge
from traindx.diagnosis.types import Diagnosis
from traindx.finding import Severity
from traindx.format import percent, printable
from traindx.readers.loading.runs import Reading, read
from traindx.recorder.launch.child import wake
from traindx.recorder.launch.outcome import recordings, steps_recorded
from traindx.recorder.launch.process_tree import Stop
from traindx.report.blocks import Tone
from traindx.report.fix import fix_for, line_to_change
from traindx.report.results.evidence import culprit, seen_reasons
from traindx.report.text_lines import LONGEST, STYLES, wrapped
from traindx.run import Run
from traindx.trials.types import Report

_SURE = 0.8
_MOST = 5
"""Alerts in a run: who has read five knows that something is wrong."""
_TODO = "Ctrl-C to stop now; full report at the end"
_HEAD = "traindx run:"
_LEAST_ROOM = 20
"""Columns that a line has next to its head, however narrow the terminal."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(frozen=True)
class Alert:
    """Something that is said while the program runs."""

    head: str
    """Stands before the first line, and as blanks before the others: "traindx [step 231]"."""
    lines: tuple[str, ...]
    tone: Tone = Tone.PLAIN

    def text(self, width: int) -> str:
        """As it is printed, in lines that fit."""
        head = f"{self.head} "
        room = max(width - len(head), _LEAST_ROOM)
        parts = [part for line in self.lines for part in wrapped(printable(line, LONGEST), room)]
        return head + f"\n{' ' * len(head)}".join(parts)


def _at(step: str) -> str:
    return f"traindx [step {step}]"


class Repeated(Generic[K]):
    """Lets through what held at the look before as well: one look may fall on an odd moment."""

    def __init__(self) -> None:
        self._before: frozenset[K] = frozenset()

    def again(self, now: Mapping[K, V]) -> dict[K, V]:
        """Of what holds now, that which held before."""
        confirmed = {key: value for key, value in now.items() if key in self._before}
        self._before = frozenset(now)
        return confirmed


class Alarms:
    """The alerts of one run of a program."""

    def __init__(self) -> None:
        self._serious: Repeated[tuple[str, str]] = Repeated()
        self._gone: Repeated[str] = Repeated()
        self._standing: dict[str, str] = {}
        """The titles of the causes that were said and not taken back, by their fingerprints."""
        self._count = 0

    def after(self, report: Report) -> list[Alert]:
        """What to say after a look: each cause once, whichever run has it, and once if it is gone again."""
        alerts = []
        for (_, fingerprint), diagnosed in self._serious.again(_serious(report)).items():
            if fingerprint not in self._standing and self._count < _MOST:
                self._count += 1
                self._standing[fingerprint] = diagnosed[1].suspects[0].cause.title
                alerts.append(_alert(*diagnosed))
        # A cause that is only less likely than it was is not gone.
        held = {top.fingerprint for diagnosis in report.diagnoses if (top := culprit(diagnosis))}
        gone = {
            fingerprint: title for fingerprint, title in self._standing.items() if fingerprint not in held
        }
        for fingerprint, title in self._gone.again(gone).items():
            del self._standing[fingerprint]
            at = reached(report.runs[-1]) if report.runs else "0"
            alerts.append(Alert(_HEAD, (f'"{title}" cleared at step {at}',)))
        return alerts


def _serious(report: Report) -> dict[tuple[str, str], tuple[Run, Diagnosis]]:
    """By run and fingerprint: two trainings with the same cause do not confirm each other."""
    pairs = zip(report.runs, report.diagnoses, strict=True)
    return {
        (run.name, diagnosis.suspects[0].fingerprint): (run, diagnosis)
        for run, diagnosis in pairs
        if is_serious(diagnosis)
    }


def is_serious(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis is worth a line: sick, sure of one cause, and that one does harm."""
    top = culprit(diagnosis)
    return top is not None and top.confidence >= _SURE and diagnosis.severity.rank >= Severity.SERIOUS.rank


def _alert(run: Run, diagnosis: Diagnosis) -> Alert:
    first = diagnosis.suspects[0]
    verdict = f"SICK {percent(first.confidence)}: {first.cause.title}"
    reasons = [reason.says for reason in seen_reasons(first)[:1]]
    line = line_to_change(fix_for(first.cause, run), first)
    prefix = f"{line} · " if line else ""
    return Alert(_at(reached(run)), (verdict, *reasons, f"{prefix}{_TODO}"), Tone.BAD)


_WAITING = 0.5
"""Seconds between two glances at a folder without a recording."""
_MOMENT = 1.0
"""Seconds in which a program that has taken its last step ends, or does not."""
_LEAST = 2.0
"""Seconds from the begin of a recording to the first look, and from one look to the next."""
_REST = 50.0
"""The same over what the last look took: looks take 2% of one processor at most."""
_LARGEST = 1 << 29
"""Bytes: reading a larger recording again and again would take memory that the program may need."""
_NICE = 10
_PATIENCE = 2.0
"""Seconds that a look may go on when the program has ended."""


class Live:
    """Looks now and then, from entering it to leaving it."""

    def __init__(
        self,
        folder: Path,
        look: Callable[[], Report],
        conditions: Callable[[Report], Mapping[tuple[str, str], Met]],
        say: Callable[[Alert], None],
    ) -> None:
        """`look` reads and judges the recording; `conditions` are those that end the program, by run."""
        self.stop = Stop()
        self.met: Met | None = None
        """Why the program was stopped."""
        self._folder, self._look, self._conditions, self._say = folder, look, conditions, say
        self._alarms = Alarms()
        self._repeated: Repeated[tuple[str, str]] = Repeated()
        self._over = threading.Event()
        self._noted = False
        self._thread = threading.Thread(target=self._run, name="traindx live", daemon=True)

    def __enter__(self) -> "Live":
        self._thread.start()
        return self

    def hush(self) -> None:
        """Say nothing from now on."""
        self._over.set()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hush()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        _step_back()
        while not recordings(self._folder):
            if self._over.wait(_WAITING):
                return
        pause = _LEAST
        before: list[tuple[int, int]] = []
        while not self._over.wait(pause) and not self.stop.asked:
            now = _state(self._folder)
            if now == before:
                continue
            # The first look loads what others find loaded: it tells nothing of what they will take.
            rest, before = _REST if before else 0.0, now
            began = time.thread_time()
            try:
                self._act(sum(size for size, _ in now))
            except Exception as error:  # whatever goes wrong in here must not reach the program
                fault = f"live diagnosis failed ({type(error).__name__}: {error})"
                self._note(f"{fault}; the program is not affected; full report at the end")
            pause = max(_LEAST, rest * (time.thread_time() - began))

    def _act(self, size: int) -> None:
        """Look once, and do what follows from it."""
        if size > _LARGEST:
            self._note("the recording is too large for live diagnosis; full report at the end")
            return
        report = self._look()
        if self._over.is_set():
            return
        confirmed = self._repeated.again(self._conditions(report))
        if confirmed:
            self.met = next(iter(confirmed.values()))
            self._say(Alert(_at(self.met.step), (self.met.now,), Tone.BAD))
            self.stop.ask()
            wake()
            return
        alerts = self._alarms.after(report)
        # A program that takes no further step is about to be reported on: "stop now" would be too late.
        if alerts and self._goes_on():
            for alert in alerts:
                self._say(alert)

    def _goes_on(self) -> bool:
        """Wait for a further step, and whether the program is still there a moment later."""
        before = steps_recorded(self._folder)
        while steps_recorded(self._folder) <= before:
            if self._over.wait(_WAITING):
                return False
        return not self._over.wait(_MOMENT)

    def _note(self, says: str) -> None:
        """Say once that something of ours did not work."""
        if not self._noted:
            self._noted = True
            self._say(Alert(_HEAD, (says,)))


def _state(folder: Path) -> list[tuple[int, int]]:
    """Sizes and times of what is written; the newest records stand in a file beside the recording."""
    sizes = []
    for path in recordings(folder):
        for name in (path, f"{path}-wal"):
            with suppress(OSError):
                status = os.stat(name)
                sizes.append((status.st_size, status.st_mtime_ns))
    return sizes


def _step_back() -> None:
    """Let the program go first where processors are few; only Linux counts threads one by one."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)


def live_judge(folder: Path, judge: Judge, conditions: Sequence[Condition]) -> Live:
    """Judges the recording now and then while the program runs; a condition that is met ends the program."""

    def look() -> Report:
        # What the program prints is read at the end only: it would be read anew at each look.
        return judge(read_recording(folder, told=False), ProgressLine(shown=False))

    return Live(folder, look, lambda report: stopping(conditions, report), _say)


def read_recording(folder: Path, *, told: bool = True) -> Reading:
    """What is recorded so far, each run by its name without the folders that all runs lie in."""
    reading = read([str(folder)], told=told)
    above = os.path.join(folder.parent, "")
    named = (replace(run, name=run.name.removeprefix(above) or folder.name) for run in reading.runs)
    return replace(reading, runs=tuple(named))


def _say(alert: Alert) -> None:
    """Say something between what the program says, in lines of its own."""
    style = STYLES[alert.tone] if colored(sys.stderr) else ""
    text = alert.text(terminal_width(sys.stderr))
    shown = f"\x1b[{style}m{text}\x1b[0m" if style else text
    try:
        # One write: the program may write at the same time.
        os.write(sys.stderr.fileno(), f"\n{shown}\n".encode(sys.stderr.encoding, errors="replace"))
    except (OSError, ValueError):  # nobody reads it anymore
        return
