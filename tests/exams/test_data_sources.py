"""Everything the exam reads, and what it refuses with a sentence."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow
import pytest
import torch
from PIL import Image
from pyarrow import parquet
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

from traindx import exams
from traindx.errors import TraindxError
from traindx.exams.data_exam import tables
from traindx.exams.data_exam.types import Examination
from traindx.exams.questions import Checked
from traindx.finding import Mark

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 6))
Y = (X[:, 0] > 0).astype(np.int64)
ABOUT = "300 training rows, 6 features, 2 classes"


def check_of(found: Examination, name: str) -> Checked:
    return next(check for check in found.checks if check.check.slug == name)


def csv(path: Path, rows: int = 200, name: str = "label", separator: str = ",") -> Path:
    lines = [separator.join(["id", "a", "b", "color", name])]
    for row in range(rows):
        color = ("red", "blue", "")[row % 3]
        cells = [str(row), f"{X[row, 0]:.4f}", f"{X[row, 1]:.4f}", color, str(Y[row])]
        lines.append(separator.join(cells))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(("suffix", "separator"), [("csv", ","), ("tsv", "\t"), ("csv", ";")])
def test_delimited_text(tmp_path: Path, suffix: str, separator: str) -> None:
    examination = exams.data(csv(tmp_path / f"t.{suffix}", separator=separator))
    assert examination.about == "200 training rows, 3 features, 2 classes"
    assert "target column: label (by its name); set --target to change it" in examination.notes
    assert any("id (row numbers)" in note for note in examination.notes)
    (missing,) = check_of(examination, "non-finite").findings
    assert missing.columns == ("color",)
    # A blank category is not NaN.
    assert missing.mark is Mark.WARN


def test_a_target_without_a_telling_name_is_the_last_column_and_a_named_one_is_taken(tmp_path: Path) -> None:
    path = csv(tmp_path / "t.csv", name="alarm")
    assert any("alarm (the last one, a guess)" in note for note in exams.data(path).notes)
    assert exams.data(path, target="b").about == "200 training rows, 3 features, numeric targets"
    with pytest.raises(TraindxError, match='no column "nope"; it has id, a, b, color, alarm'):
        exams.data(path, target="nope")


def test_marks_among_numbers_are_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "a,b,y\n"
        + "".join(f"{'?' if row % 40 == 0 else X[row, 0]},{X[row, 1]},{Y[row]}\n" for row in range(200))
    )
    (missing,) = check_of(exams.data(path), "non-finite").findings
    assert missing.columns == ("a",)
    assert missing.mark is Mark.FAIL
    assert missing.says == "5 values are NaN or missing in a (training rows 0, 40, 80 and 2 more)"
    assert [row.index for row in missing.samples] == [0, 40, 80, 120, 160]


def test_parquet(tmp_path: Path) -> None:
    words = [["red", "blue", None][row % 3] for row in range(300)]
    table = pyarrow.table(
        {"a": X[:, 0], "b": X[:, 1], "w": words, "y": ["no yes".split()[label] for label in Y]}
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    examination = exams.data(tmp_path / "t.parquet")
    assert examination.about == "300 training rows, 3 features, 2 classes"
    assert check_of(examination, "label-range").says == '2 classes as text, such as "no"'


def test_polars_and_pyarrow_read_the_same(tmp_path: Path) -> None:
    pytest.importorskip("polars")
    words = [["red", "blue", None][row % 3] for row in range(300)]
    parquet.write_table(
        pyarrow.table({"a": X[:, 0], "w": words, "n": [None, 1, 2] * 100}), tmp_path / "t.parquet"
    )
    by_polars, by_pyarrow = (read(tmp_path / "t.parquet") for read in (tables._by_polars, tables._by_pyarrow))
    for name, column in by_polars.items():
        np.testing.assert_array_equal(column, by_pyarrow[name])


def test_a_dataframe_and_a_pair_of_paths(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": ["red", "blue", None] * 100, "label": Y})
    assert exams.data(frame).about == "300 training rows, 3 features, 2 classes"
    assert exams.data(frame, target="b").about == "300 training rows, 3 features, numeric targets"
    training, validation = csv(tmp_path / "t.csv"), csv(tmp_path / "v.csv", rows=100)
    assert exams.data((str(training), validation)).about.startswith("200 training rows, 100 validation rows")


def test_arrays_in_files(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    np.savez(tmp_path / "d.npz", x=X, y=Y)
    np.savez(tmp_path / "k.npz", x_train=X, y_train=Y, x_test=X[:50] + 3, y_test=Y[:50])
    np.savez(tmp_path / "m.npz", x=X, y=Y, x_val=X[:50], y_val=Y[:50])
    torch.save((torch.tensor(X), torch.tensor(Y)), tmp_path / "p.pt")
    torch.save({"inputs": torch.tensor(X), "labels": torch.tensor(Y)}, tmp_path / "d.pt")
    assert exams.data(tmp_path / "x.npy").about == "300 training rows, 6 features"
    assert exams.data(tmp_path / "x.npy", target=str(tmp_path / "y.npy")).about == ABOUT
    assert (
        exams.data(tmp_path / "x.npy", target="-1").about == "300 training rows, 5 features, numeric targets"
    )
    for name in ("d.npz", "p.pt", "d.pt"):
        assert exams.data(tmp_path / name).about == ABOUT
    assert "train-val-mismatch" in exams.data(tmp_path / "k.npz").causes
    assert "train-val-leakage" in exams.data(tmp_path / "m.npz").causes


def test_tensors_of_every_layout_and_format_are_read(tmp_path: Path) -> None:
    inputs, labels = torch.from_numpy(X).float(), torch.from_numpy(Y)
    held = {
        "bfloat16": (inputs.bfloat16(), labels),
        "grad": (inputs.clone().requires_grad_(), labels),
        "sparse": (inputs.to_sparse(), labels),
        "named": {"x": inputs.bfloat16(), "y": labels},
    }
    for name, content in held.items():
        torch.save(content, tmp_path / f"{name}.pt")
        examination = exams.data(tmp_path / f"{name}.pt")
        assert examination.about == ABOUT, name
    wide = torch.sparse_coo_tensor(size=(1 << 20, 1 << 10), check_invariants=True)
    torch.save(wide, tmp_path / "wide.pt")
    with pytest.raises(TraindxError, match=r"wide.pt: contains a sparse .* tensor; save a dense one"):
        exams.data(tmp_path / "wide.pt")


@pytest.mark.parametrize("task", [None, "classes", "numbers"])
def test_targets_none_of_which_is_a_number_fail_and_do_not_break_the_exam(
    tmp_path: Path, task: str | None
) -> None:
    lost = np.full(300, np.nan)
    np.savez(tmp_path / "t.npz", x=X, y=lost)
    torch.save((torch.from_numpy(X), torch.from_numpy(lost)), tmp_path / "t.pt")
    (tmp_path / "t.csv").write_text("a,b,label\n" + "".join(f"{a},{b},nan\n" for a, b in X[:, :2]))
    for source in (
        tmp_path / "t.npz",
        tmp_path / "t.pt",
        tmp_path / "t.csv",
        TensorDataset(torch.from_numpy(X), torch.from_numpy(lost)),
    ):
        check = check_of(exams.data(source, task=task), "non-finite")
        assert check.mark is Mark.FAIL
        assert check.findings[0].says == "300 of 300 training targets are missing or not finite"


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    torch.save(TensorDataset(torch.tensor(X)), tmp_path / "d.pt")
    with pytest.raises(TraindxError, match="contains Python objects, which are not loaded"):
        exams.data(tmp_path / "o.npy")
    with pytest.raises(TraindxError, match="more than tensors"):
        exams.data(tmp_path / "d.pt")


def test_a_folder_of_images(tmp_path: Path) -> None:
    for part in ("train", "val"):
        for name in ("cat", "dog"):
            folder = tmp_path / part / name
            folder.mkdir(parents=True)
            for number in range(40):
                pixels = RNG.integers(0, 255, (20, 24, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(folder / f"{number}.png")
    (tmp_path / "train/cat/torn.jpg").write_bytes(b"nothing")
    for number in (1, 2):
        Image.new("RGB", (9, 9), (5, 5, 5)).save(tmp_path / f"train/dog/blank{number}.png")
    examination = exams.data(tmp_path)
    assert examination.about == "83 training images, 80 validation images, 32 x 32 x 3 values each, 2 classes"
    assert [row.name for row in check_of(examination, "readable").findings[0].samples] == ["cat/torn.jpg"]
    assert [row.name for row in check_of(examination, "blank-images").findings[0].samples] == [
        "dog/blank1.png",
        "dog/blank2.png",
    ]
    assert check_of(examination, "row-order").mark is Mark.UNSEEN
    assert check_of(examination, "input-scale").mark is Mark.PASS
    assert "transforms.Normalize(mean=[" in check_of(examination, "input-scale").findings[0].code


class Torn(Dataset[tuple[torch.Tensor, int]]):
    """Some items raise, some have another shape."""

    def __len__(self) -> int:
        return len(X)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        if index == 40:
            raise OSError("the disk is gone")
        return torch.tensor(X[index, : 3 if index == 50 else 6]), int(Y[index])


class Stream(IterableDataset[tuple[torch.Tensor, int]]):
    def __iter__(self) -> Iterator[tuple[torch.Tensor, int]]:
        return iter([(torch.tensor(row), int(label)) for row, label in zip(X, Y, strict=True)])


def test_datasets_and_loaders() -> None:
    whole = TensorDataset(torch.tensor(X), torch.tensor(Y))
    for source in (whole, DataLoader(whole, batch_size=16, shuffle=True), Stream(), list(whole)):
        examination = exams.data(source)
        assert examination.about == ABOUT
        assert examination.verdict is Mark.PASS
    pair = exams.data((whole, DataLoader(whole, batch_size=7)))
    assert pair.causes == ("train-val-leakage",)
    dicts = [{"pixel_values": row, "labels": label} for row, label in zip(X, Y, strict=True)]
    assert exams.data(dicts).about == ABOUT


def test_items_that_cannot_be_read_are_told() -> None:
    rows = check_of(exams.data(Torn()), "readable").findings[0].samples
    assert [(row.index, row.reason) for row in rows] == [
        (40, "raises OSError: the disk is gone"),
        (50, "has shape (3,), others (6,)"),
    ]


def test_a_loader_that_does_not_shuffle_sorted_rows_fails_and_a_file_of_them_warns() -> None:
    order = np.argsort(Y)
    whole = TensorDataset(torch.tensor(X[order]), torch.tensor(Y[order]))
    assert check_of(exams.data(DataLoader(whole, batch_size=16)), "row-order").mark is Mark.FAIL
    assert check_of(exams.data(whole), "row-order").mark is Mark.WARN
    assert check_of(exams.data(DataLoader(whole, batch_size=16, shuffle=True)), "row-order").mark is Mark.PASS


def test_large_data_is_sampled_and_it_says_so() -> None:
    examination = exams.data((np.tile(X, (10, 1)) + RNG.normal(size=(3000, 6)), np.tile(Y, 10)), rows=500)
    assert examination.about == "3,000 training rows, 6 features, 2 classes"
    assert "checked 500 of 3,000 rows, evenly spaced; set --rows for more" in examination.notes


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("e.csv", b"", "not a table"),
        ("h.csv", b"a,b\n", "has a header but no rows"),
        ("n.npy", b"junk", "not a readable NumPy file"),
        ("n.npz", b"PK\x03\x04junk", "not a readable NumPy file"),
        ("t.pt", b"junk", "more than tensors, or is damaged"),
        ("p.parquet", b"junk", "not a readable Parquet file"),
        ("x.docx", b"junk", "unsupported file type"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TraindxError, match=says):
        exams.data(tmp_path / name)


AS_NOBODY = """
import os, sys
import numpy, torch
from traindx.errors import TraindxError
from traindx.exams import data
from traindx.exams.input_specs import sample_from
from traindx.interview.evidence import gather
if os.geteuid() == 0:
    os.seteuid(65534)
csv, npz, sample, script = sys.argv[1:]
sampled = lambda path: sample_from(path, trust=False)
for read, path in ((data, csv), (data, npz), (sampled, sample), (gather, script)):
    try:
        read(path)
    except TraindxError as error:
        print(error)
"""


def test_what_may_not_be_read_is_named_with_what_to_do() -> None:
    with tempfile.TemporaryDirectory() as current:
        folder = Path(current)
        folder.chmod(0o755)
        paths = [folder / name for name in ("t.csv", "t.npz", "t.pt", "train.py")]
        for path in paths:
            path.write_bytes(b"a,b\n1,2\n")
            path.chmod(0)
        command = [sys.executable, "-c", AS_NOBODY, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    todo = "permission denied; make it readable: chmod +r"
    assert done.stdout.splitlines() == [f"{path}: {todo}" for path in paths]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ((X, Y[:5]), "300 input rows but 5 targets"),
        ((X[:0], Y[:0]), "has no rows"),
        ((X + 1j, Y), "not numbers"),
        (None, "is of type NoneType"),
        ("nowhere:loaders", "No module named"),
        ("nowhere.csv", "no such file"),
        ("nowhere.py:loaders", "no such file"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(source: object, says: str) -> None:
    with pytest.raises(TraindxError, match=says):
        exams.data(source)


def test_tables_with_other_columns_do_not_compare(tmp_path: Path) -> None:
    training = csv(tmp_path / "t.csv")
    (tmp_path / "v.csv").write_text("a,label\n" + "".join(f"{X[row, 0]},{Y[row]}\n" for row in range(60)))
    with pytest.raises(TraindxError, match="validation data has no column b, color"):
        exams.data(training, validation=tmp_path / "v.csv")


@pytest.mark.parametrize(
    "inputs",
    [
        np.full((50, 3), np.nan),
        np.full((50, 3), np.inf),
        np.zeros((50, 3)),
        X[:50] * 1e300,
        X[:1],
        X[:50, 0],
        (X[:50] * 1e15).astype(np.int64),
        X[:50].astype(np.float16),
        RNG.normal(size=(50, 2, 3, 4, 4)),
        X[:50] > 0,
    ],
)
def test_odd_numbers_end_in_a_verdict(inputs: np.typing.NDArray[np.generic]) -> None:
    examination = exams.data((inputs, Y[: len(inputs)]), validation=(inputs, Y[: len(inputs)]))
    assert examination.checks
    assert examination.portrait is not None
