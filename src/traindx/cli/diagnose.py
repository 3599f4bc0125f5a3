"""`traindx diagnose`: from logs to ranked causes."""

import argparse

from traindx.cli._options import add_exams, add_judging, add_outputs, add_reading

HELP = "tell from its logs whether a training is healthy, and if not, why and what to change"
EXAMPLES = """\
  traindx diagnose runs/                       every run below a folder
  traindx diagnose train.log --html out.html   as a page, to look at the curves
  python train.py | traindx diagnose - --follow  while it trains
  traindx diagnose runs/ --json -              as data, for programs
  traindx diagnose runs/ --fail-on sick:0.8    exit code 1 if a run is sick, for scripts
  traindx diagnose train.log --exam data.json  with what traindx examine data --json data.json found
  traindx diagnose runs/ --limit loss_diverges.lost=0.6  judge with another limit"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of diagnose."""
    add_reading(parser)
    add_judging(parser)
    add_exams(parser)
    add_outputs(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the paths and judge every run in them; 2 when nothing could be read."""
    from traindx.cli._conditions import conditions_from
    from traindx.cli._report import judging, report_on

    return report_on(arguments, judging(arguments), conditions_from(arguments.fail_on))
