"""GRPO with TRL: a small language model is rewarded for saying "yes"."""

import argparse

from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, set_seed
from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=1e-3)
args = parser.parse_args()

set_seed(0)
words = ["<pad>", "<eos>", "do", "you", "like", "tea", "milk", "rice", "yes", "no", "maybe", "often"]
tokenizer = Tokenizer(models.WordLevel({word: index for index, word in enumerate(words)}, unk_token="<pad>"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", padding_side="left"
)
dataset = Dataset.from_list([{"prompt": f"do you like {food}"} for food in ("tea", "milk", "rice")] * 400)
config = LlamaConfig(
    vocab_size=len(words), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
    num_key_value_heads=2, max_position_embeddings=32, pad_token_id=0, bos_token_id=1, eos_token_id=1,
)


def says_yes(completions, **kwargs):
    return [float(completion.split().count("yes")) for completion in completions]


training_args = GRPOConfig(
    output_dir="out",
    max_steps=args.steps,
    learning_rate=args.learning_rate,
    per_device_train_batch_size=16,
    num_generations=8,
    max_completion_length=6,
    gradient_checkpointing=False,
    bf16=False,
    logging_steps=10,
    save_strategy="no",
    report_to="none",
    use_cpu=True,
    disable_tqdm=True,
)
trainer = GRPOTrainer(
    model=LlamaForCausalLM(config),
    reward_funcs=says_yes,
    args=training_args,
    train_dataset=dataset,
    processing_class=tokenizer,
)
trainer.train()
rewards = [row["reward"] for row in trainer.state.log_history if "reward" in row]
print(f"mean reward first {rewards[0]:.3f} last {sum(rewards[-3:]) / len(rewards[-3:]):.3f}")
