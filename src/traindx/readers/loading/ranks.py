"""The recordings of several processes of one training, as one run.

Losses and metrics are the means; layers and gradients are those of the first process, which all share where
gradients are averaged. How far the weights of the others end from its own is a fact of the run. What happened
to another process is told with its rank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from traindx import facts as f
from traindx.format import listed
from traindx.quantities import WEIGHT_NORM
from traindx.readers.loading.continuation import identity_of
from traindx.run import Event, Fact, Run, Scalar, Series

_HIGHEST = (f.RECORDING_COST, f.RECORDING_SECONDS)
"""Facts of processes of which the highest counts."""
_EQUAL = 1e-6
"""Difference of float32 norms that are equal, over the norm."""


def with_processes_joined(runs: Sequence[Run]) -> list[Run]:
    """The runs, with those of one training's processes made one."""
    teams: dict[tuple[object, ...], dict[int, Run]] = {}
    turns: dict[tuple[object, ...], int] = {}
    joined: list[Run | tuple[object, ...]] = []
    for run in runs:
        rank, ranks = run.facts.get(f.RANK), run.facts.get(f.RANKS)
        if not isinstance(rank, int) or not isinstance(ranks, int) or ranks < 2 or not run.sources:
            joined.append(run)
            continue
        # A process may train several times, one after the other: each with those of the other processes.
        turn = turns[run.sources] = turns.get(run.sources, 0) + 1
        team = (Path(run.sources[0]).parent, ranks, turn)
        if rank in teams.get(team, {}):
            joined.append(run)
            continue
        if team not in teams:
            joined.append(team)
        teams.setdefault(team, {})[rank] = run
    return [item if isinstance(item, Run) else _as_one(teams[item]) for item in joined]


def _as_one(team: Mapping[int, Run]) -> Run:
    first, *others = [team[rank] for rank in sorted(team)]
    if not others:
        return first
    own = {identity_of(series) for series in first.series}
    lacking = {identity_of(series): series for run in reversed(others) for series in run.series}
    facts: dict[Fact, Scalar] = {}
    for run in (*others[::-1], first):
        facts |= run.facts
    for fact in _HIGHEST:
        stated = [value for run in team.values() if isinstance(value := run.facts.get(fact), float)]
        facts |= {fact: max(stated)} if stated else {}
    facts.pop(f.RANK, None)
    apart = _apart(first, others)
    facts |= {} if apart is None else {f.RANKS_APART: apart}
    note = f"losses and metrics: means over ranks {listed([str(rank) for rank in sorted(team)], 8)}"
    return replace(
        first,
        name=first.name.replace(first.sources[0], str(Path(first.sources[0]).parent)),
        series=(
            *(_mean(series, others) for series in first.series),
            *(series for identity, series in lacking.items() if identity not in own),
        ),
        sources=tuple(dict.fromkeys(source for run in (first, *others) for source in run.sources)),
        facts=facts,
        events=_events(team),
        notes=(*first.notes, note),
    )


def _mean(series: Series, others: Sequence[Run]) -> Series:
    """The mean over all processes of a loss or a metric that each of them has at the same steps."""
    if series.quantity.split is None or series.layer:
        return series
    alike = [s for run in others for s in run.all(series.quantity) if identity_of(s) == identity_of(series)]
    values = [series.values, *(s.values for s in alike if np.array_equal(s.steps, series.steps))]
    return replace(series, values=np.mean(values, axis=0))


def _apart(first: Run, others: Sequence[Run]) -> float | None:
    """How far weight norms that were equal at first end from each other; None if none were.

    Shards of one model differ from the start, and say nothing.
    """
    apart = []
    for series in first.all(WEIGHT_NORM):
        for other in (s for run in others for s in run.all(WEIGHT_NORM)):
            if identity_of(other) != identity_of(series):
                continue
            _, mine, theirs = np.intersect1d(series.steps, other.steps, return_indices=True)
            norms = np.abs(series.values[mine]), np.abs(series.values[mine] - other.values[theirs])
            if len(mine) > 1 and norms[0][0] > 0 and norms[1][0] <= _EQUAL * norms[0][0] and norms[0][-1] > 0:
                apart.append(float(norms[1][-1] / norms[0][-1]))
    return max((share for share in apart if np.isfinite(share)), default=None)


def _events(team: Mapping[int, Run]) -> tuple[Event, ...]:
    """What happened to any process; what all state alike is told once."""
    events: dict[tuple[object, str], Event] = {}
    for rank in sorted(team):
        for event in team[rank].events:
            says = event.says if rank == min(team) else f"rank {rank}: {event.says}"
            events.setdefault((event.kind, event.says), replace(event, says=says))
    return tuple(events.values())
