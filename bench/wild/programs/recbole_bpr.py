"""Matrix factorization with RecBole's BPR on generated clicks."""

import argparse
import logging
import os

import numpy as np
from recbole.config import Config
from recbole.data import create_dataset, data_preparation
from recbole.model.general_recommender import BPR
from recbole.trainer import Trainer
from recbole.utils import init_seed

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=0.01)
parser.add_argument("--train-batch-size", type=int, default=512)
parser.add_argument("--weight-decay", type=float, default=0.0)
args = parser.parse_args()

random = np.random.default_rng(0)
tastes, kinds = random.integers(0, 5, 200), random.integers(0, 5, 150)
os.makedirs("dataset/clicks", exist_ok=True)
with open("dataset/clicks/clicks.inter", "w") as file:
    file.write("user_id:token\titem_id:token\n")
    for user in range(200):
        chance = np.where(kinds == tastes[user], 1.0, 0.05)
        for item in random.choice(150, size=20, replace=False, p=chance / chance.sum()):
            file.write(f"u{user}\ti{item}\n")

config = Config(
    model="BPR",
    dataset="clicks",
    config_dict={
        "data_path": "dataset",
        "load_col": {"inter": ["user_id", "item_id"]},
        "embedding_size": 16,
        "learning_rate": args.learning_rate,
        "weight_decay": args.weight_decay,
        "train_batch_size": args.train_batch_size,
        "epochs": max(1, round(args.steps / (200 * 16 / args.train_batch_size))),
        "eval_step": 5,
        "stopping_step": 1000,
        "eval_args": {"split": {"RS": [0.8, 0.1, 0.1]}, "order": "RO", "group_by": "user", "mode": "full"},
        "use_gpu": False,
        "show_progress": False,
        "state": "ERROR",
        "seed": 1,
    },
)
init_seed(config["seed"], True)
logging.disable(logging.CRITICAL)
dataset = create_dataset(config)
train_data, valid_data, test_data = data_preparation(config, dataset)
model = BPR(config, train_data.dataset)
trainer = Trainer(config, model)
best, _ = trainer.fit(train_data, valid_data, verbose=False, saved=False, show_progress=False)
print(f"recall@10 {trainer.evaluate(test_data, load_best_model=False)['recall@10']:.4f}")
