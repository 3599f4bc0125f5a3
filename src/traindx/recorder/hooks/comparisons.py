"""Measures that cannot tell: the largest of one output, real numbers by equality, all pairs by equality.

Only programs whose loss function gets one output, or compares numbers, are watched for the first two, and all
for the third, from the first such loss on and until one was found. Libraries do as they like: only calls
that the program makes count.
"""

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps

import torch
from torch import Tensor
from torch.compiler import is_dynamo_compiling

from traindx.facts import ACCURACY_OF_NUMBERS, ARGMAX_OVER_ONE, METRIC_PLACE, PAIRS_COMPARED
from traindx.recorder.guard import guarded
from traindx.recorder.hooks.call_site import calling_place
from traindx.recorder.hooks.monkeypatch import Function, Patches, unseen
from traindx.recorder.hooks.torch_backend import is_plain
from traindx.recorder.losses.function import Compares, loss_function
from traindx.recorder.recorder import Recorder
from traindx.run import Fact

REGRESSION = frozenset(
    "mse_loss l1_loss smooth_l1_loss huber_loss gaussian_nll_loss poisson_nll_loss".split()
)
_WHAT = "recording comparisons"
_SAMPLE = 1024
_FEWEST = 4
"""Different numbers that are not whole, for targets to be real numbers."""
_BROKEN = 0.1
"""Share of numbers that are not whole, for targets to be real numbers."""
_MOST_DOUBTS = 8
"""Comparisons with targets that turn out to be whole numbers, after which none is looked at any more."""
_LAID_OUT = (2, 4, 5)
"""Dimensions of predictions that have their classes in the second one: rows, images, volumes."""


class Comparisons:
    """Watches `argmax`, `max` and `==`, once a loss function makes them interesting."""

    def __init__(self, recorder: Recorder, is_compiled: Callable[[], bool]) -> None:
        """`is_compiled` tells whether a compiler is in use, which must read torch's own functions."""
        self.follows = False
        """Whether the targets of losses that compare numbers are wanted."""
        self._recorder, self._is_compiled = recorder, is_compiled
        self._target: tuple[weakref.ref[Tensor], int, torch.Size] | None = None
        """What holds the last target, where that begins, and its shape."""
        self._choices: Patches | None = None
        self._equalities: Patches | None = None
        self._doubts = 0
        self._found: set[Fact] = set()

    def install(self, patches: Patches) -> None:
        """See to it that what a loss makes interesting is let be at the end."""
        patches.on_undo(self._remove)

    def computed(self, function: str, prediction: Tensor, target: Tensor) -> None:
        """A loss was computed, and is told to the recorder."""
        guarded(self._recorder, _WHAT, lambda: self._follow(function, prediction))
        if self.follows and function in REGRESSION:
            self.note(target)

    def note(self, target: object) -> None:
        """Remember the target of a loss that compares numbers, without keeping it."""
        self._target = None
        if not isinstance(target, Tensor) or type(target) is not Tensor:
            return
        try:
            held = target if target._base is None else target._base
            self._target = weakref.ref(held), target.data_ptr(), target.shape
        except RuntimeError:  # inside a transform of torch.func it has no memory
            return

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Torch's own functions for a while."""
        standing = [patches for patches in (self._choices, self._equalities) if patches is not None]
        if not standing:
            yield
            return
        with standing[0].lifted(torch), standing[-1].lifted(torch):
            yield

    def _follow(self, function: str, prediction: Tensor) -> None:
        if self._is_compiled():
            self._remove()
            return
        one_output = prediction.dim() < 2 or 1 in (prediction.shape[1], prediction.shape[-1])
        if one_output and self._choices is None and ARGMAX_OVER_ONE not in self._found:
            self._choices = choices = Patches()
            for name in ("argmax", "max"):
                choices.replace(torch, name, partial(self._choosing, choices))
                choices.shadow(Tensor, name, partial(self._choosing, choices))
        numbers = function in REGRESSION and loss_function(function, {}).compares is Compares.NUMBERS
        if numbers:
            wanted = ACCURACY_OF_NUMBERS not in self._found and self._doubts < _MOST_DOUBTS
        else:
            wanted = PAIRS_COMPARED not in self._found
        if wanted and self._equalities is None:
            self._equalities = equalities = Patches()
            if numbers or one_output:
                equalities.replace(torch, "eq", partial(self._equating, equalities))
            for name in ("eq", "__eq__"):
                equalities.shadow(Tensor, name, partial(self._equating, equalities))
        self.follows = self.follows or (wanted and numbers)

    def _choosing(self, own: Patches, original: Function) -> Function:
        def look(result: object, *args: object, **kwargs: object) -> None:
            values, dimension = args[0] if args else None, args[1] if len(args) > 1 else kwargs.get("dim")
            if type(values) is Tensor and type(dimension) is int and self._is_all(values, result, own):
                guarded(self._recorder, _WHAT, lambda: self._chose(values, dimension))

        return _followed(original, look)

    def _is_all(self, values: Tensor, result: object, own: Patches) -> bool:
        """Whether as many were chosen as there are: the choice was among one."""
        # Whoever counts the calls of torch would count ours.
        if self._choices is not own or torch._C._len_torch_function_stack():
            return False
        chosen = result if isinstance(result, Tensor) else result[1] if isinstance(result, tuple) else None
        return isinstance(chosen, Tensor) and bool(chosen.numel() == values.numel() > 1)

    def _chose(self, values: Tensor, dimension: int) -> None:
        if not is_plain(values) or not values.is_floating_point() or values.shape[0] < 2:
            return
        axis = dimension % values.dim()
        in_second = axis == 1 and values.dim() in _LAID_OUT
        # A batch of one is reduced along the first dimension.
        if axis and values.shape[axis] == 1 and (in_second or axis == values.dim() - 1):
            self._tell(ARGMAX_OVER_ONE)

    def _equating(self, own: Patches, original: Function) -> Function:
        def look(_: object, *args: object, **__: object) -> None:
            # Whoever counts the calls of torch would count ours.
            if len(args) != 2 or self._equalities is not own or torch._C._len_torch_function_stack():
                return
            first, other = args
            if type(first) is Tensor and type(other) is Tensor:
                if self._are_answers(first, other):
                    guarded(self._recorder, _WHAT, lambda: self._compared(first, other))
                elif are_all_pairs(first, other):
                    guarded(self._recorder, _WHAT, lambda: self._paired(first, other))

        return _followed(original, look)

    def _are_answers(self, values: Tensor, other: Tensor) -> bool:
        """Whether predictions and targets are compared: of the last loss, or gathered from many batches."""
        if self._target is None:
            return False
        held, begins, shape = self._target
        try:
            if values.numel() == other.numel() == shape.numel():
                return held() is not None and bool(
                    (values.data_ptr() == begins) != (other.data_ptr() == begins)
                )
            if values.shape != other.shape or values.shape[1:] != shape[1:] or not values.dim():
                return False
            # What takes a gradient is a parameter held against its past.
            is_free = not values.requires_grad and not other.requires_grad
            return is_free and values.shape[0] > shape[0] and values.data_ptr() != other.data_ptr()
        except (RuntimeError, IndexError):
            return False

    def _compared(self, values: Tensor, other: Tensor) -> None:
        assert self._target is not None
        if not is_plain(values) or not is_plain(other) or not calling_place():
            return
        begins = self._target[1]
        targets = [each for each in (values, other) if each.data_ptr() == begins] or [values, other]
        if all(map(are_real, targets)):
            self._tell(ACCURACY_OF_NUMBERS)
            return
        self._doubts += 1
        if self._doubts >= _MOST_DOUBTS:
            self._let_be(ACCURACY_OF_NUMBERS)

    def _paired(self, values: Tensor, other: Tensor) -> None:
        # Who asks which samples are of one kind holds a tensor against itself, turned by hand.
        if is_plain(values) and is_plain(other) and values.data_ptr() != other.data_ptr():
            self._tell(PAIRS_COMPARED)

    def _tell(self, fact: Fact) -> None:
        where = calling_place()
        if where:
            self._recorder.state(fact, True)
            self._recorder.state(METRIC_PLACE, where)
            self._found.add(fact)
            self._let_be(fact)

    def _let_be(self, fact: Fact) -> None:
        if fact is ARGMAX_OVER_ONE and self._choices is not None:
            self._choices.undo()
            self._choices = None
        if fact in (ACCURACY_OF_NUMBERS, PAIRS_COMPARED) and self._equalities is not None:
            self._equalities.undo()
            self._equalities, self._target, self.follows = None, None, False

    def _remove(self) -> None:
        self._let_be(ARGMAX_OVER_ONE)
        self._let_be(ACCURACY_OF_NUMBERS)


def _followed(original: Function, look: Callable[..., None]) -> Function:
    """A function whose result is looked at, unless a compiler reads it."""

    @wraps(original)
    def function(*args: object, **kwargs: object) -> object:
        if is_dynamo_compiling():
            return original(*args, **kwargs)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            unseen(error)
            raise
        look(result, *args, **kwargs)
        return result

    return function


def are_all_pairs(one: Tensor, other: Tensor) -> bool:
    """Whether a column is compared with a row of as many: each with each, and not with its own."""
    shapes = sorted((tuple(one.shape), tuple(other.shape)), key=len)
    return shapes[0] == shapes[1][:1] and shapes[1][1:] == (1,) and shapes[0] > (1,)


def are_real(target: Tensor) -> bool:
    """Whether many numbers are not whole, and differ: a picture may be black for the most part."""
    if not target.is_floating_point():
        return False
    values = target.detach().flatten()[:_SAMPLE].double()
    values = values[values.isfinite()]
    broken = values[values != values.round()]
    return len(broken) > _BROKEN * len(values) and len(broken.unique()) >= _FEWEST
