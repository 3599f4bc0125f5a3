"""`explain`: one page of the knowledge base."""

from typing import Annotated

from mcp_types import ToolAnnotations
from pydantic import Field

from traindx.mcp.arguments import Call, Level
from traindx.mcp.pages import Page, page_of
from traindx.mcp.reading import off_loop

TITLE = "What is known about a cause"
HINTS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


async def explain(
    call: Call,
    name: Annotated[str, Field(description="A cause or a sign; empty for the list of all causes.")] = "",
    detail: Level = "normal",
) -> Page:
    """Tell what is known about a cause that diagnose named, or about the sign of an evidence id.

    What you see, fixes with code, what not to do, what it is confused with, and the test that tells.
    """
    return await off_loop(call, lambda _: page_of(name, detail))
