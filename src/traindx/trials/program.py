"""The program of an arm: one run of it.

Needs nothing beside Python, so that a node of a cluster can do it.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from traindx.changes.types import ChangeSpec
from traindx.recorder.launch.command import MOVED, TRIAL, USUAL_BUDGET, Command, recording_environment

OUTPUT = "output.txt"
_LOOKS = 60
"""Looks of the recorder at layers and predictions, over an arm."""
_GRACE = 5.0
"""Seconds between asking a program to end and ending it."""
_GLANCE = 0.2
"""Seconds after which it is looked whether the program is to be stopped."""


@dataclass(frozen=True)
class ArmSpec:
    """What an arm is to be."""

    command: Command
    folder: Path
    """Where its recording and its output go."""
    place: Path
    """The working directory."""
    changes: tuple[ChangeSpec, ...] = ()
    seed: int = 0
    steps: int | None = None
    """How many steps it takes, where that is known."""
    is_cut: bool = False
    """Whether it is ended after these steps; else it ends by itself."""
    seconds: float = 600.0
    """After which it is ended."""
    waits: float = 600.0
    """Seconds it may wait until there is room for it, where others use the machines as well."""
    threads: int | None = None
    saves: Path | None = None
    """Where the weights of its model go."""
    observes: tuple[str, ...] = ()
    """Observers that look inside the program, by the names of their modules."""
    replaced: tuple[tuple[str, bytes], ...] = ()
    """Files of the project that have another content in this arm."""
    is_timed: bool = False
    """Whether it is its speed that counts."""
    is_first: bool = False
    """Whether it is the run that is diagnosed: recorded as `traindx run` does, so that both say the same."""
    moved: tuple[Path, Path] | None = None
    """The project and the copy of it that the working directory is in; None where it runs in the project."""


@dataclass(frozen=True)
class Ended:
    """How the program ended."""

    code: int | None
    """None where it was ended because its time was over."""
    seconds: float


def run_program(
    order: ArmSpec,
    environment: Mapping[str, str],
    *,
    stop: Event | None = None,
    started: Callable[[int], None] = lambda pid: None,
) -> Ended:
    """Run the program to its end, to the end of its time, or until it is to be stopped.

    `started` is told the number of its group of processes.
    """
    began = time.monotonic()
    with (order.folder / OUTPUT).open("wb") as output:
        # A group of its own: what the program starts ends with it, and Ctrl-C is ours. Not a session:
        # Linux shares processors out by sessions, and a busy one would starve it.
        process = subprocess.Popen(  # noqa: S603  # the user's own command
            list(order.command.words),
            executable=order.command.program,
            cwd=order.place,
            env=_environment(order, environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
        try:
            started(process.pid)
            code = _code(process, began + order.seconds, stop)
        finally:
            _end(process)
    return Ended(code, time.monotonic() - began)


def _code(process: "subprocess.Popen[bytes]", until: float, stop: Event | None) -> int | None:
    while (left := until - time.monotonic()) > 0 and not (stop and stop.is_set()):
        with suppress(subprocess.TimeoutExpired):
            return process.wait(min(left, _GLANCE) if stop else left)
    return process.poll()


def _environment(order: ArmSpec, environment: Mapping[str, str]) -> dict[str, str]:
    every = max(1, (order.steps or 1000) // _LOOKS)
    most = order.steps if order.is_cut else None
    budget, looks = (USUAL_BUDGET, None) if order.is_first else (1.0, every)
    variables = recording_environment(environment, order.folder, budget=budget, every=looks, most_steps=most)
    asked = {
        "folder": str(order.folder.resolve()),
        "seed": order.seed,
        "steps": order.steps,
        "changes": [str(change) for change in order.changes],
        "saves": str(order.saves) if order.saves else None,
        "observes": order.observes,
    }
    variables[TRIAL] = json.dumps(asked)
    if order.moved is not None:
        variables[MOVED] = os.pathsep.join(map(str, order.moved))
    if order.threads is not None:
        variables.setdefault("OMP_NUM_THREADS", str(order.threads))
    return variables


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a program and everything it started."""
    for number, seconds in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _GRACE)):
        if process.poll() is not None and number is signal.SIGTERM:
            break
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            break
    # What it left running in the background, such as workers of a loader.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
