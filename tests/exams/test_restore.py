"""An exam leaves everything as it was, bit by bit, and a recorder in the same process hears nothing of it."""

import random
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules import module as hooks

import traindx
from traindx import exams
from traindx.quantities import TRAIN_LOSS


class Restless(nn.Module):
    """Changes itself at every pass: statistics, a counter, a state, a cache, and all kinds of chance."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Linear(6, 12), nn.BatchNorm1d(12)
        self.normed = nn.utils.parametrizations.spectral_norm(nn.Linear(12, 12))
        self.head = nn.Linear(12, 3)
        self.calls = 0
        self.state: Tensor | None = None
        self.seen: Tensor
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.seen = self.seen + 1
        self.cache = x.mean()
        x = functional.dropout(torch.relu(self.norm(self.first(x))), 0.5, self.training)
        x = self.normed(x) * (1 + 0.01 * random.random()) + 0.01 * float(np.random.rand())
        self.state = x.detach()
        return self.head(x)


def batch() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(5)
    return torch.randn(64, 6, generator=generator), torch.randint(0, 3, (64,), generator=generator)


def bits(tensor: Tensor) -> bytes:
    return (
        tensor.detach().contiguous().view(torch.uint8).numpy().tobytes()
        if tensor.dim()
        else repr(float(tensor)).encode()
    )


def everything(model: Restless) -> list[object]:
    tensors = {**dict(model.named_parameters()), **dict(model.named_buffers())}
    gradients = {
        name: None if parameter.grad is None else (id(parameter.grad), bits(parameter.grad))
        for name, parameter in model.named_parameters()
    }
    return [
        {name: (id(tensor), bits(tensor)) for name, tensor in tensors.items()},
        gradients,
        [module.training for module in model.modules()],
        [parameter.requires_grad for parameter in model.parameters()],
        (model.calls, id(model.state), "cache" in vars(model)),
        bits(torch.get_rng_state()),
        random.getstate(),
        repr(np.random.get_state()),
        torch.is_grad_enabled(),
        (len(hooks._global_forward_hooks), len(hooks._global_forward_pre_hooks)),
        [len(module._forward_hooks) for module in model.modules()],
    ]


def examined(exam: str, model: nn.Module, given: object = None) -> str:
    """What an exam writes into its table."""
    given = batch() if given is None else given
    if exam == "gradients":
        return repr(exams.gradients(model, given, "cross_entropy").rows)
    if exam == "activations":
        return repr(exams.activations(model, given).rows)
    return repr(exams.model(model, given, "cross_entropy").rows)


@pytest.mark.parametrize("exam", ["gradients", "activations", "model"])
@pytest.mark.parametrize("training", [True, False])
def test_nothing_is_changed(exam: str, training: bool) -> None:
    torch.manual_seed(1)
    model = Restless()
    functional.cross_entropy(model(batch()[0]), batch()[1]).backward()
    del model.cache
    model.train(training)
    model.head.weight.requires_grad_(False)
    model.norm.eval()
    before = everything(model)
    with torch.no_grad():
        first = examined(exam, model)
        before[8] = False
        assert everything(model) == before
    second = examined(exam, model)
    # The same chance gives the same answer, in whatever mode the caller is.
    assert first == second


@pytest.mark.parametrize("exam", ["gradients", "activations", "model"])
def test_nothing_is_changed_by_an_exam_that_fails(exam: str) -> None:
    model = Restless()
    wrong = (torch.zeros(8, 5), torch.zeros(8, dtype=torch.int64))
    before = everything(model)
    with pytest.raises(traindx.TraindxError, match=r"the model fails on a batch of float32 [28]x5"):
        examined(exam, model, wrong)
    assert everything(model) == before


def test_a_training_with_exams_in_its_loop_ends_the_same() -> None:
    def trained(*, with_exams: bool) -> list[bytes]:
        torch.manual_seed(0)
        random.seed(0)
        np.random.seed(0)
        model = Restless()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        for step in range(6):
            inputs, targets = batch()
            optimizer.zero_grad()
            functional.cross_entropy(model(inputs), targets).backward()
            if with_exams and step % 2 == 0:
                assert not exams.gradients(model, (inputs, targets), nn.CrossEntropyLoss()).errors
                assert not exams.activations(model, inputs).errors
            optimizer.step()
        return [bits(parameter) for parameter in (*model.parameters(), *model.buffers())]

    assert trained(with_exams=True) == trained(with_exams=False)


def test_an_exam_may_come_between_the_forward_and_the_backward_pass() -> None:
    def gradient(*, with_exam: bool) -> bytes:
        torch.manual_seed(2)
        random.seed(2)
        np.random.seed(2)
        model = Restless()
        loss = functional.cross_entropy(model(batch()[0]), batch()[1])
        if with_exam:
            exams.gradients(model, batch())
        loss.backward()
        assert model.first.weight.grad is not None
        return bits(model.first.weight.grad)

    assert gradient(with_exam=True) == gradient(with_exam=False)


def test_hooks_that_step_in_the_backward_pass_are_not_called() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    called: list[Tensor] = []
    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(called.append)
    exams.gradients(model, (torch.randn(16, 4), torch.randint(0, 2, (16,))), "cross_entropy")
    assert called == []


def test_what_lies_outside_the_model_gets_no_gradient() -> None:
    critic = nn.Linear(3, 1)
    model = nn.Linear(5, 3)
    exams.gradients(
        model, (torch.randn(8, 5), torch.zeros(8, 1)), lambda out, aim: (critic(out) - aim).pow(2).mean()
    )
    assert all(parameter.grad is None for parameter in critic.parameters())


@pytest.mark.parametrize("with_exams", [True, False])
def test_a_recorder_in_this_process_hears_nothing(tmp_path: Path, with_exams: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    with traindx.watch(model, optimizer, out=tmp_path) as watch:
        for step in range(40):
            inputs, targets = batch()
            optimizer.zero_grad()
            loss = functional.cross_entropy(model(inputs), targets)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if with_exams and step in (3, 20, 31):
                exams.gradients(model, (inputs, targets))
                exams.activations(model, inputs)
                exams.model(model, (inputs, targets), "cross_entropy")
    assert watch.path is not None
    recorded = traindx.load(watch.path)[-1]
    assert recorded[TRAIN_LOSS].values.tolist() == pytest.approx(losses)
    assert not [event for event in recorded.events if event.kind.value == "stepped aside"]
