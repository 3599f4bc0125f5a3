"""Between which learning rates the recipes of an optimizer lie."""

from traindx.curves.schedule import rate_of
from traindx.curves.stated import stated_number, stated_word
from traindx.facts import MOMENTUM, OPTIMIZER
from traindx.run import Run

_ADAPTIVE = (1e-4, 1e-2)
"""Ten times either way of the 0.001 that Adam comes with."""
_USUAL = {
    **dict.fromkeys(("adam", "adamw", "nadam", "radam", "adamax", "rmsprop", "lamb"), _ADAPTIVE),
    "adagrad": (2e-3, 0.2),
    "adadelta": (0.1, 5.0),
    "lion": (1e-5, 1e-3),
}
_HEAVY, _PLAIN = (2e-3, 0.5), (5e-3, 1.0)
"""SGD with momentum, whose steps add up to ten times the rate, and without."""


def peak_and_usual(run: Run) -> tuple[float, float, float] | None:
    """The highest rate of a run, and the lowest and highest of recipes; None where one is not known."""
    rate, kind = rate_of(run), stated_word(run, OPTIMIZER)
    usual = (_HEAVY if (stated_number(run, MOMENTUM) or 0) >= 0.5 else _PLAIN) if kind == "sgd" else None
    usual = usual or _USUAL.get(kind)
    return (rate.peak, *usual) if rate is not None and usual is not None and rate.peak > 0 else None
