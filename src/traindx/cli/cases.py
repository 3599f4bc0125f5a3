"""`traindx cases`: what was tried in a project, and what worked."""

import argparse

from traindx.cli._options import add_detail, add_option
from traindx.errors import TraindxError, UnknownNameError

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from datetime import datetime

    from traindx.trials.casebook import Casebook
    from traindx.trials.types import Case

HELP = "list what was diagnosed and tried in a project, and whether it helped"
EXAMPLES = """\
  traindx cases                                all cases of this folder, the latest first
  traindx cases --outcome helped               what worked
  traindx cases --cause lr-too-high            what was tried against a cause
  traindx cases --change optimizer.lr --last 5 the last five trials of a change
  traindx cases ../other --since 2026-07-01    of another project, since a day
  traindx cases --json -                       as data, for programs

Cases are kept in .traindx/cases.db; traindx treat writes them."""

_OUTCOMES = ("helped", "no-difference", "worse", "inconclusive")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of cases."""
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="DIR", help="the folder of the project (default: this one)"
    )
    add_option(parser, "--db FILE", "a casebook at another path (default: .traindx/cases.db)")
    add_option(parser, "--cause CAUSE", "only what was for a cause (traindx causes lists them)")
    add_option(parser, "--change TEXT", "only changes that hold a text, such as optimizer.lr")
    parser.add_argument("--outcome", choices=_OUTCOMES, help="only trials that came out like this")
    add_option(parser, "--since DATE", "only what is as late as a day or a time, as 2026-07-01")
    add_option(parser, "--last N", "only the latest so many", type=int)
    add_detail(parser, "how many helped")
    add_option(parser, "--json FILE", "write JSON; - for standard output (in a folder: cases.json)")


def run(arguments: argparse.Namespace) -> int:
    """List the cases that fit; 2 where there is no such place."""
    from traindx.cli._output import page_text, places_of, publish, refuse_inputs
    from traindx.report.json.results import cases_document
    from traindx.report.results.cases import page, tally

    book = _book(arguments)
    matching = _found(book, arguments)
    places = places_of(arguments, {"json": "cases.json"})
    refuse_inputs(places.values(), [str(book.place)])
    is_narrowed = any((arguments.cause, arguments.change, arguments.outcome, arguments.since))
    text = page_text(page(matching, str(book.place), narrowed=is_narrowed), arguments, tally(matching))
    return publish("cases", places, {"json": lambda: cases_document(matching)}, text)


def _book(arguments: argparse.Namespace) -> "Casebook":
    from pathlib import Path

    from traindx.trials.casebook import PLACE, Casebook

    folder = Path(arguments.folder)
    if arguments.db is not None:
        if arguments.folder != ".":
            raise TraindxError(f"{folder} and --db {arguments.db}: two places; give one of them")
        if not Path(arguments.db).is_file():
            raise TraindxError(f"{arguments.db}: no such casebook; traindx treat makes one in .traindx")
        return Casebook(arguments.db)
    if not folder.is_dir():
        what = (
            "is a file; to read a casebook, give --db"
            if folder.exists()
            else "no such folder; give a project's"
        )
        raise TraindxError(f"{folder}: {what}")
    inside = folder / PLACE.name
    return Casebook(inside if folder.name == PLACE.parent.name or inside.is_file() else folder / PLACE)


def _found(book: "Casebook", arguments: argparse.Namespace) -> "list[Case]":
    from traindx.trials.types import Outcome

    if arguments.last is not None and arguments.last < 1:
        raise TraindxError(f"--last must be 1 or more, got {arguments.last}")
    outcome = Outcome(arguments.outcome.replace("-", " ")) if arguments.outcome else None
    since = _moment(arguments.since) if arguments.since else None
    cases = book.cases(
        cause=arguments.cause, change=arguments.change, outcome=outcome, since=since, last=arguments.last
    )
    if arguments.cause and not cases:
        _refuse_unknown(arguments.cause)
    return cases


def _refuse_unknown(cause: str) -> None:
    """A cause that is not there may be misspelled."""
    from traindx.diagnosis import knowledge

    known = [each.slug for each in knowledge.causes()]
    if cause not in known:
        raise UnknownNameError("cause", cause, known, todo="traindx causes lists them")


def _moment(text: str) -> "datetime":
    from datetime import datetime

    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise TraindxError(
            f'--since: expected a date such as 2026-07-01 or 2026-07-01T12:00, got "{text}"'
        ) from None
