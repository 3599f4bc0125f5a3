"""A folder of images, one subfolder for each class."""

from pathlib import Path
from typing import Annotated

import numpy as np

from traindx.errors import TraindxError, UnreadableError
from traindx.exams.data_exam.dataset.raw import Array, Raw, rows_of
from traindx.exams.data_exam.types import TRAINING, VALIDATION
from traindx.finding import Row, RowKind
from traindx.format import count

_SUFFIXES = {".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff", ".ppm", ".pgm"}
_SIDE: Annotated[int, "pixels of a side to which images are made smaller: enough to know one again"] = 32
_PARTS = {TRAINING: ("train", "training"), VALIDATION: ("val", "valid", "validation", "test")}


def parts_in(folder: Path) -> tuple[Path, Path | None]:
    """The folders of training and validation, where they stand side by side in this one."""
    inside = {one.name.lower(): one for one in folder.iterdir() if one.is_dir()}
    found = {part: next((inside[n] for n in names if n in inside), None) for part, names in _PARTS.items()}
    training = found[TRAINING]
    return (folder, None) if training is None else (training, found[VALIDATION])


def read_images(folder: Path, most: int, part: str = TRAINING) -> Raw:
    """Every image of every class at one small size, in RGB or grey as most of them are."""
    files = [
        (file, one.name)
        for one in sorted(folder.iterdir())
        if one.is_dir()
        for file in sorted(one.rglob("*"))
        if file.suffix.lower() in _SUFFIXES
    ]
    if not files:
        what = "has no subfolder with images"
        raise UnreadableError(str(folder), what, "an image folder holds one folder for each class")
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
            str(folder), f"none of its {count(len(files), 'image')} can be read", "look at one"
        )
    note = f"{len(rows):,} of {count(len(files), 'image')} were looked at, evenly spaced; --rows takes more"
    return Raw(
        inputs=_stacked([pixels for *_, pixels in read]),
        targets=np.array([name for _, name, *_ in read]),
        rows=np.array([row for row, *_ in read]),
        total=len(files),
        items=tuple(where for _, _, where, _ in read),
        has_order=False,
        broken=tuple(broken),
        notes=(note,) if len(rows) < len(files) else (),
    )


def _pixels(file: Path) -> Array | None:
    """The image at the small size, as height, width and one or three channels; None if it is damaged."""
    try:
        from PIL import Image
    except ImportError as error:
        raise TraindxError(f"{file}: images need Pillow: pip install traindx[exams]") from error
    try:
        with Image.open(file) as image:
            # JPEG is decoded at an eighth of its size where that is enough.
            image.draft("RGB", (_SIDE, _SIDE))
            grey = image.mode in ("1", "L", "I", "I;16", "F")
            small = image.convert("L" if grey else "RGB").resize((_SIDE, _SIDE), Image.Resampling.BOX)
            pixels = np.asarray(small)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
    return pixels[:, :, None] if grey else pixels


def _stacked(images: list[Array]) -> Array:
    """One array of images; grey ones among coloured ones get three equal channels."""
    channels = max(image.shape[2] for image in images)
    return np.stack([np.repeat(one, channels // one.shape[2], axis=2) for one in images])
