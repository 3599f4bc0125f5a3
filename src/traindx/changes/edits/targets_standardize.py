"""Targets with mean 0 and deviation 1."""

from traindx.changes.source.arrays import arrays_of, named, place_of, remade
from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.source import Source
from traindx.changes.types import ChangeSpec
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, SCRIPT
from traindx.run import Run

_MEAN, _STD = "target_mean", "target_std"
_OF_NUMBERS = (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "mean_squared_error",
    "mean_absolute_error",
)


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Standardise the targets by their training rows; predictions are then in deviations from the mean."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _OF_NUMBERS:
        raise RefusedError(f"{loss} compares no numbers that could be standardised")
    arrays = arrays_of(source, run, 1)
    rows = arrays.fitted
    statistics = f"{_MEAN}, {_STD} = {rows}.mean(), {rows}.std()"
    undone = f"  # a prediction * {_STD} + {_MEAN} has the old unit"
    parts = remade(source, arrays, [statistics + undone], _standard, [_MEAN, _STD])
    says = f"{named(arrays)} standardised behind {place_of(source, arrays)}"
    return Edited(parts, f"{says}; losses and predictions are in deviations from the mean then")


def _standard(array: str) -> str:
    return f"({array} - {_MEAN}) / {_STD}"


EDIT = Edit(name="targets.standardize", edit=edit, where=(LOSS_PLACE, SCRIPT))
