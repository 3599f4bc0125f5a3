"""The process that treats a program for the server: it reads a job, and says on the way how far it is.

It ends when its standard input closes, and takes everything with it that it started: then the server is gone,
however it went.
"""

import os
import sys
import threading
from pathlib import Path
from typing import TextIO

from pydantic import BaseModel

from traindx.errors import TraindxError
from traindx.mcp.schema import Detail
from traindx.mcp.treatments import TreatmentFound, treatment_found
from traindx.recorder.launch.process_tree import end_program


class Job(BaseModel):
    """What the process is to do; it reads it from its standard input."""

    words: list[str]
    """The command."""
    out: str
    """Where treatments are kept."""
    name: str
    """What this one is called."""
    shown: str
    """Its folder, as the agent is told it."""
    detail: Detail
    only: list[str]
    steps: int | None
    seeds: int
    trials: int
    minutes: float
    is_dry: bool


class Word(BaseModel):
    """What the process says: how far it is, why it cannot, or what came of it."""

    says: str = ""
    error: str = ""
    found: TreatmentFound | None = None

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return bool(self.error) or self.found is not None


def main() -> None:
    """Carry out one job."""
    # What a library prints must not come between our lines.
    wire = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    job = Job.model_validate_json(sys.stdin.readline())
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    try:
        word = Word(found=_treated(job, wire))
    except TraindxError as error:
        word = Word(error=str(error))
    _say(wire, word)


def _end_with_the_server() -> None:
    sys.stdin.read()
    end_program(os.getpid())


def _say(wire: TextIO, word: Word) -> None:
    wire.write(word.model_dump_json(exclude_defaults=True) + "\n")
    wire.flush()


def _treated(job: Job, wire: TextIO) -> TreatmentFound:
    # They load torch, which the first word need not wait for.
    from traindx.report.pages import keep
    from traindx.trials.treatment import TreatOptions, treat

    wish = TreatOptions(
        steps=job.steps,
        arms=job.trials,
        minutes=job.minutes,
        seeds=job.seeds,
        only=tuple(job.only),
        dry=job.is_dry,
    )
    found = treat(job.words, wish, out=job.out, name=job.name, say=lambda says: _say(wire, Word(says=says)))
    patch = keep(found, found.folder) if found.treatment.trials else None
    return treatment_found(
        found,
        job.detail,
        folder=job.shown,
        patch_file=str(Path(job.shown, patch.name)) if patch else "",
        is_dry=job.is_dry,
    )


if __name__ == "__main__":
    main()
