import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments, set_seed

VOCAB, LENGTH = 60, 16


class Keywords(Dataset):
    """The label is which of three keyword groups occurs most often in the sequence."""

    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.x = rng.integers(10, VOCAB, (n, LENGTH))
        self.y = rng.integers(0, 3, n)
        for row, label in zip(self.x, self.y):
            row[rng.choice(LENGTH, 5, replace=False)] = 3 + label

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"input_ids": torch.tensor(self.x[i]), "attention_mask": torch.ones(LENGTH, dtype=torch.long),
                "labels": torch.tensor(self.y[i])}


def accuracy(pred):
    return {"accuracy": float((pred.predictions.argmax(-1) == pred.label_ids).mean())}


def main():
    torch.set_num_threads(1)
    set_seed(5)
    config = BertConfig(vocab_size=VOCAB, hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
                        intermediate_size=96, max_position_embeddings=LENGTH, num_labels=3)
    model = BertForSequenceClassification(config)
    args = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=32,
        per_device_eval_batch_size=128,
        num_train_epochs=6,
        learning_rate=5e-4,
        warmup_steps=50000,
        weight_decay=0.01,
        lr_scheduler_type="linear",
        logging_steps=10,
        eval_strategy="epoch",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=True,
    )
    trainer = Trainer(model=model, args=args, train_dataset=Keywords(1600, 0), eval_dataset=Keywords(400, 1),
                      compute_metrics=accuracy)
    trainer.train()


if __name__ == "__main__":
    main()
