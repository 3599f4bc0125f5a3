"""`traindx examine data`: whether data is fit to be trained on."""

import argparse

from traindx.cli._options import add_documents

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli._output import Maker
    from traindx.exams.data_exam.types import Examination

HELP = "examine data before it is trained on: scale, labels, noise, balance, order, leakage, drift"
EXAMPLES = """\
  traindx examine data --demo                                  write tables with faults, and examine them
  traindx examine data .traindx/demo/data/train.csv            a table; --target names what to predict
  traindx examine data .traindx/demo/data/train.csv --validation .traindx/demo/data/validation.csv
  traindx examine data .traindx/demo/data/train.csv --target alarm --export rows.csv
  traindx examine data .traindx/demo/data/dataset.py:loaders   what a function of yours returns
  traindx examine data .traindx/demo/data/train.csv --html data.html --json data.json
  traindx examine data .traindx/demo/data/train.csv --fail-on labels-out-of-range

It reads CSV, TSV, Parquet, .npy, .npz (x and y, or x_train and so on), .pt (tensors only: nothing is
unpickled), a folder of images with a subfolder for each class, and what a function without arguments returns:
a Dataset, a DataLoader, arrays, or a pair of these. A function is your code and is run; files are read."""

_FOLDER = ".traindx/demo/data"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of examine data."""
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="a file, a folder of images, or module:function or file.py:function",
    )
    parser.add_argument(
        "--demo", action="store_true", help=f"write small tables with faults into {_FOLDER} first"
    )
    parser.add_argument("--validation", metavar="SOURCE", help="validation data, of the same kind")
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="the column to predict, or its number; of .npy data also a .npy of labels",
    )
    parser.add_argument(
        "--task", choices=("classes", "numbers"), help="what the targets are, where the guess is wrong"
    )
    parser.add_argument(
        "--parameters", type=int, metavar="N", help="the parameters of the model that is to learn it"
    )
    parser.add_argument(
        "--model",
        metavar="FUNCTION",
        help="a function that returns the model, as module:function: to count them",
    )
    parser.add_argument(
        "--rows", type=int, default=100_000, metavar="N", help="rows to look at, at most (default: 100,000)"
    )
    parser.add_argument(
        "--export", metavar="FILE", help="write the rows that something is wrong with, as CSV"
    )
    parser.add_argument("--png", metavar="FILE", help="write a picture; needs matplotlib (traindx[plots])")
    add_documents(parser, "data.md", "data.json", "data.html")
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="CONDITION",
        help="exit with 1 when the verdict is fail, warn (or worse), or a CAUSE is named; may be repeated",
    )


def run(arguments: argparse.Namespace) -> int:
    """Examine the data and report on it; 2 where it cannot be read."""
    from traindx.cli._exam import data_results, refuse_unknown_conditions
    from traindx.cli._output import ProgressLine
    from traindx.errors import TraindxError

    if arguments.demo:
        _lay_out(arguments)
    if arguments.source is None:
        raise TraindxError("data: nothing to examine; give a file, or --demo")
    refuse_unknown_conditions(arguments.fail_on, "fail", "warn")
    progress = ProgressLine()
    progress.say("examining the data")
    try:
        examination = _examined(arguments)
    finally:
        progress.wipe()
    return data_results(examination, arguments, _makers(examination))


def _lay_out(arguments: argparse.Namespace) -> None:
    """Write the demonstration, and let it be what is examined."""
    import sys

    from traindx.exams.data_exam.demonstration import lay_out

    training, validation = lay_out(_FOLDER)
    if arguments.source is None:
        arguments.source, arguments.validation = training, arguments.validation or validation
        sys.stderr.write(f"$ traindx examine data {training} --validation {arguments.validation}\n")
        sys.stderr.flush()


def _examined(arguments: argparse.Namespace) -> "Examination":
    from traindx.exams.data_exam.exam import data
    from traindx.exams.data_exam.source import parameters_of

    parameters = arguments.parameters
    if arguments.model is not None:
        parameters = parameters_of(arguments.model)
    return data(
        arguments.source,
        validation=arguments.validation,
        target=arguments.target,
        task=arguments.task,
        parameters=parameters,
        rows=arguments.rows,
    )


def _makers(examination: "Examination") -> "dict[str, Maker]":
    """What each output is made by, whose renderer is loaded only when it is wanted."""

    def png() -> bytes:
        from traindx.report.png.examination import examination_picture

        return examination_picture(examination)

    def html() -> str:
        from importlib.util import find_spec

        from traindx.report.html.exams import examination_page

        return examination_page(examination, png() if find_spec("matplotlib") else None)

    def export() -> str:
        from traindx.report.documents.exams import rows_table

        return rows_table(examination)

    def md() -> str:
        from traindx.report.markdowns.exams import examination_markdown

        return examination_markdown(examination)

    def json() -> str:
        from traindx.report.documents.exams import examination_document

        return examination_document(examination)

    return {"export": export, "png": png, "html": html, "md": md, "json": json}
