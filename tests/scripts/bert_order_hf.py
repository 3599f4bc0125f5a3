"""Which marker token comes first? A small BERT trained from scratch."""
import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed


class OrderDataset(torch.utils.data.Dataset):
    """Two of three marker tokens are placed among filler; the label is the first one."""

    def __init__(self, n, seed, length=14, vocab=40):
        rng = np.random.default_rng(seed)
        ids = rng.integers(5, vocab, (n, length))
        self.labels = np.zeros(n, dtype=np.int64)
        for i in range(n):
            spots = np.sort(rng.choice(np.arange(1, length), 2, replace=False))
            markers = rng.permutation(3)[:2]
            ids[i, spots] = markers + 1
            self.labels[i] = markers[0]
        ids[:, 0] = 4
        self.ids = ids

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return {"input_ids": torch.as_tensor(self.ids[i]), "labels": int(self.labels[i])}


def main():
    set_seed(1)
    config = BertConfig(
        vocab_size=40, hidden_size=48, num_hidden_layers=8, num_attention_heads=4, intermediate_size=96,
        max_position_embeddings=16, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        initializer_range=0.05,
    )
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as tmp:
        args = TrainingArguments(
            output_dir=tmp, max_steps=280, per_device_train_batch_size=16, per_device_eval_batch_size=250,
            learning_rate=3e-3, lr_scheduler_type="constant_with_warmup", warmup_steps=0, weight_decay=0.01,
            logging_steps=20, eval_strategy="steps", eval_steps=70, save_strategy="no", report_to="none",
            use_cpu=True, disable_tqdm=True, seed=1,
        )
        trainer = Trainer(
            model=model, args=args, train_dataset=OrderDataset(6000, 0), eval_dataset=OrderDataset(500, 1),
            compute_metrics=lambda p: {"acc": float((p.predictions.argmax(-1) == p.label_ids).mean())},
        )
        trainer.train()


if __name__ == "__main__":
    main()
