"""`traindx skill show`: the skill itself."""

import argparse

HELP = "print the skill, or one of its reference files"
EXAMPLES = """\
  traindx skill show                           the skill
  traindx skill show references/causes.md      one of its reference files"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of show."""
    parser.add_argument(
        "file", nargs="?", default="SKILL.md", metavar="FILE", help="a file of the skill (default: SKILL.md)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print one file; 2 for an unknown name."""
    import sys

    from traindx.cli import DONE
    from traindx.skill.install import skill_file

    sys.stdout.write(skill_file(arguments.file))
    return DONE
