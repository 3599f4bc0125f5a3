"""Drawing what is trained: a task, a family, an optimizer and all the rest, at random but reproducibly."""

import importlib
import math
import pkgutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from random import Random

from corpus import faults as shelf
from corpus.families import FAMILIES, Shape, initialized
from corpus.fault import Fault, Unfit
from corpus.oddities import ODDITIES
from corpus.plan import Plan, Schedule, constant
from corpus.tasks import TASKS

HEALTHY = "healthy"
_BATCHES = (16, 32, 32, 64, 128)
_SEVERE = 0.45
"""Below 1: severe faults are drawn more often than mild ones."""
_ATTEMPTS = 400


def cosine(step: int, steps: int) -> float:
    """Half a cosine down to nearly nothing."""
    return 0.02 + 0.49 * (1 + math.cos(math.pi * min(step / steps, 1)))


def linear_down(step: int, steps: int) -> float:
    """Evenly down to nearly nothing."""
    return 0.02 + 0.98 * (1 - min(step / steps, 1))


def stairs(step: int, steps: int) -> float:
    """Down to a tenth at six tenths, to a hundredth at nine tenths."""
    return 1.0 if step < 0.6 * steps else 0.1 if step < 0.9 * steps else 0.01


def warmed(inner: Schedule, share: float) -> Schedule:
    """Up from nothing first."""
    return lambda step, steps: min(1.0, (step + 1) / max(1.0, share * steps)) * inner(step, steps)


SCHEDULES: Mapping[str, Schedule] = {
    "constant": constant,
    "cosine": cosine,
    "linear": linear_down,
    "stairs": stairs,
    "warm-up, cosine": warmed(cosine, 0.1),
    "warm-up": warmed(constant, 0.1),
}


@dataclass(frozen=True)
class Recipe:
    """One training of the corpus as data."""

    id: str
    task: str
    family: str
    shape: Shape
    optimizer: str
    rate: float
    schedule: str
    batch: int
    epochs: int
    weight_decay: float
    clip: float
    oddity: str
    log: str
    """How the program logs: "steps" (every few), or "epochs"; as csv or jsonl."""
    seed: int
    fault: str
    """The slug of the cause that is injected, or made right in a twin."""
    severity: float
    is_twin: bool
    luck: int = 0
    """Added to the seed of weights and batches, not to that of choices."""

    def row(self) -> dict[str, object]:
        """As JSON has it."""
        return asdict(self)


def from_row(row: Mapping[str, object]) -> Recipe:
    """The recipe of a row of JSON."""
    fields = dict(row)
    shape = fields.pop("shape")
    assert isinstance(shape, dict)
    return Recipe(**fields, shape=Shape(**shape))  # type: ignore[arg-type]


@cache
def faults() -> dict[str, Fault]:
    """Every fault by the slug of its cause."""
    names = [info.name for info in pkgutil.iter_modules(shelf.__path__)]
    declared = [importlib.import_module(f"{shelf.__name__}.{name}").FAULT for name in names]
    return {fault.cause: fault for fault in sorted(declared, key=lambda fault: fault.cause)}


def draw(number: int, fault: str) -> Recipe:
    """The recipe of a number: the same one whenever it is drawn, and one that the fault can be made in."""
    for attempt in range(_ATTEMPTS):
        dice = Random(f"{number}/{fault}/{attempt}")
        recipe = _drawn(f"{fault}-{number:03d}", fault, dice)
        try:
            planned(recipe)
        except Unfit:
            continue
        return recipe
    raise ValueError(f"{fault}: no plan was found that it can be made in")


def twin_of(recipe: Recipe) -> Recipe:
    """The same training with the one thing done right."""
    return replace(recipe, id=f"{recipe.id}-twin", is_twin=True)


def _drawn(name: str, fault: str, dice: Random) -> Recipe:
    family_name = dice.choice(list(FAMILIES))
    family = FAMILIES[family_name]
    task = TASKS[dice.choice([slug for slug, make in TASKS.items() if family.suits(make())])]()
    optimizer = dice.choice(list(family.rates))
    batch = dice.choice([size for size in _BATCHES if size <= len(task.train) // 4])
    steps = math.exp(dice.uniform(*map(math.log, family.steps)))
    schedules = [name for name in SCHEDULES if not family.warms_up or name.startswith("warm-up")]
    return Recipe(
        id=name,
        task=task.name,
        family=family_name,
        shape=family.shape(dice),
        optimizer=optimizer,
        rate=float(f"{family.rates[optimizer] * 2 ** dice.uniform(-1, 0.7):.2g}"),
        schedule=dice.choice(schedules),
        batch=batch,
        epochs=max(6, round(steps * batch / len(task.train))),
        weight_decay=dice.choice((0.0, 0.0, 1e-4, 1e-2 if optimizer == "adamw" else 1e-4)),
        clip=dice.choice((0.0, 0.0, 1.0)),
        oddity=dice.choice(("", "", *ODDITIES)),
        log=dice.choice(("steps.csv", "steps.jsonl", "epochs.csv", "epochs.jsonl")),
        seed=dice.randrange(10**6),
        fault=fault,
        severity=round(dice.random() ** _SEVERE, 3),
        is_twin=False,
    )


def planned(recipe: Recipe) -> Plan:
    """The plan of a recipe, its fault or the right way included."""
    task, dice = TASKS[recipe.task](), Random(recipe.seed)
    settings: dict[str, float | bool | tuple[float, float]] = {}
    if recipe.weight_decay:
        settings["weight_decay"] = recipe.weight_decay
    if recipe.optimizer == "sgd":
        settings["momentum"] = 0.9
    plan = Plan(
        task=task,
        family=recipe.family,
        train=task.train,
        held=task.held,
        test=task.test,
        model=initialized(recipe.family, task, recipe.shape, recipe.seed + recipe.luck),
        loss=task.loss,
        metric=task.metric,
        optimizer=recipe.optimizer,
        rate=recipe.rate,
        settings=settings,
        batch=recipe.batch,
        epochs=recipe.epochs,
        schedule=SCHEDULES[recipe.schedule],
        clip=recipe.clip,
    )
    if recipe.oddity:
        plan = ODDITIES[recipe.oddity](plan, recipe.severity, dice)
    if recipe.fault == HEALTHY:
        return plan
    fault = faults()[recipe.fault]
    plan = fault.twin(plan, recipe.severity, dice)
    return plan if recipe.is_twin else fault.inject(plan, recipe.severity, dice)
