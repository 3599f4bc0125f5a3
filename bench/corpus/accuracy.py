"""Scores the ranking on kinds of training that it was not fitted on, and writes docs/accuracy.md.

PYTHONPATH=bench python -m corpus.accuracy
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from corpus.baselines import Baseline, commonest, forest, peers
from corpus.detection import LOOKS, Watched, detections
from corpus.figures import Figures, Share, by_cause, confusions, figures, share
from corpus.fit import fit, sample, temperature
from corpus.folds import crossed, splits
from corpus.judged import Judged, calibrated, judged
from corpus.pictures import calibration, confusion, coverage
from corpus.ranker import Ranker
from corpus.table import Row, read
from traindx.diagnosis.calibration import HEALTH as HEALTHY
from traindx.diagnosis.knowledge import causes
from traindx.diagnosis.types import Verdict

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "accuracy.md"
WILD = ROOT / "bench" / "wild" / "figures.md"
"""What was measured on programs and logs of strangers: bench/wild/run.py, bench/wild_logs.py."""
PICTURES = ROOT / "docs" / "pictures"
_ROW = "| {} |"
_WEAK = 0.6


def percent(value: float) -> str:
    """A share for a person, with a digit where it is small."""
    return f"{100 * value:.1f}%" if value < 0.1 else f"{100 * value:.0f}%"


def ranged(one: Share) -> str:
    """A share with its interval."""
    low, high = one.interval
    return f"{percent(one.value)} ({percent(low)} to {percent(high)}; {one.hits} of {one.of})"


def table(head: Sequence[str], rows: Sequence[Sequence[object]], numbers: int = 1) -> str:
    """A table whose columns after the first so many are numbers."""
    rule = ["---" if index < numbers else "--:" for index in range(len(head))]
    return "\n".join(_ROW.format(" | ".join(map(str, row))) for row in [head, rule, *rows])


def _set(name: str, counts: Figures) -> list[object]:
    return [
        name,
        counts.first,
        counts.three,
        counts.group,
        percent(counts.alarms.value),
        percent(counts.harmless.value),
        f"{counts.error:.3f}",
    ]


def _sets(
    full: Sequence[Judged], log: Sequence[Judged], verdicts: Sequence[Judged], hand: Sequence[Judged]
) -> str:
    head = [
        "runs",
        "right cause first",
        "in three",
        "coarse group",
        "false alarms",
        "on harmless",
        "calibration error",
    ]
    rows = [
        _set("**recordings, nothing of their kind seen**", figures(full)),
        _set("**logs alone, nothing of their kind seen**", figures(log)),
        _set("recordings, points fitted on them too", figures(verdicts)),
        _set("recordings, points set by hand", figures(hand)),
    ]
    return table(head, rows)


def _parts(runs: Sequence[Judged], logs: Sequence[Judged], of: str) -> str:
    """The figures of every family or every task."""
    names = sorted({getattr(run.row, of) for run in runs})
    rows = []
    for name in names:
        some, few = ([run for run in each if getattr(run.row, of) == name] for each in (runs, logs))
        own, from_log = figures(some), figures(few)
        rows.append(
            [name, len(some), own.first, own.three, f"{own.alarms.hits} of {own.alarms.of}", from_log.group]
        )
    return table(
        [of, "runs", "right cause first", "in three", "false alarms", "coarse group from the log"], rows
    )


def _causes(runs: Sequence[Judged]) -> str:
    mistaken = confusions(runs)
    rows = []
    for cause, (recall, precision) in by_cause(runs).items():
        for_it = [(said, count) for (label, said), count in mistaken.most_common() if label == cause][:2]
        taken = ", ".join(f"{said} {count}" for said, count in for_it)
        rows.append([cause, recall.of, recall, precision, taken])
    return table(["cause", "runs", "found first", "right when named", "taken for"], rows)


def _detection(watched: Sequence[Watched]) -> str:
    sick = [detection for detection in watched if detection.label != HEALTHY]
    well = [detection for detection in watched if detection.label == HEALTHY]
    rows = []
    for step in LOOKS:
        by_then = [detection for detection in sick if detection.said and detection.said <= step]
        sure = statistics.median([detection.confidence for detection in by_then]) if by_then else 0.0
        rows.append([step, Share(len(by_then), len(sick)), f"{sure:.2f}"])
    said = [detection.said / detection.steps for detection in sick if detection.said]
    steps, alarms = (
        sum(detection.steps for detection in well),
        sum(bool(detection.alarm) for detection in well),
    )
    middle = statistics.median(said) if said else 0.0
    head = ["after steps", "right cause named first", "median confidence then"]
    return (
        f"{table(head, rows, 0)}\n\n"
        f"Of those that are ever named right, half are after {percent(middle)} of the run. A line that is"
        f" wrong is printed in {alarms} of {len(well)} healthy runs, {1000 * alarms / max(steps, 1):.2f} for"
        " 1,000 steps."
    )


def _baselines(full: Figures, others: Sequence[Baseline]) -> str:
    rows = [["traindx", full.first, full.three, percent(full.alarms.value)]]
    rows += [
        [baseline.name, baseline.first, baseline.three, percent(baseline.alarms.value)] for baseline in others
    ]
    return table(["ranking", "right cause first", "in three", "false alarms"], rows)


def _weak(runs: Sequence[Judged]) -> str:
    recalls = by_cause(runs)
    weak = [(cause, recall) for cause, (recall, _) in recalls.items() if recall.value < _WEAK]
    weak.sort(key=lambda entry: entry[1].value)
    return ", ".join(f"{cause} ({recall})" for cause, recall in weak) or "none"


def _ever(runs: Sequence[Judged]) -> str:
    recalls = [(cause, recall) for cause, (recall, _) in by_cause(runs).items() if recall.hits]
    recalls.sort(key=lambda entry: -entry[1].value)
    return ", ".join(f"{cause} ({recall})" for cause, recall in recalls) or "none"


def _met(value: float, aim: float, more: bool) -> str:
    return "met" if (value >= aim if more else value <= aim) else "**missed**"


def _aims(full: Figures, log: Figures) -> str:
    rows = [
        ["right cause first", "85%", percent(full.first.value), _met(full.first.value, 0.85, True)],
        ["among the first three", "95%", percent(full.three.value), _met(full.three.value, 0.95, True)],
        [
            "false alarms on healthy runs",
            "at most 2%",
            ranged(full.alarms),
            _met(full.alarms.value, 0.02, False),
        ],
        ["calibration error", "at most 0.05", f"{full.error:.3f}", _met(full.error, 0.05, False)],
        ["logs alone: coarse group", "90%", percent(log.group.value), _met(log.group.value, 0.90, True)],
        ["logs alone: calibration error", "-", f"{log.error:.3f}", "-"],
    ]
    return table(["on kinds never seen", "aim", "measured", ""], rows)


def _coverage(runs: Sequence[Judged]) -> str:
    rows = []
    for least in (0.0, 0.4, 0.5, 0.7, 0.8, 0.9):
        answered = [run for run in runs if run.leader[1] >= least and run.verdict is not Verdict.INCONCLUSIVE]
        wrong = share([run.leader[0] != run.row.label for run in answered])
        rows.append([f"{least:.1f}", Share(len(answered), len(runs)), wrong])
    return table(["confidence of at least", "runs answered", "of them wrong"], rows)


def _counted(rows: Sequence[Row]) -> str:
    """What the corpus consists of, in a sentence."""
    sick = sum(row.label != HEALTHY for row in rows)
    harmless = sum(bool(row.cause) and row.label == HEALTHY for row in rows)
    kinds = [len({getattr(row, of) for row in rows}) for of in ("task", "family", "optimizer")]
    return (
        f"{len(rows):,} small trainings, recorded by `traindx run` as they come: {kinds[0]} tasks, {kinds[1]}"
        f" families of architectures,\n{kinds[2]} optimizers; {len(rows) - sick - harmless:,} healthy ones,"
        f" {sick:,} with one fault that does harm, {harmless:,} with a fault that\ndoes no measurable harm"
        " and counts as healthy. Every run is scored by points that were fitted on **neither its task\nnor"
        f' its family** ({len(splits(rows))} fits). "First" asks for the one cause that was injected, though'
        " many share a mechanism.\nA false alarm is a cause at 0.5 or above on a healthy run."
    )


def _by_harm(runs: Sequence[Judged]) -> str:
    """How the size of the harm decides whether it is found."""
    rows = []
    for low, high in ((1.0, 2.0), (2.0, 4.0), (4.0, 1e9)):
        some = [run for run in runs if not run.is_healthy and low < run.row.harm <= high]
        counts = figures(some)
        name = f"{0.1 * low:.1f} to {0.1 * high:.1f}" if high < 1e9 else f"above {0.1 * low:.1f}"
        rows.append([name, len(some), counts.first, counts.three])
    return table(["skill that the fault cost", "runs", "right cause first", "in three"], rows)


def _not_injected(rows: Sequence[Row]) -> str:
    injected = {row.cause for row in rows}
    return ", ".join(cause.slug for cause in causes() if cause.slug not in injected)


@dataclass(frozen=True)
class Results:
    """All that the page is made of."""

    rows: Sequence[Row]
    full: Sequence[Judged]
    log: Sequence[Judged]
    seen: Sequence[Judged]
    """Recordings, by points that were fitted on them too."""
    hand: Sequence[Judged]
    """Recordings, by points set by hand."""
    others: Sequence[Baseline]


def page(of: Results) -> str:
    """The page."""
    own, from_log = figures(of.full), figures(of.log)
    return f"""# Accuracy

Written by `make bench-accuracy` from `bench/corpus/answers.csv`; the method is described in
[design/005-corpus.md](../design/005-corpus.md).

{WILD.read_text(encoding="utf-8")}
## The corpus

{_counted(of.rows)}

## Targets

{_aims(own, from_log)}

## All sets

{_sets(of.full, of.log, of.seen, of.hand)}

The coarse group is how a run fails (learns too little, unstable, does not generalize, misleading numbers,
hardware, or healthy). It counts as right if the first cause and the true one share a symptom.

## By severity of the fault

{_by_harm(of.full)}

Severity is the skill lost relative to the healthy twin (1 is everything). A run that lost a tenth looks like
one with a slightly harder task: a single run can't distinguish the two, a trial can.

## Compared with other rankers

Same check results, same splits. Forests can't explain their ranking; they show what is possible without that.

{_baselines(own, of.others)}

## Calibration

Over the verdicts with a confidence; an inconclusive verdict has none.

![confidence against truth](pictures/accuracy-calibration.png)

## Abstaining

![risk over coverage](pictures/accuracy-coverage.png)

{_coverage(of.full)}

The verdict is inconclusive in {ranged(own.open)} of the recordings and {ranged(from_log.open)} of the logs.

## Time to detection

Every recording, cut after N steps and judged as of then.

{_detection(detections())}

## By cause

{_causes(of.full)}

Not injected: {_not_injected(of.rows)}.

![what is taken for what](pictures/accuracy-confusion.png)

## By family and by task

{_parts(of.full, of.log, "family")}

{_parts(of.full, of.log, "task")}

## What is weak

Found in fewer than {percent(_WEAK)} of their runs: {_weak(of.full)}.

From logs alone the cause is named first in {figures(of.log).first} of the faulty runs: most faults leave the
same curve, and the report then lists the candidates and what would distinguish them. Found first at least
once: {_ever(of.log)}.
"""


def main() -> None:
    signs, rows = read()
    ranker = Ranker(signs)
    scored = crossed(ranker, rows)
    codes = [row.full for row in rows], [row.log for row in rows]

    def told(beliefs: torch.Tensor, labels: torch.Tensor, of: int) -> list[Judged]:
        return judged(ranker, signs, rows, calibrated(beliefs, temperature(beliefs, labels)), codes[of])

    full, log = told(scored.full, scored.labels, 0), told(scored.log, scored.labels, 1)
    runs = sample(ranker, rows)
    own = ranker.beliefs(fit(ranker, runs), runs.answers)[: len(rows)]
    hand = ranker.beliefs(ranker.starting, runs.answers)[: len(rows)]
    by_hand = judged(ranker, signs, rows, hand, codes[0])
    others = [
        Baseline(
            "points set by hand", figures(by_hand).first, figures(by_hand).three, figures(by_hand).alarms
        ),
        forest(rows, codes[0]),
        forest(rows, codes[0], boosted=True),
        commonest(rows),
        peers(rows),
    ]
    results = Results(rows, full, log, told(own, scored.labels, 0), by_hand, others)
    PAGE.write_text(page(results), encoding="utf-8")
    sets = {"recordings": full, "logs alone": log}
    calibration(sets, PICTURES / "accuracy-calibration.png")
    coverage(sets, PICTURES / "accuracy-coverage.png")
    confusion(full, PICTURES / "accuracy-confusion.png")
    print(_aims(figures(full), figures(log)))


if __name__ == "__main__":
    main()
