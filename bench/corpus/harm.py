"""What a training came to, and whether a fault did measurable harm against its healthy twin."""

import csv
import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from corpus.fault import Harm
from corpus.plan import Plan

_WORST = -1.0
"""The skill of a model that gives no numbers, or gives worse than nothing."""
BARS = {
    Harm.SKILL: 0.1,
    Harm.GENERALIZATION: 0.1,
    Harm.REPORT: 0.1,
    Harm.TIME: math.log(1.5),
    Harm.MEMORY: 15.0,
}
"""What a fault must cost: skill, a printed number, the logarithm of time, megabytes."""
RISES = 1.25
"""Times its best that a validation loss may end at: above it nobody would call the training healthy."""
_NOISES = 2.0
"""Times the difference between two seeds of the twin that it must cost as well."""
_CLEARLY = 3.0
"""Times the bar from which on no other seed is asked."""
_ON_THE_WAY = 1 / 3
"""What skill that comes late counts against skill that never comes."""


@dataclass(frozen=True)
class Outcome:
    """How one training went."""

    skills: tuple[float, ...]
    """On the test rows, at even distances, the end last."""
    reported: float | None
    """What the program printed last of its validation."""
    finished: bool
    seconds: float
    megabytes: float
    rise: float = 0.0
    """By what factor the validation loss ends above its best, as a logarithm."""

    @property
    def end(self) -> float:
        """Skill of the trained model."""
        return self.skills[-1] if self.skills else _WORST

    @property
    def mean(self) -> float:
        """Skill over the whole training: what comes late counts less."""
        return sum(self.skills) / len(self.skills) if self.skills else _WORST


def skill(plan: Plan, state: dict[str, Tensor]) -> float:
    """The skill of a state of the model on the test rows, in eval mode and full precision."""
    if not all(bool(torch.isfinite(value).all()) for value in state.values() if value.is_floating_point()):
        return _WORST
    plan.model.float()
    plan.model.load_state_dict(
        {name: value.float() if value.is_floating_point() else value for name, value in state.items()}
    )
    plan.model.eval()
    with torch.no_grad():
        predictions = plan.answer(plan.forward(plan.model, plan.test.inputs).float())
        score = plan.task.skill(predictions, plan.test.targets)
    return max(score, _WORST) if math.isfinite(score) else _WORST


def outcome(plan: Plan, folder: Path, name: str) -> Outcome:
    """The outcome of a training that left its files in a folder."""
    snapshots = torch.load(folder / f"{name}.pt") if (folder / f"{name}.pt").exists() else []
    cost_file = folder / f"{name}.cost.json"
    cost = json.loads(cost_file.read_text()) if cost_file.exists() else {"seconds": 0.0, "megabytes": 0.0}
    skills = tuple(round(skill(plan, state), 4) for state in snapshots)
    return Outcome(
        skills,
        _reported(folder, name),
        bool(snapshots),
        cost["seconds"],
        cost["megabytes"],
        rise_of(log_rows(folder, name)),
    )


def _reported(folder: Path, name: str) -> float | None:
    """The last metric in the log of a program."""
    for row in reversed(log_rows(folder, name)):
        if row.get("val_metric") not in (None, ""):
            return float(row["val_metric"])
    return None


def rise_of(log: Sequence[Mapping[str, str | float]]) -> float:
    """The logarithm of what a validation loss ends at over its best, by medians of three, or 0."""
    losses = [float(row["val_loss"]) for row in log if row.get("val_loss") not in (None, "")]
    levels = [statistics.median(losses[start : start + 3]) for start in range(len(losses) - 2)]
    if len(levels) < 2 or min(levels) <= 0 or not math.isfinite(levels[-1]):
        return 0.0
    return math.log(levels[-1] / min(levels))


def log_rows(folder: Path, name: str) -> Sequence[dict[str, str | float]]:
    """The records of a program's log."""
    table, lines = folder / f"{name}.csv", folder / f"{name}.jsonl"
    if table.exists():
        with table.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    return [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []


def is_harmed(faulty: Outcome, twin: Outcome, again: Callable[[], Outcome], harm: Harm) -> bool:
    """Whether a fault cost more than a bar and than what another seed of the twin would.

    `again` trains the twin from another seed; it is asked only where the answer depends on it.
    """
    if math.isinf(cost_of(faulty, twin, harm)):
        return True
    losses = lost(faulty, twin, harm)
    if all(loss_of_skill <= BARS[harm] for loss_of_skill in losses):
        return False
    if any(loss_of_skill > _CLEARLY * BARS[harm] for loss_of_skill in losses):
        return True
    noises = [abs(loss_of_skill) for loss_of_skill in lost(again(), twin, harm)]
    return any(loss > max(BARS[harm], _NOISES * noise) for loss, noise in zip(losses, noises, strict=True))


def cost_of(faulty: Outcome, twin: Outcome, harm: Harm) -> float:
    """What a fault cost, in units of the bar."""
    if harm is Harm.CERTAIN or (harm in (Harm.SKILL, Harm.GENERALIZATION) and not faulty.finished):
        return math.inf
    return max(lost(faulty, twin, harm)) / BARS[harm]


def lost(one: Outcome, twin: Outcome, harm: Harm) -> list[float]:
    """What one training lost against the twin, in all that a harm is measured in."""
    if harm is Harm.TIME:
        return [math.log(max(one.seconds, 1e-3) / max(twin.seconds, 1e-3))]
    if harm is Harm.MEMORY:
        return [one.megabytes - twin.megabytes]
    if harm is Harm.REPORT:
        if one.reported is None or twin.reported is None:
            return [0.0]
        apart = abs(one.reported - twin.reported)
        return [math.inf if math.isnan(apart) else apart]
    skills = [twin.end - one.end, _ON_THE_WAY * (twin.mean - one.mean)]
    if harm is Harm.GENERALIZATION:
        skills.append((one.rise - twin.rise) * BARS[harm] / math.log(RISES))
    return skills
