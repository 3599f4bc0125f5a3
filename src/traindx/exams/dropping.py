"""Hears dropouts while a model is examined, modules and functions, without replacing any."""

from collections.abc import Callable

from torch import Tensor
from torch.overrides import TorchFunctionMode

from traindx.recorder.probes.types import Dropout

_NAMES = frozenset("dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout".split())
_USUAL = 0.5
"""The probability of torch's functions where none is given."""


class Dropping(TorchFunctionMode):
    """Tells of every dropout that was active."""

    def __init__(self, tell: Callable[[Dropout], None]) -> None:
        super().__init__()
        self._tell = tell

    def __torch_function__(
        self,
        function: "Callable[..., object]",
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        """Call the function, and tell if it was a dropout."""
        named = kwargs or {}
        output = function(*args, **named)
        # Those of torch.nn.functional alone: they call torch's own of the same name.
        if (
            getattr(function, "__name__", "") in _NAMES
            and getattr(function, "__module__", "") == "torch.nn.functional"
        ):
            given = args[0] if args else named.get("input")
            probability = args[1] if len(args) > 1 else named.get("p", _USUAL)
            active = args[2] if len(args) > 2 else named.get("training", True)
            if (
                active
                and isinstance(given, Tensor)
                and isinstance(output, Tensor)
                and isinstance(probability, float)
            ):
                self._tell(Dropout(probability, given, output))
        return output
