"""The place is compared with the one written down for each program, and with a watch on every operation."""

import pytest
import torch

from tests.recorder.graph.forward_architectures import ARCHITECTURES
from tests.recorder.graph.forward_hidden import HIDDEN
from tests.recorder.graph.forward_operations import FORWARD
from tests.recorder.graph.program import Program
from tests.recorder.graph.random_programs import FAULTS, random_step
from tests.recorder.graph.slow_reference import watched_origin
from traindx.recorder.graph.forward_origin import forward_origin
from traindx.recorder.graph.origin import Direction

PROGRAMS = FORWARD.programs | ARCHITECTURES.programs | HIDDEN.programs

GUESSED = "sum"
"""The fault whose origin is a constant that no node keeps: it can only be guessed."""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_names_the_operation_the_layer_and_the_numbers(program: Program) -> None:
    torch.manual_seed(0)
    step = program.build()
    origin = forward_origin(step.loss(), step.parameters)
    assert origin is not None
    named = (origin.operation, origin.layer, origin.source, origin.direction)
    assert named == (program.operation, program.layer, program.source, Direction.FORWARD)
    assert program.says in origin.says


@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.watched])
def test_agrees_with_a_watch_on_every_operation(name: str) -> None:
    torch.manual_seed(0)
    step = PROGRAMS[name].build()
    watched = watched_origin(step.model, step.loss)
    assert (watched.operation, watched.broke_in) == (PROGRAMS[name].operation, PROGRAMS[name].layer)


def test_agrees_with_the_watch_on_random_programs() -> None:
    faults = [fault for fault in (*FAULTS, "parameter", "input") if fault != GUESSED]
    tried = wrong = 0
    for seed in range(4 * len(faults)):
        step = random_step(seed, faults[seed % len(faults)])
        state = torch.get_rng_state()
        loss = step.loss()
        if loss.isfinite():
            continue
        origin = forward_origin(loss, step.parameters)
        torch.set_rng_state(state)
        watched = watched_origin(step.model, step.loss)
        assert origin is not None
        tried += 1
        wrong += (origin.operation, origin.layer) != (watched.operation, watched.broke_in)
    assert tried > 80
    assert wrong == 0


@pytest.mark.parametrize("seed", range(10))
def test_a_finite_loss_has_no_origin(seed: int) -> None:
    step = random_step(seed, "none")
    assert forward_origin(step.loss(), step.parameters) is None


def test_a_loss_without_a_graph_has_no_origin() -> None:
    assert forward_origin(torch.tensor(torch.nan), {}) is None
    assert forward_origin(torch.tensor(torch.nan, requires_grad=True), {}) is None


def test_a_freed_graph_gives_no_certain_answer() -> None:
    step = random_step(0, "input")
    loss = step.loss()
    loss.backward()
    origin = forward_origin(loss, step.parameters)
    assert origin is None or "most likely" in origin.says
