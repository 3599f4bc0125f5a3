"""`traindx demo`: the main job on bundled trainings."""

import argparse

from traindx.errors import TraindxError

HELP = "diagnose the logs of five bundled trainings, four of which fail"
EXAMPLES = "  traindx demo"

_TRAININGS = ("hot", "cold", "nan", "overfit", "cool")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of demo."""
    parser.add_argument(
        "--out", default=".traindx/demo", metavar="DIR", help="where the reports go (default: .traindx/demo)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Lay out the bundled logs, diagnose them as a user would, and write every kind of report."""
    import shutil
    from importlib.util import find_spec
    from pathlib import Path

    from traindx.cli import build_parser

    bundled, out = Path(__file__).parent.parent / "demo", Path(arguments.out)
    try:
        for name in _TRAININGS:
            shutil.copytree(bundled / name, out / name, dirs_exist_ok=True)
    except OSError as error:
        raise TraindxError(
            f"{out}: cannot be written ({error.strerror or error}); choose another --out"
        ) from error
    folder = str(out)
    command = ["diagnose", "--html", folder, "--md", folder, "--json", folder]
    if find_spec("matplotlib"):
        command += ["--png", str(out / "pictures")]
    parser, commands = build_parser()
    logs = [str(out / name) for name in _TRAININGS]
    return commands["diagnose"].run(parser.parse_args([*command, "--", *logs]))
