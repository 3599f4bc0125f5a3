"""Numbers that a framework reports by name, told under their meaning."""

from collections.abc import Mapping
from numbers import Real

from torch import Tensor

from traindx.quantities import EPISODE_LENGTH, OF_POLICIES, REWARD, TRAIN_LOSS
from traindx.readers.names.vocabulary import Meaning, meaning
from traindx.recorder.recorder import Recorder
from traindx.run import Split

_WITHOUT_SPLIT = OF_POLICIES | {EPISODE_LENGTH, REWARD}
_REPORTED = "reported"
"""Apart from what is measured on single batches, which the recorder does itself."""


def report(recorder: Recorder, numbers: Mapping[str, object], split: Split | None = None) -> None:
    """Tell losses and metrics; `split` is that of the place where names without one were reported."""
    for name, value in numbers.items():
        meant, number = meaning(name, split), _number(value)
        if meant is None or number is None or not _is_news(meant):
            continue
        whole = meant.quantity.split is Split.TRAIN and not meant.part
        recorder.metric(meant.quantity, number, _REPORTED if whole else meant.part)


def _is_news(meant: Meaning) -> bool:
    """Whether the recorder does not know it better, as it does the losses of steps, rates and times."""
    if meant.layer or (meant.quantity is TRAIN_LOSS and not meant.part):
        return False
    return meant.quantity.split is not None or meant.quantity in _WITHOUT_SPLIT


def _number(value: object) -> float | None:
    if isinstance(value, Tensor):
        return float(value.detach()) if value.numel() == 1 else None
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else None
