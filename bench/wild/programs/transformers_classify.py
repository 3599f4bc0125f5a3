"""Fine-tune style training of a small BERT under the Hugging Face Trainer: which of two words comes more often?"""

import argparse

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--weight-decay", type=float, default=0.01)
parser.add_argument("--warmup-steps", type=int, default=20)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--label-smoothing", type=float, default=0.0)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--max-grad-norm", type=float, default=1.0)
args = parser.parse_args()

set_seed(3)
VOCABULARY, LENGTH = 60, 24


class Reviews(Dataset):
    """Sentences of 24 words; positive if more words of the good list than of the bad list are in it."""

    def __init__(self, count, seed):
        random = np.random.default_rng(seed)
        self.words = random.integers(5, VOCABULARY, size=(count, LENGTH))
        good = (self.words < 20).sum(1)
        bad = ((self.words >= 20) & (self.words < 35)).sum(1)
        self.labels = (good > bad).astype(int)

    def __len__(self):
        return len(self.words)

    def __getitem__(self, index):
        words = torch.tensor(self.words[index])
        return {"input_ids": words, "attention_mask": torch.ones_like(words), "labels": int(self.labels[index])}


config = BertConfig(
    vocab_size=VOCABULARY,
    hidden_size=48,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=96,
    max_position_embeddings=32,
    hidden_dropout_prob=args.dropout,
    attention_probs_dropout_prob=args.dropout,
    num_labels=2,
)
model = BertForSequenceClassification(config)


def compute_metrics(prediction):
    return {"accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())}


training_args = TrainingArguments(
    output_dir="out",
    max_steps=args.steps,
    learning_rate=args.learning_rate,
    weight_decay=args.weight_decay,
    warmup_steps=args.warmup_steps,
    per_device_train_batch_size=args.batch_size,
    per_device_eval_batch_size=128,
    label_smoothing_factor=args.label_smoothing,
    max_grad_norm=args.max_grad_norm,
    eval_strategy="steps",
    eval_steps=max(args.steps // 5, 1),
    logging_steps=10,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=model,
    args=training_args,
    train_dataset=Reviews(4000, seed=0),
    eval_dataset=Reviews(500, seed=1),
    compute_metrics=compute_metrics,
)
trainer.train()
print(f"eval_accuracy {trainer.evaluate()['eval_accuracy']:.4f}")
