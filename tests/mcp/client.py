"""A real client of the Model Context Protocol, connected to the server in a process of its own."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client.session import ListRootsFnT
from mcp_types import CallToolResult, TextContent

from mcp import Client, StdioServerParameters

Arguments = Mapping[str, object]


def server_at(*roots: Path, python: Sequence[str] = ("-m", "traindx")) -> StdioServerParameters:
    """How to start the server with some roots."""
    options = [word for root in roots for word in ("--root", str(root))]
    return StdioServerParameters(
        command=sys.executable,
        args=[*python, "mcp", *options],
        env={"OMP_NUM_THREADS": "1", "PYTHONPATH": os.environ.get("PYTHONPATH", "")},
    )


@dataclass(frozen=True)
class Connection:
    """A client whose calls can be waited for."""

    portal: BlockingPortal
    client: Client

    def call(self, tool: str, arguments: Arguments) -> CallToolResult:
        """What a tool gives back."""
        return self.portal.call(partial(self.client.call_tool, tool, dict(arguments)))


@contextmanager
def connected(
    *roots: Path,
    mode: str = "auto",
    asks_roots: ListRootsFnT | None = None,
    python: Sequence[str] = ("-m", "traindx"),
) -> Iterator[Connection]:
    """A client and its server, for the length of a context."""
    with start_blocking_portal() as portal:
        client = Client(server_at(*roots, python=python), mode=mode, list_roots_callback=asks_roots)
        with portal.wrap_async_context_manager(client):
            yield Connection(portal, client)


def said(result: CallToolResult) -> str:
    """The text of a result."""
    (only,) = result.content
    assert isinstance(only, TextContent)
    return only.text
