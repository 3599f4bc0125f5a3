"""What tools take: the state of the server, paths in the roots, the level of detail, the name of a run."""

from dataclasses import dataclass, field
from typing import Annotated, Any

import anyio
from mcp.server.mcpserver import Context, ListRoots, Resolve
from mcp_types import ListRootsResult, ToolAnnotations
from pydantic import BeforeValidator, Field

from traindx.mcp.paths import Roots
from traindx.mcp.schema import Detail

READS_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
"""What most tools do to the world: nothing."""


@dataclass(frozen=True)
class State:
    """The folders it may read, and whether a program is being treated."""

    roots: Roots
    treating: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by the one treatment there may be: two at once would share the processors that they measure on."""


Call = Context[State, Any]
"""One call of a tool."""


def roots_of_client(call: Call) -> ListRoots | ListRootsResult:
    """Ask the client for its roots, if it says that it has any."""
    able = call.client_capabilities
    return ListRoots() if able is not None and able.roots is not None else ListRootsResult(roots=[])


def allowed(call: Call, named: Annotated[ListRootsResult, Resolve(roots_of_client)]) -> Roots:
    """The folders of the server, as far as the client names them too."""
    roots = call.request_context.lifespan_context.roots
    return roots.narrowed(str(one.uri) for one in named.roots) if named.roots else roots


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Allowed = Annotated[Roots, Resolve(allowed)]
"""Filled in by the server; no agent sees it."""
Paths = Annotated[
    list[str],
    BeforeValidator(_as_list),
    Field(
        min_length=1,
        max_length=50,
        description="Log files, run folders or recordings (.traindx/runs/NAME), from the server's root.",
    ),
]
Level = Annotated[Detail, Field(description="Level of detail: brief, normal or full.")]
RunName = Annotated[str, Field(description="Only the run with this name, if there are several.")]
