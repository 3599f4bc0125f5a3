import torch
from reproducible import fingerprint, seed_everything
from torch.utils.data import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()
torch.set_num_threads(1)


class Parity(Dataset):
    """Does token 7 occur in the sentence?"""

    def __init__(self, n, seed):
        generator = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(5, 30, (n, 12), generator=generator)
        self.labels = (self.tokens == 7).any(dim=1).long()

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return {"input_ids": self.tokens[i], "labels": self.labels[i]}


class Printer(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            print(f"step {state.global_step} loss {logs['loss']!r} lr={logs['learning_rate']!r}")
        if "eval_loss" in logs:
            print(f"step {state.global_step} val_loss {logs['eval_loss']!r}")


def main():
    seed_everything(42)
    config = BertConfig(
        vocab_size=30,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=16,
    )
    model = BertForSequenceClassification(config)
    arguments = TrainingArguments(
        output_dir="checkpoints",
        max_steps=30,
        per_device_train_batch_size=8,
        gradient_accumulation_steps=2,
        learning_rate=1e-3,
        warmup_steps=5,
        logging_steps=1,
        eval_strategy="steps",
        eval_steps=10,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        seed=42,
    )
    trainer = Trainer(model, arguments, train_dataset=Parity(320, 1), eval_dataset=Parity(64, 2))
    trainer.remove_callback(trainer.callback_handler.callbacks[-1].__class__)
    trainer.add_callback(Printer())
    trainer.train()
    print(fingerprint(model, trainer.optimizer.state_dict()))


if __name__ == "__main__":
    main()
