"""TabNet on a bundled table, after the census example: evaluates the training rows beside the validation rows."""

import argparse

import numpy as np
import torch
from pytorch_tabnet.tab_model import TabNetClassifier
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-2)
parser.add_argument("--lambda-sparse", type=float, default=1e-3)
parser.add_argument("--clip-value", type=float, default=2.0)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

X, y = load_breast_cancer(return_X_y=True)
X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.3, random_state=0)
scaler = StandardScaler().fit(X_train)
X_train, X_rest = scaler.transform(X_train), scaler.transform(X_rest)
X_valid, X_test, y_valid, y_test = train_test_split(X_rest, y_rest, test_size=0.5, random_state=0)

classifier = TabNetClassifier(
    n_d=8,
    n_a=8,
    n_steps=3,
    lambda_sparse=args.lambda_sparse,
    clip_value=args.clip_value,
    optimizer_fn=torch.optim.Adam,
    optimizer_params={"lr": args.lr},
    seed=0,
    verbose=0,
)
classifier.fit(
    X_train,
    y_train,
    eval_set=[(X_train, y_train), (X_valid, y_valid)],
    eval_name=["train", "valid"],
    eval_metric=["logloss"],
    max_epochs=max(1, args.steps // (len(X_train) // args.batch_size)),
    patience=0,
    batch_size=args.batch_size,
    virtual_batch_size=args.batch_size,
    drop_last=True,
)
for epoch, loss in enumerate(classifier.history["loss"]):
    print(f"epoch {epoch} loss {loss:.4f} valid {classifier.history['valid_logloss'][epoch]:.4f}")
probabilities = classifier.predict_proba(X_test)
print(f"test logloss {-np.log(probabilities[np.arange(len(y_test)), y_test] + 1e-12).mean():.4f}")
print(f"test accuracy {(probabilities.argmax(1) == y_test).mean():.4f}")
