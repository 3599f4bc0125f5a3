"""Fits the points of all clues to the answers of the corpus, and writes them into the files of the causes.

PYTHONPATH=bench python -m corpus.fit

Maximum likelihood of the right hypothesis, for the corpus and for the programs of tests/scripts, held close
to the points that authors started from (starting_points.json): a clue that the corpus says little about keeps
what its author gave it. A clue for stays for, one against stays against, and what counted nothing counts
nothing. Then one factor for recordings and one for logs makes the shares probabilities; it is fitted on runs
whose task and family the points were not fitted on.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from corpus.points import PACKAGE, write_causes, write_starting
from corpus.programs import programs
from corpus.ranker import Asked, Points, Ranker, asked
from corpus.table import Row, read
from traindx.diagnosis.calibration import HEALTH

CALIBRATION = PACKAGE / "diagnosis" / "calibration.py"
_STEPS = 200
_RATE = 0.05
_CLOSE = 0.004
"""How strongly points are held to those they started from; chosen by the likelihood of unseen families."""
_LEAST = 0.05
"""What is left of a clue at least: less would be nothing."""
_FROM_LOGS = 0.5
"""What a log counts against a recording of the same run."""
_PROGRAM = 8.0
"""What a run by another hand counts against one of the corpus: they are few, and no draw of ours."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Answers and right hypotheses of many runs."""

    answers: Asked
    labels: Tensor
    weights: Tensor

    def part(self, chosen: Tensor) -> "Sample":
        """Some of the runs."""
        return Sample(self.answers.part(chosen), self.labels[chosen], self.weights[chosen])


def sample(ranker: Ranker, rows: Sequence[Row]) -> Sample:
    """Recordings and logs of all rows, the recordings first."""
    codes = [row.full for row in rows] + [row.log for row in rows]
    labels = torch.tensor([ranker.names.index(row.label) for row in rows])
    each = torch.tensor([1.0 if row.task else _PROGRAM for row in rows])
    weights = torch.cat([each, _FROM_LOGS * each]).double()
    return Sample(asked(codes), torch.cat([labels, labels]), weights)


def fit(ranker: Ranker, runs: Sample, close: float = _CLOSE, steps: int = _STEPS) -> Points:
    """The likeliest points that are close to those of the authors."""
    start = ranker.starting
    values = [one.clone().requires_grad_() for one in (start.priors, start.seen, start.unseen)]
    points = Points(*values)
    optimizer = torch.optim.Adam(values, lr=_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=_RATE / 20)
    for _ in range(steps):
        told = ranker.beliefs(points, runs.answers).gather(1, runs.labels[:, None])[:, 0]
        # A cause that nothing could tell of is nobody's fault.
        known = torch.isfinite(told)
        likelihood = (told[known] * runs.weights[known]).sum() / runs.weights[known].sum()
        (close * _distance(points, start) - likelihood).backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        with torch.no_grad():
            for value, first in ((points.seen, start.seen), (points.unseen, start.unseen)):
                value.copy_(_constrained(value, first))
    return points.detached()


def _distance(points: Points, start: Points) -> Tensor:
    """How far points have moved, measured by what they were."""
    moved = [
        ((now - first) / (1 + first.abs())).pow(2).sum()
        for now, first in ((points.seen, start.seen), (points.unseen, start.unseen))
    ]
    return moved[0] + moved[1] + 0.3 * (points.priors - start.priors).pow(2).sum()


def _constrained(value: Tensor, start: Tensor) -> Tensor:
    least = start.abs().clamp_max(_LEAST)
    return start.sign() * (start.sign() * value).clamp_min(least) * (start != 0)


def sureness(beliefs: Tensor, labels: Tensor) -> float:
    """The factor on scores under which the right hypotheses are likeliest, from logarithms of shares."""
    told = beliefs.masked_fill(torch.isinf(beliefs), -1e3)
    factors = torch.linspace(0.3, 2.0, 171, dtype=torch.float64)
    worth = [
        torch.log_softmax(told * one, 1).gather(1, labels[:, None]).clamp_min(-10).mean() for one in factors
    ]
    return float(factors[int(torch.stack(worth).argmax())])


def write_constants(values: Mapping[str, float], path: Path = CALIBRATION) -> None:
    """Put numbers in place of those that stand in a file under the same names."""
    text = path.read_text(encoding="utf-8")
    for name, value in values.items():
        text, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value:.2f}", text)
        assert count == 1, f"{path}: {name} stands there {count} times"
    path.write_text(text, encoding="utf-8")


def main() -> None:
    torch.set_num_threads(2)
    from corpus.folds import crossed

    signs, rows = read()
    ranker = Ranker(signs)
    scored = crossed(ranker, rows)
    factors = {
        "RECORDING": sureness(scored.full, scored.labels),
        "LOG": sureness(scored.log, scored.labels),
    }
    points = fit(ranker, sample(ranker, [*rows, *programs()]))
    write_starting(ranker.tables(ranker.starting))
    write_causes({slug: table for slug, table in ranker.tables(points).items() if slug != HEALTH})
    write_constants(factors)
    moved = (points.seen - ranker.starting.seen).abs()
    print(
        f"{len(rows)} runs; sureness {factors}; the median clue moved by {float(moved.median()):.2f} points"
    )
    assert ranker.names[0] == HEALTH


if __name__ == "__main__":
    main()
