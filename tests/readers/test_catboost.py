"""CatBoost's own files: one value per tree, and the first metric is what is fitted."""

import json
from pathlib import Path

from traindx.facts import FRAMEWORK
from traindx.quantities import TRAIN_LOSS, VAL_LOSS, VAL_SCORE
from traindx.readers.catboost import READER
from traindx.readers.loading.files import in_memory
from traindx.readers.loading.runs import read

_META = {
    "test_sets": ["test"],
    "test_metrics": [{"best_value": "Min", "name": "Logloss"}, {"best_value": "Max", "name": "AUC"}],
    "learn_metrics": [{"best_value": "Min", "name": "Logloss"}],
    "learn_sets": ["learn"],
    "name": "experiment",
}
_TREES = [
    {"learn": [0.75 - n / 64], "iteration": n, "test": [0.69 - n / 80, 0.5 + n / 40], "passed_time": n / 7}
    for n in range(12)
]
_DOCUMENT = json.dumps({"meta": _META, "iterations": _TREES})
SAMPLE = _DOCUMENT.encode()


def test_the_document(tmp_path: Path) -> None:
    (tmp_path / "catboost_training.json").write_text(_DOCUMENT)
    (run,) = read([str(tmp_path)]).runs
    assert run.facts[FRAMEWORK] == "catboost"
    assert run[TRAIN_LOSS].values[:2].tolist() == [0.75, 0.734375]
    assert run[VAL_LOSS].steps[-1] == 11
    assert run.all(VAL_SCORE)[0].part == "auc"


def test_a_document_that_is_still_written() -> None:
    open_ended = _DOCUMENT.removesuffix("]}") + ","
    (log,) = READER.read(in_memory("catboost_training.json", open_ended.encode()))
    assert [len(column.values) for column in log.columns] == [12, 12, 12]
    within_a_tree = _DOCUMENT[: _DOCUMENT.rindex('"iteration"') + 8]
    (log,) = READER.read(in_memory("catboost_training.json", within_a_tree.encode()))
    assert {len(column.values) for column in log.columns} == {11}


def test_tables_of_a_folder_are_one_run(tmp_path: Path) -> None:
    for name, first in (("learn", 0.69), ("test", 0.68)):
        rows = "".join(f"{n}\t{0.5 + n / 90}\t{first - n / 50}\n" for n in range(12))
        (tmp_path / f"{name}_error.tsv").write_text(f"iter\tAUC\tMultiClass\n{rows}")
    (run,) = read([str(tmp_path)]).runs
    assert (run[TRAIN_LOSS].values[0], run[VAL_LOSS].values[0]) == (0.69, 0.68)
    assert run.facts[FRAMEWORK] == "catboost"
