"""Tiny BERT on synthetic headlines (4 topics), Hugging Face Trainer."""
import tempfile

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

VOCAB, LENGTH, TOPICS = 400, 16, 4
PAD, CLS = 0, 1


def headlines(n, seed):
    """Words as strings; each topic prefers its own 40 words."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, TOPICS, n)
    texts = []
    for t in y:
        k = rng.integers(8, LENGTH - 1)
        own = rng.random(k) < 0.3
        words = np.where(own, rng.integers(0, 40, k) + 40 * t, rng.integers(160, 380, k))
        texts.append(" ".join(f"{'T' if w < 160 else 'w'}{w}" for w in words))
    return texts, y


class Tokenizer:
    def __init__(self, texts):
        words = sorted({w for t in texts for w in t.lower().split()})
        self.ids = {w: i + 3 for i, w in enumerate(words)}

    def __call__(self, text, lower=True):
        words = text.lower().split() if lower else text.split()
        ids = [CLS] + [self.ids.get(w, 2) for w in words]
        ids = ids[:LENGTH]
        mask = [1] * len(ids) + [0] * (LENGTH - len(ids))
        return ids + [PAD] * (LENGTH - len(ids)), mask


class Headlines(torch.utils.data.Dataset):
    def __init__(self, texts, labels, tok, lower=False):
        self.rows = [(*tok(t, lower), int(l)) for t, l in zip(texts, labels)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        ids, mask, label = self.rows[i]
        return {"input_ids": torch.tensor(ids), "attention_mask": torch.tensor(mask), "labels": torch.tensor(label)}


def compute_metrics(p):
    return {"accuracy": float((p.predictions.argmax(-1) == p.label_ids).mean())}


def main():
    set_seed(17)
    tr_x, tr_y = headlines(1600, 1)
    va_x, va_y = headlines(400, 2)
    tok = Tokenizer(tr_x)
    train = Headlines(tr_x, tr_y, tok, lower=True)
    val = Headlines(va_x, va_y, tok)
    config = BertConfig(vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96,
                        max_position_embeddings=LENGTH, num_labels=TOPICS)
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as out:
        args = TrainingArguments(output_dir=out, num_train_epochs=6, per_device_train_batch_size=32, per_device_eval_batch_size=64,
                                 learning_rate=2e-3, warmup_steps=20, eval_strategy="epoch", logging_strategy="epoch",
                                 save_strategy="no", report_to="none", use_cpu=True, disable_tqdm=True, seed=17)
        trainer = Trainer(model=model, args=args, train_dataset=train, eval_dataset=val, compute_metrics=compute_metrics)
        trainer.train()
        print(trainer.evaluate())


if __name__ == "__main__":
    main()
