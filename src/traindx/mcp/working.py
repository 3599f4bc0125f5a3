"""Treats a program in a process of its own, whose end ends everything that was started for it."""

import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import anyio
import anyio.to_thread

from traindx.errors import TraindxError
from traindx.mcp.arguments import Call
from traindx.mcp.job import Job, Word
from traindx.mcp.treatments import TreatmentFound
from traindx.recorder.launch.family import end_program

_BEAT_SECONDS = 5.0
"""Between two words to the client while an arm runs: it may take silence for death."""
_GRACE_SECONDS = 120.0
"""For the arms that run when the time is over: they are let end."""
# Not with the folder of the user on the path: a file there may be called like a module of ours.
_COMMAND = [sys.executable, "-P", "-m", "traindx.mcp.worker"]


async def treated(call: Call, job: Job, folder: Path) -> TreatmentFound:
    """Carry out a job in a folder and tell the client how far it is; cancelled, it leaves no process."""
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
        todo = "give it more minutes, or fewer steps"
        raise TraindxError(f"the treatment took more than {job.minutes:g} minutes and was ended; {todo}")
    raise TraindxError(
        last.error or "the treatment broke off; the log of this server (its standard error) says why"
    )


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
