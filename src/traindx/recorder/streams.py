"""Which optimizer belongs to which stream."""

import weakref
from collections.abc import Iterator

from traindx.facts import OPTIMIZER_PLACE
from traindx.recorder.looks import Notebook
from traindx.recorder.model import Model
from traindx.recorder.sight import Holder
from traindx.recorder.stream import Stream
from traindx.recorder.tape import Tape
from traindx.run import Fact, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor


class Streams:
    """The optimizers of a program, made and stepping."""

    def __init__(self, tape: Tape, model: Model, every: int | None) -> None:
        self.current: Stream | None = None
        self._tape, self._model, self._every = tape, model, every
        self._of: dict[int, Stream] = {}
        self.all: list[Stream] = []
        self._begun = 0
        self._stepped = False
        """Whether an optimizer has stepped, even one that we did not see being made."""
        self._parameters: dict[int, set[int]] = {}
        self.by_hand = Holder(
            parameters=lambda _: [value for value in model.parameters() if value.requires_grad],
            rates=lambda _: [],
            settings=lambda _: {},
        )
        """For a program that changes its parameters without an optimizer."""
        self._made: list[tuple[weakref.ref[object], Holder, str]] = []

    def made(self, holder: object, kind: Holder, place: str) -> None:
        """The program made an optimizer."""
        self._made = [one for one in self._made if one[0]() is not None]
        self._made.append((weakref.ref(holder), kind, place))
        stepped = any(stream.step for stream in self.all)
        if stepped and not any(self._model.owns(value) for value in kind.parameters(holder)):
            self._model.forget()

    @property
    def step(self) -> int:
        """Steps of the stream that stepped last."""
        return self.current.step if self.current else 0

    @property
    def any_made(self) -> bool:
        """Whether the program has made an optimizer at all."""
        return bool(self._made) or self._stepped

    def settings_made(self) -> dict[Fact, Scalar]:
        """What the optimizer that was made last says of itself."""
        facts: dict[Fact, Scalar] = {}
        for ref, kind, place in self._made:
            holder = ref()
            if holder is not None:
                facts = {**kind.settings(holder), **({OPTIMIZER_PLACE: place} if place else {})}
        return facts

    def held_by_any(self) -> "list[Tensor]":
        """What all living optimizers hold."""
        return [
            value
            for ref, kind, _ in self._made
            if (holder := ref()) is not None
            for value in kind.parameters(holder)
        ]

    def stepping(self, holder: object, kind: Holder, *, after_backward: bool) -> Stream | None:
        """The stream whose step begins; None where an optimizer only steps beside another."""
        self._stepped = self._stepped or kind is not self.by_hand
        found = self._of.get(id(holder))
        if found is not None and found.is_first(holder):
            return found
        if found is not None and found.has(holder):
            if not after_backward:
                return None
            found.part_with(holder)
        elif not after_backward and self.current is not None:
            self.current.join(holder, kind)
            self._of[id(holder)] = self.current
            return None
        return self._begin(holder, kind)

    def unfinished(self, holder: object) -> Stream:
        """A stream for a program that ends before its first step."""
        self.current = self._begin(holder, self.by_hand)
        return self.current

    def withdraw(self) -> None:
        """Forget the stream that began last: it never stepped."""
        self.all.pop()
        self.current = None

    def _begin(self, holder: object, kind: Holder) -> Stream:
        self._begun += 1
        number = self._begun
        held = kind.parameters(holder)
        identities = {id(value) for value in held}
        shares = [known for known, others in self._parameters.items() if identities & others]
        self._parameters[number] = identities
        self._tape.begin(number, self._name(holder, list(held)), shares)
        notebook = Notebook(self._tape, number)
        stream = Stream(number, notebook, holder, kind, self._every)
        self.all.append(stream)
        self._of[id(holder)] = stream
        for fact, value in kind.settings(holder).items():
            notebook.state(fact, value)
        for place in self._places(holder):
            notebook.state(OPTIMIZER_PLACE, place)
        return stream

    def _places(self, holder: object) -> Iterator[str]:
        return (place for ref, _, place in self._made if ref() is holder and place)

    def _name(self, holder: object, held: "list[Tensor]") -> str:
        """The class of the one root that owns what is trained, else that of the optimizer."""
        wanted = {id(value) for value in held}
        owners = [root for root in self._model.roots if any(id(p) in wanted for p in root.parameters())]
        return type(owners[0]).__name__ if len(owners) == 1 else type(holder).__name__
