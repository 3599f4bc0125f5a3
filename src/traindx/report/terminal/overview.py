"""Several runs at a glance: one line each."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from traindx.diagnosis.types import Diagnosis
from traindx.format import printable
from traindx.report.results.diagnosis import blame, main_series, outcome, shared_folder, sureness
from traindx.report.terminal.diagnosis import STYLES
from traindx.report.text_plots import sparkline
from traindx.run import Run


def print_overview(console: Console, runs: Sequence[Run], diagnoses: Sequence[Diagnosis]) -> None:
    """A table of runs: verdict and its probability, first suspect, curve."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("run", overflow="fold", ratio=2)
    table.add_column("verdict", no_wrap=True)
    table.add_column("because", overflow="fold", ratio=2)
    table.add_column("cause", no_wrap=True, justify="right")
    table.add_column("curve", no_wrap=True, min_width=16)
    folder = shared_folder(runs)
    if folder.strip("/"):
        console.print(Text(f"all below {printable(folder, 200)}", style="dim"))
    for run, diagnosis in zip(runs, diagnoses, strict=True):
        drawn = main_series(run)
        table.add_row(
            Text(printable(run.name.removeprefix(folder), 60)),
            Text.assemble(
                (diagnosis.verdict.value.upper(), STYLES[diagnosis.verdict]), f" {sureness(diagnosis)}"
            ),
            Text(printable(outcome(diagnosis))),
            Text(blame(diagnosis)),
            Text(sparkline(drawn[0]) if drawn else "", style="cyan"),
        )
    console.print(table)
