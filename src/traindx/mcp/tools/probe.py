"""`probe`: what is there, and what was read of each run."""

from dataclasses import dataclass

from pydantic import Field

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
    off_loop,
    reading_of,
)
from traindx.mcp.schema import Detail, Lean, NextStep, Told, told
from traindx.report.results.run import extent
from traindx.run import Run, Series


@dataclass(frozen=True)
class Bounds:
    """How much of a run is told at a level of detail."""

    runs: int
    quantities: int
    facts: int
    notes: int


BOUNDS: dict[str, Bounds] = {
    "brief": Bounds(runs=20, quantities=12, facts=8, notes=0),
    "normal": Bounds(runs=8, quantities=40, facts=40, notes=5),
    "full": Bounds(runs=3, quantities=200, facts=120, notes=40),
}


class QuantityRead(Lean):
    """One quantity of a run, over all its layers and parts."""

    quantity: str = Field(description="Pass it to `series`.")
    points: int = Field(description="Points of the longest series.")
    first: float
    last: float
    axis: str
    layers: list[str] = Field(default_factory=list)
    parts: list[str] = Field(default_factory=list)
    nonfinite: int = Field(default=0, description="Values that are NaN or infinite.")


class RunRead(Lean):
    """One run."""

    run: str
    formats: list[str]
    extent: str
    quantities: list[QuantityRead]
    quantities_left_out: int = 0
    facts: dict[str, Told] = Field(default_factory=dict)
    events: list[str] = Field(default_factory=list)
    unread: list[str] = Field(
        default_factory=list, description="Columns of the log that were not understood."
    )
    notes: list[str] = Field(default_factory=list)


def run_read(run: Run, detail: Detail) -> RunRead:
    """What a run holds."""
    bounds = BOUNDS[detail]
    quantities = _quantities(run, most_layers={"brief": 0, "normal": 8, "full": 200}[detail])
    return RunRead(
        run=printable(run.name, 200),
        formats=[printable(word) for word in run.formats[:5]],
        extent=extent(run),
        quantities=quantities[: bounds.quantities],
        quantities_left_out=max(0, len(quantities) - bounds.quantities),
        facts={fact.slug: told(value) for fact, value in list(run.facts.items())[: bounds.facts]},
        events=[printable(event.says, 200) for event in run.events[: bounds.notes]],
        unread=[
            f"{printable(skipped.name, 80)}: {printable(skipped.why, 200)}"
            for skipped in run.unread[: bounds.notes]
        ],
        notes=[printable(note, 300) for note in run.notes[: bounds.notes]],
    )


def _quantities(run: Run, most_layers: int) -> list[QuantityRead]:
    curves: dict[str, list[Series]] = {}
    for series in run.series:
        curves.setdefault(series.quantity.slug, []).append(series)
    return [_quantity(slug, alike, most_layers) for slug, alike in curves.items()]


def _quantity(slug: str, alike: list[Series], most_layers: int) -> QuantityRead:
    longest = max(alike, key=len)
    return QuantityRead(
        quantity=slug,
        points=len(longest),
        first=float(longest.steps[0]),
        last=float(longest.steps[-1]),
        axis=longest.axis.value,
        layers=_names([series.layer for series in alike], most_layers),
        parts=_names([series.part for series in alike], most_layers),
        nonfinite=sum(len(series) - len(series.finite) for series in alike),
    )


def _names(names: list[str], most: int) -> list[str]:
    return [printable(name) for name in dict.fromkeys(names) if name][:most]


TITLE = "Show what can be read from a run"
HINTS = READS_ONLY


class Probed(Lean):
    """The runs at some paths."""

    runs: list[RunRead]
    total: int = Field(description="Number of runs.")
    left_out: list[str] = Field(default_factory=list, description="Names of the runs not shown, at most 20.")
    problems: list[str] = Field(default_factory=list, description="What could not be read, and why.")
    next_step: NextStep


async def probe(
    paths: Paths, call: Call, roots: Allowed, run: RunName = "", detail: Level = "brief"
) -> Probed:
    """List the runs, quantities and facts in logs or recordings, without a verdict.

    It is cheap; call it first if you do not know what the paths contain.
    """

    def work(say: Say) -> Probed:
        reading = reading_of(roots, paths, say)
        runs = chosen(reading.runs, run)
        most = BOUNDS[detail].runs
        return Probed(
            runs=[run_read(each, detail) for each in runs[:most]],
            total=len(runs),
            left_out=[printable(each.name, 200) for each in runs[most : most + 20]],
            problems=[printable(str(error), 300) for error in reading.problems[:5]],
            next_step=NextStep(
                do="Diagnose them.",
                why="There is no verdict yet.",
                tool="diagnose",
                arguments={"paths": paths},
            ),
        )

    return await off_loop(call, work)
