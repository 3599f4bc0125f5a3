"""`traindx demo`: the main job on a bundled failing training."""

import argparse
import sys

from traindx.cli import DONE
from traindx.errors import TraindxError

HELP = "read the logs of a bundled training that fails, and of its healthy twin"
EXAMPLES = "  traindx demo"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of demo."""
    parser.add_argument(
        "--out", default=".traindx/demo", metavar="DIR", help="where the reports go (default: .traindx/demo)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Lay out the bundled logs, read and show them, and write the reports."""
    import shutil
    from pathlib import Path

    from traindx.cli.inspect import show, write
    from traindx.loading.reading import read
    from traindx.renderers import json, markdown
    from traindx.report import Report

    bundled, out = Path(__file__).parent.parent / "demo", Path(arguments.out)
    try:
        for name in ("hot", "cool"):
            shutil.copytree(bundled / name, out / name, dirs_exist_ok=True)
    except OSError as error:
        raise TraindxError(f"{out}: cannot be written ({error.strerror}); choose another --out") from error
    reading = read([str(out / "hot"), str(out / "cool")])
    report = Report(reading.runs, reading.problems, reading.other_files)
    show(report)
    write(str(out / "report.md"), markdown.render(report))
    write(str(out / "report.json"), json.render(report) + "\n")
    sys.stdout.write(f"report   {out / 'report.md'}\ndata     {out / 'report.json'}\n")
    return DONE
