"""Scores the exam of data: faults found, healthy sets left alone, label noise against cleanlab, speed."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn import datasets

from exam_data_fresh import FRESH
from exam_data_sets import FAULTS, HEALTHY, Set, flipped, shapes, split, standard
from traindx import exams
from traindx.exams.data_exam.checks.label_noise import voted
from traindx.finding import Severity

SEEDS = 3

_TABLES = (
    "sparse uncorrelated",
    "linear, ten outputs",
    "fifty classes",
    "six to one",
    "skew mixture",
    "logarithms",
)
_CLASSES = ("three spirals", "checkerboard", "fifty classes", "six to one", "skew mixture")
FRESH_ON = {
    "NaN in 8 rows": (*_TABLES, "spectra", "striped images"),
    "infinity in 2 rows": _TABLES,
    "two columns in other units": _TABLES,
    "slips of the decimal point": _TABLES,
    "-999 for missing": _TABLES,
    "10% of labels wrong": ("three spirals", "checkerboard", "fifty classes", "skew mixture"),
    "20% of labels wrong": ("three spirals", "checkerboard", "fifty classes", "skew mixture"),
    "labels from 1": _CLASSES,
    "negative labels": _CLASSES,
    "a class of 5 rows": ("checkerboard", "six to one", "skew mixture"),
    "sorted by class": _CLASSES,
    "a tenth of validation in training": (*_TABLES, "spectra", "one-hot sequences", "striped images"),
    "the same with noise": (*_TABLES, "spectra"),
    "a twelfth of the rows twice": (*_TABLES, "spectra", "unit embeddings"),
    "validation of another device": _TABLES,
    "one class only": _CLASSES,
    "targets in cents": ("s curve", "sparse uncorrelated", "friedman 3", "time series", "logarithms"),
}
"""Where faults make sense among the sets that were not there before."""


def healthy(sets: dict[str, Callable[[], Set]] = HEALTHY) -> None:
    """Every set as it is must pass."""
    alarms = 0
    for name, make in sets.items():
        training, validation = make().source
        exam = exams.data(training, validation=validation)
        faults = [fault for fault in exam.findings if fault.severity is not Severity.INFO]
        alarms += bool(faults)
        print(f"  {name:26} {exam.verdict.value:5} {'; '.join(f'{bad.cause}: {bad.says}' for bad in faults)}")
    print(f"healthy sets: {len(sets)}, called anything else: {alarms}\n")


def faults(sets: dict[str, Callable[[], Set]] = HEALTHY, seeds: int = SEEDS) -> None:
    """Every fault in every set it makes sense in: is its cause named, and what else is."""
    total = hits = others = 0
    for name, fault in FAULTS.items():
        missed, also, tried = [], set(), 0
        for on in fault.on if sets is HEALTHY else FRESH_ON.get(name, ()):
            for seed in range(seeds):
                broken = fault.put(sets[on](), np.random.default_rng(seed))
                training, validation = broken.source
                causes = exams.data(training, validation=validation).causes
                tried += 1
                if fault.cause not in causes:
                    missed.append(on)
                also |= {f"{cause} on {on}" for cause in causes if cause != fault.cause}
        total, hits, others = total + tried, hits + tried - len(missed), others + len(also)
        beside = f"missed: {', '.join(missed) or '-'}   also: {', '.join(sorted(also)) or '-'}"
        print(f"  {name:36} {tried - len(missed):3} of {tried:3}   {beside}")
    print(f"injected faults: {hits} of {total} named by their cause; {others} other causes named beside\n")


def fresh() -> None:
    """Sets that were not there while the exam was written."""
    healthy(FRESH)
    faults(FRESH, 1)


def label_noise() -> None:
    """Precision and recall of doubted rows: our two votes against cleanlab's filter on two quick models."""
    from cleanlab.filter import find_label_issues
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.neighbors import KNeighborsClassifier

    models = {
        "cleanlab, logistic": LogisticRegression(max_iter=500),
        "cleanlab, forest": RandomForestClassifier(100, random_state=0),
        "cleanlab, 10-NN": KNeighborsClassifier(10),
    }
    sums: dict[str, list[tuple[float, float, float]]] = {}
    images, kinds = shapes()
    chosen: dict[str, Set] = {
        name: HEALTHY[name]()
        for name in (
            "wine",
            "breast cancer",
            "iris",
            "circles",
            "hastie",
            "gaussian quantiles",
            "uneven classes",
        )
    }
    chosen["shapes"] = split(standard(images.reshape(len(images), -1)), kinds)
    for name, dataset in chosen.items():
        for share in (0.05, 0.1, 0.2):
            broken = flipped(share)(dataset, np.random.default_rng(1))
            assert dataset.y is not None
            assert broken.y is not None
            wrong = dataset.y != broken.y
            points, labels = dataset.x.astype(np.float32), broken.y.astype(np.int64)
            rows = {}
            start = time.process_time()
            votes = voted(points, labels, int(labels.max()) + 1)
            rows["two votes of 10-NN"] = (
                votes.doubted if votes else np.zeros(len(labels), bool),
                time.process_time() - start,
            )
            for title, model in models.items():
                start = time.process_time()
                chances = cross_val_predict(model, points, labels, cv=5, method="predict_proba")
                rows[title] = (find_label_issues(labels, chances, n_jobs=1), time.process_time() - start)
            cells = []
            for title, (doubted, seconds) in rows.items():
                right = float((doubted & wrong).sum())
                precision, recall = right / max(doubted.sum(), 1), right / max(wrong.sum(), 1)
                sums.setdefault(title, []).append((precision, recall, seconds))
                cells.append(f"{title} {precision:.2f}/{recall:.2f}")
            print(f"  {name:20} {share:.0%}  {'  '.join(cells)}")
    for title, scores in sums.items():
        precision, recall, seconds = np.mean(scores, axis=0)
        both = 2 * precision * recall / (precision + recall)
        print(f"  {title:22} precision {precision:.2f} recall {recall:.2f} F1 {both:.2f}  {seconds:.2f} s")
    print()


def _since(start: float, cpu: float) -> str:
    return f"{time.perf_counter() - start:.1f} s, {time.process_time() - cpu:.1f} s of CPU"


def speed() -> None:
    """100,000 rows of 100 columns, from memory and from a CSV, with 10,000 of validation."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(110_000, 100))
    y = (x[:, :5].sum(axis=1) + rng.normal(0, 0.5, len(x)) > 0).astype(np.int64)
    start, cpu = time.perf_counter(), time.process_time()
    exams.data((x[:100_000], y[:100_000]), validation=(x[100_000:], y[100_000:]))
    print(f"  100,000 x 100 in memory: {_since(start, cpu)}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.csv"
        header = ",".join([*(f"f{number}" for number in range(100)), "label"])
        np.savetxt(
            path,
            np.column_stack([x[:100_000], y[:100_000]]),
            fmt="%.6g",
            delimiter=",",
            header=header,
            comments="",
        )
        start, cpu = time.perf_counter(), time.process_time()
        exams.data(path)
        print(f"  100,000 x 100 as CSV ({path.stat().st_size >> 20} MB): {_since(start, cpu)}")
    digits = datasets.load_digits()
    start = time.perf_counter()
    exams.data((digits.data, digits.target))
    print(f"  digits: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    parts: dict[str, Callable[[], None]] = {
        "healthy": healthy,
        "fresh": fresh,
        "faults": faults,
        "label_noise": label_noise,
        "speed": speed,
    }
    for part in sys.argv[1:] or parts:
        parts[part]()
