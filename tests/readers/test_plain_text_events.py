# ruff: noqa: E501  the lines of logs are as long as they are
"""How runs end, and what goes wrong on the way."""

from tests.readers.text_series import log_of
from traindx.run import Event, EventKind


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
    says = "the gradients overflowed and the step was skipped"
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
