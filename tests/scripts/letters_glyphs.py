# 8x8 glyph classifier
import random
from collections import defaultdict

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, Dataset


def set_seed(s):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


def glyph_folders():
    """folder name -> list of images, like os.walk would give them"""
    folders = defaultdict(list)
    d = load_digits()
    for img, t in zip(d.images, d.target):
        folders[f"glyph_{t}"].append(img)
    return folders


class GlyphDataset(Dataset):
    def __init__(self, split):
        self.samples = []
        for label, name in enumerate(sorted(glyph_folders())):
            imgs = glyph_folders()[name]
            cut = int(0.8 * len(imgs))
            for im in (imgs[:cut] if split == "train" else imgs[cut:]):
                self.samples.append((im, label))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, k):
        im, label = self.samples[k]
        x = torch.as_tensor(im, dtype=torch.float32).unsqueeze(0) / 8.0 - 1.0
        return x, label


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, 3), nn.ReLU(),
            nn.Conv2d(24, 48, 3), nn.ReLU(),
            nn.Flatten(), nn.Linear(48 * 16, 64), nn.ReLU())
        self.classifier = nn.Linear(64, 10)

    def forward(self, x):
        return self.classifier(self.features(x))


def run():
    set_seed(99)
    trainset, valset = GlyphDataset("train"), GlyphDataset("val")
    trainloader = DataLoader(trainset, batch_size=32)
    valloader = DataLoader(valset, batch_size=64)
    net = Net()
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    for epoch in range(12):
        net.train()
        running_loss = 0.0
        for i, (inputs, labels) in enumerate(trainloader):
            optimizer.zero_grad()
            outputs = net(inputs)
            loss = criterion(outputs, labels)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
            if i % 15 == 14:
                print(f"[{epoch + 1}, {i + 1:3d}] loss: {running_loss / 15:.3f}")
                running_loss = 0.0
        net.eval()
        good = total = 0
        with torch.no_grad():
            for x, y in valloader:
                good += (net(x).argmax(1) == y).sum().item()
                total += len(y)
        print(f"epoch {epoch + 1} val accuracy {good / total:.3f}")


run()
