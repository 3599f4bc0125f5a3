"""Short runs of a program, each recorded and read back."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from traindx.changes.types import ChangeSpec
from traindx.recorder.launch.command import Command
from traindx.trials.arm import ArmResult
from traindx.trials.program import ArmSpec
from traindx.trials.runner import LocalRunner, cores
from traindx.trials.workspace import relocated

_AT_ONCE = 2
"""Programs beside each other at most."""


@dataclass(frozen=True)
class ShortRuns:
    """A program that is run again and again."""

    command: Command
    runner: LocalRunner
    folder: Path
    """Where the recordings go, each in a folder of its own."""

    def carry_out(
        self,
        name: str,
        changes: tuple[ChangeSpec, ...],
        steps: int,
        *,
        seconds: float,
        observes: tuple[str, ...] = (),
        is_alone: bool = False,
    ) -> ArmResult:
        """Run it for some steps; `is_alone` says whether it may have all cores."""
        origin = self.runner.workspace.origin
        order = ArmSpec(
            command=self.command,
            folder=self.folder / name,
            place=origin,
            changes=changes,
            steps=steps,
            is_cut=True,
            seconds=seconds,
            threads=None if is_alone else max(1, cores() // self._at_once),
            observes=observes,
        )
        done = self.runner.carry_out(order)
        return done if done.run is None else replace(done, run=relocated(done.run, done.order.place, origin))

    @contextmanager
    def beside(self) -> Iterator[ThreadPoolExecutor]:
        """Threads to call `carry_out` in; where one fails or we are interrupted, all programs are ended."""
        with ThreadPoolExecutor(self._at_once) as pool:
            try:
                yield pool
            except BaseException:
                # Or the pool would wait for programs that nobody waits for any more.
                self.runner.stop()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    @property
    def _at_once(self) -> int:
        return min(_AT_ONCE, self.runner.at_once(timed=False))
