"""What ReduceLROnPlateau is given, and whether it waits for it to fall or to rise."""

from collections.abc import Callable
from math import isfinite

from torch.optim import lr_scheduler

from traindx.facts import PLATEAU_FIRST, PLATEAU_LAST, PLATEAU_MODE
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.monkeypatch import Patches
from traindx.recorder.recorder import Recorder

_STEPPING = "reading ReduceLROnPlateau"


def install_plateaus(recorder: Recorder, patches: Patches) -> None:
    """Watch its steps: a few in an epoch at most."""
    begun = False

    def stepped(
        original: Callable[..., object],
        scheduler: lr_scheduler.ReduceLROnPlateau,
        *args: object,
        **kwargs: object,
    ) -> object:
        result = original(scheduler, *args, **kwargs)
        given = args[0] if args else kwargs.get("metrics")
        guarded(recorder, _STEPPING, lambda: note(scheduler, given))
        return result

    def note(scheduler: lr_scheduler.ReduceLROnPlateau, given: object) -> None:
        nonlocal begun
        # The scheduler has just read it in the same way.
        value = float(given)  # type: ignore[arg-type]  # whatever it took for a number
        if not isfinite(value):
            return
        recorder.state(PLATEAU_MODE, scheduler.mode)
        if not begun:
            recorder.state(PLATEAU_FIRST, value)
        recorder.state(PLATEAU_LAST, value)
        begun = True

    patches.wrap(lr_scheduler.ReduceLROnPlateau, "step", stepped)
