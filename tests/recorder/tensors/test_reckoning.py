"""Modes of the program and ours."""

import pytest

pytest.importorskip("torch")

import torch

from traindx.recorder.tensors.reckoning import reckoning


def modes() -> tuple[bool, bool, torch.dtype]:
    return (
        torch.is_grad_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.mm(torch.eye(2), torch.eye(2)).dtype,
    )


@pytest.mark.parametrize("casting", [True, False])
def test_graph_and_autocast_are_off_inside_and_as_before_outside(casting: bool) -> None:
    with torch.autocast("cpu", torch.bfloat16, enabled=casting):
        before = modes()
        with reckoning():
            assert modes() == (False, False, torch.float32)
        assert modes() == before
        with pytest.raises(ValueError, match="inside"), reckoning():
            raise ValueError("inside")
        assert modes() == before
    assert before == (True, casting, torch.bfloat16 if casting else torch.float32)
