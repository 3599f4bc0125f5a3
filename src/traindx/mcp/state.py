"""What a server keeps while it runs."""

from dataclasses import dataclass, field

import anyio

from traindx.mcp.roots import Roots


@dataclass(frozen=True)
class State:
    """The folders it may read, and whether a program is being treated."""

    roots: Roots
    treating: anyio.Lock = field(default_factory=anyio.Lock)
    """Held by the one treatment there may be: two at once would share the processors that they measure on."""
