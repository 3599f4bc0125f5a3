"""Recording from inside a program: one line before the training loop, or a `with` around it.

with traindx.watch(model, optimizer) as watch:
    for epoch in range(100):
        train_one_epoch()
        if epoch % 10 == 9 and watch.problems():
            break
"""

import atexit
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import final

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import TraindxError
from traindx.finding import Severity
from traindx.readers.loading.runs import load
from traindx.recorder.launch.command import as_name, new_run_folder
from traindx.recorder.live_line import LiveLine, notebook_output
from traindx.run import Fact, Scalar, Split

TYPE_CHECKING = False  # as typing has it
if TYPE_CHECKING:
    from torch import nn

    from traindx.recorder.hooks.attachment import Attachment

RUNS = ".traindx/runs"
_owners: "list[Watch]" = []
"""Those whose recorder has to begin anew in a child process."""


@dataclass(frozen=True)
class Settings:
    """How to record."""

    name: str | None = None
    out: str | Path = RUNS
    budget: float = 0.02
    every: int | None = None


@final
class Watch:
    """A training that is being recorded in this process."""

    def __init__(self, attachment: "Attachment", *, owner: bool) -> None:
        """`owner` tells whether closing it ends the recording: a recorder that ran before is only joined."""
        self._attachment, self._owner = attachment, owner
        self._process = os.getpid()
        self._line: LiveLine | None = None
        if owner:
            atexit.register(self._ends)
            _owners.append(self)
            output = notebook_output()
            self._line = LiveLine(output, self.folder, self._so_far) if output is not None else None

    @property
    def folder(self) -> Path:
        """The folder of the run."""
        return self._attachment.folder

    @property
    def path(self) -> Path | None:
        """The file of this process; None before the first backward pass."""
        return self._attachment.recorder.writer.path

    def tell(self, model: "nn.Module", *optimizers: object) -> None:
        """Say which module is the model, and which optimizers exist already."""
        from traindx.recorder.hooks.attachment import tell

        # The recorder of `traindx run` has seen them made.
        is_recorded = not self._owner and "TRAINDX_RECORD" in os.environ
        tell(self._attachment, model, () if is_recorded else optimizers)

    def report(self, numbers: Mapping[str, object], split: Split | None = None) -> None:
        """Add losses and metrics that the program computes itself, by name: `{"val_loss": 0.3}`.

        `split` says on which data those were measured whose names do not tell.
        """
        from traindx.recorder.hooks.metrics import report

        report(self._attachment.recorder, numbers, split)

    def state(self, fact: Fact, value: Scalar) -> None:
        """State a fact of the training."""
        self._attachment.recorder.state(fact, value)

    def diagnose(self) -> Diagnosis:
        """The diagnosis of what was recorded so far."""
        if self.path is None:
            raise TraindxError(
                f"{self.folder}: nothing recorded yet; train at least one step before diagnose()"
            )
        self._attachment.recorder.flush()
        return self._so_far()

    def _so_far(self) -> Diagnosis:
        """The diagnosis of what is in the file."""
        runs = load(self.path) if self.path is not None else []
        if not runs:
            raise TraindxError(f"{self.folder}: nothing recorded yet")
        return diagnose(replace(runs[-1], name=self.folder.name))

    def problems(self) -> list[str]:
        """What is seriously wrong so far, a sentence each; empty while nothing is, or nothing can be told."""
        try:
            diagnosis = self.diagnose()
        except TraindxError:
            return []
        if diagnosis.verdict is Verdict.HEALTHY:
            return []
        serious = [
            result.finding.says
            for result in diagnosis.findings
            if result.finding and result.sign.severity.rank >= Severity.SERIOUS.rank
        ]
        says = [diagnosis.says] if diagnosis.verdict is Verdict.SICK else []
        return says + [
            sentence for sentence in dict.fromkeys(serious) if not any(sentence in whole for whole in says)
        ]

    def close(self, error: BaseException | None = None) -> None:
        """End the recording and put torch back as it was; a recorder that was joined goes on."""
        if not self._owner:
            return
        if error is not None:
            self._attachment.recorder.failed(error)
        self._attachment.detach()
        self._leave()
        if self._line is not None:
            self._line.close()

    def finish(self, say: Callable[[str], object], error: BaseException | None = None) -> None:
        """Close it, and say where the recording is if that was for this watch to do."""
        owner = self._owner
        self.close(error)
        if owner and self.path is not None:
            say(told(self.folder))

    def __enter__(self) -> "Watch":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(error)

    def _ends(self) -> None:
        """The program ends without having closed it."""
        self._attachment.ends()
        self._leave()

    def _leave(self) -> None:
        self._owner = False
        atexit.unregister(self._ends)
        _owners.remove(self)
        # A child process must not take away the folder in which its parent will write.
        if self.path is None and self._process == os.getpid():
            try:
                self.folder.rmdir()
            except OSError:  # not empty, or gone
                return

    def _forked(self) -> None:
        self._attachment.forked()


def watch(
    model: "nn.Module",
    *optimizers: object,
    name: str | None = None,
    out: str | Path = RUNS,
    budget: float = 0.02,
    every: int | None = None,
) -> Watch:
    """Record the training of a model, until the watch is closed or the program ends.

    `budget` is the share of the program's time that recording may take; `every` looks at the layers at each
    Nth step instead of often at first and ever less. Inside `traindx run` its recorder is joined.
    """
    begun = begin(Settings(name, out, budget, every))
    try:
        begun.tell(model, *optimizers)
    except BaseException:
        begun.close()
        raise
    return begun


def begin(settings: Settings, folder: Path | None = None) -> Watch:
    """Attach a recorder with a folder of its own or the one given, or join the one that is attached."""
    try:
        from traindx.recorder.hooks.attachment import attach, attached
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise TraindxError("traindx.watch needs torch: pip install torch") from error
    joined = attached()
    if joined is not None:
        return Watch(joined, owner=False)
    if folder is None:
        folder = _new_folder(settings)
    return Watch(attach(folder, settings.budget, settings.every), owner=True)


def begin_together(settings: Settings, is_first: bool, broadcast: Callable[[str], str]) -> Watch:
    """Begin in every process of one training; all write into the folder that the first one makes."""
    first = begin(settings) if is_first else None
    folder = broadcast(str(first.folder) if first is not None else "")
    return first if first is not None else begin(settings, Path(folder))


def _new_folder(settings: Settings) -> Path:
    out, name = Path(settings.out).absolute(), settings.name
    if int(os.environ.get("WORLD_SIZE") or 1) > 1 and name is None:
        # Processes that torchrun started have one parent; its number is all that they share without asking.
        name = f"{stem()}-of-{os.getppid()}"
        if os.environ.get("RANK", "0") != "0":
            return out / name
    return new_run_folder(out, stem(), name)


def told(folder: Path) -> str:
    """Where a recording is, and what to do with it."""
    where = folder.relative_to(Path.cwd()) if folder.is_relative_to(Path.cwd()) else folder
    return f"traindx recorded this run in {where}; next: traindx diagnose {where}"


def stem() -> str:
    """What a run of this program is called."""
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    if not isinstance(file, str):
        return "run"
    path = Path(file)
    return as_name(path.parent.name if path.stem == "__main__" else path.stem)


def _forked() -> None:
    """A child process writes into a file of its own."""
    for owner in _owners:
        owner._forked()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_forked)
