"""Edits of what a model learns from: inputs and targets as arrays, or as they enter the model."""

import pytest

from tests.changes.source.sources import HF, PLAIN, TRAINER, Bench
from traindx.facts import LOSS_FUNCTION

INDEXED = """\
    import numpy as np
    import torch
    import torch.nn as nn

    raw = np.loadtxt("rows.csv")
    X = torch.tensor(raw[:, :4], dtype=torch.float32)
    y = torch.tensor(raw[:, 4], dtype=torch.float32)
    n_train = 100
    x_val = X[n_train:]
    model = nn.Linear(4, 1)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    mse = nn.MSELoss()
    for epoch in range(3):
        for rows in torch.randperm(n_train).split(10):
            opt.zero_grad()
            loss = mse(model(X[rows]).squeeze(1), y[rows])
            loss.backward()
            opt.step()
    val_loss = mse(model(x_val).squeeze(1), y[n_train:])
"""
"""A loop that takes rows of arrays itself."""

SPLIT = """\
    import numpy as np
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    def main():
        x, y = load()
        x_train, x_test, y_train, y_test = train_test_split(x.astype(np.float32), y)
        train = TensorDataset(torch.from_numpy(x_train), torch.from_numpy(y_train))
        loader = DataLoader(train, batch_size=8)
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.Adam(model.parameters())
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(xb), yb)
            loss.backward()
            optimizer.step()
        print(model(torch.tensor(x_test)))
"""
"""Arrays of numpy that are wrapped late, in a function."""

KERAS = """\
    import keras

    x_tr, x_te, y_tr, y_te = split()
    model = keras.Sequential([keras.layers.Dense(8), keras.layers.Dense(1)])
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
    model.fit(x_tr, y_tr, epochs=5, validation_data=(x_te, y_te))
    model.evaluate(x_te, y_te)
"""

CLASS = """\
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Pictures(Dataset):
        pass

    loader = DataLoader(Pictures(), batch_size=8)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters())
    for xb, yb in loader:
        loss = torch.nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
"""
"""Data that has no array: what enters the model is all there is."""

WHOLE = INDEXED.replace("dtype=torch.float32", "dtype=torch.uint8", 1)
"""Whole numbers, which have no mean in torch."""

CHANGED = {
    ("inputs.standardize", WHOLE): (
        "+input_mean, input_std = X.float().mean(0), X.float().std(0)\n"
        "+X = (X - input_mean) / (input_std + 1e-8)"
    ),
    ("inputs.standardize", INDEXED): (
        "+input_mean, input_std = X.mean(0), X.std(0)\n+X = (X - input_mean) / (input_std + 1e-8)"
    ),
    ("targets.standardize", INDEXED): (
        "+target_mean, target_std = y.mean(), y.std()"
        "  # prediction * target_std + target_mean is in the original unit\n"
        "+y = (y - target_mean) / target_std"
    ),
    ("inputs.replace_nonfinite", INDEXED): "+X = torch.nan_to_num(X, nan=0.0, posinf=0.0, neginf=0.0)",
    ("inputs.standardize", SPLIT): (
        "+input_mean, input_std = x_train.mean(0), x_train.std(0)\n"
        "+x_train = (x_train - input_mean) / (input_std + 1e-8)\n"
        "+x_test = (x_test - input_mean) / (input_std + 1e-8)"
    ),
    ("inputs.replace_nonfinite", SPLIT): (
        "+x_train = np.nan_to_num(x_train, nan=0.0, posinf=0.0, neginf=0.0)\n"
        "+x_test = np.nan_to_num(x_test, nan=0.0, posinf=0.0, neginf=0.0)"
    ),
    ("inputs.clip 8", SPLIT): (
        "+input_middle = np.median(x_train, axis=0)\n"
        "+input_away = abs(x_train - input_middle)\n"
        "+input_spread = np.where(np.median(input_away, axis=0) > 0, "
        "1.4826 * np.median(input_away, axis=0), input_away.mean(0))\n"
        "+x_train = x_train.clip(input_middle - 8 * input_spread, input_middle + 8 * input_spread)\n"
        "+x_test = x_test.clip(input_middle - 8 * input_spread, input_middle + 8 * input_spread)"
    ),
    ("inputs.standardize", KERAS): (
        "+input_mean, input_std = x_tr.mean(0), x_tr.std(0)\n"
        "+x_tr = (x_tr - input_mean) / (input_std + 1e-8)\n"
        "+x_te = (x_te - input_mean) / (input_std + 1e-8)"
    ),
    ("targets.standardize", KERAS): (
        "+target_mean, target_std = y_tr.mean(), y_tr.std()"
        "  # prediction * target_std + target_mean is in the original unit\n"
        "+y_tr = (y_tr - target_mean) / target_std\n+y_te = (y_te - target_mean) / target_std"
    ),
    ("inputs.standardize", CLASS): (
        "+inputs = torch.cat([batch[0] for batch in loader])\n"
        "+input_mean, input_std = inputs.mean(0), inputs.std(0)\n"
        "+model.register_forward_pre_hook("
        "lambda _, args: ((args[0] - input_mean) / (input_std + 1e-8), *args[1:]))"
    ),
    ("inputs.standardize", TRAINER): (
        "+inputs = torch.cat([batch[0] for batch in self.train_loader])\n"
        "+input_mean, input_std = inputs.mean(0), inputs.std(0)\n"
        "+net.register_forward_pre_hook("
        "lambda _, args: ((args[0] - input_mean) / (input_std + 1e-8), *args[1:]))"
    ),
    ("inputs.replace_nonfinite", CLASS): (
        "+model.register_forward_pre_hook(lambda _, args: "
        "(torch.nan_to_num(args[0], nan=0.0, posinf=0.0, neginf=0.0), *args[1:]))"
    ),
}


@pytest.mark.parametrize(("change", "program"), CHANGED)
def test_data_is_made_otherwise_before_anything_learns(bench: Bench, change: str, program: str) -> None:
    assert bench.changed(program, change) == CHANGED[change, program]


def test_only_training_rows_are_counted_where_they_are_cut_out(bench: Bench) -> None:
    cut = PLAIN.replace("TensorDataset(x, y)", "TensorDataset(x[:48], y[:48])")
    assert "x[:48].mean(0), x[:48].std(0)" in bench.patch(cut, "inputs.standardize").after


def test_pictures_are_standardized_as_a_whole(bench: Bench) -> None:
    pictures = PLAIN.replace("nn.Linear(4, 8)", "nn.Conv2d(1, 8, 3)")
    assert "input_mean, input_std = x.mean(), x.std()" in bench.patch(pictures, "inputs.standardize").after
    assert bench.refusal(pictures, "inputs.clip 8").startswith("train.py trains on images or sequences")


OWN = """\
from torch.nn import functional


class Targets(Wrapped):
    def compare(self):
        loss = functional.mse_loss(self.prediction, self)
        loss.backward()


Targets().compare()
"""
REFUSED = {
    ("targets.standardize", OWN): "self is assigned in several places in train.py",
    ("inputs.standardize", HF): "no optimizer constructor found at train.py:?",
    ("targets.standardize", CLASS): "the data comes from the class Pictures at train.py:4",
    ("inputs.standardize", PLAIN.replace("nn.Linear(4, 8)", "nn.Embedding(4, 8)")): (
        "train.py passes its inputs to an Embedding: they are indices"
    ),
    ("inputs.standardize", INDEXED.replace("n_train = 100", "input_std = n_train = 100")): (
        "the name input_std is already used in train.py"
    ),
    ("inputs.standardize", INDEXED.replace("    model = nn", "    X = X * 2\n    model = nn")): (
        "X is sliced at train.py:9 before its last assignment"
    ),
    ("targets.standardize", PLAIN.replace("TensorDataset(x, y)", "TensorDataset(*both())")): (
        "the arrays are not in variables (TensorDataset(*both())) at train.py:7"
    ),
}


@pytest.mark.parametrize(("change", "program"), REFUSED)
def test_data_that_is_not_clear_is_refused(bench: Bench, change: str, program: str) -> None:
    assert bench.refusal(program, change) == REFUSED[change, program]


def test_classes_are_no_targets_to_be_standardized(bench: Bench) -> None:
    facts = {LOSS_FUNCTION: "cross_entropy"}
    assert bench.refusal(PLAIN, "targets.standardize", facts) == (
        "cross_entropy does not compare numeric targets"
    )
