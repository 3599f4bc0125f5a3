"""Edits of the loss: its settings, its sign, what enters it."""

import pytest

from tests.changes.source.sources import LIT, LIT_PLACES, PLAIN, TRAINER, Bench
from traindx.facts import KL_INPUT, LOSS_FUNCTION, LOSS_PLACE, LOSS_SHAPES, LOWEST_LABEL, OUTPUT_ACTIVATION
from traindx.run import Fact, Scalar

SUMMED = "crit = nn.MSELoss(reduction='sum')\nloss = crit(model(x), y)\nloss.backward()\n"
FUNCTION = 'loss = F.cross_entropy(net(x), y, reduction="sum")\nloss.backward()\n'
PROBABLE = "crit = nn.BCELoss()\nloss = crit(p, y)\n(-loss).backward()\n"

CHANGED = {
    ("loss.label_smoothing 0.1", PLAIN): (
        "-criterion = nn.CrossEntropyLoss()\n+criterion = nn.CrossEntropyLoss(label_smoothing=0.1)"
    ),
    ("loss.label_smoothing 0.1", TRAINER): (
        "-loss = F.cross_entropy(self.net(x), y)\n"
        "+loss = F.cross_entropy(self.net(x), y, label_smoothing=0.1)"
    ),
    ("loss.label_smoothing 0", "loss = F.cross_entropy(p, y, label_smoothing=0.3)\n"): (
        "-loss = F.cross_entropy(p, y, label_smoothing=0.3)\n"
        "+loss = F.cross_entropy(p, y, label_smoothing=0.0)"
    ),
    ("loss.use_mean", SUMMED): "-crit = nn.MSELoss(reduction='sum')\n+crit = nn.MSELoss(reduction='mean')",
    ("loss.use_mean", FUNCTION): (
        '-loss = F.cross_entropy(net(x), y, reduction="sum")\n'
        '+loss = F.cross_entropy(net(x), y, reduction="mean")'
    ),
    ("loss.from_scores", PROBABLE): "-crit = nn.BCELoss()\n+crit = nn.BCEWithLogitsLoss()",
    (
        "loss.from_scores",
        "loss = F.nll_loss(p, y)\n",
    ): "-loss = F.nll_loss(p, y)\n+loss = F.cross_entropy(p, y)",
    ("loss.negate", PROBABLE): "-(-loss).backward()\n+loss.backward()",
    ("loss.negate", "loss = -crit(p, y)\nloss.backward()\n"): "-loss = -crit(p, y)\n+loss = crit(p, y)",
    ("loss.negate", "loss = p + q\nloss.backward()\n"): "-loss = p + q\n+loss = -(p + q)",
    ("loss.negate", "loss = -crit(p, y)\ntorch.autograd.backward(loss)\n"): (
        "-loss = -crit(p, y)\n+loss = crit(p, y)"
    ),
    ("loss.negate", "loss = crit(p, y)\nscaler.scale(-loss).backward()\n"): (
        "-scaler.scale(-loss).backward()\n+scaler.scale(loss).backward()"
    ),
    ("loss.negate", "from torch.autograd import backward\nloss = crit(p, y)\nbackward(loss)\n"): (
        "-loss = crit(p, y)\n+loss = -crit(p, y)"
    ),
    ("targets.match_shape", "loss = F.mse_loss(out, y)  # plain\n"): (
        "-loss = F.mse_loss(out, y)  # plain\n+loss = F.mse_loss(out, y.view_as(out))  # plain"
    ),
    ("targets.match_shape", "mse = nn.MSELoss()\nloss = mse(p, y[i])\nval_loss = mse(q, z)\n"): (
        "-loss = mse(p, y[i])\n-val_loss = mse(q, z)\n"
        "+loss = mse(p, y[i].view_as(p))\n+val_loss = mse(q, z.view_as(q))"
    ),
    ("loss.class_weights balanced", PLAIN): (
        "-criterion = nn.CrossEntropyLoss()\n"
        "+class_counts = torch.bincount(y)\n"
        "+criterion = nn.CrossEntropyLoss(weight=class_counts.sum() / (len(class_counts) * class_counts))"
    ),
    (
        "loss.class_weights balanced",
        PLAIN.replace("criterion(model(xb), yb)", "nn.functional.cross_entropy(model(xb), yb)"),
    ): (
        "+class_counts = torch.bincount(torch.as_tensor(y))\n"
        "+class_weights = class_counts.sum() / (len(class_counts) * class_counts)\n"
        "-loss = nn.functional.cross_entropy(model(xb), yb)\n"
        "+loss = nn.functional.cross_entropy(model(xb), yb, weight=class_weights)"
    ),
    (
        "loss.class_weights balanced",
        "train = DataLoader(TensorDataset(a, torch.from_numpy(b)))\n"
        "crit = nn.BCEWithLogitsLoss()\nloss = crit(p, y)\n",
    ): (
        "-crit = nn.BCEWithLogitsLoss()\n"
        "+train_labels = torch.from_numpy(b)\n"
        "+crit = nn.BCEWithLogitsLoss(pos_weight=(train_labels == 0).sum() / (train_labels == 1).sum())"
    ),
}


@pytest.mark.parametrize(("change", "program"), CHANGED)
def test_the_loss_is_written_otherwise(bench: Bench, change: str, program: str) -> None:
    assert bench.changed(program, change) == CHANGED[change, program]


REFUSED = {
    ("loss.use_mean", PLAIN): 'nn.CrossEntropyLoss() at train.py:15 does not use reduction="sum"',
    ("loss.label_smoothing 0.1", SUMMED): "nn.MSELoss at train.py:1 has no label smoothing",
    ("loss.from_scores", PLAIN): "nn.CrossEntropyLoss at train.py:15 does not expect probabilities",
    ("loss.from_scores", "from torch.nn import BCELoss\nloss = BCELoss()(p, y)\n"): (
        "train.py imports BCELoss by name but not BCEWithLogitsLoss"
    ),
    ("loss.use_mean", "loss = ((p - y) ** 2).sum()\n"): (
        "the loss at train.py:1 is not a direct call of a torch loss"
    ),
    ("loss.negate", "loss = a(x)\nif b:\n    loss = c(x)\nloss.backward()\n"): (
        "loss is assigned in 2 places (train.py:1 and train.py:3)"
    ),
    ("targets.match_shape", FUNCTION): ("the prediction is not in a variable (net(x)) at train.py:1"),
    ("loss.class_weights balanced", TRAINER): "y is assigned in several places in train.py",
    ("loss.class_weights balanced", PLAIN.replace("TensorDataset(x, y)", "Pictures()")): (
        "the labels are not in a variable at train.py:7"
    ),
}


@pytest.mark.parametrize(("change", "program"), REFUSED)
def test_what_is_not_clear_is_refused(bench: Bench, change: str, program: str) -> None:
    assert bench.refusal(program, change) == REFUSED[change, program]


LABELS = "for x, y in loader:\n    loss = F.cross_entropy(net(x), y)\n"


def test_labels_that_start_at_one_start_at_zero(bench: Bench) -> None:
    changed = bench.changed(LABELS, "targets.start_at_zero", facts={LOWEST_LABEL: 1})
    assert changed == "-loss = F.cross_entropy(net(x), y)\n+loss = F.cross_entropy(net(x), y - 1)"


def test_answers_of_minus_one_are_mapped(bench: Bench) -> None:
    program = "for i in range(9):\n    loss = F.binary_cross_entropy(net(x[i:j]), y[i:j])\n"
    changed = bench.changed(program, "targets.start_at_zero", facts={LOWEST_LABEL: -1})
    assert changed.endswith("+loss = F.binary_cross_entropy(net(x[i:j]), (y[i:j] + 1) / 2)")


@pytest.mark.parametrize(
    ("program", "change", "after"),
    [
        (
            "loss = F.cross_entropy(net(x), y)\n",
            "loss.use bce",
            "+loss = F.binary_cross_entropy_with_logits(net(x), y)",
        ),
        (
            "criterion = nn.CrossEntropyLoss()\nloss = criterion(net(x), y)\n",
            "loss.use bce",
            "+criterion = nn.BCEWithLogitsLoss()",
        ),
        (
            "criterion = nn.PoissonNLLLoss()\nloss = criterion(net(x), y)\n",
            "loss.use mse",
            "+criterion = nn.MSELoss()",
        ),
    ],
)
def test_a_loss_is_replaced_by_one_that_fits(bench: Bench, program: str, change: str, after: str) -> None:
    assert bench.changed(program, change).endswith(after)


def test_kl_div_gets_the_logarithm_of_its_input(bench: Bench) -> None:
    program = "soft = F.kl_div(student, teacher)\nloss = soft + F.cross_entropy(net(x), y)\n"
    changed = bench.changed(program, "loss.log_input", facts={KL_INPUT: 0.9})
    assert changed == "-soft = F.kl_div(student, teacher)\n+soft = F.kl_div(student.log(), teacher)"
    assert bench.refusal(program, "loss.log_input") == "kl_div was not seen with probabilities"


def test_a_loss_whose_settings_another_lacks_is_left_alone(bench: Bench) -> None:
    program = "loss = F.cross_entropy(net(x), y, label_smoothing=0.1)\n"
    why = bench.refusal(program, "loss.use bce")
    assert "has settings that binary_cross_entropy_with_logits lacks" in why


@pytest.mark.parametrize(
    ("program", "facts", "why"),
    [
        (LABELS, {}, "the labels were not seen to start at 1 or at -1"),
        (
            f"{LABELS}    right = (net(x).argmax(1) == y).sum()\n",
            {LOWEST_LABEL: 1},
            "y is used in several places (train.py:1, train.py:2, train.py:3)",
        ),
        (
            "for x, y in loader:\n    loss = F.cross_entropy(net(x), y.long())\n",
            {LOWEST_LABEL: 1},
            "the labels are not in a variable at train.py:2",
        ),
    ],
)
def test_labels_are_left_alone_where_it_is_not_clear(
    bench: Bench, program: str, facts: dict[Fact, Scalar], why: str
) -> None:
    assert bench.refusal(program, "targets.start_at_zero", facts=facts) == why


def test_shapes_tell_how_to_match_a_prediction_without_a_name(bench: Bench) -> None:
    shapes = {LOSS_SHAPES: "(64, 1) against (64,)"}
    changed = bench.changed("loss = F.mse_loss(net(x), y)\n", "targets.match_shape", facts=shapes)
    assert changed.endswith("+loss = F.mse_loss(net(x), y.unsqueeze(-1))")


SQUASHED = {
    "return of forward": (TRAINER, "-return F.softmax(self.fc2(x), dim=1)\n+return self.fc2(x)"),
    "method": (
        TRAINER.replace("F.softmax(self.fc2(x), dim=1)", "self.fc2(x).softmax(-1)"),
        "-return self.fc2(x).softmax(-1)\n+return self.fc2(x)",
    ),
    "module under a name": (
        TRAINER.replace("self.drop = ", "self.sm = nn.Softmax(1)\n    \t\tself.drop = ").replace(
            "F.softmax(self.fc2(x), dim=1)", "self.sm(self.fc2(x))"
        ),
        "-return self.sm(self.fc2(x))\n+return self.fc2(x)",
    ),
    "statement before": (
        "out = torch.softmax(net(x), 1)\nloss = F.cross_entropy(out, y)\n",
        "-out = torch.softmax(net(x), 1)\n+out = net(x)",
    ),
    "argument": (
        "crit = nn.CrossEntropyLoss()\nloss = crit(net(x).softmax(1), y)\n",
        "-loss = crit(net(x).softmax(1), y)\n+loss = crit(net(x), y)",
    ),
    "last of a sequence with comments": (
        "net = nn.Sequential(\n    nn.Linear(2, 2),  # scores\n    nn.Softmax(1),  # sum to 1\n)\n"
        "loss = nn.CrossEntropyLoss()(net(x), y)\n",
        "-nn.Softmax(1),  # sum to 1",
    ),
    "last of a sequence": (
        "net = nn.Sequential(\n    nn.Linear(2, 2),\n"
        "    nn.Sigmoid(),\n)\nloss = nn.BCEWithLogitsLoss()(net(x), y)\n",
        "-nn.Sigmoid(),",
    ),
}


@pytest.mark.parametrize("style", SQUASHED)
def test_the_softmax_before_the_loss_is_taken_away(bench: Bench, style: str) -> None:
    program, changed = SQUASHED[style]
    assert bench.changed(program, "loss.remove_softmax") == changed


def test_the_softmax_of_a_module_of_lightning(bench: Bench) -> None:
    changed = bench.changed(LIT, "loss.remove_softmax", facts=LIT_PLACES)
    assert changed.endswith(
        "+self.net = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 3))"
    )


def test_a_softmax_that_is_not_clear_is_left_alone(bench: Bench) -> None:
    assert bench.refusal(PLAIN, "loss.remove_softmax") == (
        "no sigmoid or softmax at the output found in train.py"
    )
    assert bench.refusal(PLAIN, "loss.remove_softmax", {OUTPUT_ACTIVATION: "none"}) == (
        "the output has no activation before the loss"
    )
    assert bench.refusal(TRAINER, "loss.remove_softmax", {LOSS_FUNCTION: "mse_loss"}) == (
        "mse_loss does not apply softmax or sigmoid itself"
    )
    halved = (
        "net = nn.Sequential(nn.Linear(2, 1), nn.Sigmoid())\nloss = f(net(x))\nright = (net(x) > 0.5) == y\n"
    )
    assert bench.refusal(halved, "loss.remove_softmax", {LOSS_PLACE: "train.py:2"}) == (
        "the output is compared with 0.5, which must be 0 for logits, train.py:3"
    )
