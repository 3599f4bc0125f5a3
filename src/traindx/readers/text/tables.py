"""Tables and boxes printed as text.

Boxes have one name and number per row, as Stable-Baselines and Baselines print them; each becomes one line.

---------------------------------
| rollout/           |          |      rollout/ep_rew_mean: 22.3 | time/total_timesteps: 2048
|    ep_rew_mean     | 22.3     |
| time/              |          |
|    total_timesteps | 2048     |
---------------------------------

Tables have a row of names above rows of numbers.

epoch     train_loss  valid_loss  accuracy  time        fastai
0         0.412331    0.391223    0.881200  00:12

  epoch    train_loss    valid_acc    valid_loss     dur      skorch
-------  ------------  -----------  ------------  ------
      1        0.6905       0.5940        0.6847  0.1

            Training |  Validation                    AllenNLP: a row of splits above a row per metric
loss      |     0.510  |     0.543
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from traindx.readers.names.vocabulary import split_of
from traindx.readers.text.lines import HOLE
from traindx.readers.text.message import is_name, message_of, prefix_of
from traindx.readers.text.names import is_known, place_at_end
from traindx.readers.text.patterns import Pair, Pattern, Place, Position
from traindx.run import Split

_BOX_ROW = re.compile(r"\|(?P<indent>\s+)(?P<name>[^\s|](?:[^|]*[^\s|])?)\s*\|\s*(?P<value>[^\s|]*)\s*\|\s*")


def folded(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines, with the rows of every box joined into one line at its end."""
    rows: list[str] = []
    section = ""
    for line in lines:
        row = _BOX_ROW.fullmatch(line) if line[:1] == "|" else None
        if row is None:
            if rows:
                yield " | ".join(rows)
                rows, section = [], ""
            yield line
        elif not row["value"]:
            section = row["name"]
        else:
            inside = section if len(row["indent"]) > 1 else ""
            rows.append(f"{inside}{row['name']}: {row['value']}")
    if rows:
        yield " | ".join(rows)


_CELL = rf"{HOLE}(?::{HOLE})+|-?{HOLE}(?:/{HOLE})?(?:[A-Za-z%]{{1,2}})?|N/A|None|NA|-|#na#"
_ROW = re.compile(rf"[\s|]*(?:all[\s|]+)?(?:{_CELL})(?:[\s|]+(?:{_CELL}))+[\s|]*(?:$|:\s)")
_CELLS = re.compile(rf"\ball\b|{_CELL}")
_METRIC_ROW = re.compile(
    rf"(?P<name>[\w./@% -]+?)\s*\|\s*(?P<cells>(?:{HOLE}|N/A)(?:\s*\|\s*(?:{HOLE}|N/A))+)\s*"
)
_DETECTOR_LOSSES = frozenset("box obj cls GIoU dfl seg kpt kobj l1 landmark".split())
_DETECTOR_METRICS = {"P": "precision", "R": "recall", "Box(P": "precision"}
_TELLING = 2
_RANGE = re.compile(r"(?<=@\.\d):(?=\.\d)")  # mAP@.5:.95
_RULE = re.compile(r"[-=+|:\s\u2500-\u257f]*")
_BAR = re.compile(r"\s*\d+%\|[^|]*\|\s*\d+/\d+ \[[^\]]*\]\s*")
_SHORT_POSITIONS = {"E": Place.EPOCH, "#": Place.STEP, "Ep": Place.EPOCH}


def is_row(shape: str) -> bool:
    """Whether a shape is nothing but cells of numbers."""
    return _ROW.match(shape, prefix_of(shape).end) is not None


def is_metric_row(shape: str) -> bool:
    """Whether a shape is one name and a number for each split."""
    return _METRIC_ROW.fullmatch(shape, prefix_of(shape).end) is not None


def splits_of(shape: str) -> tuple[Split, ...]:
    """The splits that a row of headings names, if it names nothing else."""
    if "|" not in shape:
        return ()
    line = shape[prefix_of(shape).end :]
    split_headings = [
        split_of(heading) if heading else None for heading in re.split(r"\s*\|\s*", line.strip(" |"))
    ]
    splits = [split for split in split_headings if split is not None]
    return tuple(splits) if 2 <= len(splits) == len(split_headings) else ()


def metric_row(shape: str, splits: Sequence[Split]) -> Pattern | None:
    """What the numbers of a row of one metric are, given the splits above them."""
    prefix = prefix_of(shape)
    row = _METRIC_ROW.fullmatch(shape, prefix.end)
    cells = re.split(r"\s*\|\s*", row["cells"].strip()) if row else []
    if row is None or len(cells) != len(splits):
        return None
    hole = shape.count(HOLE, 0, prefix.end)
    pairs: list[Pair] = []
    for cell, split in zip(cells, splits, strict=True):
        if cell == HOLE:
            pairs.append(Pair(row["name"].strip(), hole, split=split, known=is_known(row["name"].strip())))
            hole += 1
    return Pattern(prefix, pairs=tuple(pairs))


def is_heading(line: str, shape: str) -> bool:
    """Whether a line has as many names as a row of some shape has cells, and no numbers of its own."""
    return not is_rule(line) and _headings(line, len(_cells(shape))) is not None


def _cells(shape: str) -> list[str]:
    """The cells of a row."""
    row = _ROW.match(shape, prefix_of(shape).end)
    return _CELLS.findall(row[0]) if row else []


def table_row(shape: str, heading: str) -> Pattern | None:
    """What the numbers of a row are, given the line of names above it."""
    prefix = prefix_of(shape)
    cells = _cells(shape)
    names = _headings(heading, len(cells))
    return _bound(names, cells, shape.count(HOLE, 0, prefix.end), Pattern(prefix)) if names else None


def is_rule(line: str) -> bool:
    """Whether a line only underlines or separates, or is a bar that names nothing."""
    return _RULE.fullmatch(line) is not None or _BAR.fullmatch(line) is not None


def _headings(line: str, count: int) -> list[str] | None:
    """The headings of a table with so many columns, or None if the line is no such row of headings."""
    line = _RANGE.sub("-", re.sub(r":\s+\d+%\|.*", "", line))
    line = line if "|" in line else message_of(line)
    for cut in (r"\s*\|\s*", r"\s{2,}|\t", r"\s+"):
        names = [name.strip() for name in re.split(cut, line.strip(" |\t\r)"))]
        if len(names) == count and all(is_name(name) or name in _SHORT_POSITIONS for name in names):
            return names
    return None


def _in_full(names: Sequence[str]) -> list[str]:
    """The headings of a YOLO, which leaves out that its columns are losses, and shortens its metrics."""
    if len(_DETECTOR_LOSSES.intersection(names)) >= _TELLING:
        return [f"{name}_loss" if name in _DETECTOR_LOSSES or name == "total" else name for name in names]
    return [_DETECTOR_METRICS.get(name, name) for name in names] if "mAP" in "".join(names) else list(names)


def _bound(names: Sequence[str], cells: Sequence[str], hole: int, blank: Pattern) -> Pattern | None:
    positions: list[Position] = []
    pairs: list[Pair] = []
    for name, cell in zip(_in_full(names), cells, strict=True):
        holes = cell.count(HOLE)
        kind = _SHORT_POSITIONS.get(name) or ((position := place_at_end(name)) and position.place)
        if ":" in cell or not holes:
            pass
        elif kind:
            positions.append(Position(kind, name, hole, hole + 1 if holes > 1 else None))
        else:
            sign = -1 if cell.startswith("-") else 1
            unit = cell.rpartition(HOLE)[2]
            pairs.append(Pair(name, hole, sign, unit, known=is_known(name)))
        hole += holes
    if not any(pair.known for pair in pairs):
        return None
    if cells[0] == "all":  # the row of all classes in the table of a detector's evaluation
        pairs, positions = [replace(pair, split=Split.VALIDATION) for pair in pairs], []
    return replace(blank, positions=tuple(positions), pairs=tuple(pairs))
