"""Few-shot text classification with SetFit on generated sentences, with a small body of static embeddings."""

import argparse
import random

from datasets import Dataset
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import StaticEmbedding
from setfit import SetFitModel, Trainer, TrainingArguments
from sklearn.linear_model import LogisticRegression
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import set_seed

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--body-learning-rate", type=float, default=1e-2)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--warmup-proportion", type=float, default=0.1)
args = parser.parse_args()

set_seed(0)
chooser = random.Random(3)
topics = [[f"{name}{i}" for i in range(15)] for name in ("space", "cars", "cooking")]
common = [f"word{i}" for i in range(30)]
vocabulary = ["[UNK]", *common, *(word for words in topics for word in words)]


def reviews(count):
    rows = []
    for index in range(count):
        label = index % 3
        words = [chooser.choice(topics[label]) for _ in range(3)] + [chooser.choice(common) for _ in range(7)]
        chooser.shuffle(words)
        rows.append({"text": " ".join(words), "label": label})
    return Dataset.from_list(rows)


tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
body = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=24)], device="cpu")
model = SetFitModel(model_body=body, model_head=LogisticRegression())
trainer = Trainer(
    model=model,
    args=TrainingArguments(
        output_dir="out",
        max_steps=args.steps,
        batch_size=args.batch_size,
        body_learning_rate=args.body_learning_rate,
        warmup_proportion=args.warmup_proportion,
        sampling_strategy="undersampling",
        save_strategy="no",
        report_to="none",
        show_progress_bar=False,
        logging_steps=10,
    ),
    train_dataset=reviews(60),
)
trainer.train()
test = reviews(300)
right = [int(guess) == truth for guess, truth in zip(model.predict(test["text"]), test["label"])]
print(f"accuracy {sum(right) / len(right):.4f}")
