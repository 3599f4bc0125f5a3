"""Code that a person names on the command line: a model's class or function, a loss function."""

import importlib.util
import os
import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import cast

from torch import nn

from traindx.errors import TraindxError
from traindx.exams.batch import told_error
from traindx.exams.objective import NAMED, Loss
from traindx.recorder.hooks.loss_functions import NAMES


def made_by(spec: str) -> nn.Module:
    """The model that "module:function" or "file.py:Class" makes, called without arguments."""
    maker = found(spec, "--model", "net:Net, or train.py:build_model")
    if isinstance(maker, nn.Module):
        return maker
    if not callable(maker):
        raise TraindxError(
            f"--model {spec}: is a {type(maker).__name__}; name a class, a function or a model"
        )
    try:
        made = maker()
    except Exception as error:  # code of the user's own
        todo = "write a function without arguments that returns the model, and name that"
        raise TraindxError(f"--model {spec}: fails ({told_error(error)}); {todo}") from error
    if not isinstance(made, nn.Module):
        raise TraindxError(
            f"--model {spec}: gives a {type(made).__name__}; it has to return a torch.nn.Module"
        )
    return made


def loss_named(spec: str | None) -> Loss | str | None:
    """A loss function by its name, or from code as "module:function"; a class is called without arguments."""
    if spec is None or (":" not in spec and spec in (*NAMED, *NAMES)):
        return spec
    if ":" not in spec:
        raise TraindxError(f"--loss {spec}: give {', '.join(NAMED)}, another of torch's, or module:function")
    given = found(spec, "--loss", "losses:focal_loss")
    if isinstance(given, type) and issubclass(given, nn.Module):
        return cast("Loss", given())
    if not callable(given):
        raise TraindxError(
            f"--loss {spec}: is a {type(given).__name__}; name a function of output and target"
        )
    return cast("Loss", given)


def samples_named(spec: str) -> object:
    """The samples that "module:function" gives, or that stand there under the name."""
    given = found(spec, "--data", "train.py:sample_batch")
    if not callable(given) or isinstance(given, nn.Module):
        return given
    try:
        return given()
    except Exception as error:  # code of the user's own
        todo = "write a function without arguments that returns (inputs, targets)"
        raise TraindxError(f"--data {spec}: fails ({told_error(error)}); {todo}") from error


def found(spec: str, option: str, example: str) -> object:
    """What "module:name" or "file.py:name" names; modules are found from the folder one is in."""
    where, colon, name = spec.rpartition(":")
    if not colon or not where or not name:
        raise TraindxError(f"{option} {spec}: names no code; for example {option} {example}")
    module = _module(where, option, spec)
    value: object = module
    for part in name.split("."):
        value = getattr(value, part, None)
        if value is None:
            raise TraindxError(f"{option} {spec}: {where} has no {name}; check the spelling")
    return value


def _module(where: str, option: str, spec: str) -> ModuleType:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return _of_file(where) if where.endswith(".py") else import_module(where)
    except FileNotFoundError as error:
        raise TraindxError(f"{option} {spec}: no file {where}; check the spelling and the folder") from error
    except Exception as error:  # code of the user's own
        todo = "run it from the folder that its imports start at"
        raise TraindxError(
            f"{option} {spec}: importing {where} fails ({told_error(error)}); {todo}"
        ) from error


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
