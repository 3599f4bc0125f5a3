"""Three small networks for the examples of `traindx examine`: a sound one and two with faults.

python -m traindx.demo.nets          write weights.pt and sample.pt into this folder
python -m traindx.demo.nets train    train the network whose gradients vanish
"""

import sys

import torch
from torch import nn
from torch.nn import functional

FEATURES, CLASSES, ROWS = 16, 4, 512


def steady():
    """A network without a fault."""
    return nn.Sequential(
        nn.Linear(FEATURES, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, CLASSES)
    )


def deep():
    """A stack of sigmoids: its first layers get next to no gradient."""
    layers = []
    for number in range(10):
        layers += [nn.Linear(FEATURES if number == 0 else 32, 32), nn.Sigmoid()]
    return nn.Sequential(*layers, nn.Linear(32, CLASSES))


def odd():
    """A softmax where the loss has one of its own, a dropout before a batch normalization, dead units."""
    model = nn.Sequential(
        nn.Linear(FEATURES, 64), nn.ReLU(), nn.Dropout(0.5), nn.BatchNorm1d(64), nn.Linear(64, 64), nn.ReLU(),
        nn.Linear(64, CLASSES), nn.Softmax(1),
    )  # fmt: skip
    nn.init.constant_(model[4].bias, -20.0)
    return model


def batch():
    """Inputs and the classes they belong to."""
    inputs = torch.randn(ROWS, FEATURES, generator=torch.Generator().manual_seed(0))
    return inputs, inputs[:, :CLASSES].argmax(1)


def main():
    """Write the files, or train."""
    torch.manual_seed(0)
    if sys.argv[1:] != ["train"]:
        torch.save(steady().state_dict(), "weights.pt")
        torch.save(batch(), "sample.pt")
        return
    model, (inputs, targets) = deep(), batch()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(100):
        optimizer.zero_grad()
        functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
