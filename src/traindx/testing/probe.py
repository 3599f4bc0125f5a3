"""What every probe must hold: it changes nothing, keeps nothing, warns of nothing, survives everything."""

import gc
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product

import torch
from torch import Tensor, nn
from torch.multiprocessing.reductions import StorageWeakRef

from traindx.facts import FACTS
from traindx.quantities import QUANTITIES
from traindx.recorder.probes.types import (
    Batch,
    Dropout,
    LiveParameter,
    LossCall,
    Probe,
    Purpose,
    Snapshot,
    Update,
)
from traindx.run import EventKind, Fact, Quantity, Scalar
from traindx.testing.probe_samples import (
    LOSS_FUNCTIONS,
    SmallProgram,
    odd_losses,
    odd_parameters,
    odd_tensors,
    small_programs,
)

_STEPS = 4


@dataclass(eq=False)
class Written(Snapshot):
    """Keeps what a probe writes, and refuses what no recording could hold."""

    step: int = 1
    numbers: dict[tuple[Quantity, str, str], float | Tensor] = field(default_factory=dict)
    """By quantity, layer and part."""
    facts: dict[Fact, Scalar] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)

    def add(self, quantity: Quantity, value: float | Tensor, *, layer: str = "", part: str = "") -> None:
        """Keep the number."""
        assert QUANTITIES.get(quantity.slug) is quantity, f"{quantity.slug} is not declared"
        if isinstance(value, Tensor):
            assert not value.dim(), f"{quantity.slug} is written as a tensor of shape {tuple(value.shape)}"
            assert not value.requires_grad, f"{quantity.slug} is written with its graph"
        else:
            assert isinstance(value, float), f"{quantity.slug} is written as {value!r}"
        self.numbers[quantity, layer, part] = value

    def state(self, fact: Fact, value: Scalar) -> None:
        """Keep the fact."""
        assert FACTS.get(fact.slug) is fact, f"{fact.slug} is not declared"
        assert isinstance(value, str | int | float | bool), f"{fact.slug} is stated as {value!r}"
        self.facts[fact] = value

    def happened(
        self, kind: EventKind, says: str, *, layer: str = "", operation: str = "", batch: int | None = None
    ) -> None:
        """Keep the sentence."""
        assert says, f"an event of kind {kind.value} says nothing"
        self.events.append(says)


def check_probe(make: Callable[[], Probe]) -> None:
    """Raise AssertionError unless the probe keeps its oath in small trainings and on the oddest tensors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for program in small_programs():
            plain = _trained(program, Probe())
            watched = _trained(program, make())
            assert watched == plain, f"{program.name}: training ends with other weights with the probe"
            _check_keeps_nothing(program, make())
        _check_survives(make)


def _trained(program: SmallProgram, probe: Probe) -> list[bytes]:
    """The bits of all losses and, at the end, of all parameters and of the state of chance."""
    torch.manual_seed(0)
    random.seed(0)
    model = program.model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    before = _hooks(model)
    snapshot = Written()
    bits = []
    for snapshot.step in range(1, _STEPS + 1):
        bits.append(_bits(_step(program, probe, snapshot, model, optimizer, [])))
        bits.append(_bits(_validation(program, probe, snapshot, model)))
    assert _hooks(model) == before, f"{program.name}: the probe leaves a hook behind"
    bits += [_bits(parameter) for parameter in model.parameters()]
    return [*bits, _bits(torch.get_rng_state()), repr(random.getstate()).encode()]


def _step(
    program: SmallProgram,
    probe: Probe,
    snapshot: Snapshot,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    lent: list[StorageWeakRef],
) -> Tensor:
    """One step of training, with the probe told of every moment; `lent` gets all that it is shown."""
    parameters = [LiveParameter(name, value, optimized=True) for name, value in model.named_parameters()]
    update = Update(optimizer, parameters, batch_size=8)
    batch, target = program.batch(), program.target()
    optimizer.zero_grad()
    shown = [*batch, target, *model.parameters(), *model.buffers()]
    output = _forward(probe, snapshot, model, batch, Purpose.TRAINING, shown)
    with _unchanged(model, shown):
        probe.batch_enters(snapshot, Batch(batch, Purpose.TRAINING, snapshot.step))
    prediction = program.shaped(output)
    loss = program.loss(prediction, target)
    shown += [prediction, loss]
    with _unchanged(model, shown):
        call = LossCall(program.function, prediction, target, loss, program.options, Purpose.TRAINING)
        probe.loss_is_computed(snapshot, call)
    del call
    with _unchanged(model, shown):
        probe.backward_begins(snapshot, loss, parameters)
    loss.backward()
    shown += [parameter.grad for parameter in model.parameters()]
    with _unchanged(model, shown):
        probe.update_begins(snapshot, update)
    optimizer.step()
    with _unchanged(model, shown):
        probe.update_ends(snapshot, update)
    lent += [
        StorageWeakRef(tensor.untyped_storage()) for tensor in (*batch, target, prediction, output, loss)
    ]
    return loss.detach()


def _forward(
    probe: Probe,
    snapshot: Snapshot,
    model: nn.Module,
    batch: Sequence[Tensor],
    purpose: Purpose,
    shown: list[Tensor],
) -> Tensor:
    """The output of the model; the probe is told of each module's."""

    def tell(name: str) -> Callable[[nn.Module, object, Tensor], None]:
        def hook(module: nn.Module, _: object, output: Tensor) -> None:
            with _unchanged(model, [*shown, output]):
                probe.module_returns(snapshot, name, module, output, purpose)

        return hook

    handles = [
        module.register_forward_hook(tell(name))
        for name, module in model.named_modules()
        if module is not model
    ]
    output = model(*batch)
    for handle in handles:
        handle.remove()
    return output


def _validation(program: SmallProgram, probe: Probe, snapshot: Snapshot, model: nn.Module) -> Tensor:
    model.eval()
    with torch.inference_mode() if snapshot.step % 2 else torch.no_grad():
        batch, target = program.batch(), program.target()
        output = _forward(probe, snapshot, model, batch, Purpose.VALIDATION, [*batch, target])
        prediction = program.shaped(output)
        loss = program.loss(prediction, target)
        with _unchanged(model, [*batch, target, prediction, loss]):
            probe.batch_enters(snapshot, Batch(batch, Purpose.VALIDATION, snapshot.step))
            call = LossCall(program.function, prediction, target, loss, program.options, Purpose.VALIDATION)
            probe.loss_is_computed(snapshot, call)
    model.train()
    return loss


@contextmanager
def _unchanged(model: nn.Module, tensors: Sequence[Tensor]) -> Iterator[None]:
    """Raise AssertionError if a tensor, a gradient, the state of chance or a mode of torch changes inside."""
    before = _state(model, tensors)
    yield
    assert _state(model, tensors) == before, "the probe changes the program"


def _state(model: nn.Module, tensors: Sequence[Tensor]) -> list[object]:
    modes = [torch.is_grad_enabled(), torch.get_default_dtype(), torch.get_num_threads(), model.training]
    chance = [_bits(torch.get_rng_state()), random.getstate()]
    gradients = [None if param.grad is None else _bits(param.grad) for param in model.parameters()]
    versions = [None if tensor.is_inference() else tensor._version for tensor in tensors]
    flags = [(tensor.requires_grad, tensor.is_leaf, bool(tensor._backward_hooks)) for tensor in tensors]
    return [*modes, *chance, *gradients, *versions, *flags, *map(_bits, tensors)]


def _bits(tensor: Tensor) -> bytes:
    bits: bytes = tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes()
    return bits


def _hooks(model: nn.Module) -> list[int]:
    """How many hooks there are on modules and parameters."""
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return [len(getattr(module, kind)) for module in model.modules() for kind in kinds] + [
        len(parameter._backward_hooks or ()) for parameter in model.parameters()
    ]


def _check_keeps_nothing(program: SmallProgram, probe: Probe) -> None:
    """Raise AssertionError if memory of the program lives on because the probe was shown it."""
    snapshot = Written()
    lent: list[StorageWeakRef] = []

    def run() -> None:
        model = program.model()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
        for snapshot.step in range(1, _STEPS + 1):
            _step(program, probe, snapshot, model, optimizer, lent)
            assert _are_free(lent), f"{program.name}: a tensor of step {snapshot.step} outlives the step"
        lent.extend(StorageWeakRef(param.untyped_storage()) for param in model.parameters())

    run()
    assert _are_free(lent), f"{program.name}: a parameter outlives its model"


def _are_free(lent: Sequence[StorageWeakRef]) -> bool:
    if all(storage.expired() for storage in lent):
        return True
    # Only cycles are left: those of the program itself, or those the probe made.
    gc.collect()
    return all(storage.expired() for storage in lent)


def _check_survives(make: Callable[[], Probe]) -> None:
    """Show every moment the oddest tensors, to one probe in a row and out of order."""
    probe, snapshot = make(), Written()
    module = nn.Linear(6, 6)
    tensors = odd_tensors()
    for name, tensor in tensors.items():
        for purpose in Purpose:
            snapshot.step += 1
            with _told(name), torch.autocast("cpu", torch.bfloat16):
                probe.batch_enters(snapshot, Batch([tensor], purpose, snapshot.step))
                probe.batch_enters(snapshot, Batch([tensor, *tensors.values()], purpose, snapshot.step))
                probe.module_returns(snapshot, "layer", module, tensor, purpose)
                probe.module_returns(snapshot, "relu", nn.ReLU(), tensor, purpose)
                probe.dropout_is_applied(snapshot, Dropout(0.5, tensor, tensor))
    probe.batch_enters(snapshot, Batch([], Purpose.TRAINING, 0))
    _check_survives_losses(probe, snapshot)
    parameters = list(odd_parameters())
    for selection in [[], parameters, *([parameter] for parameter in parameters)]:
        snapshot.step += 1
        with _told(selection[0].name if selection else "no parameter"):
            probe.backward_begins(snapshot, torch.tensor(1.0), selection)
            for batch_size in (0, 8):
                probe.update_begins(snapshot, Update(None, selection, batch_size))
                probe.update_ends(snapshot, Update(None, selection, batch_size))


def _check_survives_losses(probe: Probe, snapshot: Written) -> None:
    options: dict[str, object] = {
        "reduction": "mean",
        "weight": torch.ones(6),
        "pos_weight": torch.tensor(2.0),
        "label_smoothing": 0.1,
        "ignore_index": 0,
        "from_logits": True,
    }
    values = list(odd_losses().values())
    predictions = list(odd_tensors().items())
    # Each prediction meets other targets with each function.
    for number, (function, prediction, offset) in enumerate(product(LOSS_FUNCTIONS, predictions, range(3))):
        target = predictions[number * 7 % len(predictions)] if offset else prediction
        snapshot.step += number % 3 == 0
        purpose = Purpose.TRAINING if number % 4 else Purpose.VALIDATION
        value = values[number % len(values)]
        chosen = {name: option for index, (name, option) in enumerate(options.items()) if number >> index & 1}
        call = LossCall(function, prediction[1], target[1], value, chosen, purpose)
        names = f"{function} of {prediction[0]} and {target[0]}"
        with _told(names), torch.autocast("cpu", torch.bfloat16):
            probe.loss_is_computed(snapshot, call)
            probe.backward_begins(snapshot, value, [])


@contextmanager
def _told(name: str) -> Iterator[None]:
    """Say which tensor it was that a probe failed on, in a program with a default device of its own."""
    try:
        # A tensor that is made without saying where has no memory here.
        with torch.device("meta"):
            yield
    except Exception as error:
        raise AssertionError(f"fails on: {name} ({type(error).__name__}: {error})") from error
