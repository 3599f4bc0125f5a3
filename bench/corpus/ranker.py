"""The product's ranking as arithmetic on arrays, so that its points can be fitted by their gradient.

`beliefs` gives what `traindx.diagnosis.score.believe` gives, for many runs at once; a test compares them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from corpus.table import NO, NOT_RECORDED, TOO_LITTLE, strength
from traindx.cause import Cause, Clue, Kind
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH
from traindx.diagnosis.health import HEALTHY_CLUES, HEALTHY_PRIOR
from traindx.diagnosis.mechanisms import HEAD_START, MOST, OWN, WELL_AHEAD
from traindx.diagnosis.score import DECIDING
from traindx.finding import Answer, Finding

_MOST_AHEAD = 50.0


@dataclass(frozen=True, eq=False)
class Points:
    """Priors of health and of every cause, and what every clue adds."""

    priors: Tensor
    seen: Tensor
    unseen: Tensor

    def detached(self) -> "Points":
        """The same numbers, no longer to be fitted."""
        return Points(self.priors.detach(), self.seen.detach(), self.unseen.detach())


@dataclass(frozen=True, eq=False)
class Asked:
    """The answers of many runs, by sign."""

    yes: Tensor
    """Strength of a yes, else 0."""
    no: Tensor
    """1 for a no, else 0."""

    @cached_property
    def told(self) -> Tensor:
        """Whether a sign could tell."""
        return (self.yes > 0) | (self.no > 0)

    def part(self, chosen: Tensor) -> "Asked":
        """Some of the runs."""
        return Asked(self.yes[chosen], self.no[chosen])


def asked(codes: Sequence[str]) -> Asked:
    """Answers as they stand in the table."""
    yes = torch.tensor([[strength(code) for code in row] for row in codes], dtype=torch.float64)
    no = torch.tensor([[float(code == NO) for code in row] for row in codes], dtype=torch.float64)
    assert all(code in (NO, TOO_LITTLE, NOT_RECORDED) or code.isalnum() for row in codes for code in row)
    return Asked(yes, no)


class Ranker:
    """All causes with health as the first, and their clues one after the other."""

    def __init__(self, signs: Sequence[str], causes: Sequence[Cause] | None = None) -> None:
        self.signs = list(signs)
        self.causes = tuple(causes or knowledge.set_by_hand())
        self.names = [HEALTH, *(cause.slug for cause in self.causes)]
        place = {slug: number for number, slug in enumerate(signs)}
        owned = [(0, clue) for clue in HEALTHY_CLUES]
        owned += [(number, clue) for number, cause in enumerate(self.causes, 1) for clue in cause.clues]
        self.clues: list[tuple[int, Clue]] = owned
        self.owner = torch.tensor([number for number, _ in owned])
        self.sign = torch.tensor([place[clue.sign.slug] for _, clue in owned])
        self.by_hand = Points(
            torch.tensor([HEALTHY_PRIOR, *(cause.prior for cause in self.causes)], dtype=torch.float64),
            torch.tensor([clue.seen for _, clue in owned], dtype=torch.float64),
            torch.tensor([clue.unseen for _, clue in owned], dtype=torch.float64),
        )
        groups: dict[tuple[int, str], list[int]] = {}
        for column, (number, clue) in enumerate(owned):
            if clue.group:
                groups.setdefault((number, clue.group), []).append(column)
        self._groups = [torch.tensor(columns) for columns in groups.values() if len(columns) > 1]
        self._roots = self._explained()

    def _explained(self) -> list[tuple[int, list[int]]]:
        """Every mechanism with the roots that act through it."""
        hows = [number for number, cause in enumerate(self.causes, 1) if cause.kind is Kind.HOW]
        return [
            (how, [n for n, one in enumerate(self.causes, 1) if self.names[how] in one.acts_through])
            for how in hows
        ]

    def columns(self, number: int) -> Tensor:
        """The clues of one hypothesis."""
        return (self.owner == number).nonzero().flatten()

    def beliefs(self, points: Points, answers: Asked, sureness: float | Tensor = 1.0) -> Tensor:
        """Logarithms of the shares: a row per run, health first."""
        yes, no = answers.yes[:, self.sign], answers.no[:, self.sign]
        counted = self._counted(yes * points.seen + no * points.unseen)
        scores = points.priors + torch.zeros(len(yes), len(self.names), dtype=torch.float64).index_add(
            1, self.owner, counted
        )
        scores = self._with_roots(scores, counted, yes > 0)
        judged = self._judged(points, answers)
        return torch.log_softmax((scores * sureness).masked_fill(~judged, float("-inf")), 1)

    def _counted(self, worth: Tensor) -> Tensor:
        """Of each group only the clue with most points."""
        mask = torch.ones_like(worth)
        for columns in self._groups:
            heaviest = worth[:, columns].detach().abs().argmax(1)
            mask[:, columns] = torch.nn.functional.one_hot(heaviest, len(columns)).double()
        return worth * mask

    def _with_roots(self, scores: Tensor, counted: Tensor, yes: Tensor) -> Tensor:
        """What roots gain by explaining mechanisms, as `traindx.diagnosis.mechanisms` has it."""
        gains = torch.zeros_like(scores)
        speaking = torch.where(yes, counted, 0.0)
        for how, roots in self._roots:
            own = self.columns(how)
            is_seen = (speaking[:, own] >= OWN).any(1)
            # A clue that lost to another of its group does not count as shared.
            shared = torch.zeros(len(yes), int(self.sign.max()) + 1, dtype=torch.bool)
            shared[:, self.sign[own]] = yes[:, own] & (counted[:, own] != 0)
            weights, speaks = [], []
            for root in roots:
                theirs = self.columns(root)
                alone = torch.where(shared[:, self.sign[theirs]], 0.0, speaking[:, theirs].clamp_min(0))
                speaks.append(alone.sum(1) >= OWN)
                weights.append((scores[:, root] - scores[:, how]).clamp_max(_MOST_AHEAD).exp() * speaks[-1])
            if not roots:
                continue
            weight = torch.stack(weights).sum(0)
            applies = is_seen & (weight > 0) & (weight < WELL_AHEAD)
            safe = torch.where(applies, weight, 1.0)
            odds = math.exp(HEAD_START) * safe
            share = MOST * odds / (1 + odds)
            gains[:, how] = torch.where(applies, torch.log1p(-share), 0.0)
            gain = torch.where(applies, torch.log1p(share / safe), 0.0)
            for root, does in zip(roots, speaks, strict=True):
                gains[:, root] = gains[:, root] + torch.where(does, gain, 0.0)
        return scores + gains

    def _judged(self, points: Points, answers: Asked) -> Tensor:
        """Of which hypotheses anything that could decide was answered; health always is."""
        seen = points.seen.detach()
        judged = torch.ones(len(answers.yes), len(self.names), dtype=torch.bool)
        for number in range(1, len(self.names)):
            own = self.columns(number)
            deciding = own[seen[own] >= DECIDING * seen[own].max()]
            judged[:, number] = answers.told[:, self.sign[deciding]].any(1)
        return judged

    def speaks_for(self, number: int, answers: Mapping[str, Answer]) -> bool:
        """Whether anything that was seen speaks for a hypothesis."""
        return any(
            clue.seen > 0 and isinstance(answers[clue.sign.slug], Finding)
            for clue in (self.clues[column][1] for column in self.columns(number).tolist())
        )

    def as_causes(self, points: Points) -> tuple[Cause, ...]:
        """The causes with other points, for the product's own code."""
        found = []
        for number, cause in enumerate(self.causes, 1):
            clues = tuple(
                replace(
                    self.clues[column][1],
                    seen=float(points.seen[column]),
                    unseen=float(points.unseen[column]),
                )
                for column in self.columns(number).tolist()
            )
            found.append(replace(cause, prior=float(points.priors[number]), clues=clues))
        return tuple(found)
