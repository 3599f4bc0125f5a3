"""`diagnose`: from logs to ranked causes."""

import shlex

from pydantic import Field

from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.errors import TraindxError
from traindx.facts import PROGRAM_ARGUMENTS, SCRIPT
from traindx.format import printable
from traindx.mcp.arguments import (
    READS_ONLY,
    Allowed,
    Call,
    Level,
    Paths,
    RunName,
    Say,
    chosen,
    judged,
    off_loop,
    reading_of,
)
from traindx.mcp.paths import Roots
from traindx.mcp.schema import Arguments, Lean
from traindx.mcp.verdicts import BOUNDS, RunVerdict, verdict_of
from traindx.report.results.evidence import outcome, sureness
from traindx.run import Run

TITLE = "Diagnose a training run"
HINTS = READS_ONLY

_WORST_FIRST = (Verdict.SICK, Verdict.INCONCLUSIVE, Verdict.HEALTHY)


class Diagnosed(Lean):
    """The verdicts of the runs."""

    runs: list[RunVerdict] = Field(description="Worst first.")
    total: int = Field(description="Number of runs.")
    others: list[str] = Field(
        default_factory=list, description="The verdicts of the runs not shown, one line each, at most 40."
    )
    problems: list[str] = Field(default_factory=list, description="What could not be read, and why.")


async def diagnose(
    paths: Paths, call: Call, roots: Allowed, run: RunName = "", detail: Level = "normal"
) -> Diagnosed:
    """Find out whether a training run is healthy, and if not, why and what to do next.

    Reads logs or recordings and returns likely causes with calibrated confidence and evidence. Call it before
    any change to a training script.
    """

    def work(say: Say) -> Diagnosed:
        reading = reading_of(roots, paths, say)
        runs = chosen(reading.runs, run)
        pairs = sorted(
            zip(runs, judged(runs, say), strict=True), key=lambda pair: _WORST_FIRST.index(pair[1].verdict)
        )
        most = BOUNDS[detail].runs
        verdicts = [
            verdict_of(each, diagnosis, detail, _program(roots, each)) for each, diagnosis in pairs[:most]
        ]
        return Diagnosed(
            runs=verdicts,
            total=len(pairs),
            others=[_line(*pair) for pair in pairs[most : most + 40]],
            problems=[printable(str(error), 300) for error in reading.problems[:5]],
        )

    return await off_loop(call, work)


def _program(roots: Roots, run: Run) -> Arguments:
    """The program of a recorded run as treat takes it; empty where it may not be treated."""
    stated = str(run.facts.get(SCRIPT, ""))
    try:
        script = roots.shown(roots.inside(stated)) if stated.endswith(".py") else ""
    except TraindxError:
        return {}
    words = shlex.split(str(run.facts.get(PROGRAM_ARGUMENTS, "")))
    return {"script": script, **({"arguments": words} if words else {})} if script else {}


def _line(run: Run, diagnosis: Diagnosis) -> str:
    words = (diagnosis.verdict.value, sureness(diagnosis), printable(outcome(diagnosis), 100))
    return f"{printable(run.name, 200)}: {' '.join(word for word in words if word)}"
