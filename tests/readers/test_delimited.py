import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.errors import UnreadableError
from traindx.readers.delimited import READER
from traindx.readers.loading.files import in_memory
from traindx.readers.types import Column, Log, Source
from traindx.run import Axis, EventKind, Split

SAMPLE = b"""epoch,step,train_loss,val_loss
0,49,0.6931471805599453,
0,99,0.61,
0,99,,0.5512
1,149,nan,
1,199,0.3,
1,199,,0.5
"""


def logs(text: str | bytes) -> list[Log]:
    return list(READER.read(in_memory("t", text if isinstance(text, bytes) else text.encode())))


def columns(text: str | bytes) -> dict[str, Column]:
    (log,) = logs(text)
    return {column.name: column for column in log.columns}


def sureness(text: str | bytes) -> float:
    return READER.recognizes(in_memory("t", text if isinstance(text, bytes) else text.encode()))


def test_blanks_are_no_values_and_nan_is_one() -> None:
    by_name = columns(SAMPLE)
    loss = by_name["train_loss"]
    assert loss.steps.tolist() == [49, 99, 149, 199]
    assert np.array_equal(loss.values, [0.6931471805599453, 0.61, np.nan, 0.3], equal_nan=True)
    assert by_name["val_loss"].rows.tolist() == [2, 5]
    assert by_name["epoch"].values.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    "text",
    [
        "epoch,loss,acc\n1,0.5,0.6\n2,inf,0.7\n",
        "epoch;loss;acc\n1;0,5;0,6\n2;inf;0,7\n",
        "epoch\tloss\tacc\n1\t0.5\t0.6\n2\tinf\t0.7\n",
        "epoch|loss|acc\n1|0.5|0.6\n2|inf|0.7\n",
        "| epoch | loss | acc |\n|---|:-:|---|\n| 1 | 0.5 | 0.6 |\n| 2 | inf | 0.7 |\n",
        "epoch  loss   acc\n1      0.5    0.6\n2      inf    0.7\n",
        "# epoch loss acc\n1 0.5 0.6\n2 inf 0.7\n",
        "                  epoch,    loss,     acc\n        1,   0.5,   0.6\n  2,   inf,  0.7\n",
        '"epoch","loss","acc"\r\n"1","0.5","0.6"\r\n"2","inf","0.7"\r\n',
        "\ufeffepoch,loss,acc\n# a remark\n1,0.5,0.6\n\n2,inf,0.7",
        "epoch,loss,acc,\n1,0.5,0.6,\n2,inf,0.7,\n",
        "Run started\nepoch,loss,acc\n1,0.5,0.6\n2,inf,0.7\n",
        "epoch,loss,acc\r1,0.5,0.6\r2,inf,0.7\r",
        "epoch,loss,acc\n1,\"tensor(0.5, device='cuda:0')\",0.6\n2,inf,0.7\n",
        "epoch,loss,acc\n1/2,.5,0.6\n2/2,inf,0.7\n",
    ],
)
def test_one_table_in_many_spellings(text: str) -> None:
    assert sureness(text) == 0.5
    by_name = columns(text)
    assert {name: column.values.tolist() for name, column in by_name.items()} == {
        "loss": [0.5, np.inf],
        "acc": [0.6, 0.7],
    }
    assert by_name["loss"].steps.tolist() == [1, 2]
    assert by_name["loss"].axis is Axis.EPOCH


def test_keras_writes_na_and_lists() -> None:
    (log,) = logs('epoch,loss,lr,val_loss\n0,0.69,"[0.1, 0.2]",NA\n1,0.6,"[0.1, 0.2]",0.7\n')
    by_name = {column.name: column.values.tolist() for column in log.columns}
    assert by_name == {"loss": [0.69, 0.6], "val_loss": [0.7]}
    assert [(item.name, item.count) for item in log.unread] == [("lr", 2)]


def test_without_a_header_the_rising_column_is_the_step() -> None:
    by_name = columns("1 8.1376\n2 7.841\n3 7.1815\n")
    assert list(by_name) == ["column 2"]
    assert by_name["column 2"].steps.tolist() == [1, 2, 3]
    assert by_name["column 2"].axis is Axis.STEP


def test_a_column_of_numbers_alone() -> None:
    by_name = columns("loss\n0.5\n0.4\n0.3\n")
    assert by_name["loss"].values.tolist() == [0.5, 0.4, 0.3]
    assert by_name["loss"].axis is Axis.RECORD


def test_a_torn_last_line_is_not_read() -> None:
    (log,) = logs("epoch,loss,acc\n1,0.5,0.6\n2,0.4,0.7\n3,0.")
    assert [event.kind for event in log.events] == [EventKind.TORN]
    assert log.events[0].says == "the last line is incomplete: 2 of 3 cells"
    assert log.columns[0].values.tolist() == [0.5, 0.4]


def test_a_last_line_with_all_cells_is_read() -> None:
    (log,) = logs("epoch,loss,acc\n1,0.5,0.6\n2,0.4,0.7")
    assert log.events == ()
    assert log.columns[0].values.tolist() == [0.5, 0.4]


def test_ragged_rows_are_read_as_far_as_they_fit() -> None:
    (log,) = logs("epoch,loss,acc\n1,0.5,0.6\n2,0.4\n3,0.3,0.8,9\n4,0.2,0.9\n")
    by_name = {column.name: (column.steps.tolist(), column.values.tolist()) for column in log.columns}
    assert by_name == {"loss": ([1, 2, 3, 4], [0.5, 0.4, 0.3, 0.2]), "acc": ([1, 3, 4], [0.6, 0.8, 0.9])}
    assert [(item.name, item.count) for item in log.unread] == [("rows", 1), ("rows", 1)]


def test_a_header_in_the_middle_is_no_row() -> None:
    by_name = columns("epoch,loss\n1,0.5\n2,0.4\nepoch,loss\n1,0.6\n2,0.3\n")
    assert by_name["loss"].steps.tolist() == [1, 2, 1, 2]
    assert by_name["loss"].values.tolist() == [0.5, 0.4, 0.6, 0.3]


def test_a_new_header_holds_from_there_on() -> None:
    by_name = columns("epoch,loss\n1,0.5\n2,0.4\nepoch,acc,loss\n3,0.9,0.6\n4,0.91,0.3\n")
    assert by_name["loss"].values.tolist() == [0.5, 0.4, 0.6, 0.3]
    assert by_name["acc"].steps.tolist() == [3, 4]


def test_words_are_modes_settings_or_unread() -> None:
    (log,) = logs(
        "phase,epoch,loss,model,note\ntrain,1,0.5,vit,a\nval,1,0.6,vit,b\ntrain,2,0.4,vit,c\nval,2,0.5,vit,d\n"
    )
    by_name = {(column.name, column.split): column.values.tolist() for column in log.columns}
    assert by_name == {("loss", Split.TRAIN): [0.5, 0.4], ("loss", Split.VALIDATION): [0.6, 0.5]}
    assert log.settings == {"model": "vit"}
    assert [(item.name, item.count, item.why) for item in log.unread] == [("note", 4, "text, not a number")]


def test_dates_are_times() -> None:
    by_name = columns("time,step,loss\n2024-05-01 12:00:03,1,0.5\n2024-05-01 12:00:09,2,0.4\n")
    assert by_name["loss"].times is not None
    assert by_name["loss"].times.tolist() == [1714564803.0, 1714564809.0]


def test_quoted_cells_may_hold_separators_line_ends_and_thousands() -> None:
    (log,) = logs('step,speed,text,loss\n"1,000","12,345.5","a, b\nc",0.5\n"2,000","12,400","d",0.4\n')
    by_name = {column.name: column for column in log.columns}
    assert by_name["speed"].values.tolist() == [12345.5, 12400.0]
    assert by_name["loss"].steps.tolist() == [1000, 2000]


def test_one_number_per_row() -> None:
    text = "run,step,metric,value\na,0,loss,0.6\na,0,val_loss,0.7\na,1,loss,0.5\nb,0,loss,0.8\nb,1,loss,0.7\n"
    first, second = logs(text)
    assert (first.run, second.run) == ("a", "b")
    by_name = {column.name: column for column in first.columns}
    assert by_name["loss"].values.tolist() == [0.6, 0.5]
    assert by_name["loss"].steps.tolist() == [0, 1]
    assert by_name["val_loss"].rows.tolist() == [0]
    assert by_name["loss"].rows.tolist() == [0, 1]
    assert second.columns[0].values.tolist() == [0.8, 0.7]


def test_runs_below_each_other() -> None:
    adam, sgd = logs("optimizer,step,loss\nadam,0,1\nadam,1,.9\nadam,2,.8\nsgd,0,1\nsgd,1,.95\nsgd,2,.85\n")
    assert (adam.run, adam.columns[0].values.tolist()) == ("adam", [1, 0.9, 0.8])
    assert (sgd.run, sgd.columns[0].values.tolist()) == ("sgd", [1, 0.95, 0.85])
    runs = logs("seed,epoch,loss\n0,1,1\n0,2,.9\n1,1,1.1\n1,2,.95\n")
    assert [log.run for log in runs] == ["seed 0", "seed 1"]


def test_blocks_are_joined_exactly(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = rng.standard_normal((20_000, 5))
    values[rng.random(values.shape) < 0.3] = np.nan
    lines = [
        f"{i}," + ",".join("" if np.isnan(v) else repr(v) for v in row)
        for i, row in enumerate(values.tolist())
    ]
    lines[7_000] = "7000,nan,text,,,inf"
    path = tmp_path / "metrics.csv.gz"
    path.write_bytes(gzip.compress(("step,a,b,c,d,e\n" + "\n".join(lines) + "\n").encode()))
    with Source(str(path), b"").open() as stream:
        source = Source(str(path), stream.read(65_536))
    (log,) = READER.read(source)
    by_name = {column.name: column for column in log.columns}
    for index, name in enumerate("abcde"):
        expected = values[:, index].copy()
        expected[7_000] = np.inf if name == "e" else np.nan
        rows = np.flatnonzero(~np.isnan(expected))
        if name == "a":
            rows = np.sort(np.append(rows, 7_000))
        assert by_name[name].rows.tolist() == rows.tolist()
        assert np.array_equal(by_name[name].values, expected[rows], equal_nan=True)
    assert [(item.name, item.count) for item in log.unread] == [("b", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "iter 0: loss 10.8, time 33ms\niter 1: loss 10.7, time 30ms\n",
        '{"loss": 0.5, "step": 1}\n{"loss": 0.4, "step": 2}\n',
        "Dear reader,\nthis is, after all, prose.\n",
        "| episode_reward | 0 |\n| frame | 640 |\n| value | 0.2 |\n",
    ],
)
def test_text_is_no_table(text: str) -> None:
    assert sureness(text) == 0


def test_tables_of_other_things_are_less_likely_logs() -> None:
    assert sureness("height,weight,age\n180,80,30\n170,70,40\n") < 0.5


def test_a_header_alone_is_refused_with_a_reason() -> None:
    with pytest.raises(UnreadableError, match="header without rows; wait for the first row"):
        logs("epoch,loss\n")


@given(
    st.binary(max_size=400) | st.text(alphabet='0123456789.,;|\t \n"#-naife', max_size=400).map(str.encode)
)
def test_whatever_the_bytes_it_reads_or_refuses(data: bytes) -> None:
    source = in_memory("t", data)
    assert 0 <= READER.recognizes(source) <= 0.5
    try:
        logs_read = list(READER.read(source))
    except UnreadableError:
        return
    assert all(len(column.values) for log in logs_read for column in log.columns)
