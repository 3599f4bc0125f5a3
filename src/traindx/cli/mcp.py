"""`traindx mcp`: a server for agents."""

import argparse
import sys

from traindx.cli._options import add_option
from traindx.errors import TraindxError

HELP = "serve agents over the Model Context Protocol: probe, diagnose, explain, series, treat, report"
EXAMPLES = """\
  traindx mcp                                  serve on standard input and output; paths in this folder
  traindx mcp --root ~/project --root /data/runs  paths in these folders, relative ones from the first

An agent starts it by itself. Most take an entry such as this in their settings of MCP servers:
  {"mcpServers": {"traindx": {"command": "traindx", "args": ["mcp", "--root", "/path/to/project"]}}}
Claude Code:  claude mcp add traindx -- traindx mcp
Codex:        codex mcp add traindx -- traindx mcp
It needs the extra of that name: pip install 'traindx[mcp]'. docs/agents.md tells more."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of mcp."""
    says = "a folder that may be read, and written below its .traindx (default: this one); may be repeated"
    add_option(parser, "--root DIR", says, repeated=True)


def run(arguments: argparse.Namespace) -> int:
    """Serve until the client goes; 2 where the extra is missing or a root is no folder."""
    from traindx.cli import DONE

    try:
        from mcp.server import MCPServer  # noqa: F401  # older ones have none
    except ImportError:
        raise TraindxError("needs the package mcp, 2.3 or later: pip install 'traindx[mcp]'") from None
    from traindx.mcp.paths import roots_from
    from traindx.mcp.server import serve

    roots = roots_from(arguments.root)
    if sys.stdin.isatty():
        sys.stderr.write(
            "waiting for an agent on standard input; Ctrl-C ends it, --help says how agents start it\n"
        )
    serve(roots)
    return DONE
