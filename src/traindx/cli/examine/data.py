"""`traindx examine data`: whether data is fit to be trained on."""

import argparse

from traindx.cli._options import add_detail, add_documents, add_option
from traindx.cli.examine import add_exam_condition

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
    add_option(parser, "--demo", f"write small tables with faults into {_FOLDER} first")
    add_option(parser, "--validation SOURCE", "validation data, of the same kind")
    add_option(
        parser, "--target COLUMN", "the column to predict, or its number; of .npy data also a .npy of labels"
    )
    parser.add_argument(
        "--task", choices=("classes", "numbers"), help="what the targets are, where the guess is wrong"
    )
    add_option(parser, "--parameters N", "the parameters of the model that is to learn it", type=int)
    add_option(
        parser, "--model FUNCTION", "a function that returns the model, as module:function: to count them"
    )
    add_option(parser, "--rows N", "rows to look at, at most (default: 100,000)", type=int, default=100_000)
    add_option(parser, "--export FILE", "write the rows that something is wrong with, as CSV")
    add_option(parser, "--png FILE", "write a picture; needs matplotlib (traindx[plots])")
    add_documents(parser, "data.md", "data.json", "data.html")
    add_detail(parser, "verdict and worst problem")
    add_exam_condition(parser)


def run(arguments: argparse.Namespace) -> int:
    """Examine the data and report on it; 2 where it cannot be read."""
    from traindx.cli._exam import refuse_unknown_conditions
    from traindx.cli._progress import ProgressLine
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
    return _tell(examination, arguments)


def _lay_out(arguments: argparse.Namespace) -> None:
    """Copy the bundled tables with faults, and let them be what is examined."""
    import shutil
    import sys
    from pathlib import Path

    from traindx.errors import TraindxError

    bundled = Path(__file__).parents[2] / "exams" / "data_exam" / "demo"
    try:
        shutil.copytree(bundled, _FOLDER, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    except OSError as error:
        raise TraindxError(
            f"{_FOLDER}: cannot be written ({error.strerror or error}); use another folder"
        ) from error
    training, validation = (f"{_FOLDER}/{name}.csv" for name in ("train", "validation"))
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


def _tell(examination: "Examination", arguments: argparse.Namespace) -> int:
    """Print and write what was found in data; the exit code."""
    from traindx.cli._exam import can_draw, publish_exam
    from traindx.cli._output import Result, places_of, refuse_places
    from traindx.report.json.results import examination_document, rows_table
    from traindx.report.png.examination import examination_picture
    from traindx.report.results.exams import data_page, data_summary

    def picture() -> bytes | None:
        return examination_picture(examination) if can_draw(arguments) else None

    names = {"export": "data.csv", **{kind: f"data.{kind}" for kind in ("png", "html", "md", "json")}}
    places = places_of(arguments, names)
    sources = [source for source in (arguments.source, arguments.validation) if source is not None]
    refuse_places(places, sources, before_work=False)
    makers: dict[str, Maker] = {
        "export": lambda: rows_table(examination),
        "png": lambda: examination_picture(examination),
        "json": lambda: examination_document(examination),
    }
    result = Result(
        data_page(examination),
        data_summary(examination),
        makers,
        lambda: data_page(examination, picture()),
    )
    return publish_exam(arguments, examination.verdict, examination.causes, places, result)
