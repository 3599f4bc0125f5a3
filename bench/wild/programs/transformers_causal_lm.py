"""Train a small GPT-2 from scratch on generated sentences, with the Trainer's cosine schedule."""

import argparse
import random

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=2e-3)
parser.add_argument("--weight-decay", type=float, default=0.1)
parser.add_argument("--warmup-ratio", type=float, default=0.05)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--block-size", type=int, default=48)
args = parser.parse_args()

set_seed(0)
words = random.Random(5)
nouns = ["cat", "dog", "bird", "horse", "child", "farmer"]
verbs = ["sees", "likes", "hears", "follows"]
text = " ".join(
    f"the {words.choice(['small', 'old', 'red'])} {words.choice(nouns)} {words.choice(verbs)} "
    f"the {words.choice(nouns)}."
    for _ in range(3000)
)
chars = sorted(set(text))
ids = torch.tensor([chars.index(c) for c in text])
blocks = ids[: len(ids) // args.block_size * args.block_size].view(-1, args.block_size)
rows = [{"input_ids": block, "labels": block.clone()} for block in blocks]
cut = int(0.95 * len(rows))

config = GPT2Config(
    vocab_size=len(chars), n_positions=args.block_size, n_embd=48, n_layer=2, n_head=4,
    bos_token_id=0, eos_token_id=0,
)
training_args = TrainingArguments(
    output_dir="out",
    max_steps=args.steps,
    learning_rate=args.learning_rate,
    weight_decay=args.weight_decay,
    warmup_steps=int(args.warmup_ratio * args.steps),
    lr_scheduler_type="cosine",
    per_device_train_batch_size=args.batch_size,
    per_device_eval_batch_size=64,
    eval_strategy="steps",
    eval_steps=max(args.steps // 4, 1),
    logging_steps=10,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(
    model=GPT2LMHeadModel(config), args=training_args, train_dataset=rows[:cut], eval_dataset=rows[cut:]
)
trainer.train()
print(f"eval_loss {trainer.evaluate()['eval_loss']:.4f}")
