# ruff: noqa: E501  the lines of logs are as long as they are
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.text_series import all_of, log_of, results_of
from traindx.errors import UnreadableError
from traindx.readers.loading.files import in_memory
from traindx.readers.plain_text import READER
from traindx.run import Axis, Event, EventKind, Split

SAMPLE = b"""\
batch_size = 12
learning_rate = 6e-4
tokens per iteration will be: 491,520
step 0: train loss 10.9888, val loss 10.9901
iter 0: loss 10.9925, time 158587.99ms, mfu -100.00%
iter 10: loss 9.7272, time 1516.68ms, mfu 22.20%
iter 20: loss 9.4990, time 1516.36ms, mfu 22.20%
step 20: train loss 9.4888, val loss 9.4901
iter 30: loss nan, time 1517.06ms, mfu 22.20%
"""


def test_the_two_kinds_of_lines_of_nanogpt() -> None:
    log = log_of(SAMPLE)
    columns = {column.name: column for column in log.columns}
    assert columns["train loss"].values.tolist() == [10.9888, 9.4888]
    assert columns["val loss"].steps.tolist() == [0, 20]
    assert columns["loss"].steps.tolist() == [0, 10, 20, 30]
    assert np.array_equal(columns["loss"].values, [10.9925, 9.7272, 9.4990, math.nan], equal_nan=True)
    assert columns["mfu"].values.tolist() == [-100.0, 22.2, 22.2, 22.2]
    assert all(column.axis is Axis.STEP for column in log.columns)
    assert log.settings == {"batch_size": 12, "learning_rate": 6e-4}
    assert (log.events, log.unread) == ((), ())


def test_values_of_one_line_share_a_row() -> None:
    log = log_of("step 1: loss 2.0 acc 0.5\nstep 2: loss 1.0 acc 0.6\n")
    rows = [column.rows.tolist() for column in log.columns]
    assert rows == [[1, 2], [1, 2]]


def test_lines_under_one_heading_share_a_row() -> None:
    log = log_of("epoch: 0\ntrain loss: 0.5\nval loss: 0.6\nepoch: 1\ntrain loss: 0.4\nval loss: 0.5\n")
    assert [(c.name, c.rows.tolist()) for c in log.columns] == [
        ("train loss", [1, 4]),
        ("val loss", [1, 4]),
    ]


def test_times_of_writing_are_kept() -> None:
    log = log_of(
        "2023-06-28 18:51:14,250 - INFO - step 1 loss 2.0\n2023-06-28 18:51:16,750 - INFO - step 2 loss 1.0\n"
    )
    (loss,) = log.columns
    assert loss.times is not None
    assert loss.times.tolist() == [1687978274.25, 1687978276.75]


def test_rows_of_other_ranks_are_counted_and_left_out() -> None:
    log = log_of(
        """
        [rank0]: step 1 loss 3.0
        [rank1]: step 1 loss 3.1
        [rank1]: step 2 loss 2.1
        [rank0]: step 2 loss 2.0
        """
    )
    assert [column.values.tolist() for column in log.columns] == [[3.0, 2.0]]
    assert [(u.name, u.count) for u in log.unread] == [("lines of other ranks", 2)]


def test_names_nobody_knows_are_columns_where_they_recur() -> None:
    assert all_of("[step=1] foo=3\n[step=2] foo=4\n[step=3] foo=5\n") == {
        "foo step": [(1, 3), (2, 4), (3, 5)]
    }


def test_steps_that_go_back_stay_as_they_are_written() -> None:
    text = "step 100 loss 3\nstep 200 loss 2\n=== seed 3 start ===\nstep 100 loss 3.5\nstep 200 loss 2.5\n"
    assert results_of(text) == {"loss step": [(100, 3), (200, 2), (100, 3.5), (200, 2.5)]}


def test_two_kinds_of_lines_with_one_name_are_two_columns() -> None:
    text = """
        step:1/9 val_loss:3.1
        step:2/9 val_loss:2.9
        final_int8_roundtrip val_loss:2.95
        """
    assert results_of(text) == {
        "val_loss step": [(1, 3.1), (2, 2.9)],
        "final_int8_roundtrip val_loss step": [(2, 2.95)],
    }


def test_milliseconds_and_seconds_in_one_column_become_seconds() -> None:
    curves = all_of("iter 1: loss 2, time 500ms\niter 2: loss 1, time 2s\n")
    assert curves["time step"] == [(1, 0.5), (2, 2.0)]


def test_thousands_are_written_out() -> None:
    curves = all_of("step 1 loss 2 tok/sec: 24.5K\nstep 2 loss 1 tok/sec: 24,514\n")
    assert curves["tok/sec step"] == [(1, 24500), (2, 24514)]


def test_a_split_told_by_the_line() -> None:
    log = log_of("train | epoch 1 | loss 0.5\nvalid | epoch 1 | loss 0.6\nTest: loss 0.7\n")
    assert {(c.name, c.split): c.values.tolist() for c in log.columns} == {
        ("loss", Split.TRAIN): [0.5],
        ("loss", Split.VALIDATION): [0.6],
        ("loss", Split.TEST): [0.7],
    }


def test_latin_1_and_null_bytes() -> None:
    assert results_of(b"d\xe9but\0\0\0\nstep 1 loss 2\n\0step 2 loss 1\n") == {"loss step": [(1, 2), (2, 1)]}


def test_a_line_too_long_is_cut_and_said() -> None:
    log = log_of("step 1 loss 2\n" + "x" * 70_000 + "\nstep 2 loss 1\n")
    assert [column.values.tolist() for column in log.columns] == [[2.0, 1.0]]
    assert [(u.name, u.count) for u in log.unread] == [("very long lines", 1)]


def test_metrics_after_a_long_preamble() -> None:
    source = in_memory("t", b"installing something\n" * 5_000 + b"epoch 1 loss 0.5\nepoch 2 loss 0.4\n")
    assert READER.recognizes(source) == 0.05
    (log,) = READER.read(source)
    assert log.columns[0].values.tolist() == [0.5, 0.4]


def test_binary_noise_is_not_recognized() -> None:
    assert READER.recognizes(in_memory("t", bytes(range(256)) * 40)) == 0
    assert READER.recognizes(in_memory("t", b"\0" * 5000)) == 0
    assert READER.recognizes(in_memory("t", b"")) == 0


def test_a_text_without_numbers_says_what_was_looked_for() -> None:
    with pytest.raises(UnreadableError, match="no metrics found in 2 lines of text; expected lines"):
        log_of("hello\nworld\n")


@given(st.lists(st.sampled_from(SAMPLE.split()) | st.binary(max_size=8), max_size=60))
def test_anything_gives_numbers_or_a_refusal(pieces: list[bytes]) -> None:
    data = b" ".join(pieces).replace(b"mfu ", b"\n")
    assert 0 <= READER.recognizes(in_memory("t", data)) <= 0.35
    try:
        logs = list(READER.read(in_memory("t", data)))
    except UnreadableError:
        logs = []
    assert all(len(column.values) for log in logs for column in log.columns)


def events(text: str) -> list[tuple[EventKind, str, float | None]]:
    return [(event.kind, event.says, event.step) for event in log_of(text).events]


def test_overflows_at_the_step_before_them() -> None:
    log = log_of(
        """
        step 10 loss 3.0
        [INFO] [stage_1_and_2.py:1644:step] [deepscale] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768
        step 20 loss 2.0
        NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: 32.0
        """
    )
    says = "gradient overflow, step skipped"
    assert log.events == (Event(EventKind.OVERFLOW, says, 10.0), Event(EventKind.OVERFLOW, says, 20.0))
    assert [column.name for column in log.columns] == ["loss"]


CRASH = """
step 1 loss 3.0
step 2 loss 2.0
Traceback (most recent call last):
  File "train.py", line 337, in <module>
    loss.backward()
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
"""


def test_the_exception_that_ended_the_run() -> None:
    says = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB"
    assert events(CRASH) == [(EventKind.EXCEPTION, says, 2.0)]


def test_an_exception_on_every_rank_is_one_event() -> None:
    text = CRASH + "".join(
        f"[rank{rank}]: Traceback (most recent call last):\n[rank{rank}]:   File 'a'\n[rank{rank}]: ValueError: no\n"
        for rank in range(4)
    )
    assert [kind for kind, *_ in events(text)] == [EventKind.EXCEPTION, EventKind.EXCEPTION]
    assert events(text)[1] == (EventKind.EXCEPTION, "ValueError: no", 2.0)


def test_an_exception_the_run_survived_is_no_event() -> None:
    assert events(CRASH + "step 3 loss 1.0\n") == []


def test_an_exception_before_a_restart_is_one() -> None:
    assert [kind for kind, *_ in events(CRASH + "step 1 loss 3.5\nstep 2 loss 2.5\n")] == [
        EventKind.EXCEPTION
    ]


def test_interruptions() -> None:
    log = "step 1 loss 3.0\nstep 2 loss 2.0\n"
    traceback = (
        'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nKeyboardInterrupt\n'
    )
    assert events(log + traceback) == [(EventKind.INTERRUPTED, "KeyboardInterrupt", 2.0)]
    slurm = "slurmstepd: error: *** JOB 18 ON r8i3n1 CANCELLED AT 2021-05-23T08:45:57 ***\n"
    assert [kind for kind, *_ in events(log + slurm)] == [EventKind.INTERRUPTED]
    assert events(log + "Killed\n") == [(EventKind.INTERRUPTED, "Killed", 2.0)]
    signal = "torch.distributed.elastic.multiprocessing.api.SignalException: Process 5 got signal: 15\n"
    assert [kind for kind, *_ in events(log + traceback.replace("KeyboardInterrupt\n", signal))] == [
        EventKind.INTERRUPTED
    ]


def test_a_log_that_breaks_off_in_a_line() -> None:
    log = log_of("iter 1: loss 3.25, time 5ms\niter 2: loss 2.25, time 5ms\niter 3: loss 1.2")
    assert [column.values.tolist() for column in log.columns] == [[3.25, 2.25], [5.0, 5.0]]
    assert [(event.kind, event.step) for event in log.events] == [(EventKind.TORN, 2.0)]


def test_a_log_that_breaks_off_in_its_last_number() -> None:
    log = log_of("iter 1: loss 3.25\niter 2: loss 2.25\niter 3: loss 1.2")
    assert log.columns[0].values.tolist() == [3.25, 2.25]
    assert [event.kind for event in log.events] == [EventKind.TORN]


def test_a_log_that_only_lacks_its_last_line_feed() -> None:
    log = log_of("iter 1: loss 3.25\niter 2: loss 2.25\niter 3: loss 1.25")
    assert log.columns[0].values.tolist() == [3.25, 2.25, 1.25]
    assert log.events == ()


def test_lines_of_one_kind_are_counted_together_however_their_numbers_are_written() -> None:
    rewards = ["144.0", "-3.0", "152.5", "-1.0", "158.0", "161.0", "-2.0"]
    log = log_of("".join(f"loss: 0.0, reward: {reward}\n" for reward in rewards))
    columns = [column for column in log.columns if column.name == "reward"]
    positions = sorted(step for column in columns for step in column.steps)
    assert positions == list(range(len(rewards)))
