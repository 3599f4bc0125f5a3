"""Route short messages to 5 desks with a tiny BERT trained from scratch (word ids are made up)."""
import os
import tempfile

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

set_seed(6)
VOCAB, LEN, DESKS = 200, 16, 5
rng = np.random.default_rng(6)
keywords = rng.permutation(np.arange(10, VOCAB))[:DESKS * 12].reshape(DESKS, 12)


class Messages(Dataset):
    def __init__(self, n):
        self.y = rng.integers(0, DESKS, n)
        self.x = rng.integers(10, VOCAB, (n, LEN))
        for row, desk in zip(self.x, self.y):
            pos = rng.choice(np.arange(1, LEN), 4, replace=False)
            row[pos] = rng.choice(keywords[desk], 4)
        self.x[:, 0] = 1

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.x[i]), "attention_mask": torch.ones(LEN, dtype=torch.long),
                "labels": torch.tensor(self.y[i])}


config = BertConfig(vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                    intermediate_size=96, max_position_embeddings=32, num_labels=DESKS)
model = BertForSequenceClassification(config)


def metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


with tempfile.TemporaryDirectory() as out:
    args = TrainingArguments(
        output_dir=out, num_train_epochs=8, per_device_train_batch_size=16, gradient_accumulation_steps=2,
        per_device_eval_batch_size=256, learning_rate=2e-3, warmup_steps=120, lr_scheduler_type="cosine", weight_decay=0.01,
        max_grad_norm=1.0, eval_strategy="epoch", save_strategy="no", logging_steps=25, report_to=[], use_cpu=True,
        disable_tqdm=True, seed=6)
    trainer = Trainer(model=model, args=args, train_dataset=Messages(2000), eval_dataset=Messages(500), compute_metrics=metrics)
    trainer.train()
    print(trainer.evaluate())
