"""The product's ranking as arithmetic on arrays, so that its points can be fitted by their gradient.

`beliefs` gives what `traindx.diagnosis.score.score` gives, for many runs at once; a test compares them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from corpus.points import Tables, declared, starting
from corpus.table import NO, NOT_RECORDED, TOO_LITTLE, strength
from traindx.cause import Cause, Clue, Kind
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH
from traindx.diagnosis.score import DECIDING, HEAD_START, MOST, OWN, ROUNDING, WELL_AHEAD
from traindx.finding import Answer, Finding, Severity

_MOST_AHEAD = 50.0


@dataclass(frozen=True, eq=False)
class Points:
    """Priors of all causes, what every clue adds, and what every sign adds to health."""

    priors: Tensor
    seen: Tensor
    unseen: Tensor
    health: Tensor
    """By sign, for a yes; the prior of health is 0."""
    unhealthy: Tensor
    """By sign, for a no."""
    by_severity: Tensor
    """What a sign adds to health that has no points of its own for it."""


@dataclass(frozen=True, eq=False)
class Asked:
    """The answers of many runs, by sign."""

    yes: Tensor
    """Strength of a yes, else 0."""
    no: Tensor
    """1 for a no, else 0."""

    @cached_property
    def told(self) -> Tensor:
        """1 where a sign could tell, else 0."""
        return ((self.yes > 0) | (self.no > 0)).double()

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
        self.causes = tuple(causes or knowledge.causes())
        self.names = [HEALTH, *(cause.slug for cause in self.causes)]
        row_of = {slug: number for number, slug in enumerate(signs)}
        owned = [(number, clue) for number, cause in enumerate(self.causes, 1) for clue in cause.clues]
        self.clues: list[tuple[int, Clue]] = owned
        self.owner = torch.tensor([number for number, _ in owned])
        self.sign = torch.tensor([row_of[clue.sign.slug] for _, clue in owned])
        known = {sign.slug: sign for sign in knowledge.signs()}
        self.severities = torch.tensor([known[slug].severity.rank for slug in signs])
        now = declared(self.causes, [known[slug] for slug in signs])
        self.start = starting(now)
        self.declared, self.starting = self._points(now), self._points(self.start)
        groups: dict[tuple[int, str], list[int]] = {}
        for column, (number, clue) in enumerate(owned):
            if clue.group:
                groups.setdefault((number, clue.group), []).append(column)
        several = [columns for columns in groups.values() if len(columns) > 1]
        self._grouped = torch.tensor([column for columns in several for column in columns], dtype=torch.long)
        places = iter(range(len(self._grouped)))
        self._groups = [torch.tensor([next(places) for _ in columns]) for columns in several]
        is_alone = torch.ones(len(owned), dtype=torch.bool)
        is_alone[self._grouped] = False
        self._alone = is_alone.nonzero().flatten()
        self._place_in_groups = {column: index for index, column in enumerate(self._grouped.tolist())}
        self._roots = self._explained()

    def _points(self, tables: Tables) -> Points:
        pairs = [tables.clues[self.names[number]][clue.sign.slug] for number, clue in self.clues]
        by_severity = [tables.severities[severity] for severity in Severity]
        health = [
            by_severity[rank] if (own := tables.health[slug]) is None else own
            for slug, rank in zip(self.signs, self.severities.tolist(), strict=True)
        ]
        columns = (
            [tables.priors[name] for name in self.names[1:]],
            [present for present, _ in pairs],
            [unseen for _, unseen in pairs],
            health,
            [tables.unhealthy.get(slug, 0.0) for slug in self.signs],
            by_severity,
        )
        return Points(*(torch.tensor(column, dtype=torch.float64) for column in columns))

    def tables(self, points: Points) -> Tables:
        """Points by cause and by sign."""
        clues: dict[str, dict[str, tuple[float, float]]] = {name: {} for name in self.names[1:]}
        for column, (number, clue) in enumerate(self.clues):
            pair = float(points.seen[column]), float(points.unseen[column])
            clues[self.names[number]][clue.sign.slug] = pair
        is_own = (points.health != points.by_severity[self.severities]).tolist()
        return Tables(
            dict(zip(self.names[1:], points.priors.tolist(), strict=True)),
            clues,
            dict(zip(Severity, points.by_severity.tolist(), strict=True)),
            {
                slug: value if own else None
                for slug, value, own in zip(self.signs, points.health.tolist(), is_own, strict=True)
            },
            {slug: value for slug, value in zip(self.signs, points.unhealthy.tolist(), strict=True) if value},
        )

    def _explained(self) -> list[tuple[int, list[int]]]:
        """Every mechanism with the roots that act through it."""
        hows = [number for number, cause in enumerate(self.causes, 1) if cause.kind is Kind.HOW]
        pairs = [
            (how, [n for n, cause in enumerate(self.causes, 1) if self.names[how] in cause.acts_through])
            for how in hows
        ]
        return [(how, roots) for how, roots in pairs if roots]

    def columns(self, number: int) -> Tensor:
        """The clues of one hypothesis."""
        return (self.owner == number).nonzero().flatten()

    def beliefs(self, points: Points, answers: Asked) -> Tensor:
        """Logarithms of the shares: a row per run, health first."""
        present, unseen = self._by_sign(points.seen), self._by_sign(points.unseen)
        grouped = self._heaviest(points, answers)
        owners = self.owner[self._grouped]
        priors = torch.cat([torch.zeros(1, dtype=torch.float64), points.priors])
        yes, no = self._with_health(present, points.health), self._with_health(unseen, points.unhealthy)
        scores = priors + answers.yes @ yes + answers.no @ no
        scores = scores.index_add(1, owners, grouped)
        with torch.no_grad():
            grouped_yes = torch.where(answers.yes[:, self.sign[self._grouped]] > 0, grouped, 0.0)
            speaking = (answers.yes @ present.clamp_min(0)).index_add(1, owners, grouped_yes.clamp_min(0))
            roots = self._speaking_roots(points, answers, grouped_yes, speaking)
        scores = self._with_roots(scores, roots)
        judged = self._judged(points, answers)
        return torch.log_softmax(scores.masked_fill(~judged, float("-inf")), 1)

    def _with_health(self, table: Tensor, points: Tensor) -> Tensor:
        """Points by sign and hypothesis, with those of health in the first column."""
        return table.index_put((torch.arange(len(self.signs)), torch.tensor(0)), points)

    def _by_sign(self, points: Tensor) -> Tensor:
        """Points of the clues without a group: a row per sign, a column per hypothesis."""
        table = torch.zeros(len(self.signs), len(self.names), dtype=torch.float64)
        return table.index_put((self.sign[self._alone], self.owner[self._alone]), points[self._alone])

    def _heaviest(self, points: Points, answers: Asked) -> Tensor:
        """What the clues with a group add: of each group only the one with most points."""
        columns = self._grouped
        signs = self.sign[columns]
        worth = answers.yes[:, signs] * points.seen[columns] + answers.no[:, signs] * points.unseen[columns]
        mask = torch.zeros_like(worth)
        for places in self._groups:
            heaviest = worth[:, places].detach().abs().argmax(1)
            mask[:, places] = torch.nn.functional.one_hot(heaviest, len(places)).double()
        return worth * mask

    def _speaking_roots(
        self, points: Points, answers: Asked, grouped: Tensor, speaking: Tensor
    ) -> list[tuple[Tensor, Tensor]]:
        """For every mechanism, where it is seen, and which of its roots something else speaks for."""

        def seen(columns: list[int]) -> Tensor:
            worth = answers.yes[:, self.sign[columns]] * points.seen[columns]
            for index, column in enumerate(columns):
                if column in self._place_in_groups:
                    worth[:, index] = grouped[:, self._place_in_groups[column]]
            return worth

        pairs = []
        for how, roots in self._roots:
            own = self.columns(how).tolist()
            worth = seen(own)
            # A clue that lost to another of its group does not count as shared.
            shared = {int(self.sign[column]): worth[:, index] != 0 for index, column in enumerate(own)}
            speaks = []
            for root in roots:
                common = [
                    column for column in self.columns(root).tolist() if int(self.sign[column]) in shared
                ]
                counted = [shared[int(self.sign[column])] for column in common]
                both = (seen(common).clamp_min(0) * torch.stack(counted, 1)).sum(1) if common else 0.0
                speaks.append(speaking[:, root] - both >= OWN - ROUNDING)
            pairs.append(((worth >= OWN).any(1), torch.stack(speaks, 1)))
        return pairs

    def _with_roots(self, scores: Tensor, speaking: list[tuple[Tensor, Tensor]]) -> Tensor:
        """What roots gain by explaining mechanisms, as `traindx.diagnosis.score` has it."""
        gains = torch.zeros_like(scores)
        for (how, roots), (is_seen, speaks) in zip(self._roots, speaking, strict=True):
            ahead = (scores[:, roots] - scores[:, [how]]).clamp_max(_MOST_AHEAD).exp()
            weight = (ahead * speaks).sum(1)
            applies = is_seen & (weight > 0) & (weight < WELL_AHEAD)
            safe = torch.where(applies, weight, 1.0)
            odds = math.exp(HEAD_START) * safe
            share = MOST * odds / (1 + odds)
            loss = torch.where(applies, torch.log1p(-share), 0.0)
            gain = torch.where(applies, torch.log1p(share / safe), 0.0)
            changes = torch.cat([loss[:, None], gain[:, None] * speaks], 1)
            gains = gains.index_add(1, torch.tensor([how, *roots]), changes)
        return scores + gains

    def _judged(self, points: Points, answers: Asked) -> Tensor:
        """Of which hypotheses anything that could decide was answered; health always is."""
        present = points.seen.detach()
        most = torch.zeros(len(self.names), dtype=torch.float64).scatter_reduce(
            0, self.owner, present, "amax"
        )
        deciding = present >= DECIDING * most[self.owner]
        table = torch.zeros(len(self.signs), len(self.names), dtype=torch.float64)
        table = table.index_put((self.sign[deciding], self.owner[deciding]), torch.tensor(1.0).double())
        judged = answers.told @ table > 0
        judged[:, 0] = True
        return judged

    def speaks_for(self, number: int, answers: Mapping[str, Answer]) -> bool:
        """Whether anything that was seen speaks for a hypothesis."""
        return any(
            clue.seen > 0 and isinstance(answers[clue.sign.slug], Finding)
            for clue in (self.clues[column][1] for column in self.columns(number).tolist())
        )

    def as_causes(self, points: Points) -> tuple[Cause, ...]:
        """The causes with other points, for the product's own code."""
        causes = []
        for number, cause in enumerate(self.causes, 1):
            clues = tuple(
                replace(
                    self.clues[column][1],
                    seen=float(points.seen[column]),
                    unseen=float(points.unseen[column]),
                )
                for column in self.columns(number).tolist()
            )
            causes.append(replace(cause, prior=float(points.priors[number - 1]), clues=clues))
        return tuple(causes)
