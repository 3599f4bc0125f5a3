"""Models from files: which kind of file it is, what may be loaded from it, and what runs code of its author.

A state_dict and safetensors hold numbers, and need the model they belong to. TorchScript holds a program in
a language of its own, which torch interprets. A pickled model and a program of `torch.export` (whose loader
unpickles and evaluates what it finds) run Python code of whoever made the file: they are loaded only when
trusted.
"""

import pickle
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import torch
from torch import Tensor, nn

from traindx.errors import TraindxError, UnreadableError, refused
from traindx.exams.batch import told_error
from traindx.format import count, listed

_HOMES = ("model_state_dict", "state_dict", "model", "net", "network", "module", "ema", "params", "weights")
"""Where training scripts keep a model among other things."""
_PREFIXES = ("module.", "_orig_mod.", "model.", "net.")
"""What wrappers put before every name."""
_NAMED = 3
_TRUST = "pass --trust if you trust its author"


class Kind(Enum):
    """What a file of weights is."""

    SAVED = "torch.save"
    SCRIPT = "TorchScript"
    EXPORTED = "torch.export"
    SAFETENSORS = "safetensors"


@dataclass(frozen=True, eq=False)
class Opened:
    """A model with its weights."""

    model: nn.Module
    notes: tuple[str, ...] = field(default_factory=tuple)


def opened(path: str, made: nn.Module | None, *, trust: bool) -> Opened:
    """The model of a checkpoint; `made` is the one to put weights into where the file holds only those."""
    kind = kind_of(path)
    if kind is Kind.SCRIPT:
        return Opened(_scripted(path))
    if kind is Kind.EXPORTED:
        return Opened(_exported(path, trust=trust))
    content = tensors_of(path) if kind is Kind.SAFETENSORS else saved(path, trust=trust)
    model = content if isinstance(content, nn.Module) else _model_among(content)
    if model is not None:
        return Opened(model)
    weights = _state_dict(content)
    if weights is None:
        raise UnreadableError(
            path, "contains neither a model nor a state_dict", "pass a file written by torch.save"
        )
    if made is None:
        todo = "name the model too: --model module:function"
        raise UnreadableError(path, f"contains only weights ({kind.value}), not the model", todo)
    return Opened(made, _filled(made, weights, path))


def kind_of(path: str) -> Kind:
    """What kind of file it is, by its content."""
    file = Path(path)
    if file.is_dir() or not file.exists():
        what = "is a folder" if file.is_dir() else "no such file"
        raise UnreadableError(path, what, "pass the file that your training run saved")
    try:
        file.open("rb").close()
    except OSError as error:
        raise refused(path, error) from error
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            names = {name.partition("/")[2] or name for name in archive.namelist()}
        if "archive_format" in names or "serialized_exported_program.json" in names:
            return Kind.EXPORTED
        is_script = "constants.pkl" in names and any(name.startswith("code/") for name in names)
        return Kind.SCRIPT if is_script else Kind.SAVED
    with file.open("rb") as stream:
        head = stream.read(16)
    # Eight bytes of length, then a JSON object.
    return Kind.SAFETENSORS if head[8:9] == b"{" and not head.startswith(b"\x80") else Kind.SAVED


def saved(path: str, *, trust: bool) -> object:
    """What torch.save wrote: tensors and containers of them, anything else only when trusted."""
    try:
        return torch.load(path, map_location="cpu", weights_only=not trust)
    except pickle.UnpicklingError as error:
        if trust:
            raise _unreadable(path, error) from error
        named = re.search(r"(?:GLOBAL |class )['\"]?([\w.]+)", str(error))
        what = f"contains Python objects ({named.group(1)})" if named else "contains Python objects"
        todo = f"{_TRUST}, or save model.state_dict() and tensors instead"
        raise UnreadableError(path, f"{what}; loading them runs code from the file", todo) from error
    except AttributeError as error:
        # A class is looked up by its name; one of a script is found nowhere else.
        todo = "run traindx in the folder of its module, or save model.state_dict() and use --model"
        raise UnreadableError(path, f"refers to missing code ({told_error(error)})", todo) from error
    except Exception as error:  # a file may be damaged in any way
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> UnreadableError:
    todo = "check that the file is complete and was written by torch"
    return UnreadableError(path, f"cannot be loaded ({told_error(error)})", todo)


def _scripted(path: str) -> nn.Module:
    try:
        return torch.jit.load(path, map_location="cpu")
    except Exception as error:  # a file may be damaged in any way
        raise _unreadable(path, error) from error


def _exported(path: str, *, trust: bool) -> nn.Module:
    if not trust:
        what = "is a torch.export program; loading it can run code from the file"
        raise UnreadableError(path, what, f"{_TRUST}, or pass a state_dict and --model")
    try:
        return torch.export.load(path).module()
    except Exception as error:  # a file may be damaged in any way
        raise _unreadable(path, error) from error


def tensors_of(path: str) -> Mapping[str, Tensor]:
    """The tensors of a safetensors file by name."""
    try:
        from safetensors.torch import load_file
    except ModuleNotFoundError as error:
        raise UnreadableError(path, "needs safetensors", "pip install safetensors") from error
    try:
        return load_file(path)
    except Exception as error:  # a file may be damaged in any way
        todo = "check that the file is complete"
        raise UnreadableError(path, f"cannot be loaded ({told_error(error)})", todo) from error


def _model_among(content: object) -> nn.Module | None:
    members = content if isinstance(content, Mapping) else {}
    return next((members[key] for key in _HOMES if isinstance(members.get(key), nn.Module)), None)


def _state_dict(content: object) -> Mapping[str, Tensor] | None:
    """The weights among what a training script saved: themselves, or under one of the usual names."""
    if not isinstance(content, Mapping):
        return None
    if content and all(isinstance(key, str) for key in content) and any(map(_is_tensor, content.values())):
        return {key: value for key, value in content.items() if _is_tensor(value)}
    inner = [content[key] for key in _HOMES if key in content] + list(content.values())
    return next((nested for value in inner if (nested := _state_dict(value)) is not None), None)


def _is_tensor(value: object) -> bool:
    return isinstance(value, Tensor)


def _filled(model: nn.Module, weights: Mapping[str, Tensor], path: str) -> tuple[str, ...]:
    """Put weights into a model, and say what was not in the file."""
    wanted = set(model.state_dict())
    weights = _renamed(weights, wanted)
    if not wanted & set(weights):
        names = f"({listed(sorted(weights), _NAMED)}) match the model ({listed(sorted(wanted), _NAMED)})"
        raise TraindxError(
            f"{path}: none of its names {names}; name the model it was saved from with --model"
        )
    try:
        result = model.load_state_dict(dict(weights), strict=False)
    except RuntimeError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        says = lines[1] if len(lines) > 1 else lines[0]
        raise TraindxError(
            f"{path}: does not match the model ({says[:200]}); build the model as it was trained"
        ) from error
    sides = (result.missing_keys, "model", "checkpoint"), (result.unexpected_keys, "checkpoint", "model")
    return tuple(
        f"{count(len(names), 'entry', 'entries')} of the {here} missing in the {there}:"
        f" {listed(list(names), _NAMED)}"
        for names, here, there in sides
        if names
    )


def _renamed(weights: Mapping[str, Tensor], wanted: set[str]) -> Mapping[str, Tensor]:
    """Names without what wrappers put before them, where that makes them the model's own."""
    for prefix in _PREFIXES:
        shorter = {name.removeprefix(prefix): value for name, value in weights.items()}
        if len(wanted & set(shorter)) > len(wanted & set(weights)):
            return _renamed(shorter, wanted)
    return weights
