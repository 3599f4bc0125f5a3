"""`traindx diagnose`: from logs to ranked causes."""

import argparse

from traindx.cli._options import add_exams, add_judging, add_outputs, add_reading

HELP = "diagnose a training run from its logs"
EXAMPLES = """\
  traindx diagnose                             the last recorded run
  traindx diagnose runs/                       every run in a folder, worst first
  traindx diagnose train.log --html out.html   as a page with curves
  python train.py | traindx diagnose - --follow  while it trains
  traindx diagnose runs/ --json -              as JSON
  traindx diagnose runs/ --fail-on sick:0.8    exit code 1 if a run is sick (for CI)
  traindx diagnose runs/ --github -            annotate the line to change in GitHub Actions
  traindx diagnose train.log --exam data.json  with the result of traindx examine data --json data.json
  traindx diagnose runs/ --limit loss_diverges.lost=0.6  with another threshold"""


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
