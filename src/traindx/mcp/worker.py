"""The process that treats a program for the server: it reads a job, says how far it is, and what came of it.

It ends when its standard input closes, and takes everything with it that it started: then the server is gone,
however it went.
"""

import math
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

from pydantic import BaseModel, Field

from traindx.changes.types import name_of
from traindx.diagnosis.types import Verdict
from traindx.errors import TraindxError
from traindx.format import printable
from traindx.mcp.schema import Detail, Lean, NextStep, shortened
from traindx.mcp.verdicts import RunVerdict, verdict_of
from traindx.recorder.launch.process_tree import end_program
from traindx.report.results.trials import (
    belief_lines,
    conclusion,
    left_untried,
    patch_line,
    set_aside,
    why_left,
)
from traindx.trials.types import Trial

if TYPE_CHECKING:  # it needs libcst, which a server that treats nothing need not have
    from traindx.trials.treatment import TreatResult

Result = Literal["proven", "no proven win", "nothing to treat", "planned"]

_PATCH = 6000
_MOST = {"brief": 4, "normal": 12, "full": 40}


class TrialFound(Lean):
    """The program with and without one change, same seeds."""

    change: str
    cause: str
    title: str
    measure: str
    better: str
    control: float | None = Field(description="null if it ended in NaN or infinity.")
    treated: float | None
    effect: float | None
    interval: list[float | None] | None = Field(description="95%, over the seeds.")
    outcome: Literal["helped", "no difference", "worse", "inconclusive"]
    says: str
    seeds: int


class PlannedTrial(Lean):
    """A change that would be tried."""

    change: str
    title: str
    cause: str


class TreatmentFound(Lean):
    """The diagnosis of a program, what was tried, and what is proven."""

    outcome: Result
    says: str
    before: RunVerdict = Field(description="The diagnosis of the unchanged program.")
    best: TrialFound | None = Field(default=None, description="The proven change; null if there is none.")
    trials: list[TrialFound] = Field(default_factory=list, description="The other trials.")
    planned: list[PlannedTrial] = Field(default_factory=list)
    patch: str = Field(
        default="", description="A unified diff of the source; apply it only after the user agreed."
    )
    patch_says: str = ""
    patch_file: str = ""
    folder: str = Field(description="Folder of all trial runs and reports.")
    beliefs: list[str] = Field(
        default_factory=list, description="How the trials changed the confidence in causes."
    )
    limits: list[str] = Field(default_factory=list)
    next_step: NextStep


def treatment_found(
    found: "TreatResult", detail: Detail, *, folder: str, patch_file: str = "", is_dry: bool = False
) -> TreatmentFound:
    """What came out, in as many words as asked for; `is_dry`: nothing was to be tried."""
    treatment = found.treatment
    most = _MOST[detail]
    others = [_trial(trial) for trial in treatment.trials if trial is not treatment.best]
    outcome = _outcome(found, is_dry)
    limits = [
        *set_aside(treatment),
        *why_left(treatment),
        *(f"untried: {sentence}" for sentence in left_untried(treatment)),
    ]
    run, diagnosis = found.report.runs[0], found.report.diagnoses[0]
    # What is asked for is the treatment; its diagnosis is told at length only where all is.
    level: Detail = "full" if detail == "full" else "brief"
    return TreatmentFound(
        outcome=outcome,
        says=_says(found, outcome),
        before=verdict_of(run, diagnosis, level).model_copy(update={"next_step": None}),
        best=_trial(treatment.best) if treatment.best else None,
        trials=others[:most],
        planned=[]
        if treatment.trials
        else [
            PlannedTrial(change=name_of(candidate.changes), title=candidate.title, cause=candidate.cause)
            for candidate in found.plan[:most]
        ],
        patch=treatment.patch if len(treatment.patch) <= _PATCH else "",
        patch_says=patch_line(treatment),
        patch_file=patch_file,
        folder=folder,
        beliefs=belief_lines(found.beliefs)[:most] if found.beliefs else [],
        limits=[printable(note, 300) for note in (*found.notes, *treatment.notes, *limits)][:most],
        next_step=_next(found, outcome, patch_file),
    )


def _outcome(result: "TreatResult", is_dry: bool) -> Result:
    if result.treatment.best:
        return "proven"
    if result.treatment.trials:
        return "no proven win"
    return "planned" if is_dry and result.plan else "nothing to treat"


def _says(result: "TreatResult", outcome: Result) -> str:
    if outcome in ("proven", "no proven win"):
        return f"{outcome}: {conclusion(result.treatment)}"
    if result.report.diagnoses[0].verdict is Verdict.HEALTHY:
        return "the run is healthy; to try a change anyway, pass it in only"
    if outcome == "planned":
        return f"nothing tried yet; about {result.seconds:.0f} s per trial run"
    if result.plan:
        return "nothing tried: no cause is likely enough; to try a change anyway, pass it in only"
    return "no fix can be applied automatically; see the diagnosis for manual fixes"


def _next(result: "TreatResult", outcome: Result, patch_file: str) -> NextStep:
    is_healthy = result.report.diagnoses[0].verdict is Verdict.HEALTHY
    if outcome == "nothing to treat" or (outcome == "planned" and is_healthy):
        return NextStep(do="Do not change the program; report the diagnosis.", why=_says(result, outcome))
    if outcome == "planned":
        return NextStep(do="Call treat again without dry_run.", why="Only trials prove a fix.", tool="treat")
    if outcome == "no proven win":
        return NextStep(
            do="Tell the user that no fix is proven, and what was tried; do not pick one anyway.",
            why=conclusion(result.treatment),
        )
    if not patch_file:
        return NextStep(
            do="Make the proven change in the source manually, and rerun.", why="There is no source patch."
        )
    aside = "" if result.treatment.patch_verified else " Say that the patched program was not verified."
    return NextStep(
        do=f"Show the user the trial and the patch, and ask before you apply {patch_file}.{aside}",
        why="A proven change still changes the user's program.",
    )


def _trial(trial: Trial) -> TrialFound:
    return TrialFound(
        change=printable(trial.name, 200),
        cause=trial.cause,
        title=trial.title,
        measure=trial.measure.value,
        better="higher" if trial.measure.is_better_higher else "lower",
        control=_known(trial.control),
        treated=_known(trial.treated),
        effect=_known(trial.effect),
        interval=None if trial.interval is None else [_known(end) for end in trial.interval],
        outcome=trial.outcome.value,
        says=printable(trial.says, 300),
        seeds=len(trial.counted),
    )


def _known(value: float | None) -> float | None:
    """A number in six digits; nothing where it is none."""
    return None if value is None or not math.isfinite(value) else shortened(value)


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
    result = treat(job.words, wish, out=job.out, name=job.name, say=lambda says: _say(wire, Word(says=says)))
    patch = keep(result, result.folder) if result.treatment.trials else None
    return treatment_found(
        result,
        job.detail,
        folder=job.shown,
        patch_file=str(Path(job.shown, patch.name)) if patch else "",
        is_dry=job.is_dry,
    )


if __name__ == "__main__":
    main()
