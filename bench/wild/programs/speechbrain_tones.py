"""A SpeechBrain Brain that tells generated vowel-like sounds apart by their spectra."""

import argparse

import numpy as np
import speechbrain as sb
import torch
from speechbrain.dataio.dataset import DynamicItemDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--weight-decay", type=float, default=0.0)
args = parser.parse_args()

torch.manual_seed(0)
random = np.random.default_rng(0)
FORMANTS = [(300, 870), (660, 1720), (270, 2290), (570, 840), (490, 1350)]


def sounds(count):
    """A fifth of a second of two formants with noise, at 8 kHz."""
    data = {}
    time = np.arange(1600) / 8000
    for index in range(count):
        vowel = int(random.integers(5))
        tones = [f * random.normal(1, 0.12) for f in FORMANTS[vowel]]
        wave = sum(np.sin(2 * np.pi * (f * time + random.random())) for f in tones)
        wave = wave + 2.0 * random.normal(size=1600)
        data[str(index)] = {"sig": torch.tensor(wave, dtype=torch.float32), "label": torch.tensor([vowel])}
    return DynamicItemDataset(data, output_keys=["id", "sig", "label"])


class VowelBrain(sb.Brain):
    def compute_forward(self, batch, stage):
        signal, lengths = batch.sig
        spectrum = torch.stft(signal, 256, 160, window=torch.hann_window(256), return_complex=True).abs()
        features = torch.log1p(spectrum).mean(2)
        features = (features - 1.8) / 0.5
        return self.modules.classifier(features)

    def compute_objectives(self, predictions, batch, stage):
        labels = batch.label.data.squeeze(1)
        loss = torch.nn.functional.cross_entropy(predictions, labels)
        if stage != sb.Stage.TRAIN:
            self.right += (predictions.argmax(1) == labels).sum().item()
            self.total += len(labels)
        return loss

    def on_stage_start(self, stage, epoch=None):
        self.right = self.total = 0

    def on_stage_end(self, stage, stage_loss, epoch=None):
        if stage == sb.Stage.VALID:
            print(f"epoch {epoch} valid loss {stage_loss:.4f} accuracy {self.right / self.total:.4f}")
            self.accuracy = self.right / self.total
        elif stage == sb.Stage.TRAIN:
            print(f"epoch {epoch} train loss {stage_loss:.4f}")


classifier = torch.nn.Sequential(
    torch.nn.Linear(129, 64), torch.nn.BatchNorm1d(64), torch.nn.LeakyReLU(), torch.nn.Linear(64, 5)
)
train, valid = sounds(3000), sounds(300)
brain = VowelBrain(
    modules={"classifier": classifier},
    opt_class=lambda parameters: torch.optim.Adam(parameters, lr=args.lr, weight_decay=args.weight_decay),
    run_opts={"device": "cpu"},
)
brain.fit(
    range(1, max(1, round(args.steps / (3000 / args.batch_size))) + 1),
    train,
    valid,
    progressbar=False,
    train_loader_kwargs={"batch_size": args.batch_size, "shuffle": True},
    valid_loader_kwargs={"batch_size": 150},
)
print(f"accuracy {brain.accuracy:.4f}")
