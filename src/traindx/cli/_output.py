"""Puts what a command has to say onto the terminal and into files."""

import argparse
import errno
import os
import shutil
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TextIO

from traindx.cli import BAD_INPUT, COLOR, CONDITION_MET, DONE
from traindx.errors import TraindxError
from traindx.format import printable

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.report.blocks import Page

STANDARD_OUTPUT = "-"

Maker = Callable[[], str | bytes | Mapping[str, bytes]]
"""Makes what an output holds, several files of a folder as a mapping; called only where it was asked for."""

Shown = Callable[[Container[str]], str]
"""The text on the terminal, given the outputs that failed."""

LABELS = {"html": "report", "md": "markdown", "json": "data", "png": "picture", "export": "rows"}


def places_of(arguments: argparse.Namespace, names: Mapping[str, str]) -> dict[str, str]:
    """The outputs that were asked for and where each goes; `names`: what each is called in a folder."""
    paths = {option: getattr(arguments, option, None) for option in names}
    folders = {path for path in paths.values() if path not in (None, STANDARD_OUTPUT) and os.path.isdir(path)}
    return {
        option: os.path.join(path, names[option]) if path in folders else path
        for option, path in paths.items()
        if path is not None
    }


def publish(
    command: str,
    places: Mapping[str, str],
    makers: Mapping[str, Maker],
    text: str | Shown = "",
    *,
    met: Sequence[str] = (),
    labels: Mapping[str, str] = LABELS,
    stream: TextIO | None = None,
) -> int:
    """Write every output, show the text, say what failed and which conditions are met; the exit code.

    The text is shown on standard output, or on a stream, unless an output takes its place; below it stands
    where the outputs are.
    """
    failed = attempt({option: partial(write_made, path, makers[option]) for option, path in places.items()})
    if STANDARD_OUTPUT not in places.values():
        out = stream or sys.stdout
        out.write(text if isinstance(text, str) else text(failed))
        out.write(place_lines(places, labels, failed))
    for sentence in (*failed.values(), *met):
        complain(command, sentence)
    return BAD_INPUT if failed else CONDITION_MET if met else DONE


@dataclass(frozen=True)
class Result:
    """What a command came to, in all its outputs."""

    page: "Page"
    summary: str
    """The line that --quiet shows."""
    makers: Mapping[str, Maker]
    """What makes the outputs that are no page."""
    document: "Callable[[], Page] | None" = None
    """Makes the page of files, where it is not the one that is shown."""


def publish_result(
    command: str,
    arguments: argparse.Namespace,
    places: Mapping[str, str],
    result: Result,
    *,
    met: Sequence[str] = (),
    fails: bool = False,
) -> int:
    """Show a result, and write what was asked for; the exit code, 1 also if the result fails."""
    makers = {**page_makers(result.document or (lambda: result.page), arguments), **result.makers}
    code = publish(command, places, makers, page_text(result.page, arguments, result.summary), met=met)
    return CONDITION_MET if code == DONE and fails else code


def page_text(
    page: "Page", arguments: argparse.Namespace, summary: str = "", stream: TextIO | None = None
) -> str:
    """A page for the terminal as --all and --quiet want it; `summary` is its one line."""
    if arguments.quiet:
        return f"{printable(summary, 600)}\n"
    return text_for(page, stream, everything=arguments.all)


def text_for(page: "Page", stream: TextIO | None = None, *, everything: bool = True) -> str:
    """A page as text that fits a stream, standard output unless another is given."""
    from traindx.report import text

    width, color, unicode = terminal_width(stream), colored(stream), takes_unicode(stream)
    return text.write(page, width=width, color=color, everything=everything, unicode=unicode)


def page_makers(page: "Callable[[], Page]", arguments: argparse.Namespace) -> dict[str, Maker]:
    """What makes the outputs that show a page."""

    def markdown() -> str:
        from traindx.report import markdown

        return markdown.write(page(), everything=arguments.all)

    def html() -> str:
        from traindx.report.html.writer import write as write_html

        return write_html(page())

    return {"md": markdown, "html": html}


def text_stream(places: Mapping[str, str]) -> TextIO:
    """Where the text goes that is shown in any case: standard error, if standard output is taken."""
    return sys.stderr if STANDARD_OUTPUT in places.values() else sys.stdout


def write_made(place: str, make: Maker) -> None:
    """Make an output and write it: several files go into a folder, which is made."""
    made = make()
    if not isinstance(made, Mapping):
        write(place, made)
        return
    try:
        os.makedirs(place, exist_ok=True)
    except OSError as error:
        raise unwritable(place, error) from error
    for name, content in made.items():
        write(os.path.join(place, os.path.basename(name)), content)


def attempt(writers: Mapping[str, Callable[[], None]]) -> dict[str, str]:
    """Call every writer, whichever of the others fails; what went wrong, by name."""
    failed = {}
    for name, writer in writers.items():
        try:
            writer()
        except TraindxError as error:
            failed[name] = str(error)
    return failed


def write(place: str, content: str | bytes) -> None:
    """Write to a file, or to standard output for "-"."""
    if place == STANDARD_OUTPUT:
        sys.stdout.write(content if isinstance(content, str) else content.decode())
        return
    try:
        with open(place, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
    except OSError as error:
        raise unwritable(place, error) from error


def unwritable(place: str, error: OSError) -> TraindxError:
    """The sentence for a place that takes no report."""
    return TraindxError(f"{place}: can't write it ({error.strerror}); choose another path")


def place_lines(
    places: Mapping[str, str], labels: Mapping[str, str], failed: Container[str] = frozenset()
) -> str:
    """A line for every output that was written, which says where it is."""
    written = {option: path for option, path in places.items() if option in labels and option not in failed}
    return "".join(f"{labels[option]:<10} {printable(path, 500)}\n" for option, path in written.items())


def refuse_places(places: Mapping[str, str], inputs: Iterable[str], *, before_work: bool = True) -> None:
    """Refuse places that cannot be meant; before work also those that cannot be written."""
    refuse_mixture(places.values())
    refuse_inputs(places.values(), inputs)
    if before_work:
        refuse_unwritable(places.values())


def refuse_inputs(places: Iterable[str], inputs: Iterable[str]) -> None:
    """A report must not destroy what it is about: a log, a script, or the file of file.py:name."""
    files = {
        os.path.realpath(path)
        for source in inputs
        for path in (source, source.rpartition(":")[0])
        if path and source != STANDARD_OUTPUT
    }
    for path in places:
        if path != STANDARD_OUTPUT and os.path.realpath(path) in files:
            raise TraindxError(f"{path}: is an input of this report; choose another path")


def refuse_unwritable(places: Iterable[str]) -> None:
    """A report that has nowhere to go is better known of before the work than after it."""
    for path in places:
        if path == STANDARD_OUTPUT:
            continue
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise unwritable(path, OSError(errno.ENOENT, os.strerror(errno.ENOENT)))
        if not os.access(path if os.path.exists(path) else folder, os.W_OK):
            raise unwritable(path, OSError(errno.EACCES, os.strerror(errno.EACCES)))


def refuse_file(option: str, given: str | None) -> None:
    """A folder named like a picture is a mistake, unless it is already there."""
    if (
        given
        and given.lower().endswith((".png", ".jpg", ".jpeg", ".svg", ".pdf"))
        and not os.path.isdir(given)
    ):
        todo = f"give a folder, such as {option} {os.path.dirname(given) or 'pictures'}"
        raise TraindxError(f"{option} {given}: writes several plots; {todo}")


def refuse_mixture(places: Iterable[str]) -> None:
    """Two documents in one place are none."""
    taken: set[str] = set()
    for path in places:
        if path in taken:
            where = "standard output" if path == STANDARD_OUTPUT else path
            raise TraindxError(f"two reports go to {where}; give each its own path")
        taken.add(path)


def complain(command: str, sentence: object) -> None:
    """Say on standard error what went wrong."""
    sys.stderr.write(f"traindx {command}: {sentence}\n")


def colored(stream: TextIO | None = None) -> bool:
    """Whether a stream takes colors; standard output unless another is given."""
    wished = "never" if os.environ.get("NO_COLOR") else "always" if os.environ.get("FORCE_COLOR") else ""
    choice = os.environ.get(COLOR, wished)
    if choice:
        return choice == "always"
    return (stream or sys.stdout).isatty() and os.environ.get("TERM") != "dumb"


def takes_unicode(stream: TextIO | None = None) -> bool:
    """Whether a stream can show more than ASCII: curves are drawn with other letters where it cannot."""
    encoding = getattr(stream or sys.stdout, "encoding", None)
    return (encoding or "utf-8").lower().replace("-", "").startswith("utf")


def open_in_browser(page: str) -> None:
    """Show a page; where there is no browser, its path was printed."""
    import webbrowser
    from pathlib import Path

    webbrowser.open(Path(page).absolute().as_uri())


def terminal_width(stream: TextIO | None = None) -> int:
    """The columns to fill: those of the terminal, 80 in a pipe, never more than a person reads."""
    if stream is not None and stream.isatty() and not os.environ.get("COLUMNS"):
        return min(os.get_terminal_size(stream.fileno()).columns or 80, 120)
    return min(shutil.get_terminal_size((80, 24)).columns, 120)
