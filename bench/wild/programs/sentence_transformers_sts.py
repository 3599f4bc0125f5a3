"""Train sentence embeddings for similarity with a cosine loss, from static word embeddings, on generated pairs."""

import argparse
import random

from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
    losses,
)
from sentence_transformers.evaluation import EmbeddingSimilarityEvaluator
from sentence_transformers.models import StaticEmbedding
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import set_seed

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=5e-3)
parser.add_argument("--warmup-steps", type=int, default=10)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

set_seed(1)
topics = {name: [f"{name}{i}" for i in range(12)] for name in ("food", "sport", "music", "law", "sea", "war")}
vocabulary = ["[UNK]", *(word for words in topics.values() for word in words)]
chooser = random.Random(0)


def sentence(topic):
    return " ".join(chooser.choice(topics[topic]) for _ in range(6))


def pairs(count):
    rows = []
    for _ in range(count):
        first = chooser.choice(list(topics))
        second = chooser.choice(list(topics)) if chooser.random() < 0.6 else first
        rating = 4.6 if first == second else 1.8
        rows.append(
            {
                "sentence1": sentence(first),
                "sentence2": sentence(second),
                "score": min(5.0, max(0.0, rating + chooser.gauss(0, 0.4))) / 5.0,
            }
        )
    return Dataset.from_list(rows)


tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=32)], device="cpu")
train_dataset, eval_dataset = pairs(3000), pairs(400)
evaluator = EmbeddingSimilarityEvaluator(
    eval_dataset["sentence1"], eval_dataset["sentence2"], eval_dataset["score"], name="sts"
)
trainer = SentenceTransformerTrainer(
    model=model,
    args=SentenceTransformerTrainingArguments(
        output_dir="out",
        max_steps=args.steps,
        learning_rate=args.learning_rate,
        warmup_steps=args.warmup_steps,
        per_device_train_batch_size=args.batch_size,
        eval_strategy="steps",
        eval_steps=max(args.steps // 4, 1),
        logging_steps=10,
        save_strategy="no",
        report_to="none",
        use_cpu=True,
        disable_tqdm=True,
    ),
    train_dataset=train_dataset,
    eval_dataset=eval_dataset,
    loss=losses.CosineSimilarityLoss(model),
    evaluator=evaluator,
)
trainer.train()
food, law = (model.encode([sentence(topic) for _ in range(50)], convert_to_tensor=True) for topic in ("food", "law"))
print(f"mean cosine of sentences of two topics {model.similarity(food, law).mean().item():.4f}")
print(f"spearman {evaluator(model)['sts_spearman_cosine']:.4f}")
