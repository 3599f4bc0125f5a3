"""Train a Flair text classifier on generated reviews, with one-hot words and an LSTM over the document."""

import argparse
import logging
import random

import flair
import torch
from flair.data import Corpus, FlairDatapointDataset, Sentence
from flair.embeddings import DocumentRNNEmbeddings, OneHotEmbeddings
from flair.models import TextClassifier
from flair.trainers import ModelTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=0.1)
parser.add_argument("--mini-batch-size", type=int, default=16)
parser.add_argument("--dropout", type=float, default=0.1)
args = parser.parse_args()

flair.set_seed(0)
flair.device = torch.device("cpu")
logging.getLogger("flair").setLevel(logging.ERROR)
chooser = random.Random(1)
GOOD, BAD = ["great", "lovely", "superb", "fine"], ["awful", "dull", "broken", "sad"]
PLAIN = [f"thing{i}" for i in range(15)]


def reviews(count):
    sentences = []
    for _ in range(count):
        positive = chooser.random() < 0.5
        words = [chooser.choice(PLAIN) for _ in range(6)] + [chooser.choice(GOOD if positive else BAD)]
        chooser.shuffle(words)
        sentences.append(
            Sentence(" ".join(words)).add_label("sentiment", "POSITIVE" if positive else "NEGATIVE").data_point
        )
    return FlairDatapointDataset(sentences)


corpus = Corpus(train=reviews(640), dev=reviews(100), test=reviews(200))
words = OneHotEmbeddings.from_corpus(corpus, min_freq=1, embedding_length=32)
document = DocumentRNNEmbeddings([words], hidden_size=32, rnn_type="GRU", dropout=args.dropout)
classifier = TextClassifier(
    document, label_dictionary=corpus.make_label_dictionary("sentiment"), label_type="sentiment"
)
trainer = ModelTrainer(classifier, corpus)
result = trainer.train(
    "out",
    learning_rate=args.learning_rate,
    mini_batch_size=args.mini_batch_size,
    max_epochs=max(1, round(args.steps / (640 / args.mini_batch_size))),
    save_final_model=False,
    train_with_dev=False,
)
print(f"test score {result['test_score']:.4f}")
