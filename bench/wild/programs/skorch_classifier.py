"""skorch's NeuralNetClassifier on a table, with standardization in a scikit-learn pipeline."""

import argparse

import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--weight-decay", type=float, default=0.0)
parser.add_argument("--dropout", type=float, default=0.2)
args = parser.parse_args()

torch.manual_seed(4)
X, y = make_classification(
    6000, 20, n_informative=10, n_classes=3, n_clusters_per_class=2, class_sep=1.5, random_state=0
)
X, y = (X * 40 + 300).astype("float32"), y.astype("int64")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.1, random_state=1)


class ClassifierModule(nn.Module):
    def __init__(self, num_units=64, dropout=args.dropout):
        super().__init__()
        self.dense0 = nn.Linear(20, num_units)
        self.dropout = nn.Dropout(dropout)
        self.dense1 = nn.Linear(num_units, 32)
        self.output = nn.Linear(32, 3)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, X):
        X = torch.relu(self.dense0(X))
        X = self.dropout(X)
        X = torch.relu(self.dense1(X))
        X = self.softmax(self.output(X))
        return X


steps_per_epoch = -(-len(X_train) * 4 // 5 // args.batch_size)
net = NeuralNetClassifier(
    ClassifierModule,
    max_epochs=max(1, round(args.steps / steps_per_epoch)),
    lr=args.lr,
    batch_size=args.batch_size,
    optimizer=torch.optim.SGD,
    optimizer__momentum=0.9,
    optimizer__weight_decay=args.weight_decay,
    iterator_train__shuffle=True,
    verbose=0,
)
pipe = Pipeline([("scale", StandardScaler()), ("net", net)])
pipe.fit(X_train, y_train)
for row in net.history[:: max(1, len(net.history) // 10)]:
    print(f"epoch {row['epoch']} train {row['train_loss']:.4f} valid {row['valid_loss']:.4f}")
print(f"test accuracy {pipe.score(X_test, y_test):.4f}")
