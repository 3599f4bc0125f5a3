"""`traindx inspect`: what was read from logs."""

import argparse

from traindx.cli._options import ANNOTATIONS, add_outputs, add_reading

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._progress import ProgressLine
    from traindx.readers.loading.runs import Reading
    from traindx.trials.types import Report

HELP = "show what traindx could read from a run"
EXAMPLES = """\
  traindx inspect                              the last recorded run
  traindx inspect runs/                        every run in a folder
  traindx inspect train.log metrics.csv        single files, of any known format
  traindx inspect --all .traindx/runs/train-1  a recording, with layers and step times
  python train.py | traindx inspect -          standard input
  traindx inspect run.csv --map kappa=val_score  read the column kappa as a validation score
  traindx inspect runs/ --json -               as JSON
  traindx inspect train.log --follow           keep reading while it grows"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of inspect."""
    add_reading(parser)
    add_outputs(parser, without=ANNOTATIONS)


def run(arguments: argparse.Namespace) -> int:
    """Read the paths and show what is in them; 2 when nothing could be read."""
    from traindx.cli._report import report_on

    return report_on(arguments, _as_read)


def _as_read(reading: "Reading", _: "ProgressLine") -> "Report":
    from traindx.trials.types import Report

    return Report(reading.runs, reading.problems, reading.other_files)
