"""`traindx skill install`: puts the skill where an agent looks for it."""

import argparse
import sys

from traindx.cli._options import add_option

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from pathlib import Path

    from traindx.skill.install import Planned

HELP = "install the skill for an agent"
EXAMPLES = """\
  traindx skill install                        in .agents/skills of this project, which many agents read
  traindx skill install --agent claude --agent cursor  for these agents
  traindx skill install --agent claude --user  for all your projects
  traindx skill install --dry-run              show what would be written
  traindx skill install --dir ~/my-skills      in another folder

If a file exists and differs, nothing is written unless you add --force."""

# Not from the module that knows where they look: --help need not load it.
_AGENTS = ("generic", "claude", "codex", "copilot", "cursor", "gemini", "opencode")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of install."""
    parser.add_argument(
        "--agent",
        action="append",
        choices=_AGENTS,
        metavar="NAME",
        help=f"for which agent: {', '.join(_AGENTS)} (default: generic); may be repeated",
    )
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--project", action="store_true", help="in the working directory (default)")
    whose.add_argument("--user", action="store_true", help="in the home folder, for all projects")
    whose.add_argument("--dir", metavar="DIR", help="in this folder")
    add_option(parser, "--force", "overwrite files that differ")
    add_option(parser, "--dry-run", "write nothing; show what would change")


def run(arguments: argparse.Namespace) -> int:
    """Install it; 2 where a file differs and --force was not given."""
    from traindx.cli import DONE
    from traindx.errors import TraindxError
    from traindx.skill.install import planned, write

    if arguments.dir and arguments.agent:
        raise TraindxError("--dir and --agent can't be combined; give one of them")
    folders = _folders(arguments)
    plans = {folder: planned(folder) for folder in folders}
    changed = [file for files in plans.values() for file in files if file.is_changed]
    if arguments.dry_run:
        sys.stdout.write("".join(_told(folder, files) for folder, files in plans.items()))
        sys.stdout.write("".join(f"\n{file.diff}\n" for file in changed))
        return DONE
    if changed and not arguments.force:
        first = changed[0]
        more = f", and {len(changed) - 1} more differ" if len(changed) > 1 else ""
        raise TraindxError(
            f"{first.place}: differs from the skill ({first.size} lines){more}; nothing was written:"
            " --dry-run shows the differences, --force overwrites"
        )
    for folder, files in plans.items():
        write(file for file in files if file.is_new or file.is_changed)
        sys.stdout.write(f"skill    {folder}\n")
    return DONE


def _folders(arguments: argparse.Namespace) -> "list[Path]":
    from pathlib import Path

    from traindx.skill.install import NAME, folders_of

    if arguments.dir:
        return [Path(arguments.dir).expanduser() / NAME]
    above = Path.home() if arguments.user else Path()
    return folders_of(arguments.agent or ["generic"], above, of_user=arguments.user)


def _told(folder: "Path", files: "list[Planned]") -> str:
    """What would become of the files of a folder, a line each."""
    lines = [f"{folder}\n"]
    for file in files:
        what = "write" if file.is_new else f"change {file.size}" if file.is_changed else "leave"
        lines.append(f"  {what:<14} {file.place.relative_to(folder)}\n")
    return "".join(lines)
