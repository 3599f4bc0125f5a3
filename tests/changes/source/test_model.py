"""Edits of the model: its activations, its dropout, its modes, what is frozen."""

from typing import Any

import pytest

from tests.changes.source.sources import LIT, LIT_PLACES, PLAIN, TRAINER, Bench
from traindx.facts import MODEL_PLACE, OUTPUT_ACTIVATION

BLOCKS = """\
    import torch
    from torch import nn


    def block(n):
        return nn.Sequential(nn.Linear(n, n), nn.ReLU(inplace=True))


    class Part(nn.Module):
        def forward(self, x):
            return torch.relu(self.a(torch.relu(self.b(x))) + x)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            self.out = nn.Linear(2, 1)

        def forward(self, x):
            x = self.trunk(x).relu()
            return torch.relu(self.out(x))
"""


def test_activations_between_layers_are_exchanged(bench: Bench) -> None:
    assert bench.changed(PLAIN, "activation.replace relu leaky_relu") == (
        "-nn.ReLU(),  # bends\n+nn.LeakyReLU(0.1),  # bends"
    )
    assert bench.changed(TRAINER, "activation.replace relu leaky_relu") == (
        "-x = self.drop(F.relu(self.fc1(x)))\n+x = self.drop(F.leaky_relu(self.fc1(x), 0.1))"
    )
    assert "nn.Linear(4, hidden), nn.ReLU(), nn.Linear" in bench.changed(
        LIT, "activation.replace tanh relu", facts=LIT_PLACES
    )


def test_the_activation_at_the_output_stays(bench: Bench) -> None:
    changed = bench.changed(BLOCKS, "activation.replace relu elu", facts={MODEL_PLACE: "train.py:14"})
    assert [line for line in changed.splitlines() if line.startswith("+")] == [
        "+return nn.Sequential(nn.Linear(n, n), nn.ELU())",
        "+return nn.functional.elu(self.a(nn.functional.elu(self.b(x))) + x)",
        "+self.trunk = nn.Sequential(nn.Linear(2, 2), nn.ELU())",
        "+x = nn.functional.elu(self.trunk(x))",
    ]


def test_a_class_that_is_called_later_is_exchanged(bench: Bench) -> None:
    program = "from torch import nn\nact = nn.Sigmoid\nlayers = [nn.Linear(2, 2), act()]\n"
    assert (
        bench.changed(program, "activation.replace sigmoid leaky_relu")
        == "-act = nn.Sigmoid\n+act = lambda: nn.LeakyReLU(0.1)"
    )


def test_an_activation_outside_of_the_model_stays(bench: Bench) -> None:
    program = PLAIN + "    right = torch.sigmoid(model(x)) > 0.5\n"
    assert bench.refusal(program, "activation.replace sigmoid relu") == (
        "no sigmoid between layers found in train.py"
    )
    assert bench.refusal(PLAIN, "activation.replace relu swish") == (
        '"activation.replace relu swish": expected known activations,'
        " for example: activation.replace relu leaky_relu"
    )


def test_the_activation_at_the_output_is_taken_away(bench: Bench) -> None:
    relu = {MODEL_PLACE: "train.py:14", OUTPUT_ACTIVATION: "relu"}
    assert bench.changed(BLOCKS, "output.remove_activation", facts=relu) == (
        "-return torch.relu(self.out(x))\n+return self.out(x)"
    )
    squeezed = TRAINER.replace("F.softmax(self.fc2(x), dim=1)", "torch.sigmoid(self.fc2(x)).squeeze(1)")
    assert bench.changed(squeezed, "output.remove_activation").endswith("+return self.fc2(x).squeeze(1)")
    two = "a = nn.Sequential(nn.Linear(1, 1), nn.Tanh())\nb = nn.Sequential(nn.Linear(1, 1), nn.Tanh())\n"
    assert bench.refusal(two, "output.remove_activation") == (
        "several activations may be the last (train.py:1 and train.py:2)"
    )


def test_every_dropout_gets_the_share(bench: Bench) -> None:
    assert bench.changed(TRAINER, "regularize.dropout 0.1").endswith("+def __init__(self, width=16, p=0.1):")
    program = "net = nn.Sequential(nn.Dropout(0.6), nn.Dropout2d(p=0.8))\nrnn = nn.LSTM(2, 2, dropout=0.5)\n"
    assert bench.patch(program, "regularize.dropout 0").after == (
        "net = nn.Sequential(nn.Dropout(0.0), nn.Dropout2d(p=0.0))\nrnn = nn.LSTM(2, 2, dropout=0.0)\n"
    )


def test_where_there_is_no_dropout_it_comes_behind_hidden_activations(bench: Bench) -> None:
    assert bench.changed(PLAIN, "regularize.dropout 0.2") == (
        "-nn.ReLU(),  # bends\n+nn.ReLU(), nn.Dropout(0.2),  # bends"
    )
    assert bench.refusal(PLAIN, "regularize.dropout 0") == "no dropout found in train.py"
    assert bench.refusal("x = 1\n", "regularize.dropout 0.2") == (
        "no activation of a hidden layer found in train.py"
    )


def test_both_modes_are_set(bench: Bench) -> None:
    assert bench.changed(TRAINER, "model.restore_mode") == "+self.net.train()\n+self.net.eval()"
    after = bench.patch(TRAINER, "model.restore_mode").after
    assert "\tdef epoch(self):\n\t\tself.net.train()\n\t\tfor x, y in self.train_loader:\n" in after
    assert "\tdef validate(self, x, y):\n\t\tself.net.eval()\n\t\tval_loss" in after


VALIDATED = (
    PLAIN
    + """
        # how good is it?
        with torch.no_grad():
            val_loss = criterion(model(x), y)
"""
)


def test_modes_of_a_plain_loop(bench: Bench) -> None:
    after = bench.patch(VALIDATED, "model.restore_mode").after
    assert "for epoch in range(3):\n    model.train()\n    for xb, yb in loader:\n" in after
    assert "    # how good is it?\n    model.eval()\n    with torch.no_grad():\n" in after


def test_only_the_mode_that_is_missing_is_set(bench: Bench) -> None:
    evaluated = VALIDATED.replace("with torch.no_grad():\n", "model.eval()\n        with torch.no_grad():\n")
    assert bench.changed(evaluated, "model.restore_mode") == "+model.train()"
    every_step = """\
        opt = SGD(model.parameters(), lr=1)

        def check():
            model.eval()
            val_loss = f(model(v))

        for step in range(100):
            loss = f(model(x))
            loss.backward()
            opt.step()
            if step % 10 == 0: check()
    """
    after = bench.patch(every_step, "model.restore_mode").after
    assert "for step in range(100):\n    model.train()\n    loss = f(model(x))\n" in after


DROPS = """\
    import torch.nn.functional as F


    class Net(nn.Module):
        def forward(self, x):
            x = F.dropout(self.a(x), 0.4)  # always
            x = F.dropout(self.b(x), p=0.4, training=True)
            x = F.dropout(self.c(x), 0.4, self.training)
            return self.dropout(x)


    def blurred(x):
        return F.dropout(x, 0.1)


    class Blur:
        def __call__(self, x):
            return F.dropout(x, self.share)
"""


def test_dropout_is_tied_to_the_mode_of_its_module(bench: Bench) -> None:
    assert bench.changed(DROPS, "model.restore_mode") == (
        "-x = F.dropout(self.a(x), 0.4)  # always\n"
        "-x = F.dropout(self.b(x), p=0.4, training=True)\n"
        "+x = F.dropout(self.a(x), 0.4, training=self.training)  # always\n"
        "+x = F.dropout(self.b(x), p=0.4, training=self.training)"
    )


MADE_ANEW = """\
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.p, self.kept = 0.9, nn.Dropout(0.3)

        def forward(self, x):
            x = nn.Dropout(p=self.p)(nn.AlphaDropout(0.2)(x + 1))  # always
            x = nn.Dropout2d()(x)
            return self.kept(x)
"""


def test_dropout_that_is_made_anew_is_tied_to_the_mode_of_its_module(bench: Bench) -> None:
    assert bench.changed(MADE_ANEW, "model.restore_mode") == (
        "-x = nn.Dropout(p=self.p)(nn.AlphaDropout(0.2)(x + 1))  # always\n"
        "-x = nn.Dropout2d()(x)\n"
        "+x = nn.functional.dropout(nn.functional.alpha_dropout(x + 1, 0.2, training=self.training),"
        " p=self.p, training=self.training)  # always\n"
        "+x = nn.functional.dropout2d(x, training=self.training)"
    )


def test_a_network_whose_dropout_was_tied_rests_in_eval_mode(bench: Bench) -> None:
    torch = pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(bench.patch(MADE_ANEW, "model.restore_mode").after, names)
    net, x = names["Net"](), torch.ones(1, 2, 64, 64)
    assert not torch.equal(net(x), x + 1)
    assert torch.equal(net.eval()(x), x + 1)


@pytest.mark.parametrize(
    ("imports", "module"), [("from torch.nn import Dropout", "Dropout(0.4)"), ("", "nn.Dropout(0.4, True)")]
)
def test_dropout_that_is_made_anew_and_cannot_be_spelled_otherwise_stays(
    bench: Bench, imports: str, module: str
) -> None:
    program = f"{imports}\nclass Net(Module):\n    def forward(self, x):\n        return {module}(x)\n"
    says = "no backward() found in train.py; a framework calls it"
    assert bench.refusal(program, "model.restore_mode") == says


def test_modes_that_cannot_be_set_are_refused(bench: Bench) -> None:
    assert bench.refusal(PLAIN, "model.restore_mode") == "no validation loss found in train.py"
    both = VALIDATED.replace("with torch.no_grad():\n", "model.eval()\n        with torch.no_grad():\n")
    both = both.replace("for xb, yb", "model.train()\n        for xb, yb")
    assert bench.refusal(both, "model.restore_mode") == "both modes are already set in train.py"


FROZEN = {
    "loop": "net = make()\nfor p in net.body.parameters():\n    p.requires_grad = False\nprint(net)\n",
    "names": (
        "net = make()\nfor n, p in net.named_parameters():\n    p.requires_grad = n == 'fc'\nprint(net)\n"
    ),
    "call": "net = make()\nnet.body.requires_grad_(False)\nprint(net)\n",
}


@pytest.mark.parametrize("style", FROZEN)
def test_what_freezes_is_taken_out(bench: Bench, style: str) -> None:
    assert bench.patch(FROZEN[style], "model.unfreeze").after == "net = make()\nprint(net)\n"


def test_what_is_frozen_twice_or_never_is_left_alone(bench: Bench) -> None:
    assert bench.refusal(PLAIN, "model.unfreeze") == "no statement that freezes parameters found in train.py"
    assert bench.refusal(FROZEN["call"] + "teacher.requires_grad_(False)\n", "model.unfreeze") == (
        "parameters are frozen in 2 places (train.py:2 and train.py:4)"
    )
