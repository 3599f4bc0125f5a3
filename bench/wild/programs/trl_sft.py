"""Supervised fine-tuning with TRL's SFTTrainer of a small Llama that was never trained, on generated sums."""

import argparse
import random

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import SFTConfig, SFTTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=3e-3)
parser.add_argument("--warmup-steps", type=int, default=10)
parser.add_argument("--weight-decay", type=float, default=0.0)
parser.add_argument("--gradient-accumulation-steps", type=int, default=1)
parser.add_argument("--max-grad-norm", type=float, default=1.0)
args = parser.parse_args()

set_seed(0)
words = ["<pad>", "<eos>", "what", "is", "plus", "?", "it", *map(str, range(19))]
tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<pad>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>")
sums = random.Random(2)
rows = []
for _ in range(3000):
    a, b = sums.randrange(10), sums.randrange(10)
    rows.append({"prompt": f"what is {a} plus {b} ?", "completion": f" it is {a + b}"})
dataset = Dataset.from_list(rows)

config = LlamaConfig(
    vocab_size=len(words), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=32, pad_token_id=0, bos_token_id=1, eos_token_id=1,
)
training_args = SFTConfig(
    output_dir="out",
    max_steps=args.steps,
    learning_rate=args.learning_rate,
    warmup_steps=args.warmup_steps,
    weight_decay=args.weight_decay,
    gradient_accumulation_steps=args.gradient_accumulation_steps,
    max_grad_norm=args.max_grad_norm,
    per_device_train_batch_size=32,
    gradient_checkpointing=False,
    bf16=False,
    max_length=32,
    eval_strategy="steps",
    eval_steps=max(args.steps // 4, 1),
    logging_steps=10,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = SFTTrainer(
    model=LlamaForCausalLM(config),
    args=training_args,
    train_dataset=dataset.select(range(2700)),
    eval_dataset=dataset.select(range(2700, 3000)),
    processing_class=tokenizer,
)
trainer.train()
print(f"eval_loss {trainer.evaluate()['eval_loss']:.4f}")
