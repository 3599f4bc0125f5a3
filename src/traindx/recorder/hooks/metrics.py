"""Numbers that others report: a framework by name, and what ReduceLROnPlateau is given."""

from collections.abc import Mapping
from math import isfinite
from numbers import Real

from torch import Tensor
from torch.optim import lr_scheduler

from traindx.facts import PLATEAU_FIRST, PLATEAU_LAST, PLATEAU_MODE
from traindx.quantities import EPISODE_LENGTH, OF_POLICIES, REWARD, TRAIN_LOSS
from traindx.readers.names.vocabulary import Meaning, meaning
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.monkeypatch import Function, Patches
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


_STEPPING = "reading ReduceLROnPlateau"


def install_plateaus(recorder: Recorder, patches: Patches) -> None:
    """Watch its steps: a few in an epoch at most."""
    begun = False

    def stepped(
        original: Function, scheduler: lr_scheduler.ReduceLROnPlateau, *args: object, **kwargs: object
    ) -> object:
        result = original(scheduler, *args, **kwargs)
        metric = args[0] if args else kwargs.get("metrics")
        guarded(recorder, _STEPPING, lambda: note(scheduler, metric))
        return result

    def note(scheduler: lr_scheduler.ReduceLROnPlateau, metric: object) -> None:
        nonlocal begun
        # The scheduler has just read it in the same way.
        value = float(metric)  # type: ignore[arg-type]  # whatever it took for a number
        if not isfinite(value):
            return
        recorder.state(PLATEAU_MODE, scheduler.mode)
        if not begun:
            recorder.state(PLATEAU_FIRST, value)
        recorder.state(PLATEAU_LAST, value)
        begun = True

    patches.wrap(lr_scheduler.ReduceLROnPlateau, "step", stepped)
