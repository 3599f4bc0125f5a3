"""From what a user names to rows: a path, module:factory, a Dataset, a loader, or arrays."""

import importlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType

import numpy as np

from traindx.errors import TraindxError, UnreadableError, refused
from traindx.exams.data_exam import arrays, live, tables
from traindx.exams.data_exam.data import Raw
from traindx.exams.data_exam.types import TRAINING, VALIDATION
from traindx.format import printable

Parts = tuple[Raw, Raw | None]

_FACTORY = re.compile(r"(?:[A-Za-z_][\w.]*|.+\.py):[A-Za-z_]\w*")
_KINDS = "CSV, TSV, .parquet, .npy, .npz, .pt, a folder of images, or module:factory"
_TABLES = {".csv", ".tsv", ".txt", ".gz", ".data"}


def opened(source: object, target: str | None, most: int, part: str = TRAINING) -> Parts:
    """The rows of a source; a second part where the source itself has one."""
    if isinstance(source, (str, os.PathLike)):
        name = str(os.fspath(source))
        try:
            return _named(name, target, most, part)
        except OSError as error:
            raise refused(str(error.filename or name), error) from error
    return _held(source, target, most, part)


def _named(name: str, target: str | None, most: int, part: str) -> Parts:
    path = Path(name)
    if not path.exists() and _FACTORY.fullmatch(name):
        return _held(made(name), target, most, part)
    if path.is_dir():
        training, validation = arrays.parts_in(path) if part == TRAINING else (path, None)
        held = arrays.read_images(validation, most, VALIDATION) if validation else None
        return arrays.read_images(training, most, part), held
    if not path.is_file():
        raise UnreadableError(name, "no such file", f"use {_KINDS}")
    # Before readers of other formats get it, which tell what cannot be opened from nothing else.
    path.open("rb").close()
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return arrays.read_npy(path, target, most), None
    if suffix == ".npz":
        return arrays.read_npz(path, target, most)
    if suffix in (".pt", ".pth"):
        return arrays.read_pt(path, target, most)
    if suffix in (".parquet", ".pq"):
        return tables.read_parquet(path, target, most), None
    if suffix in _TABLES:
        return tables.read_delimited(path, target, most), None
    raise UnreadableError(name, f"unsupported file type ({suffix or 'no suffix'})", f"use {_KINDS}")


def _held(source: object, target: str | None, most: int, part: str) -> Parts:
    """The rows of an object in memory: a pair of sources or of arrays, or one of them."""
    if isinstance(source, (tuple, list)) and len(source) == 2 and not _is_array(source[0]):
        first, second = source
        held = None if second is None else _one(second, target, most, VALIDATION)
        return _one(first, target, most, part), held
    return _one(source, target, most, part), None


def _one(source: object, target: str | None, most: int, part: str) -> Raw:
    if isinstance(source, (str, os.PathLike)):
        return _named(str(os.fspath(source)), target, most, part)[0]
    if isinstance(source, (tuple, list)) and len(source) == 2 and _is_array(source[0]):
        return _from_arrays(source[0], source[1], most, part)
    if _is_array(source):
        return _from_arrays(source, None, most, part)
    kind = {base.__name__ for base in type(source).__mro__}
    if "DataFrame" in kind:
        return tables.from_frame(source, f"the {part} data", target, most)  # type: ignore[arg-type]  # by its name
    if isinstance(source, Iterable) and "DataLoader" in kind:
        return live.read_loader(source, part, most)
    if isinstance(source, Sequence) or ("Dataset" in kind and "IterableDataset" not in kind):
        return live.read_dataset(source, part, most)  # type: ignore[arg-type]  # a Dataset by its name
    if isinstance(source, Iterable):
        return live.read_stream(source, part, most)
    what = f"is of type {printable(type(source).__name__, 60)}"
    raise UnreadableError(
        f"the {part} data", what, "pass a Dataset, a DataLoader, a DataFrame, arrays or a path"
    )


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray) or any(base.__name__ == "Tensor" for base in type(value).__mro__)


def _from_arrays(inputs: object, targets: object, most: int, part: str) -> Raw:
    numbers = live.as_array(inputs)
    if numbers is None:
        raise UnreadableError(f"the {part} data", "inputs are not numbers", "pass numbers")
    # Labels may be words.
    labels = live.as_array(targets)
    if isinstance(targets, np.ndarray) and targets.dtype.kind == "U":
        labels = targets
    return arrays.from_arrays(f"the {part} data", numbers, labels, most, is_fed=True)


def parameters_of(name: str) -> int:
    """How many parameters the model has that a function returns."""
    model = made(name)
    parameters = getattr(model, "parameters", None)
    if not callable(parameters):
        what = f"returns a {printable(type(model).__name__, 60)}"
        raise TraindxError(f"{name}: {what}, expected a torch module; set --parameters instead")
    return sum(int(parameter.numel()) for parameter in parameters())


def made(name: str) -> object:
    """What the function of module:function or file.py:function returns."""
    path, _, attribute = name.rpartition(":")
    module = _module(name, path)
    factory: Callable[[], object] | None = getattr(module, attribute, None)
    if not callable(factory):
        raise TraindxError(f'{name}: no function "{attribute}" in {path}; name one without arguments')
    try:
        return factory()
    except Exception as error:
        raise _raised(name, "calling it", error) from error


def _module(name: str, path: str) -> ModuleType:
    """The module, looked for next to its file or in the current folder, as Python does."""
    file = Path(path)
    if path.endswith(".py") and not file.is_file():
        raise UnreadableError(name, f"no such file: {path}", "use module:function or file.py:function")
    beside, module = (str(file.resolve().parent), file.stem) if path.endswith(".py") else (os.getcwd(), path)
    sys.path.insert(0, beside)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        todo = "run traindx in the folder of the module, or install it"
        raise TraindxError(f"{name}: {printable(str(error), 200)}; {todo}") from error
    except Exception as error:
        raise _raised(name, "importing it", error) from error
    finally:
        sys.path.remove(beside)


def _raised(name: str, doing: str, error: Exception) -> TraindxError:
    says = f"{type(error).__name__}: {printable(str(error), 200)}"
    return TraindxError(f"{name}: {doing} raises {says}; it must work without arguments")
