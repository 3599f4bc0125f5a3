"""The model under its own names: roots are the outermost modules that a program calls.

Everything is held weakly: a program that lets go of its model gets its memory back.
"""

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from traindx.recorder.probes.types import Parameters
from traindx.recorder.recording_writer import LayerRecord

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

_WRAPPERS = ("module.", "_orig_mod.")
"""What DistributedDataParallel and torch.compile put before every name."""
_MOST_ROOTS = 16
_MOST_ORDERS = 16


@dataclass(frozen=True, eq=False)
class _Named:
    """A parameter, its name, and the class of the module that owns it."""

    name: str
    kind: str
    value: "weakref.ref[Tensor]"


@dataclass(frozen=True, eq=False)
class _Order:
    """What some parameters are called, and which comes first: the same at every look."""

    given: "tuple[weakref.ref[Tensor], ...]"
    names: tuple[str, ...]
    places: tuple[int, ...]
    """Of the parameters as they were given, in the order of the model."""

    def is_of(self, values: "Sequence[Tensor]") -> bool:
        """Whether it is of these: another tensor may have taken the place of one that is gone."""
        return all(ref() is value for ref, value in zip(self.given, values, strict=True))


class Model:
    """Names of modules and parameters, learned as roots are met."""

    def __init__(self) -> None:
        self._roots: list[weakref.ref[nn.Module]] = []
        # By identity: a model of the program's own may compare or hash as it likes.
        self._modules: dict[int, tuple[weakref.ref[nn.Module], str]] = {}
        self._parts: list[tuple[weakref.ref[nn.Module], str]] = []
        """Modules that a root uses and does not list, with the path that leads to them."""
        self._prefixes: dict[int, str] = {}
        self._parameters: dict[int, _Named] = {}
        self._strays: dict[int, _Named] = {}
        self._gradients: set[str] = set()
        self._orders: dict[tuple[int, ...], _Order] = {}
        self.edition = 0
        """Changes whenever names do."""

    @property
    def roots(self) -> "list[nn.Module]":
        """The outermost modules that hold parameters."""
        return [root for ref in self._roots if (root := ref()) is not None]

    def meet(self, root: "nn.Module", held: "Sequence[Tensor]" = ()) -> bool:
        """Learn the names below an outermost module; False where it holds nothing new.

        Where optimizers hold more than it has, other models are to come, and names begin with a class.
        """
        if self._named(root) or len(self._roots) >= _MOST_ROOTS:
            return False
        if next(iter(root.parameters()), None) is None:
            return False
        # A module met before may turn out to be a part of this one.
        inner = {id(module) for module in root.modules()}
        roots = [known for known in self.roots if id(known) not in inner] + [root]
        self._roots = [weakref.ref(known) for known in roots]
        self._name_all(roots, held)
        return True

    def meet_part(self, part: "nn.Module", path: str) -> None:
        """Learn the names below a module that a root uses and does not list, as one in a plain list."""
        self._parts.append((weakref.ref(part), path))
        self._name_all(self.roots, ())

    def lists(self, module: "nn.Module") -> bool:
        """Whether a module is a part of a root that is known."""
        return bool(self._named(module))

    @property
    def unlisted(self) -> int:
        """How many modules are used that no root lists."""
        return len(self._parts)

    def forget(self) -> None:
        """Forget everything: another model is trained from here on."""
        self._roots, self._parts = [], []
        self._modules, self._prefixes = {}, {}
        self._parameters, self._strays, self._gradients = {}, {}, set()
        self._orders.clear()
        self.edition += 1

    def module_name(self, module: "nn.Module") -> str:
        """The name of a module; its class where it belongs to no root."""
        return self._named(module) or type(module).__name__

    def _named(self, module: "nn.Module") -> str:
        ref, name = self._modules.get(id(module), (None, ""))
        return name if ref is not None and ref() is module else ""

    def owns(self, value: "Tensor") -> bool:
        """Whether a parameter belongs to a module in use."""
        parameter = self._parameters.get(id(value))
        # Another tensor may have taken the place of one that is gone.
        return parameter is not None and parameter.value() is value

    def parameter_names(self) -> dict[int, str]:
        """Names by the identity of the parameter."""
        return {key: parameter.name for key, parameter in (self._strays | self._parameters).items()}

    def held(self, values: "Iterable[Tensor]") -> Parameters:
        """The parameters an optimizer holds under their names, in the order of the model."""
        tensors = list(values)
        key = tuple(map(id, tensors))
        order = self._orders.get(key)
        if order is None or not order.is_of(tensors):
            if len(self._orders) >= _MOST_ORDERS:
                self._orders.clear()
            order = self._orders[key] = self._ordered(tensors)
        return Parameters(order.names, [tensors[index] for index in order.places])

    def _ordered(self, tensors: "Sequence[Tensor]") -> _Order:
        wanted = {id(value): index for index, value in enumerate(tensors)}
        known = [key for key in self._parameters if key in wanted and self.owns(tensors[wanted[key]])]
        strays = [key for key, index in wanted.items() if not self.owns(tensors[index])]
        names = [self._parameters[key].name for key in known]
        names += [self._stray(tensors[wanted[key]]).name for key in strays]
        places = tuple(wanted[key] for key in (*known, *strays))
        return _Order(tuple(map(weakref.ref, tensors)), tuple(names), places)

    def records(self, held: "Sequence[Tensor]") -> list[LayerRecord]:
        """Every parameter of the model, and those that only an optimizer holds."""
        holds = {id(value) for value in held}
        strays = [self._stray(value) for value in held if not self.owns(value)]
        living = [
            (parameter, value)
            for parameter in [*self._parameters.values(), *strays]
            if (value := parameter.value()) is not None
        ]
        return [
            LayerRecord(
                name=parameter.name,
                kind=parameter.kind,
                shape=tuple(value.shape),
                trainable=bool(value.requires_grad),
                optimized=id(value) in holds,
                gradient=parameter.name in self._gradients,
            )
            for parameter, value in living
        ]

    def got_gradient(self, name: str) -> None:
        """Note that a gradient other than zero reached a parameter."""
        self._gradients.add(name)

    def waiting_for_gradient(self, parameters: Parameters) -> "list[tuple[str, Tensor]]":
        """Names and values of those that no gradient other than zero has reached yet."""
        if self._gradients.issuperset(parameters.names):
            return []
        both = zip(parameters.names, parameters.values, strict=True)
        return [(name, value) for name, value in both if name not in self._gradients]

    def parameters(self) -> "list[Tensor]":
        """Every parameter below the roots."""
        return [value for parameter in self._parameters.values() if (value := parameter.value()) is not None]

    def _stray(self, value: "Tensor") -> _Named:
        """A parameter that no root owns is named by its number and shape."""
        parameter = self._strays.get(id(value))
        if parameter is None or parameter.value() is not value:
            shape = "x".join(map(str, value.shape)) or "scalar"
            name = f"parameter {len(self._strays) + 1} ({shape})"
            parameter = self._strays[id(value)] = _Named(name, "", weakref.ref(value))
        return parameter

    def _name_all(self, roots: "Sequence[nn.Module]", held: "Sequence[Tensor]") -> None:
        self._modules = {}
        self._parameters.clear()
        self._orders.clear()
        self.edition += 1
        taken: dict[str, int] = {}
        for root in roots:
            kind = type(root).__name__
            taken[kind] = number = taken.get(kind, 0) + 1
            # A name once given stays: series go by it.
            if id(root) not in self._prefixes:
                inside = {id(value) for value in root.parameters()}
                alone = len(roots) == 1 and all(id(value) in inside for value in held if value.requires_grad)
                self._prefixes[id(root)] = "" if alone else kind if number == 1 else f"{kind} {number}"
            self._name_below(root, self._prefixes[id(root)])
        for ref, path in self._parts:
            if (part := ref()) is not None:
                self._name_below(part, path)

    def _name_below(self, root: "nn.Module", prefix: str) -> None:
        for path, module in root.named_modules():
            name = ".".join(part for part in (prefix, _plain(path)) if part)
            self._modules.setdefault(id(module), (weakref.ref(module), name or type(root).__name__))
            for own, value in module.named_parameters(recurse=False):
                # Tied weights keep the name under which they are met first.
                called = f"{name}.{own}" if name else own
                named = _Named(called, type(module).__name__, weakref.ref(value))
                self._parameters.setdefault(id(value), named)


def _plain(path: str) -> str:
    dotted = f"{path}."
    for wrapper in _WRAPPERS:
        dotted = dotted.removeprefix(wrapper)
    return dotted.removesuffix(".")
