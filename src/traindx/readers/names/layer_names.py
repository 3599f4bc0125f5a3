"""Names of numbers taken per layer: a statistic of gradients, weights or outputs, and the layer's own name.

train/gradient_mean/_comment_cnn.conv_layer_0.weight     GRADIENT_MEAN of "_comment_cnn.conv_layer_0.weight"
l2_norm/grad/model.blocks.0.attn.weight                  GRADIENT_NORM of "model.blocks.0.attn.weight"
grad_2.0_norm/fc1.weight                                 GRADIENT_NORM of "fc1.weight"
grad/transformer.wte.weight.norm                         GRADIENT_NORM of "transformer.wte.weight"
"""

import re
from dataclasses import dataclass

from traindx import quantities as q
from traindx.readers.names.spelling import LONGEST_NAME, words_of
from traindx.run import Quantity


@dataclass(frozen=True)
class LayerStatistic:
    """Which number of which layer a name stands for."""

    quantity: Quantity
    layer: str


_THING = {
    "grad": "gradient",
    "gradient": "gradient",
    "param": "weight",
    "parameter": "weight",
    "weight": "weight",
    "activation": "activation",
    "act": "activation",
    "output": "activation",
}
_STATISTIC = {"norm": "norm", "l2": "norm", "l2_norm": "norm", "mean": "mean", "avg": "mean", "std": "std"}
_QUANTITY = {
    ("gradient", "norm"): q.GRADIENT_NORM,
    ("gradient", "mean"): q.GRADIENT_MEAN,
    ("gradient", "std"): q.GRADIENT_STD,
    ("weight", "norm"): q.WEIGHT_NORM,
    ("weight", "mean"): q.WEIGHT_MEAN,
    ("weight", "std"): q.WEIGHT_STD,
    ("activation", "mean"): q.ACTIVATION_MEAN,
    ("activation", "std"): q.ACTIVATION_STD,
}

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


def layer_statistic_of(name: str) -> LayerStatistic | None:
    """The statistic and the layer in a name, or None if it names no layer."""
    if len(name) > LONGEST_NAME or ("/" not in name and "." not in name):
        return None
    ratio = _UPDATE_RATIO.fullmatch(name)
    if ratio:
        return LayerStatistic(q.UPDATE_RATIO, ratio["layer"])
    for shape in _SHAPES:
        found = shape.fullmatch(name)
        if not found or _NO_LAYER.issuperset(words_of(found["layer"])):
            continue
        statistic = _STATISTIC[found.groupdict().get("statistic", "norm").lower()]
        quantity = _QUANTITY.get((_THING[found["thing"].lower()], statistic))
        return LayerStatistic(quantity, found["layer"]) if quantity else None
    return None
