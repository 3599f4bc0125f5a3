"""What a person names on the command line: the code of a model or a loss function, and samples."""

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

from traindx.errors import TraindxError, UnknownNameError, UnreadableError
from traindx.exams.batch import described, mapped, told_error
from traindx.exams.checkpoint import Kind, kind_of, saved, tensors_of
from traindx.exams.objective import NAMED, Loss
from traindx.recorder.hooks.calls import LOSS_FUNCTIONS


def made_by(spec: str) -> nn.Module:
    """The model that "module:function" or "file.py:Class" makes, called without arguments."""
    maker = code_named(spec, "--model", "net:Net, or train.py:build_model")
    if isinstance(maker, nn.Module):
        return maker
    if not callable(maker):
        raise TraindxError(f"--model {spec} is a {type(maker).__name__}; name a class, a function or a model")
    todo = "name a function without arguments that returns the model"
    made = _called(maker, f"--model {spec}", todo)
    if not isinstance(made, nn.Module):
        raise TraindxError(
            f"--model {spec} returns a {type(made).__name__}; it must return a torch.nn.Module"
        )
    return made


def loss_named(spec: str | None) -> Loss | str | None:
    """A loss function by its name, or from code as "module:function"; a class is called without arguments."""
    if spec is None or (":" not in spec and spec in (*NAMED, *LOSS_FUNCTIONS)):
        return spec
    if ":" not in spec:
        raise UnknownNameError(
            "loss function",
            spec,
            (*NAMED, *LOSS_FUNCTIONS),
            todo=f"use {', '.join(NAMED)}, or module:function for your own",
        )
    loss = code_named(spec, "--loss", "losses:focal_loss")
    if isinstance(loss, type) and issubclass(loss, nn.Module):
        return cast("Loss", loss())
    if not callable(loss):
        raise TraindxError(f"--loss {spec} is a {type(loss).__name__}; name a function of output and target")
    return cast("Loss", loss)


def samples_named(spec: str) -> object:
    """The samples that "module:function" returns, or that the name refers to."""
    samples = code_named(spec, "--data", "train.py:sample_batch")
    if not callable(samples) or isinstance(samples, nn.Module):
        return samples
    todo = "name a function without arguments that returns (inputs, targets)"
    return _called(samples, f"--data {spec}", todo)


def _called(maker: Callable[[], object], named: str, todo: str) -> object:
    try:
        return maker()
    except Exception as error:  # code of the user's own
        raise TraindxError(f"{named}: fails ({told_error(error)}); {todo}") from error


def code_named(spec: str, option: str, example: str) -> object:
    """What "module:name" or "file.py:name" names; modules are found from the folder one is in."""
    where, colon, name = spec.rpartition(":")
    if not colon or not where or not name:
        raise TraindxError(f'{option}: expected module:name, got "{spec}"; for example {option} {example}')
    module = _module(where, option, spec)
    value: object = module
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            raise TraindxError(f'{option} {spec}: no "{name}" in {where}; check the spelling')
    return value


def _module(where: str, option: str, spec: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    # A script that reads its arguments as it is imported must not find ours.
    typed, sys.argv = sys.argv, [where]
    try:
        return _of_file(where) if where.endswith(".py") else import_module(where)
    except FileNotFoundError as error:
        raise TraindxError(f"{option} {spec}: no such file: {where}; check the path") from error
    except (Exception, SystemExit) as error:  # code of the user's own
        todo = "run traindx in the folder its imports start from"
        raise TraindxError(
            f"{option} {spec}: importing {where} fails ({told_error(error)}); {todo}"
        ) from error
    finally:
        sys.argv = typed


def _of_file(path: str) -> ModuleType:
    """A script as a module: what it does only when it is run, it does not do."""
    if not os.path.isfile(path):
        raise FileNotFoundError(path)
    name = os.path.splitext(os.path.basename(path))[0]
    known = sys.modules.get(name)
    if known is not None and os.path.realpath(getattr(known, "__file__", None) or "") == os.path.realpath(
        path
    ):
        return known
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Under its own name: what it pickled, and its own imports, find it there.
    sys.modules.setdefault(name, module)
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    cast("Callable[[ModuleType], None]", spec.loader.exec_module)(module)
    return module


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
        raise UnreadableError(where, f"contains a {kind} tensor", "save a dense one with fewer rows")
    return tensor.to_dense()


def array_of(tensor: Tensor, where: str) -> NDArray[np.generic]:
    """The values of a tensor of any layout, number format and device."""
    plain = dense(tensor.detach(), where).cpu()
    if plain.is_floating_point() and plain.dtype not in _OF_NUMPY:
        plain = plain.float()
    try:
        array: NDArray[np.generic] = plain.numpy()
    except (TypeError, RuntimeError) as error:  # quantized ones and others that NumPy has no word for
        says = f"contains a tensor that cannot be read ({told_error(error)})"
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
    sample = saved(path, trust=trust)
    if isinstance(sample, Dataset):
        return DataLoader(sample, batch_size=_ROWS, shuffle=False)
    if isinstance(sample, np.ndarray):
        return torch.from_numpy(sample)
    if not isinstance(sample, Tensor | Mapping | tuple | list | DataLoader):
        what = f"contains a {type(sample).__name__}"
        raise UnreadableError(path, what, "save (inputs, targets) or a dictionary of tensors with torch.save")
    # A sparse tensor cannot be parted into batches.
    return mapped(sample, lambda tensor: dense(tensor, path))


def _arrays(path: str) -> object:
    if not Path(path).is_file():
        raise UnreadableError(path, "no such file", "pass a file with samples")
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return _tensor(loaded)
        arrays = {name: _tensor(loaded[name]) for name in loaded.files}
    except ValueError as error:
        todo = "save numeric arrays; pickled Python objects are not loaded"
        raise UnreadableError(path, f"cannot be loaded ({told_error(error)})", todo) from error
    except Exception as error:  # a file may be damaged in any way
        todo = "check that the file is complete"
        raise UnreadableError(path, f"cannot be loaded ({told_error(error)})", todo) from error
    if not arrays:
        raise UnreadableError(path, "contains no array", "save inputs and targets in it")
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
    return mapped(batch, lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)
