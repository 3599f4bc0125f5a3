"""Mood of short reviews (bag of embeddings) trained with the Hugging Face Trainer."""
import logging
import tempfile

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, Subset
from transformers import Trainer, TrainingArguments, set_seed

logging.basicConfig(level=logging.INFO)


class Reviews(Dataset):
    """length-20 reviews over 300 words; 60 of the words carry mood"""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        polarity = np.zeros(300)
        polarity[:30], polarity[30:60] = 1.0, -1.0
        ids = rng.integers(0, 300, (n, 20))
        self.ids = torch.tensor(ids)
        self.labels = torch.tensor((polarity[ids].sum(1) + 0.3 * rng.normal(size=n) > 0).astype(int))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": self.labels[i]}


class BagModel(nn.Module):
    def __init__(self, vocab=300, dim=32):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, 2)

    def forward(self, input_ids, labels=None):
        logits = self.fc(torch.relu(self.norm(self.emb(input_ids))))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return {"loss": loss, "logits": logits}


def accuracy(p):
    return {"accuracy": (p.predictions.argmax(-1) == p.label_ids).mean().item()}


if __name__ == "__main__":
    set_seed(29)
    full = Reviews(3000, 1)
    train = Subset(full, range(16))
    val = Reviews(500, 2)
    with tempfile.TemporaryDirectory() as tmp:
        args = TrainingArguments(
            output_dir=tmp, max_steps=600, per_device_train_batch_size=16, per_device_eval_batch_size=100,
            learning_rate=3e-3, lr_scheduler_type="constant", logging_steps=50, eval_strategy="steps", eval_steps=100,
            save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=29)
        trainer = Trainer(model=BagModel(), args=args, train_dataset=train, eval_dataset=val, compute_metrics=accuracy)
        trainer.train()
