"""`treat`: from a failing program to a proven fix, within a budget."""

import os
import secrets
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import anyio
from mcp_types import ToolAnnotations
from pydantic import Field

from traindx.errors import TraindxError
from traindx.format import printable
from traindx.mcp.arguments import Allowed, Call, Level
from traindx.mcp.job import Job
from traindx.mcp.roots import Roots
from traindx.mcp.treatments import TreatmentFound
from traindx.mcp.working import treated
from traindx.recorder.launch.command import as_name

TITLE = "Prove a fix in paired trials"
# It runs in copies, and can still write wherever a path or a link of its own leads.
HINTS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)

Script = Annotated[str, Field(description="A Python script below the root that trains with torch.")]
Words = Annotated[Sequence[str], Field(max_length=100, description="What the script is given.")]
Folder = Annotated[str, Field(description="The working directory of the script; the root without it.")]
Only = Annotated[
    Sequence[str],
    Field(max_length=12, description='Changes to try, whatever the diagnosis: "optimizer.lr x 0.1".'),
]
Steps = Annotated[
    int | None, Field(ge=1, le=100_000, description="Of every arm; without it the whole run, or 30 s of it.")
]
Seeds = Annotated[int, Field(ge=1, le=5, description="Pairs of arms for what looks promising.")]
Arms = Annotated[int, Field(ge=1, le=24, description="Arms to run at most.")]
Minutes = Annotated[float, Field(gt=0, le=30, description="Time to spend at most, about.")]
Dry = Annotated[bool, Field(description="Only diagnose, and tell what would be tried.")]


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
    """Run a script, diagnose it, try fixes in paired short trials, and tell which is proven, with a patch.

    Arms are the same command with the same seed and at most one change. It executes the script many times
    and takes minutes, in copies of the working directory; one of more than 256 MB is refused. The source is
    never changed. Cancel it at any time.
    """
    if os.name != "posix":
        raise TraindxError("treat needs Linux or macOS")
    if not (find_spec("torch") and find_spec("libcst")):
        raise TraindxError("treat needs torch and libcst beside the server: pip install 'traindx[torch]'")
    program, place = _program(roots, script), _working_directory(roots, folder)
    out, name = roots.output(place, "treatments"), f"{as_name(program.stem)}-{secrets.token_hex(3)}"
    job = Job(
        words=[str(program.relative_to(place) if program.is_relative_to(place) else program), *arguments],
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
        raise TraindxError("another program is being treated; wait for it, or cancel it") from None
    try:
        return await treated(call, job, place)
    finally:
        lock.release()


def _program(roots: Roots, script: str) -> Path:
    place = roots.inside(script)
    if not place.is_file() or place.suffix != ".py":
        raise TraindxError(f"{printable(script, 300)}: is no Python script; name the .py file that trains")
    return place


def _working_directory(roots: Roots, folder: str) -> Path:
    place = roots.inside(folder or ".")
    if not place.is_dir():
        raise TraindxError(f"{printable(folder, 300)}: is no folder; name one that the script is run in")
    return place
