"""`traindx mcp`: a server for agents."""

import argparse
import sys

from traindx.cli._options import add_option
from traindx.errors import TraindxError

HELP = "start an MCP server for AI agents"
EXAMPLES = """\
  traindx mcp                                  serve over stdio, for paths in this folder
  traindx mcp --root ~/project --root /data/runs  for paths in these folders, relative to the first

Your agent starts it. Most agents take an entry like this in their MCP settings:
  {"mcpServers": {"traindx": {"command": "traindx", "args": ["mcp", "--root", "/path/to/project"]}}}
Claude Code:  claude mcp add traindx -- traindx mcp
Codex:        codex mcp add traindx -- traindx mcp
It needs the mcp extra: pip install -e '.[mcp]' in a checkout of traindx. See docs/agents.md."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of mcp."""
    says = "a folder the server may read, and write to in its .traindx (default: this one); may be repeated"
    add_option(parser, "--root DIR", says, repeated=True)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes; 2 where the extra is missing or a root is no folder."""
    from traindx.cli import DONE

    try:
        from mcp.server import MCPServer  # noqa: F401  # older ones have none
    except ImportError:
        raise TraindxError(
            "needs the package mcp 2.3 or later: pip install -e '.[mcp]' in a checkout of traindx"
        ) from None
    from traindx.mcp.paths import roots_from
    from traindx.mcp.server import serve

    roots = roots_from(arguments.root)
    if sys.stdin.isatty():
        sys.stderr.write(
            "waiting for an agent on standard input (Ctrl-C to stop; --help shows how to connect one)\n"
        )
    serve(roots)
    return DONE
