"""Where a run comes from: what was joined to it, what is missing before it, and what else its log holds."""

from traindx.curves.facts import stated_number
from traindx.facts import LOSS_BEFORE, RESUMED_AT
from traindx.format import count, listed, step
from traindx.run import Axis, Begins, Run

_RUNS = 4
"""Other runs of a log that a header names one by one."""


def origin(run: Run, shown: str) -> tuple[str, ...]:
    """How a run follows those before it in its log; `shown` is what the report does with it."""
    return (*_joined(run), *_resumed(run), *_of_log(run, shown))


def _joined(run: Run) -> list[str]:
    """That a run consists of several segments: "resumed at step 5,000; joined into one run"."""
    words = {Begins.RESUME: "resumed", Begins.RESTART: "restarted"}
    where = [
        f"{words[one.begins]} at {one.axis.value} {step(one.first_step)}"
        for one in run.segments
        if one.begins in words
    ]
    return [f"{listed(where, 2)}; joined into one run"] if where else []


def _resumed(run: Run) -> list[str]:
    """That the run began before its first record: in the run before it, or outside of the log."""
    at = stated_number(run, RESUMED_AT)
    if at is None:
        return []
    where = f" from run {run.number - 1}" if LOSS_BEFORE in run.facts else "; its start is not in the log"
    return [f"resumed at {_axis(run)} {step(at)}{where}"]


def _axis(run: Run) -> str:
    return max(run.series, key=len).axis.value if run.series else Axis.STEP.value


def _of_log(run: Run, shown: str) -> list[str]:
    """Which of several runs it is: "holds 3 runs (steps restart after 402 and 911); judged the last"."""
    runs = run.in_log
    if len(runs) == 1:
        return []
    ends = [step(one.segments[-1].last_step) for one in runs[:-1] if one.segments]
    where = f" ({_axis(run)}s restart after {_and(ends)})" if 0 < len(ends) <= _RUNS else ""
    which = "the last" if run.number == len(runs) else f"run {run.number}"
    others = [f"--run {one.number}" for one in run.others]
    rest = ", ".join(others) if len(others) <= _RUNS else f"{others[0]} to {others[-1]}"
    return [f"holds {count(len(runs), 'run')}{where}; {shown} {which}. Others: {rest}"]


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
