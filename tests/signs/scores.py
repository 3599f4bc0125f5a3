"""A small classifier judged by the area under its curve, and the same trained on labels of other rows."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from traindx import quantities as q
from traindx.run import Run, Series

_HELD_OUT, _EPOCHS = 150, 12


def scored(*, mixes_labels: bool) -> Run:
    """The validation AUC of each epoch of logistic regression."""
    inputs, labels = load_breast_cancer(return_X_y=True)
    shuffle = np.random.default_rng(0)
    order = shuffle.permutation(len(labels))
    inputs, labels = StandardScaler().fit_transform(inputs[order]), labels[order]
    if mixes_labels:
        labels = shuffle.permutation(labels)
    model = SGDClassifier(loss="log_loss", random_state=0)
    scores = []
    for _ in range(_EPOCHS):
        model.partial_fit(inputs[_HELD_OUT:], labels[_HELD_OUT:], classes=[0, 1])
        scores.append(roc_auc_score(labels[:_HELD_OUT], model.decision_function(inputs[:_HELD_OUT])))
    steps = np.arange(1.0, _EPOCHS + 1)
    return Run("logistic", (Series(q.VAL_SCORE, steps, np.array(scores), part="auc", name="val_auc"),))
