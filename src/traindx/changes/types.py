"""The contract of a change: what a file of this folder declares, and how a change is written as text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TypeAlias

from traindx.errors import TraindxError
from traindx.format import number

if TYPE_CHECKING:
    import libcst as cst

    from traindx.changes.live.keras_program import KerasProgram
    from traindx.changes.live.program import Program
    from traindx.changes.source.hyperparameter import Doses, Option
    from traindx.changes.source.source import Source
    from traindx.run import Fact, Run


class Measure(Enum):
    """What arms are compared by; all but speed are better when they are lower."""

    LOSS = "training loss"
    LOSS_SIZE = "magnitude of the training loss"
    """Where the change turns its sign: the loss that went below every bound was the worse one."""
    VALIDATION_LOSS = "validation loss"
    ERROR = "training error"
    """Share of wrong answers: where the change alters the loss itself."""
    VALIDATION_ERROR = "validation error"
    BALANCED_ERROR = "training error, mean over classes"
    """So that rare classes count as much as common ones."""
    SPEED = "steps per second"

    @property
    def is_better_higher(self) -> bool:
        """Whether more is better."""
        return self is Measure.SPEED


BY_ERRORS = (Measure.VALIDATION_ERROR, Measure.ERROR)
"""What a change is compared by after which the training loss means something else."""
BY_VALIDATION = (Measure.VALIDATION_LOSS, Measure.VALIDATION_ERROR)
"""What a change is compared by that alters the training loss without making the model better or worse."""


class RefusedError(TraindxError):
    """Why a change is not one, or cannot be written into source, as a sentence."""


@dataclass(frozen=True)
class ChangeSpec:
    """One change as text, such as "optimizer.lr x 0.1": what is changed, and how."""

    name: str
    """What is changed: "optimizer.lr"."""
    words: tuple[str, ...] = ()
    """How: ("x", "0.1")."""

    def __str__(self) -> str:
        return " ".join((self.name, *self.words))

    @property
    def is_factor(self) -> bool:
        """Whether what is there is multiplied, not set."""
        return self.words[:1] == ("x",)

    @property
    def dose(self) -> str:
        """How, as people read it: "/ 10" for ("x", "0.1"), "x 4", "500"."""
        if not self.is_factor:
            return " ".join(self.words)
        inverse = 1 / self.number
        is_divided = self.number < 1 and math.isclose(inverse, round(inverse))
        return f"/ {number(round(inverse))}" if is_divided else f"x {number(self.number)}"

    @property
    def number(self) -> float:
        """The last word as a number; refused if it is not one."""
        try:
            value = float(self.words[-1])
        except (IndexError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise TraindxError(f'"{self}" must end with a number, for example: optimizer.lr x 0.1')
        return value

    def among(self, known: Iterable[str]) -> str:
        """The first word in lower case; refused if it is none of those that are known."""
        words = list(known)
        first = self.words[0].lower() if self.words else ""
        if first not in words:
            expected = f"expected one of {', '.join(words)}, for example: {self.name} {words[0]}"
            raise RefusedError(f'"{self}": {expected}')
        return first

    def scaled(self, present: float) -> float:
        """What a value becomes that is multiplied or set by this change."""
        return present * self.number if self.is_factor else self.number


@dataclass(frozen=True)
class Refusal:
    """Why a change is never done in Keras, or never written into source; {change} stands for its text."""

    why: str


@dataclass(frozen=True)
class Around:
    """Statements that come to stand before and behind a statement."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


New: TypeAlias = "cst.CSTNode | cst.RemovalSentinel | Around"
"""What a part of a source becomes."""


@dataclass(frozen=True)
class Edited:
    """Which parts of a source become what."""

    parts: Mapping[cst.CSTNode, New]
    says: str
    """What is edited and where: "lr=2.0 -> lr=0.02 at train.py:31"."""


@dataclass(frozen=True)
class Change:
    """Everything about one change: live in torch, live in Keras, in the source, and in a trial."""

    name: str
    """As a text names it: "optimizer.lr"."""
    label: str | Callable[[ChangeSpec], str]
    """As people call it: "lr / 10"; in a text, {} stands for the dose."""
    says: str
    """What it does, in one line."""
    torch: Callable[[Program, ChangeSpec], None]
    """Called once, before the program has made anything."""
    keras: Callable[[KerasProgram, ChangeSpec], None] | Refusal
    """Called once, when Keras has been imported and nothing of it was used."""
    edit: Callable[[Source, ChangeSpec, Run], Edited] | Refusal
    """Raises `RefusedError` where the source does not say clearly enough what to edit."""
    forms: tuple[str, ...] = ()
    """How it is written, an example each: "optimizer.lr x 0.1"; its name alone where there is none."""
    edited_file: tuple[Fact, ...] = ()
    """Places that lie in the file to edit; the first that the run knows counts."""
    compared_by: tuple[Measure, ...] = ()
    """What its arms are compared by, the best first; without one, or where a run shows none: by the loss."""
    is_idle: Callable[[ChangeSpec, Run], bool] = lambda spec, run: False
    """Whether a recording shows that there is nothing to change in the program: then it costs no trial."""
    option: Option | None = None
    """How it may be given from outside; None for what nobody makes an option of."""
    doses: Doses | None = None
    """None where more or less of it is no other trial."""
    describe: Callable[[ChangeSpec, Run], str] = lambda spec, run: ""
    """What it changes in numbers, as far as the run tells: "lr 3 -> 0.3"."""
    from_run: Callable[[ChangeSpec, Run], ChangeSpec | None] | None = None
    """The change with its numbers from a recording; None where the recording does not have them."""
    first_dose: Callable[[ChangeSpec, Run], ChangeSpec] | None = None
    """The dose that a fix begins with, by what the run states; None for the one of the fix."""
    also: str = ""
    """A name for the change before its numbers are known: "stop.early" becomes "stop.at 400"."""
    scales_batch: bool = False
    """Whether its factor multiplies the batch, so that an arm takes fewer or more steps."""
    is_fix: bool = True
    """Whether it may repair a program; else it is there to look at one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "forms", self.forms or (self.name,))

    @property
    def touches(self) -> str:
        """The part of a training that it changes: two changes of the same part are not combined."""
        return self.name.partition(".")[0]

    def label_for(self, spec: ChangeSpec) -> str:
        """The readable name of one text of this change: "lr / 10" for "optimizer.lr x 0.1"."""
        return self.label.format(spec.dose) if isinstance(self.label, str) else self.label(spec)

    def check(self, spec: ChangeSpec) -> None:
        """Refuse a text that is written as none of the forms is."""
        if spec.name == self.also:
            if spec.words:
                raise TraindxError(f'"{spec}": {self.also} takes no value')
            return
        if _shape(spec.words) not in {_shape(parse_change(form).words) for form in self.forms}:
            raise TraindxError(f'"{spec}": expected one of these forms: {"; ".join(self.forms)}')
        if spec.is_factor and not spec.number > 0:
            raise TraindxError(f'"{spec}": the factor must be greater than 0')
        if any(_kind(word) == "number" and float(word) < 0 for word in spec.words):
            raise TraindxError(f'"{spec}": the value must not be negative')

    def needs_recording(self, spec: ChangeSpec) -> bool:
        """Whether a number of it is to come from a recording: stop.early, or gradients.clip p95."""
        return spec.name == self.also or any(_kind(word) == "share" for word in spec.words)


def as_in_torch(_program: KerasProgram, _spec: ChangeSpec) -> None:
    """Begin nothing more in Keras: what the change does to torch is done to Keras on top of it."""


TORCH_LAYERS_ONLY = Refusal("works on torch layers only; this is a Keras model")
TORCH_LOSSES_ONLY = Refusal("works on torch losses only; this is a Keras model")
NOT_IN_SOURCE = Refusal("{change} has no source patch")


@cache
def known_changes() -> dict[str, Change]:
    """Every change, by its name."""
    from traindx import changes
    from traindx.catalogue import units

    found = sorted(units(changes, Change), key=lambda change: change.name)
    return {change.name: change for change in found}


def change_of(spec: ChangeSpec) -> Change:
    """The change that a text names; refused where there is none."""
    change = _known(spec.name)
    if change is None:
        raise TraindxError(f'unknown change "{spec}"; known changes: {", ".join(sorted(known_changes()))}')
    return change


@cache
def _known(name: str) -> Change | None:
    """The change of a name, or of another name for it; files of other subjects are not imported."""
    from traindx import changes

    subject = name.partition(".")[0]
    files = [info.name for info in iter_modules(changes.__path__) if info.name.partition("_")[0] == subject]
    held = [value for file in files for value in vars(import_module(f"{changes.__name__}.{file}")).values()]
    change = (value for value in held if isinstance(value, Change) and name in (value.name, value.also))
    return next(change, None)


def name_of(specs: Iterable[ChangeSpec]) -> str:
    """Changes that belong together as text."""
    return " + ".join(map(str, specs))


def label_of(specs: Iterable[ChangeSpec]) -> str:
    """Changes that belong together as people call them: "lr / 10 + warm-up 500"."""
    # A change of a plugin that is gone keeps its text.
    known = ((spec, _known(spec.name)) for spec in specs)
    return " + ".join(str(spec) if change is None else change.label_for(spec) for spec, change in known)


def kind_of(specs: Iterable[ChangeSpec]) -> str:
    """What changes that belong together are found again by in other runs: without numbers of a recording."""
    known = known_changes()
    differs = {name for name, change in known.items() if change.from_run is not None}
    return " + ".join(spec.name if spec.name in differs else str(spec) for spec in specs)


def parse_changes(text: str) -> tuple[ChangeSpec, ...]:
    """Changes that belong together, with a plus between them."""
    return tuple(parse_change(part) for part in text.split(" + "))


def parse_change(text: str) -> ChangeSpec:
    """The change of a text; refused where it names nothing."""
    words = text.split()
    if not words or "." not in words[0]:
        raise TraindxError(f'"{text}" is not a change; expected NAME VALUE, for example: optimizer.lr x 0.1')
    return ChangeSpec(words[0], tuple(words[1:]))


def _shape(words: Sequence[str]) -> tuple[str, ...]:
    """What kinds of words there are: numbers, factors, shares of a distribution such as p95, and names."""
    return tuple(_kind(word) for word in words)


def _kind(word: str) -> str:
    if word == "x":
        return word
    if re.fullmatch(r"p\d+", word):
        return "share"
    try:
        return "number" if math.isfinite(float(word)) else "no number"
    except ValueError:
        return "name"
