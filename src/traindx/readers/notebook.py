r"""Jupyter notebooks (`.ipynb`). The output of the cells is read, the source code is not.

{"cells": [{"cell_type": "code", "source": ["train_loss = 0.\n", "for epoch in range(3): ..."], "outputs": [
  {"output_type": "stream", "name": "stdout", "text": ["Epoch 1: loss 0.91\n", "Epoch 2: loss 0.64\n"]}]}]}

Output is read like the text of a console. Tables that fastai and the Hugging Face Trainer draw as HTML are
read row by row; pictures and widgets hold no numbers. The code tells which libraries it imports, and settings
that it states as plain numbers, such as `BATCH_SIZE = 64`. An error counts if the training cell ended in it.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from html.parser import HTMLParser

from traindx.curves import traits
from traindx.errors import UnreadableError
from traindx.facts import LIBRARIES
from traindx.readers.names.compounds import HUMP
from traindx.readers.names.vocabulary import fact_of
from traindx.readers.text.lines import lines_in
from traindx.readers.text.log import log_of_lines
from traindx.readers.types import Log, Reader, Source
from traindx.run import Scalar

_OPENING = re.compile(rb"\s*\{\s*\"(?:cells|metadata|nbformat|worksheets)\"")
_MEASURED = re.compile(r"(?i)(?:loss|acc|score|reward|epoch|step|iter)\w*[^\w\n]{1,40}\d")
_COUNTED = re.compile(r"(?i)epoch|step|iter")


def recognizes(source: Source) -> float:
    """Sure of a JSON object with cells of code or text."""
    is_notebook = _OPENING.match(source.head) and b'"cell_type"' in source.head
    return 0.97 if is_notebook else 0.0


def read(source: Source) -> Iterator[Log]:
    """One log: the output of all cells in order."""
    try:
        document = json.loads(source.read())
    except (ValueError, RecursionError) as error:
        raise UnreadableError(source.path, "not JSON", "check that the notebook is complete") from error
    cells = [cell for cell in _cells(document) if cell.get("cell_type") == "code"]
    outputs = [text for cell in cells if (text := _output(cell))]
    if not outputs:
        raise UnreadableError(
            source.path, "a notebook without output", "run its cells and save it, or choose a log"
        )
    codes = [_text(cell.get("source", cell.get("input", ""))) for cell in cells]
    libraries = _libraries_in(codes)
    yield log_of_lines(
        source.path,
        lines_in("".join(outputs)),
        _settings_in(codes),
        {LIBRARIES: ", ".join(libraries)} if libraries else {},
    )


def _cells(document: object) -> Iterator[Mapping[str, object]]:
    """The cells of a notebook; before version 4 of the format they stood in worksheets."""
    if not isinstance(document, dict):
        return
    sheets = document.get("worksheets")
    for holder in [document, *(sheets if isinstance(sheets, list) else [])]:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        yield from (cell for cell in cells if isinstance(cell, dict)) if isinstance(cells, list) else ()


def _output(cell: Mapping[str, object]) -> str:
    """What a cell printed, and the error it ended in."""
    printed = ""
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else []:
        if isinstance(output, dict):
            printed += _printed(output, printed)
    return printed if not printed or printed.endswith("\n") else f"{printed}\n"


def _printed(output: Mapping[str, object], before: str) -> str:
    kind = output.get("output_type")
    if kind == "stream":
        return _text(output.get("text"))
    if kind in ("error", "pyerr"):
        says = f"{output.get('ename')}: {output.get('evalue')}".split("\n")[0]
        # Cells that only prepare or draw something may fail without the training.
        failed = f"\nTraceback (most recent call last):\n{says}\n"
        return failed if _MEASURED.search(before) else ""
    data = output.get("data", output)
    if not isinstance(data, dict):
        return ""
    rows = _rows(_text(data.get("text/html", data.get("html"))))
    if rows or kind not in ("execute_result", "pyout"):
        return f"\n{rows}" if rows else ""
    return "\n" + _text(data.get("text/plain", data.get("text"))) + "\n"


def _text(lines: object) -> str:
    """A text, which notebooks may keep as a list of lines."""
    if isinstance(lines, list):
        return "".join(line for line in lines if isinstance(line, str))
    return lines if isinstance(lines, str) else ""


class _Table(HTMLParser):
    """The rows of the tables in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._is_open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
            self._is_open = True

    def handle_endtag(self, tag: str) -> None:
        """End a cell."""
        if tag in ("td", "th", "tr"):
            self._is_open = False

    def handle_data(self, data: str) -> None:
        """Take the text of a cell."""
        if self._is_open and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def _rows(page: str) -> str:
    """A table of results as lines of text; nothing if its first column counts no steps or epochs."""
    if "<t" not in page:
        return ""
    table = _Table()
    with suppress(AssertionError):  # what the parser raises on some broken markup
        table.feed(page)
    rows = [row for row in table.rows if len(row) > 1]
    if not rows or not _COUNTED.match(rows[0][0]):
        return ""
    return "".join(" | ".join(cell or "-" for cell in row) + "\n" for row in rows)


_TELLING = tuple(name for _, names in traits.LIBRARIES for name in names.split())
_MAGIC = re.compile(r"(?m)^\s*[!%?].*$")


def _libraries_in(codes: Sequence[str]) -> tuple[str, ...]:
    """The libraries that cells import and that train one kind of thing."""
    imported = {name for code in codes for node in _statements(code) for name in _imported(node)}
    return tuple(name for name in _TELLING if name in imported)


def _settings_in(codes: Sequence[str]) -> dict[str, Scalar]:
    """The names of settings to which cells assign a number or a word, always the same one."""
    stated: dict[str, set[Scalar]] = {}
    for node in (node for code in codes for node in _statements(code)):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)):
            continue
        value = node.value.value
        for target in node.targets:
            if isinstance(target, ast.Name) and isinstance(value, str | int | float) and fact_of(target.id):
                stated.setdefault(target.id, set()).add(value)
    return {name: values.pop() for name, values in stated.items() if len(values) == 1}


def _statements(code: str) -> list[ast.stmt]:
    """The statements of a cell, magic commands left out; none where it is no Python."""
    try:
        return ast.parse(_MAGIC.sub("", code)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _imported(node: ast.stmt) -> Iterator[str]:
    """The modules that a statement imports, with those above them, and those a class is known to be in."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _with_parents(alias.name)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield from _with_parents(node.module)
        for alias in node.names:
            yield f"{node.module}.{alias.name}"
            # `from trl import GRPOTrainer` loads trl.trainer.grpo_trainer.
            home = HUMP.sub("_", alias.name).lower()
            root = node.module.partition(".")[0]
            yield from (n for n in _TELLING if n.startswith(f"{root}.") and n.endswith(f".{home}"))


def _with_parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    yield from (".".join(parts[: end + 1]) for end in range(len(parts)))


READER = Reader("notebook", "Jupyter notebook", recognizes, read)
