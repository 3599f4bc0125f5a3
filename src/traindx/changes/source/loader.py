"""The data loader of a source."""

import libcst as cst

from traindx.changes.source.calls import calls_at, calls_of
from traindx.changes.source.definition import of_name
from traindx.changes.source.edit import RefusedError
from traindx.changes.source.source import Source
from traindx.changes.source.words import last_name
from traindx.facts import LOADER_PLACE
from traindx.run import Run

_LOADERS = ("DataLoader", "GeometricDataLoader", "FastTensorDataLoader")


def loader_call(source: Source, run: Run) -> cst.Call:
    """The call that makes the loader of the training data; refused where it cannot be told."""
    line = source.line_of(run, LOADER_PLACE)
    if line is None:
        raise RefusedError(f"{source.shown} makes no data loader for training")
    here = calls_at(source, line)
    fits = [one for one in here if last_name(one.func) == "fit"]
    if fits:
        return _of_fit(source, fits[0])
    found = [one for one in here if last_name(one.func) in _LOADERS]
    if len(found) > 1:
        # Two on one line, as in "train, val = DataLoader(...), DataLoader(...)".
        named = [one for one in found if "train" in source.code(one.args[0]).lower()] if found[0].args else []
        found = named
    if len(found) != 1:
        raise RefusedError(
            f"which data loader is the one for training cannot be told at {source.shown}:{line}"
        )
    return found[0]


def _of_fit(source: Source, fit: cst.Call) -> cst.Call:
    """The loader that is given to the trainer of Lightning, or that its module makes for training."""
    given = [one for one in fit.args if one.keyword and one.keyword.value == "train_dataloaders"]
    plain = [one for one in fit.args if not one.keyword]
    value = given[0].value if given else plain[1].value if len(plain) > 1 else None
    if isinstance(value, cst.Name):
        made = of_name(source, value.value, source.scope(value))
        value = made[0].value if len(made) == 1 else None
    if isinstance(value, cst.Call) and last_name(value.func) in _LOADERS:
        return value
    hooks = [one for one in source.all(cst.FunctionDef) if one.name.value == "train_dataloader"]
    found = [call for one in hooks for call in calls_of(source, _LOADERS, one)]
    if len(found) == 1:
        return found[0]
    raise RefusedError(f"which data loader is the one for training cannot be told at {source.place(fit)}")
