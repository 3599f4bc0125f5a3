"""From beliefs to what a user would read: suspects in order, how sure, and the verdict."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from corpus.ranker import Ranker
from corpus.table import Row, decoded
from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import LISTED
from traindx.diagnosis.types import SignResult, Suspect, Verdict
from traindx.diagnosis.verdict import verdict_of
from traindx.finding import Severity
from traindx.objective import OTHER


@dataclass(frozen=True)
class Judged:
    """One run and what is said of it."""

    row: Row
    suspects: tuple[str, ...]
    """Causes that have a share worth telling, the likeliest first."""
    shares: tuple[float, ...]
    healthy: float
    verdict: Verdict

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was wrong that did harm."""
        return self.row.label == "healthy"

    @property
    def first(self) -> str:
        """What is said: the first suspect, or that the run is healthy; empty where nothing is."""
        if self.verdict is Verdict.HEALTHY:
            return "healthy"
        return self.suspects[0] if self.suspects else ""

    @property
    def hits(self) -> bool:
        """Whether the right thing is said first."""
        return self.first == self.row.label

    @property
    def hits_in_three(self) -> bool:
        """Whether the right cause is among the first three suspects."""
        return self.row.label in self.suspects[:3]

    @property
    def leader(self) -> tuple[str, float]:
        """The likeliest hypothesis, health included, and its share."""
        best = self.shares[0] if self.shares else 0.0
        return ("healthy", self.healthy) if self.healthy >= best else (self.suspects[0], best)

    @property
    def alarms(self) -> bool:
        """Whether any cause has half of the belief."""
        return bool(self.shares) and self.shares[0] >= 0.5


def judged(
    ranker: Ranker, signs: Sequence[str], rows: Sequence[Row], beliefs: Tensor, codes: Sequence[str]
) -> list[Judged]:
    """What is said of every row, from logarithms of shares and the answers behind them."""
    known = [sign for sign in knowledge.signs() if sign.slug in set(signs)]
    runs = []
    for row, shares, code in zip(rows, beliefs.exp().tolist(), codes, strict=True):
        answers = decoded(code, signs)
        order = sorted(range(1, len(shares)), key=lambda number: -shares[number])
        listed = [n for n in order if shares[n] >= LISTED and ranker.speaks_for(n, answers)]
        asked = tuple(SignResult(sign, answers[sign.slug]) for sign in known)
        suspects = tuple(ranker.names[number] for number in listed)
        # A verdict asks for the confidence of a suspect, and for reasons only where a line of code is known.
        accused = tuple(Suspect(ranker.causes[n - 1], shares[n], 0.0, (), Severity.SERIOUS) for n in listed)
        verdict = verdict_of(shares[0], accused, asked, OTHER)
        runs.append(Judged(row, suspects, tuple(shares[n] for n in listed), shares[0], verdict))
    return runs


def calibrated(beliefs: Tensor, temperature: float) -> Tensor:
    """Beliefs with all scores divided by a temperature."""
    return torch.log_softmax(beliefs / temperature, 1)
