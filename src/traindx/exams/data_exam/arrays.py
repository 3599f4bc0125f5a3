"""Arrays in files and in memory, .npy, .npz and .pt, and folders of images; nothing is unpickled."""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
from numpy.lib.npyio import NpzFile

from traindx.errors import TraindxError, UnreadableError
from traindx.exams.data_exam.data import Array, Raw, keyed, keys_of, rows_of, sampled, thinned
from traindx.exams.data_exam.types import TRAINING, VALIDATION
from traindx.finding import Row, RowKind
from traindx.format import count, printable

Parts = tuple[Raw, Raw | None]


def read_npy(path: Path, target: str | None, most: int) -> Raw:
    """One array; --target may name a column of it, or another .npy file with the labels."""
    array = _array(path)
    if target is None:
        note = "no target; set --target COLUMN or --target LABELS.npy"
        return from_arrays(str(path), array, None, most, notes=(note,))
    if target.endswith(".npy"):
        return from_arrays(str(path), array, _array(Path(target)), most)
    if not target.removeprefix("-").isdecimal() or array.ndim != 2 or int(target) >= array.shape[1]:
        what = f'--target "{printable(target)}" is not one of its columns'
        raise UnreadableError(str(path), what, "use a column number from 0, or a .npy file with the labels")
    column = int(target) % array.shape[1]
    rest = np.delete(array, column, axis=1)
    return from_arrays(str(path), rest, array[:, column], most)


def read_npz(path: Path, target: str | None, most: int) -> Parts:
    """Arrays by name: x and y, or x_train, y_train and x_val or x_test with their y."""
    named: dict[str, Array] = {}
    # Opened here: NumPy leaves a damaged file open.
    with path.open("rb") as file:
        try:
            archive: Array | NpzFile = np.load(file, allow_pickle=False)
            if isinstance(archive, np.ndarray):
                raise UnreadableError(str(path), "is a single array", "rename it to .npy")
            for name in archive:
                named[name] = archive[name]
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise _unreadable(path, is_objects="Object arrays" in str(error)) from error
    return from_named(str(path), named, target, most)


def read_pt(path: Path, target: str | None, most: int) -> Parts:
    """Tensors as torch saves them: one, a pair, or several by name; loaded without running any code."""
    try:
        import torch
    except ImportError as error:
        raise TraindxError(f"{path}: reading it needs torch; pip install torch") from error
    from traindx.exams.input_specs import array_of

    where = str(path)
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        # torch raises its own, pickle's, zipfile's and plain RuntimeErrors here.
        what = "contains more than tensors, or is damaged"
        todo = "save a tensor, a pair (x, y) or a dict of tensors; pass a Dataset as module:factory"
        raise UnreadableError(where, what, todo) from error
    if isinstance(content, torch.Tensor):
        note = "no target: the file has a single tensor"
        return from_arrays(where, array_of(content, where), None, most, notes=(note,)), None
    if (
        isinstance(content, (tuple, list))
        and content
        and all(isinstance(tensor, torch.Tensor) for tensor in content)
    ):
        inputs, *more = (array_of(tensor, where) for tensor in content[:2])
        return from_arrays(where, inputs, more[0] if more else None, most), None
    if isinstance(content, Mapping):
        tensors = {str(name): tensor for name, tensor in content.items() if isinstance(tensor, torch.Tensor)}
        if tensors:
            named = {name: array_of(tensor, where) for name, tensor in tensors.items()}
            return from_named(where, named, target, most)
    raise UnreadableError(where, "contains no tensors", "save a tensor, a pair (x, y) or a dict of tensors")


def from_named(where: str, arrays: Mapping[str, Array], target: str | None, most: int) -> Parts:
    """The parts that the names of arrays tell apart."""
    names = list(arrays)
    held, held_labels = keyed(names, VALIDATION)
    inputs, labels = keyed(names, TRAINING)
    notes: tuple[str, ...] = ()
    if inputs is None:
        inputs, labels = keys_of(where, [name for name in names if name not in (held, held_labels)], target)
        notes = (f"inputs: {printable(inputs, 40)}; target: {printable(labels or 'none', 40)}",)
    training = from_arrays(where, arrays[inputs], _of(arrays, labels), most, notes=notes)
    if held is None:
        return training, None
    return training, from_arrays(f"{where} ({held})", arrays[held], _of(arrays, held_labels), most)


def from_arrays(
    where: str,
    inputs: Array,
    targets: Array | None,
    most: int,
    *,
    is_fed: bool = False,
    notes: tuple[str, ...] = (),
) -> Raw:
    """Inputs and targets, or the reason why they cannot be used."""
    if inputs.ndim == 0 or not len(inputs):
        raise UnreadableError(where, "has no rows", "pass data to examine")
    if inputs.dtype.kind not in "biuf":
        raise UnreadableError(where, f"inputs have dtype {inputs.dtype}", "pass numbers")
    if targets is not None and len(targets) != len(inputs):
        what = f"has {count(len(inputs), 'input row')} but {count(len(targets), 'target')}"
        raise UnreadableError(where, what, "both must have the same length")
    row_bytes = max(inputs[:1].nbytes, 8 * int(np.prod(inputs.shape[1:])) if inputs.ndim < 3 else 0)
    rows = rows_of(len(inputs), min(row_bytes, 1 << 17), most)
    is_sample = len(rows) < len(inputs)
    kept = thinned(inputs)
    kept = np.ascontiguousarray(kept[rows] if is_sample else kept)
    return Raw(
        inputs=kept.reshape(-1, 1) if kept.ndim == 1 else kept,
        targets=None if targets is None else _squeezed(np.asarray(targets)[rows]),
        rows=rows,
        total=len(inputs),
        is_fed=is_fed,
        notes=(*notes, sampled(len(rows), len(inputs))) if is_sample else notes,
    )


def _squeezed(targets: Array) -> Array:
    return targets[:, 0] if targets.ndim == 2 and targets.shape[1] == 1 else targets


def _array(path: Path) -> Array:
    try:
        # Mapped, so that of a large file only the rows that are looked at are read.
        array: Array | NpzFile = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise _unreadable(path, is_objects="Python objects" in str(error)) from error
    if isinstance(array, np.ndarray):
        return array
    array.close()
    raise UnreadableError(str(path), "contains several arrays", "rename it to .npz")


def _unreadable(path: Path, *, is_objects: bool) -> UnreadableError:
    what = "contains Python objects, which are not loaded" if is_objects else "not a readable NumPy file"
    return UnreadableError(str(path), what, "save a numeric array with numpy.save")


def _of(arrays: Mapping[str, Array], name: str | None) -> Array | None:
    return None if name is None else arrays[name]


_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm"}
_SIDE: Annotated[int, "pixels of a side to which images are made smaller: enough to know one again"] = 32
_PARTS = {TRAINING: ("train", "training"), VALIDATION: ("val", "valid", "validation", "test")}


def parts_in(folder: Path) -> tuple[Path, Path | None]:
    """The folders of training and validation, where they stand side by side in this one."""
    inside = {path.name.lower(): path for path in folder.iterdir() if path.is_dir()}
    paths = {part: next((inside[n] for n in names if n in inside), None) for part, names in _PARTS.items()}
    training = paths[TRAINING]
    return (folder, None) if training is None else (training, paths[VALIDATION])


def read_images(folder: Path, most: int, part: str = TRAINING) -> Raw:
    """Every image of every class at one small size, in RGB or gray as most of them are."""
    files = [
        (file, path.name)
        for path in sorted(folder.iterdir())
        if path.is_dir()
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in _SUFFIXES
    ]
    if not files:
        what = "has no subfolder with images"
        raise UnreadableError(str(folder), what, "use one subfolder per class")
    rows = rows_of(len(files), _SIDE * _SIDE * 3, most)
    read, broken = [], []
    for row in rows:
        file, name = files[row]
        pixels = _pixels(file)
        where = str(file.relative_to(folder))
        if pixels is None:
            broken.append(Row(RowKind.SAMPLE, where, part, int(row), "cannot be read as an image"))
        else:
            read.append((int(row), name, where, pixels))
    if not read:
        raise UnreadableError(
            str(folder), f"none of its {count(len(files), 'image')} can be read", "open one to see why"
        )
    return Raw(
        inputs=_stacked([pixels for *_, pixels in read]),
        targets=np.array([name for _, name, *_ in read]),
        rows=np.array([row for row, *_ in read]),
        total=len(files),
        items=tuple(where for _, _, where, _ in read),
        has_order=False,
        broken=tuple(broken),
        notes=(sampled(len(rows), len(files), "image"),) if len(rows) < len(files) else (),
    )


def _pixels(file: Path) -> Array | None:
    """The image at the small size, as height, width and one or three channels; None if it is damaged."""
    try:
        from PIL import Image
    except ImportError as error:
        raise TraindxError(f"{file}: reading images needs Pillow; pip install pillow") from error
    try:
        with Image.open(file) as image:
            # JPEG is decoded at an eighth of its size where that is enough.
            image.draft("RGB", (_SIDE, _SIDE))
            gray = image.mode in ("1", "L", "I", "I;16", "F")
            small = image.convert("L" if gray else "RGB").resize((_SIDE, _SIDE), Image.Resampling.BOX)
            pixels = np.asarray(small)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return pixels[:, :, None] if gray else pixels


def _stacked(images: list[Array]) -> Array:
    """One array of images; gray ones among colored ones get three equal channels."""
    channels = max(image.shape[2] for image in images)
    return np.stack([np.repeat(image, channels // image.shape[2], axis=2) for image in images])
