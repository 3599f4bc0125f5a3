"""Fits the points of all clues to the answers of the corpus, and writes them into the files of the causes.

PYTHONPATH=bench python -m corpus.fit

Maximum likelihood of the right hypothesis, for the corpus and for the programs of tests/scripts, held close
to the points that authors started from (starting_points.json): a clue that the corpus says little about keeps
what its author gave it. A clue for stays for, one against stays against, and what counted nothing counts
nothing. What a sign counts for health follows from its severity, unless the corpus says otherwise. Then one
temperature for recordings and one for logs makes the shares probabilities; it is fitted on runs whose task
and family the points were not fitted on.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from corpus.points import PACKAGE, write_numbers, write_package, write_starting
from corpus.programs import programs
from corpus.ranker import Asked, Points, Ranker, asked
from corpus.table import Row, read
from traindx.finding import Severity

_STEPS = 140
_RATE = 0.05
_CLOSE = 0.004
"""How strongly points are held to those they started from; chosen by the likelihood of unseen families."""
_OF_PRIORS, _OF_SEVERITIES = 0.3, 3.0
"""How strongly priors are held, and what a severity says of health, against clues."""
_OWN = 0.75
"""A sign whose points for health differ by more from those of its severity keeps its own."""
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


class _Model:
    """The numbers that are fitted, and the points that they come to."""

    def __init__(self, ranker: Ranker) -> None:
        self._start = ranker.starting
        self._severities = ranker.severities
        # Signs whose authors gave them points for health; of the others their severity says it.
        self._own = torch.tensor([ranker.start.health[slug] is not None for slug in ranker.signs])
        self._may_differ = torch.ones_like(self._own)
        self._offsets = torch.zeros_like(self._start.health, requires_grad=True)
        start = self._start
        self._priors, self._seen, self._unseen, self._unhealthy, self._by_severity = (
            table.clone().requires_grad_()
            for table in (start.priors, start.seen, start.unseen, start.unhealthy, start.by_severity)
        )
        clues = [self._seen, self._unseen, self._unhealthy]
        self.fitted = [self._priors, *clues, self._by_severity, self._offsets]

    @property
    def points(self) -> Points:
        """The points as they are now."""
        health = self._base + self._offsets * self._may_differ
        return Points(self._priors, self._seen, self._unseen, health, self._unhealthy, self._by_severity)

    @property
    def _base(self) -> Tensor:
        return torch.where(self._own, self._start.health, self._by_severity[self._severities])

    @property
    def distance(self) -> Tensor:
        """How far points have moved from where they started, measured by what they were."""
        moved = (
            (self._seen - self._start.seen, self._start.seen),
            (self._unseen - self._start.unseen, self._start.unseen),
            (self._unhealthy - self._start.unhealthy, self._start.unhealthy),
            (self._offsets * self._may_differ, self._base.detach()),
        )
        priors = (self._priors - self._start.priors).pow(2).sum()
        severities = (self._by_severity - self._start.by_severity).pow(2).sum()
        clues = sum((by / (1 + of.abs())).pow(2).sum() for by, of in moved)
        return clues + _OF_PRIORS * priors + _OF_SEVERITIES * severities

    @torch.no_grad()
    def constrain(self) -> None:
        """Keep the direction of everything that counts."""
        self._seen.copy_(_constrained(self._seen, self._start.seen))
        self._unseen.copy_(_constrained(self._unseen, self._start.unseen))
        self._unhealthy.copy_(_constrained(self._unhealthy, self._start.unhealthy))
        self._by_severity.copy_(_constrained(self._by_severity, self._start.by_severity))
        health = _constrained(self._base + self._offsets, self._start.health)
        self._offsets.copy_((health - self._base) * self._may_differ)

    @torch.no_grad()
    def tie_to_severity(self) -> None:
        """Let signs whose points for health are near those of their severity have these."""
        by_severity = self._by_severity[self._severities]
        apart = (self._base + self._offsets - by_severity).abs()
        # Of INFO the severity says nothing: these signs have what their authors gave them.
        is_info = self._severities == Severity.INFO.rank
        self._may_differ = (apart > _OWN) | (is_info & self._own)
        self._own &= self._may_differ
        self._offsets *= self._may_differ


def fit(ranker: Ranker, runs: Sample, close: float = _CLOSE, steps: int = _STEPS) -> Points:
    """The likeliest points that are close to those of the authors."""
    model = _Model(ranker)
    _train(model, ranker, runs, close, steps)
    model.tie_to_severity()
    _train(model, ranker, runs, close, steps // 2)
    points = model.points
    return Points(*(getattr(points, field.name).detach() for field in fields(points)))


def _train(model: _Model, ranker: Ranker, runs: Sample, close: float, steps: int) -> None:
    optimizer = torch.optim.Adam(model.fitted, lr=_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, eta_min=_RATE / 20)
    for _ in range(steps):
        probabilities = ranker.beliefs(model.points, runs.answers).gather(1, runs.labels[:, None])[:, 0]
        # A cause that nothing could tell of is nobody's fault.
        known = torch.isfinite(probabilities)
        likelihood = (probabilities[known] * runs.weights[known]).sum() / runs.weights[known].sum()
        (close * model.distance - likelihood).backward()
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        model.constrain()


def _constrained(value: Tensor, start: Tensor) -> Tensor:
    least = start.abs().clamp_max(_LEAST)
    return start.sign() * (start.sign() * value).clamp_min(least) * (start != 0)


def temperature(beliefs: Tensor, labels: Tensor) -> float:
    """By what to divide scores to make the right hypotheses likeliest, from logarithms of shares."""
    masked = beliefs.masked_fill(torch.isinf(beliefs), -1e3)
    tried = torch.linspace(0.5, 3.0, 251, dtype=torch.float64)
    worth = [
        torch.log_softmax(masked / candidate, 1).gather(1, labels[:, None]).clamp_min(-10).mean()
        for candidate in tried
    ]
    return float(tried[int(torch.stack(worth).argmax())])


def main() -> None:
    torch.set_num_threads(2)
    from corpus.folds import crossed

    signs, rows = read()
    ranker = Ranker(signs)
    scored = crossed(ranker, rows)
    temperatures = {
        "RECORDING_TEMPERATURE": temperature(scored.full, scored.labels),
        "LOG_TEMPERATURE": temperature(scored.log, scored.labels),
    }
    points = fit(ranker, sample(ranker, [*rows, *programs()]))
    write_starting(ranker.start)
    tables = ranker.tables(points)
    write_package(tables)
    write_numbers(temperatures, PACKAGE / "diagnosis" / "calibration.py")
    moved = (points.seen - ranker.starting.seen).abs()
    own = sum(value is not None for value in tables.health.values())
    print(
        f"{len(rows)} runs; {temperatures}; the median clue moved by {float(moved.median()):.2f} points;"
        f" {own} signs have points of their own for health"
    )


if __name__ == "__main__":
    main()
