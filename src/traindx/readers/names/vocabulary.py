"""How people name things: foreign names to quantities, facts, splits and axes.

train_loss_step      TRAIN_LOSS, per step
eval_g0_loss         VAL_LOSS of "g0"
metrics/mAP50(B)     VAL_SCORE "map50"
lr-AdamW             LEARNING_RATE

Numbers taken per layer: a statistic of gradients, weights or outputs, and the layer's own name.

l2_norm/grad/model.blocks.0.attn.weight     GRADIENT_NORM of "model.blocks.0.attn.weight"
grad/transformer.wte.weight.norm            GRADIENT_NORM of "transformer.wte.weight"
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from traindx import quantities as q
from traindx.readers.names import word_lists
from traindx.readers.names.compounds import (
    LONGEST_NAME,
    Compound,
    compound_of,
    spelled_out,
    told_split,
    words_of,
)
from traindx.readers.names.head_words import ACCURACY, ERROR, LOSS
from traindx.readers.names.whole_names import is_no_metric, whole_name
from traindx.run import Axis, Fact, Quantity, Split


@dataclass(frozen=True)
class Meaning:
    """What a foreign name stands for."""

    quantity: Quantity
    part: str = ""
    """Which of several: an evaluation set, a loss term, a metric's name, a parameter group."""
    layer: str = ""
    grain: str = ""
    """"step" or "epoch" where the name says over what the number was taken."""
    split_assumed: bool = False
    """The name tells no split; training was assumed, and the columns beside it may tell better."""


@lru_cache(maxsize=65_536)
def meaning(name: str, split: Split | None = None) -> Meaning | None:
    """What a name stands for, given the split its place in the log tells, or None if it is not known."""
    axis = axis_of(name)
    if axis is not None:
        return Meaning(
            _COUNTED[axis], part="tokens" if axis is Axis.SAMPLE and "token" in name.lower() else ""
        )
    of_a_layer = _of_a_layer(name)
    if of_a_layer is not None:
        return of_a_layer
    known = whole_name(name, split)
    if known is not None:
        return Meaning(*known, split_assumed=split is None and known[0].split is Split.TRAIN)
    if is_no_metric(name):
        return None
    words = spelled_out(name)
    if " ".join(words) in _WHOLE_NAMES:
        return _WHOLE_NAMES[" ".join(words)]
    compound = compound_of(words) if len(words) <= _MOST_WORDS else None
    if compound is None or "best" in compound.rest:
        # A best so far repeats one value of another series; as a series of its own it would hide every fall.
        return None
    if isinstance(compound.head.measures, Quantity):
        return _of_the_run(name, compound, compound.head.measures, split)
    return _of_a_split(name, compound, split)


_MOST_WORDS = 24
_EXCEPTION = re.compile(r"[A-Z][A-Za-z]*Error")
_COUNTED = {Axis.STEP: q.ITERATION, Axis.EPOCH: q.EPOCH, Axis.SAMPLE: q.SAMPLES_SEEN}
_WHOLE_NAMES = {
    "time iterations": Meaning(q.ITERATION),
    "train n updates": Meaning(q.ITERATION),
    "trl": Meaning(q.TRAIN_LOSS),
    "tel": Meaning(q.TEST_LOSS),
    # Only as a whole name: `losses/clipfrac` and `train/clip_fraction` are of PPO's ratio, not of gradients.
    **dict.fromkeys(
        "clip frac;clip fraction;clipped frac;clipped fraction;frac clipped;fraction clipped".split(";"),
        Meaning(q.CLIPPED_SHARE),
    ),
}


def _of_a_split(name: str, compound: Compound, default_split: Split | None) -> Meaning | None:
    """The meaning of a loss or metric, which is measured on some part of the data."""
    head, split_words = compound.head, told_split(compound.rest)
    if isinstance(head.measures, Quantity) or _is_about_a_metric(compound):
        return None
    if not word_lists.ABOUT_WHAT_STANDS_NEXT.isdisjoint(compound.after[:1]):
        return None
    telling = _telling_words(name, compound, split_words.rest)
    if head.neighbors is not None and not head.neighbors.issuperset(telling):
        return None
    if telling and not split_words.split and _EXCEPTION.fullmatch(name):
        return None
    split = split_words.split or default_split or _place_of_detection(name, compound)
    if split is None and head.part in ("l1", "l2"):
        return None  # a metric of LightGBM, but only beside the name of a split
    grains = [word_lists.GRAINS[word] for word in split_words.rest if word in word_lists.GRAINS]
    return Meaning(
        head.measures[split or Split.TRAIN],
        part="_".join([head.part, *telling] if head.part else telling),
        grain=grains[-1] if grains else "",
        split_assumed=split is None,
    )


def _telling_words(name: str, compound: Compound, words: tuple[str, ...]) -> list[str]:
    """The words that tell one number from another of its kind."""
    neutral = word_lists.NEUTRAL
    if compound.head.measures is LOSS and re.search("loss[ _]value", name, re.IGNORECASE):
        neutral = neutral | {"value"}
    if compound.head.measures is ACCURACY or compound.head.measures is ERROR:
        neutral = neutral | word_lists.KINDS_OF_ACCURACY
    if _place_of_detection(name, compound):
        neutral = neutral | {"coco", "pascal", "voc", "lvis"}
    return [word for word in words if word not in neutral]


def _is_about_a_metric(compound: Compound) -> bool:
    """Whether a name only speaks of the metric in it: `loss_weight`, `num_hits`."""
    return not (
        word_lists.ABOUT_WHAT_PRECEDES.isdisjoint(compound.after)
        and word_lists.ABOUT_WHAT_FOLLOWS.isdisjoint(compound.before)
    )


def _place_of_detection(name: str, compound: Compound) -> Split | None:
    """Detection metrics are computed on validation data, though their names do not say so."""
    prefix, slash, _ = name.partition("/")
    if not slash or word_lists.DETECTION_PLACES.isdisjoint(words_of(prefix)):
        return None
    metric = compound.head.part or ("top" if "_top" in name else "")
    return Split.VALIDATION if metric.startswith(word_lists.DETECTION_METRICS) else None


_BARE = ("time",), ("data",)


def _of_the_run(
    name: str, compound: Compound, quantity: Quantity, default_split: Split | None
) -> Meaning | None:
    """The meaning of a number that belongs to the run as a whole, whatever data it saw."""
    split_words, neighbors = told_split(compound.rest), compound.head.neighbors
    if split_words.split and not _may_name_a_split(name, compound, quantity, split_words.split):
        return None
    neutral = (
        word_lists.NEUTRAL.union(word_lists.NEUTRAL_BESIDE.get(quantity, ()))
        if neighbors is None
        else word_lists.NEUTRAL_BESIDE_ALONE
    )
    telling = [word for word in split_words.rest if word not in neutral]
    if neighbors is not None and not neighbors.issuperset(telling):
        return None
    if compound.phrase in _BARE and not word_lists.UNITS.issuperset(compound.after):
        return None  # `time/total` is the whole run's
    if neighbors is None and _is_about(name, compound, quantity):
        return None
    split = split_words.split or default_split
    evaluated = (
        split is not None and split is not Split.TRAIN and quantity in word_lists.MEASURED_IN_EVALUATION
    )
    words = [split.value if split and evaluated else "", compound.head.part, *telling]
    return Meaning(quantity, "_".join(word for word in words if word))


def _may_name_a_split(name: str, compound: Compound, quantity: Quantity, split: Split) -> bool:
    """Whether a quantity of the run keeps its meaning with a split in its name."""
    if quantity is q.WALL_TIME or compound.head.part == "steps":
        return False  # `eval_runtime`, `train_steps_per_second`: of one evaluation, of a whole run
    if compound.phrase in _BARE:
        return "/" in name  # `train/time` is a step's, `train_time` an epoch's
    return quantity is not q.BATCH_SIZE or split is Split.TRAIN


def _is_about(name: str, compound: Compound, quantity: Quantity) -> bool:
    """Whether a name only speaks of the quantity in it: `lr_decay`, `max_grad_norm`."""
    if quantity is q.GRADIENT_NORM:
        return not ({"max", "clip"}.isdisjoint(compound.before) and {"clip"}.isdisjoint(compound.after[:1]))
    if quantity is q.WEIGHT_NORM:
        return "." in name  # some other statistic of a parameter: `exp_avg/fc1.weight.norm`
    if quantity is q.REWARD and compound.phrase[-1] in ("return", "returns"):
        # Programs return much else: only what may qualify the return of an episode may stand beside it.
        telling = word_lists.NEUTRAL.union(word_lists.NEUTRAL_BESIDE[quantity], word_lists.WORDS_OF_RETURNS)
        return not telling.issuperset(told_split(compound.rest).rest)
    if quantity in (q.REWARD, q.EPISODE_LENGTH):
        return _is_about_a_metric(compound)
    return quantity is not q.THROUGHPUT and not word_lists.ABOUT_A_RATE.isdisjoint(compound.after)


_THING = {
    "grad": "gradient",
    "param": "weight",
    "parameter": "weight",
    "act": "activation",
    "output": "activation",
}
_STATISTIC = {"l2": "norm", "l2_norm": "norm", "avg": "mean"}
_T = r"(?P<thing>grad|gradient|param|parameter|weight|activation|act|output)s?"
_S = r"(?P<statistic>l2_norm|l2|norm|mean|avg|std)s?"
_PLACE = r"(?:(?:train|training|optim|optimizer|debug|stats|model|monitor|health)/)*"
_SHAPES = tuple(
    re.compile(_PLACE + shape, re.IGNORECASE)
    for shape in (
        rf"{_T}[_/ -]{_S}/(?P<layer>[^\s].*)",
        rf"{_S}[_/]{_T}/(?P<layer>[^\s].*)",
        rf"{_T}_(?:2|2\.0)_{_S}[/_](?P<layer>[^\s].*)",
        rf"{_T}/(?P<layer>[^\s]+)[./_]{_S}",
        rf"(?P<layer>[^\s]*\.(?:weight|bias))[./_]{_T}[_.]{_S}",
        rf"{_T}/(?P<layer>[^\s]*\.(?:weight|bias)|[^\s]*\.\d+\.[^\s]*)",
    )
)
_UPDATE_RATIO = re.compile(
    _PLACE
    + r"(?:update_ratio|update_to_(?:weight|param|data)(?:_ratio)?|update_weight_ratio)s?/(?P<layer>\S.*)",
    re.IGNORECASE,
)
# What follows the slash in `grad_norm/total` is no layer: it says which norm.
_NO_LAYER = frozenset(
    """total global all overall avg average mean max min std var median norm l2 clip clipped unclipped pre
    post before after raw step epoch train val eval""".split()
)


def _of_a_layer(name: str) -> Meaning | None:
    """The meaning of a statistic of a layer, or None if the name holds no layer."""
    if len(name) > LONGEST_NAME or ("/" not in name and "." not in name):
        return None
    ratio = _UPDATE_RATIO.fullmatch(name)
    if ratio:
        return Meaning(q.UPDATE_RATIO, layer=ratio["layer"])
    for shape in _SHAPES:
        match = shape.fullmatch(name)
        if not match or _NO_LAYER.issuperset(words_of(match["layer"])):
            continue
        thing, statistic = match["thing"].lower(), match.groupdict().get("statistic", "norm").lower()
        slug = f"{_THING.get(thing, thing)}_{_STATISTIC.get(statistic, statistic)}"
        return Meaning(q.QUANTITIES[slug], layer=match["layer"]) if slug in q.QUANTITIES else None
    return None


@lru_cache(maxsize=4096)
def axis_of(name: str) -> Axis | None:
    """What a column of positions counts, or None if the name is not that of a position."""
    if name.strip() in word_lists.POSITION_SIGNS:
        return word_lists.POSITION_SIGNS[name.strip()]
    prefix, _, last = name.rpartition("/")
    place_words, words = words_of(prefix), words_of(last)
    if (
        not word_lists.POSITION_PLACES.issuperset(place_words)
        or " ".join(place_words + words) in word_lists.NOT_POSITIONS
    ):
        return None
    return word_lists.POSITIONS.get(" ".join(words))


@lru_cache(maxsize=4096)
def split_of(words: str) -> Split | None:
    """The split that a folder name, a row's mode or the start of a line tells; None if it tells two."""
    named = [word if len(word) < 4 else word.rstrip("0123456789") for word in words_of(words)]
    said = {word_lists.SPLIT_WORDS[word]: word for word in named if word in word_lists.SPLIT_WORDS}
    if len(said) == 2 and Split.TEST in said and said.get(Split.VALIDATION) in word_lists.SOFT_SPLIT_WORDS:
        return Split.TEST
    return next(iter(said)) if len(said) == 1 else None


@lru_cache(maxsize=4096)
def bare_split_of(name: str) -> Split | None:
    """The split of a name that is but the word for a part of the data, as `val` is, and names no measure."""
    words = words_of(name)
    return split_of(name) if len(words) == 1 and words[0] not in word_lists.SPLIT_VERBS else None


@lru_cache(maxsize=4096)
def fact_of(name: str) -> Fact | None:
    """The fact that a hyperparameter's name states, by the last of its dotted words.

    A switch (`fp16: true`) states PRECISION too: its value is then the name itself.
    """
    path = [" ".join(words_of(step)) for step in re.split(r"[./:]", name[:LONGEST_NAME])]
    path = [step for step in path if step]
    while len(path) > 1 and path[-1] in word_lists.WRAPPERS:
        path.pop()
    if not path or not word_lists.OTHER_ROLES.isdisjoint(" ".join(path[:-1]).split()):
        return None
    if len(path) > 1 and path[-1] in word_lists.NAMING_WRAPPERS:
        fact = word_lists.FACTS_BY_NAME.get(path[-2])
        return fact if fact in word_lists.NAMED_FACTS else None
    if len(path) > 1 and path[-1].isdecimal():
        return word_lists.FACTS_BY_NAME.get(f"{path[-2]} {path[-1]}")
    return word_lists.FACTS_BY_NAME.get(path[-1])
