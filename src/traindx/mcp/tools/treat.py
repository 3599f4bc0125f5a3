"""`treat`: from a failing program to a proven fix, within a budget and in a process of its own."""

import os
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Annotated

import anyio
import anyio.to_thread
from mcp_types import ToolAnnotations
from pydantic import Field

from traindx.errors import TraindxError
from traindx.format import printable
from traindx.mcp.arguments import Allowed, Call, Level
from traindx.mcp.paths import Roots
from traindx.mcp.worker import Job, TreatmentFound, Word
from traindx.recorder.launch.command import as_name
from traindx.recorder.launch.process_tree import end_program

_BEAT_SECONDS = 5.0
"""Between two words to the client while an arm runs: it may take silence for death."""
_GRACE_SECONDS = 120.0
"""For the arms that run when the time is over: they are let end."""
# Not with the folder of the user on the path: a file there may be called like a module of ours.
_COMMAND = [sys.executable, "-P", "-m", "traindx.mcp.worker"]


async def treated(call: Call, job: Job, folder: Path) -> TreatmentFound:
    """Carry out a job in a folder and tell the client how far it is; canceled, it leaves no process."""
    began, last = time.monotonic(), Word(says="starting")

    async def tell() -> None:
        await call.report_progress(round(time.monotonic() - began, 1), 60 * job.minutes, last.says)

    async def beat() -> None:
        while True:
            await tell()
            await anyio.sleep(_BEAT_SECONDS)

    async with _worker(job, folder) as said, anyio.create_task_group() as tasks:
        tasks.start_soon(beat)
        with anyio.move_on_after(60 * job.minutes + _GRACE_SECONDS) as patience:
            while line := await anyio.to_thread.run_sync(said.readline, abandon_on_cancel=True):
                last = Word.model_validate_json(line)
                if last.is_last:
                    break
                await tell()
        tasks.cancel_scope.cancel()
    if last.found is not None:
        return last.found
    if patience.cancelled_caught:
        todo = "allow more minutes, or fewer steps"
        raise TraindxError(f"treat took more than {job.minutes:g} minutes and was stopped; {todo}")
    raise TraindxError(last.error or "treat stopped early; see the server log (standard error)")


@asynccontextmanager
async def _worker(job: Job, folder: Path) -> AsyncIterator[IO[bytes]]:
    """What the process says that carries out a job; it ends with the context, and all that it started."""
    process = subprocess.Popen(  # noqa: S603  # ourselves
        _COMMAND,
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Of its own, so that who ends the group of this server does not end it alone and leave its arms.
        process_group=0,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        # It stays open: when it closes, this server is gone, and the process ends.
        process.stdin.write(job.model_dump_json().encode() + b"\n")
        process.stdin.flush()
        yield process.stdout
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(_end, process, job)


def _end(process: "subprocess.Popen[bytes]", job: Job) -> None:
    end_program(process.pid)
    process.communicate()
    for copy in Path(job.out, job.name).glob("**/*.work"):
        shutil.rmtree(copy, ignore_errors=True)


TITLE = "Prove a fix in paired trials"
# It runs in copies, and can still write wherever a path or a link of its own leads.
HINTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)

Script = Annotated[str, Field(description="A Python script inside the root that trains with torch.")]
Words = Annotated[Sequence[str], Field(max_length=100, description="Arguments of the script.")]
Folder = Annotated[str, Field(description="Working directory of the script; default: the root.")]
Only = Annotated[
    Sequence[str],
    Field(max_length=12, description='Changes to try regardless of the diagnosis: "optimizer.lr x 0.1".'),
]
Steps = Annotated[
    int | None,
    Field(ge=1, le=100_000, description="Steps per trial run; default: the whole run, or 30 s of it."),
]
Seeds = Annotated[int, Field(ge=1, le=5, description="Pairs of runs for a promising change.")]
Arms = Annotated[int, Field(ge=1, le=24, description="Maximum number of trial runs.")]
Minutes = Annotated[float, Field(gt=0, le=30, description="Time limit, approximate.")]
Dry = Annotated[bool, Field(description="Only diagnose and list what would be tried.")]


async def treat(
    script: Script,
    call: Call,
    roots: Allowed,
    arguments: Words = (),
    folder: Folder = "",
    only: Only = (),
    steps: Steps = None,
    seeds: Seeds = 3,
    trials: Arms = 12,
    minutes: Minutes = 5.0,
    dry_run: Dry = False,
    detail: Level = "brief",
) -> TreatmentFound:
    """Run a script, diagnose it, try fixes in short paired trials, and return the proven fix with a patch.

    A trial pairs a control run with a treated run: same command, same seed, one change. The script runs many
    times, for minutes, in copies of the working directory (at most 256 MB). The source is never changed.
    Cancel it at any time.
    """
    if os.name != "posix":
        raise TraindxError("treat needs Linux or macOS")
    if not (find_spec("torch") and find_spec("libcst")):
        raise TraindxError(
            "treat needs torch and libcst in the server's environment: pip install torch libcst"
        )
    program, directory = _program(roots, script), _working_directory(roots, folder)
    out, name = roots.output(directory, "treatments"), f"{as_name(program.stem)}-{secrets.token_hex(3)}"
    job = Job(
        words=[
            str(program.relative_to(directory) if program.is_relative_to(directory) else program),
            *arguments,
        ],
        out=str(out),
        name=name,
        shown=roots.shown(out / name),
        detail=detail,
        only=list(only),
        steps=steps,
        seeds=seeds,
        trials=trials,
        minutes=minutes,
        is_dry=dry_run,
    )
    lock = call.request_context.lifespan_context.treating
    try:
        lock.acquire_nowait()
    except anyio.WouldBlock:
        raise TraindxError("another treat is running; wait for it, or cancel it") from None
    try:
        return await treated(call, job, directory)
    finally:
        lock.release()


def _program(roots: Roots, script: str) -> Path:
    path = roots.inside(script)
    if not path.is_file() or path.suffix != ".py":
        raise TraindxError(f"{printable(script, 300)}: not a Python script; pass the .py file that trains")
    return path


def _working_directory(roots: Roots, folder: str) -> Path:
    directory = roots.inside(folder or ".")
    if not directory.is_dir():
        raise TraindxError(
            f"{printable(folder, 300)}: not a folder; pass the working directory of the script"
        )
    return directory
