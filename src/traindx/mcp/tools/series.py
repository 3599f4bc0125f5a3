"""`series`: the points of one curve."""

from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from traindx.mcp.arguments import Allowed, Call, Paths, RunName
from traindx.mcp.points import Points, points_of
from traindx.mcp.reading import Say, off_loop, only_one, reading_of

TITLE = "The points of a curve"
HINTS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


async def series(
    paths: Paths,
    quantity: Annotated[str, Field(description="Such as train_loss; probe lists what a run holds.")],
    call: Call,
    roots: Allowed,
    run: RunName = "",
    layer: Annotated[str, Field(description="For quantities that are recorded by layer.")] = "",
    part: Annotated[str, Field(description="Which of several: an evaluation set, a term of the loss.")] = "",
    first: Annotated[
        float | None, Field(description="Where to begin, counted by the axis of the curve.")
    ] = None,
    last: Annotated[float | None, Field(description="Where to end.")] = None,
    points: Annotated[int, Field(ge=4, le=2000, description="Points at most.")] = 100,
) -> Points:
    """Give the points of one curve of a run, at most as many as asked for.

    Of a longer curve the lowest and the highest point of each stretch are kept, never an average: no spike
    and no NaN is lost.
    """

    def work(say: Say) -> Points:
        found = only_one(reading_of(roots, paths, say).runs, run)
        return points_of(found, quantity, points, layer=layer, part=part, first=first, last=last)

    return await off_loop(call, work)
