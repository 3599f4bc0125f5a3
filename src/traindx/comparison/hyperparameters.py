"""In which hyperparameters runs differ, and which runs differ in nothing but their seed."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from traindx import facts as f
from traindx.quantities import LEARNING_RATE
from traindx.readers.names.vocabulary import fact_of
from traindx.run import Fact, Run, Scalar

Values = tuple[Scalar | None, ...]

_SEED = re.compile(r"(?i)(^|[^a-z])seed")
_BOOKKEEPING = frozenset(
    """name names id ids path paths dir dirs directory folder file files filename root output outputs log logs
    logdir logger date time datetime timestamp created started host hostname user username version versions
    experiment exp project group tag tags notes note comment description job jobid pid port url address
    checkpoint ckpt resume uuid sha commit git entity workspace device gpu verbose debug""".split()
)
_PLACE = re.compile(r"^(?:[~.]{0,2}[/\\]|[A-Za-z]:[/\\]|\w+://)|[/\\].*[/\\]")
_MOMENT = re.compile(r"\d{4}[-/_]?\d{2}[-/_]?\d{2}|\d{1,2}:\d{2}:\d{2}")
_TOKEN = re.compile(r"(?i)^(?=.*\d)[0-9a-f]{8,}(-[0-9a-f]{4,})*$")


@dataclass(frozen=True)
class Hyperparameters:
    """What differs between runs: for each name one value per run, None where a run does not state it."""

    differing: dict[str, Values]
    seeds: Values
    unknown: tuple[int, ...]
    """The places of runs that state nothing at all."""
    partly_stated: dict[str, Values] = field(default_factory=dict)
    """What some runs state, all alike, and others that state something do not: it may differ or not."""

    def of(self, run: int) -> dict[str, Scalar]:
        """The values of one run."""
        values = {name: values[run] for name, values in self.differing.items()}
        return {name: value for name, value in values.items() if value is not None}

    def configurations(self) -> list[list[int]]:
        """The places of runs that agree in everything but the seed; runs that state nothing stand alone."""
        groups: dict[object, list[int]] = defaultdict(list)
        # Whether an unstated value is the same is not known: such runs are no repeats of each other.
        stated = [*self.differing.values(), *self.partly_stated.values()]
        for run in range(len(self.seeds)):
            key = run if run in self.unknown else tuple(values[run] for values in stated)
            groups[key].append(run)
        return list(groups.values())

    def repeats(self) -> list[list[int]]:
        """The configurations that were run with several seeds, each seed once."""
        groups = []
        for group in self.configurations():
            seeds = [self.seeds[run] for run in group]
            if len(group) > 1 and None not in seeds and len(set(seeds)) == len(seeds):
                groups.append(group)
        return groups

    @property
    def only_seeds(self) -> bool:
        """Whether the runs are one training repeated with other seeds."""
        return not self.differing and len(self.configurations()) == 1 and len(self.repeats()) == 1


def hyperparameters(runs: Sequence[Run]) -> Hyperparameters:
    """The hyperparameters that differ between the runs: facts first, then other settings."""
    unknown = tuple(i for i, run in enumerate(runs) if not run.settings and not _chosen(run))
    known = [i for i in range(len(runs)) if i not in unknown]
    differing: dict[str, Values] = {}
    partly_stated: dict[str, Values] = {}
    for fact in f.FACTS.values():
        if not fact.chosen or fact is f.SEED:
            continue
        values = _stated(runs, fact)
        if len({value for value in values if value is not None}) > 1:
            differing[fact.slug] = values
        elif len({values[i] for i in known}) > 1:
            partly_stated[fact.slug] = values
    names = dict.fromkeys(name for run in runs for name in run.settings)
    for name in names:
        if fact_of(name) is not None or _SEED.search(name) or _is_bookkeeping(name):
            continue
        values = tuple(_number_or_word(run.settings.get(name)) for run in runs)
        stated = {value for value in values if value is not None}
        if len(stated) > 1 and not all(_is_place_or_moment(value) for value in stated):
            differing[name] = values
    seeds = tuple(run.facts.get(f.SEED) for run in runs)
    return Hyperparameters(differing, seeds, unknown, partly_stated)


def _stated(runs: Sequence[Run], fact: Fact) -> Values:
    values = tuple(_number_or_word(run.facts.get(fact)) for run in runs)
    if fact is not f.LEARNING_RATE or any(value is not None for value in values):
        return values
    # Nobody wrote the rate down, but the curve of it is there: its peak is what was chosen.
    return tuple(_peak(run) for run in runs)


def _peak(run: Run) -> float | None:
    if LEARNING_RATE not in run:
        return None
    rates = run[LEARNING_RATE].finite.values
    return float(f"{rates.max():.4g}") if len(rates) else None


def _chosen(run: Run) -> bool:
    is_stated = any(fact.chosen and fact not in (f.SEED, f.FRAMEWORK) for fact in run.facts)
    return is_stated or LEARNING_RATE in run


def _is_bookkeeping(name: str) -> bool:
    words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
    return not words or words[-1] in _BOOKKEEPING


def _is_place_or_moment(value: Scalar) -> bool:
    text = str(value)
    return isinstance(value, str) and bool(_PLACE.search(text) or _MOMENT.search(text) or _TOKEN.search(text))


def _number_or_word(value: Scalar | None) -> Scalar | None:
    """A number that YAML took for a word, as 1e-3, as a number; NaN, which differs from itself, as a word."""
    if isinstance(value, str):
        try:
            parsed = float(value)
        except ValueError:
            return value
        return parsed if np.isfinite(parsed) else value
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def numbers(values: Values) -> bool:
    """Whether all stated values are numbers, so that they have an order."""
    return all(
        isinstance(value, int | float) and not isinstance(value, bool)
        for value in values
        if value is not None
    )
