"""Which logs belong to one run: those of a folder that cannot be two runs.

fit/train/events.1, fit/validation/events.2      one run, split told by the folder
a/progress.csv, a/log.txt                        one run, written twice
a/seed1.csv, a/seed2.csv                         two runs
a/rank-0.traindx, a/rank-1.traindx               two processes: program_run.py makes them one run
out/checkpoint-500/trainer_state.json, ...-1000/ one run, each file repeats the one before
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from traindx.readers.loading.segments import Strand
from traindx.readers.names.vocabulary import split_of
from traindx.readers.types import Log, Reader
from traindx.run import Split

_CONTAINERS = re.compile(r"files|metrics|plots|vis_data|checkpoint[-_]\d+", re.IGNORECASE)
_SPLIT_FOLDERS = re.compile(r"train(ing)?|val(id|idation)?|eval(uation)?|test(ing)?|dev", re.IGNORECASE)
_GENERIC_WORDS = frozenset(
    "metrics metric log logs train training trainer results result progress history output out stdout stderr"
    " err events scalars state run console monitor summary loss losses data epoch best eval val valid"
    " validation test debug wandb internal error errors report".split()
)
_SESSION_FOLDER = re.compile(r"\d{9,}\.\d+")
"""PyTorch's add_hparams writes into a folder named by the time."""
_UNNAMED = re.compile(r"value|column \d+", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class FileLogs:
    """What a reader made of one file."""

    path: str
    reader: Reader
    logs: tuple[Log, ...]
    sureness: float = 1.0


@dataclass(frozen=True, eq=False)
class Bundle:
    """The strands of one run, under the name the user would type for it."""

    name: str
    folder: Path
    strands: tuple[Strand, ...]
    number: int = 1
    """Which of the trainings of its recording it is."""


@dataclass(frozen=True, eq=False)
class _Unit:
    """Logs of one kind that are certainly of one run."""

    path: str
    root: Path
    stem: str
    """Empty where the file's name says nothing of the run."""
    reader: Reader
    strand: Strand


def group(found: Sequence[FileLogs], top: str) -> list[Bundle]:
    """Put the logs found at a path together into runs."""
    bundles = _whole_runs(found, top)
    found = [item for item in found if not _is_whole(item)]
    bundles += _named_runs([item for item in found if _names_its_runs(item)])
    by_root: dict[Path, list[_Unit]] = {}
    for unit in _with_trainer_events(_units([item for item in found if not _names_its_runs(item)], top)):
        by_root.setdefault(unit.root, []).append(unit)
    for root, units in by_root.items():
        clusters = _clusters(units)
        for cluster in clusters:
            alone = len(clusters) == 1 and os.path.isdir(top)
            name = str(root if alone else min(Path(unit.path) for unit in cluster))
            bundles.append(Bundle(name, root, tuple(unit.strand for unit in cluster)))
    return sorted(bundles, key=lambda bundle: _natural(bundle.name))


def _whole_runs(file_logses: Sequence[FileLogs], top: str) -> list[Bundle]:
    """Runs that need no other file; one that is alone in its folder goes by the folder's name."""
    beside = Counter(Path(item.path).parent for item in file_logses)
    bundles: list[Bundle] = []
    for item in filter(_is_whole, file_logses):
        folder = Path(item.path).parent
        path = str(folder) if beside[folder] == 1 and os.path.isdir(top) else item.path
        for number, log in enumerate(item.logs, start=1):
            name = f"{path}:{log.run}" if log.run else path
            bundles.append(Bundle(name, folder, (Strand(item.reader.title, (log,), item.sureness),), number))
    return bundles


def _is_whole(item: FileLogs) -> bool:
    return any(log.whole for log in item.logs)


def _names_its_runs(item: FileLogs) -> bool:
    return any(log.run for log in item.logs)


def _named_runs(file_logses: Iterable[FileLogs]) -> list[Bundle]:
    """Runs that a file names itself; the same name in two files of a folder is one run."""
    strands: dict[tuple[Path, str], list[Strand]] = {}
    names: dict[tuple[Path, str], str] = {}
    for item in file_logses:
        for log in item.logs:
            key = (Path(item.path).parent, log.run)
            strands.setdefault(key, []).append(Strand(item.reader.title, (log,), item.sureness))
            names.setdefault(key, f"{item.path}:{log.run}" if log.run else item.path)
    return [Bundle(names[key], key[0], tuple(parts)) for key, parts in strands.items()]


def _units(file_logses: Sequence[FileLogs], top: str) -> list[_Unit]:
    gathered: dict[tuple[str, str], list[FileLogs]] = {}
    for item in file_logses:
        folder = Path(item.path).parent
        checkpoint = _CONTAINERS.fullmatch(folder.name) and folder.name.lower().startswith("checkpoint")
        if item.reader.spans_folder:
            key = str(folder.parent if _SESSION_FOLDER.fullmatch(folder.name) else folder)
        elif checkpoint:
            key = str(folder.parent)
        else:
            key = item.path
        gathered.setdefault((item.reader.slug, key), []).append(item)
    return [_unit(items, top) for items in gathered.values()]


def _with_trainer_events(units: Sequence[_Unit]) -> list[_Unit]:
    """Hugging Face writes event files to out/runs/DATE_HOST: they belong to the state in out/."""
    states = {unit.root for unit in units if unit.reader.slug == "hf_trainer_state"}
    events = [unit for unit in units if unit.root.parent.name == "runs" and unit.root.parent.parent in states]
    homes = [unit.root.parent.parent for unit in events]
    return [
        replace(unit, root=unit.root.parent.parent)
        if unit in events and homes.count(unit.root.parent.parent) == 1
        else unit
        for unit in units
    ]


def _unit(items: Sequence[FileLogs], top: str) -> _Unit:
    items = sorted(items, key=lambda item: (_begin(item.logs), _natural(item.path)))
    folder, reader = min(Path(item.path).parent for item in items), items[0].reader
    split, part = (None, "") if not reader.spans_folder else _told_by_folder(folder, items, top)
    root = _root(folder.parent if split or part else folder, top)
    stem = "" if reader.spans_folder else _specific(Path(items[0].path).name.split(".")[0])
    logs = tuple(_named_by_file(log) for item in items for log in item.logs)
    return _Unit(
        items[0].path, root, stem, reader, Strand(reader.title, logs, items[0].sureness, split, part)
    )


def _begin(logs: Sequence[Log]) -> float:
    """When the first record of a file was written, 0 where the log has no times."""
    times = [float(c.times[0]) for log in logs for c in log.columns if c.times is not None and len(c.times)]
    return min(times, default=0.0)


def _natural(path: str) -> list[tuple[int, str]]:
    """Order metrics_epoch_9 before metrics_epoch_10."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", path)]


def _told_by_folder(folder: Path, items: Sequence[FileLogs], top: str) -> tuple[Split | None, str]:
    """The split or part a folder of event files stands for, if it is not a run of its own."""
    if folder == Path(top):
        return None, ""
    if _SPLIT_FOLDERS.fullmatch(folder.name):
        return split_of(folder.name), ""
    # PyTorch's add_scalars("loss", {"val": x}) writes the tag "loss" into a folder "loss_val".
    for column in (column for item in items for log in item.logs for column in log.columns):
        prefix = re.sub(r"[/ ]", "_", column.name) + "_"
        if folder.name.startswith(prefix):
            key = folder.name.removeprefix(prefix)
            split = split_of(key)
            return split, "" if split else key
    return None, ""


def _root(folder: Path, top: str) -> Path:
    """The folder of the run: containers such as files/ and plots/metrics/ are left."""
    while folder != Path(top) and folder.name and _CONTAINERS.fullmatch(folder.name):
        folder = folder.parent
    return folder


def _specific(stem: str) -> str:
    """What is left of a file's stem when the words any log file has, and numbers, are taken out."""
    words = [word for word in re.split(r"[\W_]+", stem.lower()) if word]
    if all(word in _GENERIC_WORDS for word in words):
        return ""
    return stem


def _named_by_file(log: Log) -> Log:
    """The one column that has no name of its own is named by its file, as in TensorBoard's CSV downloads."""
    unnamed = [column for column in log.columns if _UNNAMED.fullmatch(column.name)]
    if len(unnamed) != 1:
        return log
    tag = Path(log.source).name.split(".")[0].rpartition("tag-")[2]
    named = tuple(replace(c, name=tag) if c is unnamed[0] else c for c in log.columns)
    return replace(log, columns=named)


def _clusters(units: Sequence[_Unit]) -> list[list[_Unit]]:
    """The runs among the units of one folder."""
    units = _paired_by_split(_with_metrics_joined(units))
    if _no_two_alike(units) and len({unit.stem for unit in units if unit.stem}) <= 1:
        return [list(units)]
    clusters: dict[str, list[_Unit]] = {}
    generic: list[_Unit] = []
    for unit in units:
        if unit.stem:
            clusters.setdefault(unit.stem, []).append(unit)
        else:
            generic.append(unit)
    if not generic:
        return list(clusters.values())
    return [*clusters.values(), *([generic] if _no_two_alike(generic) else [[unit] for unit in generic])]


def _no_two_alike(units: Sequence[_Unit]) -> bool:
    kinds = [(unit.reader.slug, unit.strand.split, unit.strand.part) for unit in units]
    return len(kinds) == len(set(kinds))


def _with_metrics_joined(units: Sequence[_Unit]) -> list[_Unit]:
    """Files of one format that hold a single metric each, all different, are one unit."""
    alike: dict[str, list[_Unit]] = {}
    for unit in units:
        alike.setdefault(unit.reader.slug, []).append(unit)
    return [joined for group in alike.values() for joined in _joined_if_one_metric_each(group)]


def _joined_if_one_metric_each(units: list[_Unit]) -> list[_Unit]:
    logs = tuple(log for unit in units for log in unit.strand.logs)
    names = [column.name for log in logs for column in log.columns]
    if len(units) < 2 or len(names) != len(logs) or len(set(names)) != len(names):
        return units
    return [replace(units[0], stem="", strand=replace(units[0].strand, logs=logs))]


def _paired_by_split(units: Sequence[_Unit]) -> list[_Unit]:
    """`train_log.csv` beside `val_log.csv`: the same name but for the split is the same run."""
    paired: list[_Unit] = []
    for unit in units:
        name = Path(unit.path).name
        split = split_of(Path(unit.path).stem)
        partner = split and any(
            other.reader is unit.reader
            and split_of(Path(other.path).stem) not in (None, split)
            and _without_split(Path(other.path).name) == _without_split(name)
            for other in units
        )
        rest = _specific(_without_split(name).split(".")[0])
        own = replace(unit, stem=rest, strand=replace(unit.strand, split=split))
        paired.append(own if partner and not unit.strand.split else unit)
    return paired


def _without_split(name: str) -> str:
    words = re.split(r"([\W_]+)", name.lower())
    return "".join(word for word in words if split_of(word) is None).strip("_-. ")
