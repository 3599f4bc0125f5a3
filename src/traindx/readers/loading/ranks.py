"""Processes of one distributed training: recorded one by one, judged as one run.

    .traindx/runs/train-1/rank-0.traindx
                          rank-1.traindx

Losses and metrics are the means over the processes; layers and gradients are those of the first, which all
share where gradients are averaged. What happened to another process is told with its rank.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from traindx.facts import RANK, RANKS, RECORDING_COST, RECORDING_SECONDS
from traindx.format import listed
from traindx.run import Event, Fact, Run, Scalar, Series

_HIGHEST = (RECORDING_COST, RECORDING_SECONDS)
"""Facts of which the highest counts."""


def with_ranks_together(runs: Sequence[Run]) -> list[Run]:
    """The runs, with those of one training's processes made one."""
    teams: dict[tuple[object, ...], dict[int, Run]] = {}
    seen: dict[tuple[object, ...], int] = {}
    together: list[Run | tuple[object, ...]] = []
    for run in runs:
        rank, ranks = run.facts.get(RANK), run.facts.get(RANKS)
        if not isinstance(rank, int) or not isinstance(ranks, int) or ranks < 2 or not run.sources:
            together.append(run)
            continue
        # A process may train several times, one after the other: each with those of the other processes.
        turn = seen[run.sources] = seen.get(run.sources, 0) + 1
        team = (Path(run.sources[0]).parent, ranks, turn)
        if rank in teams.get(team, {}):
            together.append(run)
            continue
        if team not in teams:
            together.append(team)
        teams.setdefault(team, {})[rank] = run
    return [one if isinstance(one, Run) else _as_one(teams[one]) for one in together]


def _as_one(team: Mapping[int, Run]) -> Run:
    first, *others = [team[rank] for rank in sorted(team)]
    if not others:
        return first
    own = {_key(series) for series in first.series}
    lacking = {_key(series): series for run in reversed(others) for series in run.series}
    series = [_mean(one, others) for one in first.series]
    series += [one for key, one in lacking.items() if key not in own]
    facts: dict[Fact, Scalar] = {}
    for run in (*others[::-1], first):
        facts |= run.facts
    for fact in _HIGHEST:
        stated = [value for run in team.values() if isinstance(value := run.facts.get(fact), float)]
        facts |= {fact: max(stated)} if stated else {}
    facts.pop(RANK, None)
    note = f"losses and metrics: means over ranks {listed([str(rank) for rank in sorted(team)], 8)}"
    return replace(
        first,
        name=first.name.replace(first.sources[0], str(Path(first.sources[0]).parent)),
        series=tuple(series),
        sources=tuple(dict.fromkeys(source for run in (first, *others) for source in run.sources)),
        facts=facts,
        events=_events(team),
        notes=(*first.notes, note),
    )


def _key(series: Series) -> tuple[object, ...]:
    return series.quantity, series.layer, series.part, series.axis


def _mean(series: Series, others: Sequence[Run]) -> Series:
    """The mean over all processes of a loss or a metric that each of them has at the same steps."""
    if series.quantity.split is None or series.layer:
        return series
    found = [series]
    for run in others:
        same = [one for one in run.all(series.quantity) if _key(one) == _key(series)]
        found += [one for one in same if np.array_equal(one.steps, series.steps)]
    return replace(series, values=np.mean([one.values for one in found], axis=0))


def _events(team: Mapping[int, Run]) -> tuple[Event, ...]:
    """What happened to any process; what all tell alike is told once."""
    told: dict[tuple[object, str], Event] = {}
    for rank in sorted(team):
        for event in team[rank].events:
            says = event.says if rank == min(team) else f"rank {rank}: {event.says}"
            told.setdefault((event.kind, event.says), replace(event, says=says))
    return tuple(told.values())
