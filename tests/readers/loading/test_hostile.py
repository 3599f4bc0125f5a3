"""Whatever a file holds: a report or a sentence, never another exception, in every format of output."""

import importlib
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.readers.loading.runs import read, readers
from traindx.report import markdown, text
from traindx.report.json import report as json
from traindx.report.pages import page_of
from traindx.trials.types import Report

SAMPLES = {
    reader.slug: importlib.import_module(f"tests.readers.test_{reader.slug}").SAMPLE for reader in readers()
}


def reported(path: Path) -> str:
    """Everything the product would print about a path."""
    reading = read([str(path)])
    assert reading.runs or reading.problems
    report = Report(reading.runs, reading.problems, reading.other_files)
    page = page_of(report)
    return text.write(page) + markdown.write(page) + json.render(report, values=True)


@pytest.mark.parametrize("slug", SAMPLES)
def test_damaged_logs_are_read_or_refused(slug: str, tmp_path: Path) -> None:
    dice = random.Random(slug)
    for _ in range(20):
        data = bytearray(SAMPLES[slug])
        for _ in range(dice.randint(1, 12)):
            at = dice.randrange(len(data))
            data[at : at + dice.randint(0, 3)] = dice.choice(
                (b"", b"nan", b"-1e309", b"\0", b"\n", b"\x1b[2J", b'"', bytes([dice.randrange(256)]))
            )
        path = tmp_path / "log"
        path.write_bytes(bytes(data[: dice.randint(1, len(data))]))
        assert "\x1b" not in reported(path)


@given(data=st.binary(min_size=1, max_size=400))
def test_any_bytes_are_read_or_refused(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "log"
    path.write_bytes(data)
    assert reported(path)


WORDS = [
    "step",
    "epoch",
    "loss",
    "val_loss",
    "acc",
    "lr",
    "nan",
    "-inf",
    "1e400",
    "-0",
    "3",
    "0.5",
    "1,234",
    "%",
]


@given(
    rows=st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=12),
    by=st.sampled_from(",;\t |="),
)
def test_tables_of_odd_words_are_read_or_refused(
    rows: list[list[str]], by: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("odd") / "log"
    path.write_text("\n".join(by.join(row) for row in rows) + "\n")
    assert reported(path)


AS_NOBODY = """
import os, sys
from traindx.readers.loading.runs import read, readers
readers()
if os.geteuid() == 0:
    os.seteuid(65534)
reading = read(sys.argv[1:])
print(len(reading.runs), *sorted(f"{p.where} {p.what}" for p in reading.problems), sep="\\n")
"""


def test_what_may_not_be_read_is_said_and_the_rest_is_read() -> None:
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top)
        folder.chmod(0o755)
        for name in ("open", "shut", "closed"):
            (folder / name).mkdir()
            (folder / name / "metrics.csv").write_text("step,train_loss\n0,1.0\n1,0.5\n2,0.3\n")
        (folder / "shut/metrics.csv").chmod(0)
        (folder / "closed").chmod(0)
        command = [sys.executable, "-c", AS_NOBODY, top]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        (folder / "closed").chmod(0o755)
    assert done.stdout.splitlines() == [
        "1",
        f"{folder}/closed permission denied",
        f"{folder}/shut/metrics.csv permission denied",
    ]
