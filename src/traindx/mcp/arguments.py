"""What tools take (roots, paths, level of detail, the name of a run), and their work off the event loop."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context, ListRoots, Resolve
from mcp_types import ListRootsResult, ToolAnnotations
from pydantic import BeforeValidator, Field

from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.errors import TraindxError, UnknownNameError
from traindx.format import listed, printable
from traindx.mcp.paths import Roots
from traindx.mcp.schema import Detail
from traindx.readers.loading.runs import Reading, fell_over, read
from traindx.run import Run
from traindx.settings import limits_in, names_in

READS_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
"""What most tools do to the world: nothing."""


@dataclass(frozen=True)
class State:
    """The folders it may read, and whether a program is being treated."""

    roots: Roots
    treating: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by the one treatment there may be: two at once would share the processors that they measure on."""


Call = Context[State, Any]
"""One call of a tool."""


def roots_of_client(call: Call) -> ListRoots | ListRootsResult:
    """Ask the client for its roots, if it says that it has any."""
    able = call.client_capabilities
    return ListRoots() if able is not None and able.roots is not None else ListRootsResult(roots=[])


def allowed(call: Call, named: Annotated[ListRootsResult, Resolve(roots_of_client)]) -> Roots:
    """The folders of the server, as far as the client names them too."""
    roots = call.request_context.lifespan_context.roots
    return roots.narrowed(str(root.uri) for root in named.roots) if named.roots else roots


Allowed = Annotated[Roots, Resolve(allowed)]
"""Filled in by the server; no agent sees it."""
Paths = Annotated[
    list[str],
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value),
    Field(
        min_length=1,
        max_length=50,
        description="Log files, run folders or recordings (.traindx/runs/NAME), from the server's root.",
    ),
]
Level = Annotated[Detail, Field(description="Level of detail: brief, normal or full.")]
RunName = Annotated[
    str,
    Field(
        description="Only the run with this name, if there are several; of a log that holds several runs one"
        " after another, also its number: 2."
    ),
]


T = TypeVar("T")
Say = Callable[[float, float | None, str], None]

_OFTEN = 10
"""Files between two words on how far reading is."""


class AbandonedError(Exception):
    """The client does not wait for it any more."""


async def off_loop(call: Call, work: Callable[[Say], T]) -> T:
    """Do work in a thread; it ends at the next thing it says where the client has canceled it."""
    abandoned = threading.Event()

    def say(done: float, total: float | None, message: str) -> None:
        if abandoned.is_set():
            raise AbandonedError
        anyio.from_thread.run(call.report_progress, done, total, message)

    try:
        return await anyio.to_thread.run_sync(partial(work, say), abandon_on_cancel=True)
    finally:
        abandoned.set()


def reading_of(roots: Roots, paths: list[str], say: Say) -> Reading:
    """The runs at some paths, all of them in the roots; raises where there is none."""
    places = [roots.readable(path) for path in paths]
    files = 0

    def progress(_: str) -> None:
        nonlocal files
        files += 1
        if files % _OFTEN == 0:
            say(files, None, f"reading file {files:,}")

    reading = read(places, names_in(Path.cwd()), progress)
    if not any(run.series or fell_over(run) for run in reading.runs):
        problems = [str(error) for error in reading.problems]
        raise TraindxError(
            problems[0] if problems else f"{listed(paths)}: no known metric found; probe shows why"
        )
    return reading


def judged(runs: tuple[Run, ...], say: Say) -> list[Diagnosis]:
    """The diagnosis of every run, with the limits of the project."""
    limits = limits_in(Path.cwd())
    diagnoses = []
    for number, run in enumerate(runs):
        say(number, len(runs), f"diagnosing run {number + 1:,} of {len(runs):,}")
        diagnoses.append(diagnose(run, limits=limits))
    return diagnoses


def chosen(runs: tuple[Run, ...], name: str) -> tuple[Run, ...]:
    """The runs that are asked for by name, all without one; the last part of a name is enough.

    A number chooses a run of the logs that hold several.
    """
    if not name:
        return runs
    numbered = tuple(
        run.sibling(int(name)) for run in runs if name.isdigit() and 0 < int(name) <= len(run.in_log)
    )
    if any(run.others for run in numbered):
        return numbered
    exact = tuple(run for run in runs if printable(run.name, 200) == name)
    matches = exact or tuple(run for run in runs if Path(run.name).name == name)
    if not matches:
        lasts = {Path(run.name).name: run.name for run in runs}
        raise UnknownNameError("run", name, [run.name for run in runs], lasts)
    return matches


def only_one(runs: tuple[Run, ...], name: str) -> Run:
    """The run that is asked for; raises where several may be meant."""
    matches = chosen(runs, name)
    if len(matches) > 1:
        names = listed([printable(run.name, 200) for run in matches], 20)
        raise TraindxError(f"{len(matches)} runs match; set run to one of {names}")
    return matches[0]
