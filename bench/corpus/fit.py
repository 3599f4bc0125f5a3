"""Fits the points of all clues to the answers of the corpus: src/traindx/points.json.

PYTHONPATH=bench python -m corpus.fit

Maximum likelihood of the right hypothesis, for the corpus and for the programs of tests/scripts, held close
to the points set by hand: a clue that the corpus says little about keeps what its author gave it. Signs are
constraints: a clue for stays for, one against stays against, and what counted nothing counts nothing. Then
one factor for recordings and one for logs makes the shares probabilities; it is fitted on runs whose task
and family the points were not fitted on.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from corpus.programs import programs
from corpus.ranker import Asked, Points, Ranker, asked
from corpus.table import Row, read
from traindx.diagnosis.calibration import HEALTH

POINTS = Path(__file__).parents[2] / "src" / "traindx" / "points.json"
_STEPS = 200
_RATE = 0.05
_CLOSE = 0.004
"""How strongly points are held to those set by hand; chosen by the likelihood of unseen families."""
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
    """The likeliest points that are close to those set by hand."""
    by_hand = ranker.by_hand
    values = [one.clone().requires_grad_() for one in (by_hand.priors, by_hand.seen, by_hand.unseen)]
    points = Points(*values)
    optimizer = torch.optim.Adam(values, lr=_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=_RATE / 20)
    for _ in range(steps):
        told = ranker.beliefs(points, runs.answers).gather(1, runs.labels[:, None])[:, 0]
        # A cause that nothing could tell of is nobody's fault.
        known = torch.isfinite(told)
        likelihood = (told[known] * runs.weights[known]).sum() / runs.weights[known].sum()
        (close * _distance(points, by_hand) - likelihood).backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        with torch.no_grad():
            for value, start in ((points.seen, by_hand.seen), (points.unseen, by_hand.unseen)):
                value.copy_(_constrained(value, start))
    return points.detached()


def _distance(points: Points, by_hand: Points) -> Tensor:
    """How far points have moved, measured by what they were."""
    moved = [
        ((now - start) / (1 + start.abs())).pow(2).sum()
        for now, start in ((points.seen, by_hand.seen), (points.unseen, by_hand.unseen))
    ]
    return moved[0] + moved[1] + 0.3 * (points.priors - by_hand.priors).pow(2).sum()


def _constrained(value: Tensor, by_hand: Tensor) -> Tensor:
    least = by_hand.abs().clamp_max(_LEAST)
    return by_hand.sign() * (by_hand.sign() * value).clamp_min(least) * (by_hand != 0)


def sureness(beliefs: Tensor, labels: Tensor) -> float:
    """The factor on scores under which the right hypotheses are likeliest, from logarithms of shares."""
    told = beliefs.masked_fill(torch.isinf(beliefs), -1e3)
    factors = torch.linspace(0.3, 2.0, 171, dtype=torch.float64)
    worth = [
        torch.log_softmax(told * one, 1).gather(1, labels[:, None]).clamp_min(-10).mean() for one in factors
    ]
    return float(factors[int(torch.stack(worth).argmax())])


def as_json(ranker: Ranker, points: Points, factors: dict[str, float]) -> str:
    """Points as the product reads them, a line a cause."""
    clues: dict[str, dict[str, list[float]]] = {name: {} for name in ranker.names}
    for column, (number, clue) in enumerate(ranker.clues):
        pair = [round(float(points.seen[column]), 2), round(float(points.unseen[column]), 2)]
        clues[ranker.names[number]][clue.sign.slug] = pair
    priors = {name: round(float(prior), 2) for name, prior in zip(ranker.names, points.priors, strict=True)}
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(pairs)}" for name, pairs in clues.items())
    return (
        f'{{\n  "sureness": {json.dumps(factors)},\n  "priors": {json.dumps(priors)},\n'
        f'  "clues": {{\n{lines}\n  }}\n}}\n'
    )


def main() -> None:
    torch.set_num_threads(2)
    from corpus.folds import crossed

    signs, rows = read()
    ranker = Ranker(signs)
    scored = crossed(ranker, rows)
    factors = {
        "recording": round(sureness(scored.full, scored.labels), 2),
        "log": round(sureness(scored.log, scored.labels), 2),
    }
    points = fit(ranker, sample(ranker, [*rows, *programs()]))
    POINTS.write_text(as_json(ranker, points, factors), encoding="utf-8")
    moved = (points.seen - ranker.by_hand.seen).abs()
    print(
        f"{len(rows)} runs; sureness {factors}; the median clue moved by {float(moved.median()):.2f} points"
    )
    assert ranker.names[0] == HEALTH


if __name__ == "__main__":
    main()
