"""A batch from a file: what torch.save wrote of tensors, .npz, .npy or safetensors."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from traindx.errors import UnreadableError
from traindx.exams.batch import described, told_error
from traindx.exams.checkpoint import Kind, kind_of, saved, tensors_of

_MOST_VALUES: Annotated[int, "values that a sparse tensor is filled up to: half a gigabyte of float32"] = (
    1 << 27
)
_OF_NUMPY = (torch.float16, torch.float32, torch.float64)


def dense(tensor: Tensor, where: str) -> Tensor:
    """The tensor with every value in it, or the sentence that says why it cannot be."""
    if tensor.layout is torch.strided and not tensor.is_nested:
        return tensor
    if tensor.is_nested or tensor.numel() > _MOST_VALUES:
        kind = "nested" if tensor.is_nested else f"sparse ({described(tensor)})"
        raise UnreadableError(where, f"holds a tensor that is {kind}", "save a dense one of fewer rows")
    return tensor.to_dense()


def array_of(tensor: Tensor, where: str) -> NDArray[np.generic]:
    """The values of a tensor of any layout, number format and device."""
    plain = dense(tensor.detach(), where).cpu()
    if plain.is_floating_point() and plain.dtype not in _OF_NUMPY:
        plain = plain.float()
    try:
        array: NDArray[np.generic] = plain.numpy()
    except (TypeError, RuntimeError) as error:  # quantized ones and others that NumPy has no word for
        says = f"holds a tensor that cannot be read ({told_error(error)})"
        raise UnreadableError(where, says, "save it as float32") from error
    return array


_TARGETS = ("y", "labels", "label", "targets", "target")
_ROWS = 64
"""Samples of a batch that is put together here."""


def sample_from(path: str, *, trust: bool) -> object:
    """What a file of samples holds, as a model's batch; data loaders and data sets only when trusted."""
    suffix = Path(path).suffix.lower()
    if suffix in (".npz", ".npy"):
        return _arrays(path)
    if kind_of(path) is Kind.SAFETENSORS:
        return dict(tensors_of(path))
    found = saved(path, trust=trust)
    if isinstance(found, Dataset):
        return DataLoader(found, batch_size=_ROWS, shuffle=False)
    if isinstance(found, np.ndarray):
        return torch.from_numpy(found)
    if not isinstance(found, Tensor | Mapping | tuple | list | DataLoader):
        what = f"holds a {type(found).__name__}"
        raise UnreadableError(path, what, "save (inputs, targets) or a dictionary of tensors with torch.save")
    return _filled(found, path)


def _filled(found: object, path: str) -> object:
    """The same with dense tensors: a sparse one cannot be parted into batches."""
    if isinstance(found, Tensor):
        return dense(found, path)
    if isinstance(found, Mapping):
        return {name: _filled(inner, path) for name, inner in found.items()}
    if isinstance(found, tuple | list):
        filled = [_filled(inner, path) for inner in found]
        return filled if isinstance(found, list) else tuple(filled)
    return found


def _arrays(path: str) -> object:
    if not Path(path).is_file():
        raise UnreadableError(path, "no such file", "give the file that holds the samples")
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return _tensor(loaded)
        arrays = {name: _tensor(loaded[name]) for name in loaded.files}
    except ValueError as error:
        todo = "save arrays of numbers; those of Python objects can run code"
        raise UnreadableError(path, f"cannot be loaded ({told_error(error)})", todo) from error
    except Exception as error:  # a file may be damaged in any way
        raise UnreadableError(path, f"cannot be loaded ({told_error(error)})", "is it whole?") from error
    if not arrays:
        raise UnreadableError(path, "holds no array", "save inputs and targets in it")
    target = next((name for name in arrays if name.lower() in _TARGETS), None)
    if target is None:
        return tuple(arrays.values())
    return (*(value for name, value in arrays.items() if name != target), arrays[target])


def _tensor(array: "np.ndarray[tuple[int, ...], np.dtype[np.generic]]") -> Tensor:
    """An array as torch takes it: numbers of a byte order and size that it knows."""
    native = array.astype(array.dtype.newbyteorder("=")) if array.dtype.byteorder == ">" else array
    unsigned = {np.dtype(np.uint16), np.dtype(np.uint32), np.dtype(np.uint64)}
    return torch.from_numpy(
        np.ascontiguousarray(native.astype(np.int64) if native.dtype in unsigned else native)
    )


def fitted_to(batch: object, dtype: torch.dtype) -> object:
    """The batch in the number format of the model, as far as it is of floating-point numbers."""
    if isinstance(batch, Tensor):
        return batch.to(dtype) if batch.is_floating_point() and batch.dtype is not dtype else batch
    if isinstance(batch, Mapping):
        return {name: fitted_to(inner, dtype) for name, inner in batch.items()}
    if isinstance(batch, tuple | list):
        return tuple(fitted_to(inner, dtype) for inner in batch)
    return batch
