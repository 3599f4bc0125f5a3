"""`probe`: what is there."""

from mcp_types import ToolAnnotations
from pydantic import Field

from traindx.format import printable
from traindx.mcp.arguments import Allowed, Call, Level, Paths, RunName
from traindx.mcp.lean import Lean
from traindx.mcp.next_step import NextStep
from traindx.mcp.reading import Say, chosen, off_loop, reading_of
from traindx.mcp.runs import BOUNDS, RunRead, run_read

TITLE = "What a training left behind"
HINTS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


class Probed(Lean):
    """The runs at some paths."""

    runs: list[RunRead]
    total: int = Field(description="How many runs there are.")
    left_out: list[str] = Field(
        default_factory=list, description="Names of runs that are not told, the first twenty."
    )
    problems: list[str] = Field(default_factory=list, description="What could not be read, and why.")
    next_step: NextStep


async def probe(
    paths: Paths, call: Call, roots: Allowed, run: RunName = "", detail: Level = "brief"
) -> Probed:
    """Tell which runs, quantities and facts logs or recordings hold, without judging them.

    It is cheap; call it first where you do not know what is there.
    """

    def work(say: Say) -> Probed:
        reading = reading_of(roots, paths, say)
        runs = chosen(reading.runs, run)
        most = BOUNDS[detail].runs
        return Probed(
            runs=[run_read(one, detail) for one in runs[:most]],
            total=len(runs),
            left_out=[printable(one.name, 200) for one in runs[most : most + 20]],
            problems=[printable(str(one), 300) for one in reading.problems[:5]],
            next_step=NextStep(
                do="Diagnose them.", why="Nothing is judged yet.", tool="diagnose", arguments={"paths": paths}
            ),
        )

    return await off_loop(call, work)
