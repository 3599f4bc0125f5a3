"""The place is compared with the one written down for each program, and with a hook on every node."""

from collections.abc import Callable
from collections.abc import Set as AbstractSet

import pytest
import torch
from torch import Tensor, nn

from tests.recorder.graph.backward_programs import BACKWARD
from tests.recorder.graph.program import Net, Program, Step, step_of
from tests.recorder.graph.random_programs import STEEP, random_steep_step
from tests.recorder.graph.slow_reference import HookedBackward, is_bad
from traindx.recorder.graph.origin import Direction, backtrace, backward_origin


def _broken(model: nn.Module) -> AbstractSet[int]:
    return {id(each) for each in model.parameters() if each.grad is not None and is_bad(each.grad)}


@pytest.mark.parametrize("program", BACKWARD.programs.values(), ids=BACKWARD.programs)
def test_names_the_operation_the_layer_and_the_reason(program: Program) -> None:
    torch.manual_seed(0)
    step = program.build()
    loss = step.loss()
    trace = backtrace(loss)
    loss.backward()
    assert loss.isfinite()
    origin = backward_origin(trace, step.parameters, _broken(step.model))
    assert origin is not None
    named = (origin.operation, origin.layer, origin.source, origin.direction)
    assert named == (program.operation, program.layer, program.source, Direction.BACKWARD)
    assert program.says in origin.says


@pytest.mark.parametrize("program", BACKWARD.programs.values(), ids=BACKWARD.programs)
def test_agrees_with_a_hook_on_every_node(program: Program) -> None:
    torch.manual_seed(0)
    step = program.build()
    hooked = HookedBackward(step.model, step.loss())
    assert (hooked.operation, hooked.layer) == (program.operation, program.layer)


def test_agrees_with_the_hooks_on_random_programs() -> None:
    faults = list(STEEP)
    tried = wrong_layers = wrong_operations = 0
    for seed in range(8 * len(faults)):
        step = random_steep_step(seed, faults[seed % len(faults)])
        loss = step.loss()
        trace = backtrace(loss)
        loss.backward()
        broken = _broken(step.model)
        if not loss.isfinite() or not broken:
            continue
        origin = backward_origin(trace, step.parameters, broken)
        again = random_steep_step(seed, faults[seed % len(faults)])
        hooked = HookedBackward(again.model, again.loss())
        assert origin is not None
        tried += 1
        wrong_layers += origin.layer != hooked.layer
        wrong_operations += origin.operation != hooked.operation
    assert tried > 70
    assert wrong_layers == 0
    # The backward pass has freed the values: of two operations with a pole in a row, either may be named.
    assert wrong_operations <= 0.02 * tried


def _taken(step: Step) -> tuple[object, Step]:
    loss = step.loss()
    trace = backtrace(loss)
    loss.backward()
    return trace, step


def test_sound_gradients_have_no_origin() -> None:
    trace, step = _taken(step_of(Net()))
    assert backward_origin(trace, step.parameters, _broken(step.model)) is None


@pytest.mark.parametrize(
    "harmless",
    [
        lambda value: value.mul(0).norm(dim=1, keepdim=True) + value,
        lambda value: value[:, :1].expand(-1, 16).std(1, keepdim=True) + value,
        lambda value: torch.cdist(value, value) @ value,
        lambda value: torch.atan2(value * 0, value * 0),
        lambda value: nn.functional.normalize(value * 0, dim=1),
    ],
    ids=[
        "norm of zeros",
        "std of equal values",
        "cdist of a point to itself",
        "atan2 of zeros",
        "normalize zeros",
    ],
)
def test_points_that_torch_takes_care_of_break_nothing(harmless: Callable[[Tensor], Tensor]) -> None:
    _, step = _taken(step_of(Net(between=harmless)))
    assert not _broken(step.model)


def test_a_loss_without_a_graph_has_no_origin() -> None:
    assert backtrace(torch.tensor(1.0)) is None
    assert backward_origin(None, {}, []) is None
