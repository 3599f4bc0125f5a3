"""The type of a complaint: what a person sees who does not know the cause yet."""

from enum import Enum


class Symptom(Enum):
    """The complaints people come with; every cause says which of them it leads to."""

    NOT_LEARNING = "the loss does not move from the start"
    PLATEAU = "the loss fell, then stopped falling"
    SLOW = "the loss falls very slowly"
    UNSTABLE = "the loss swings, spikes or climbs"
    NOT_FINITE = "the loss becomes NaN or infinite"
    GRADIENTS_EXPLODE = "gradients become very large"
    GRADIENTS_VANISH = "gradients become very small"
    GENERALISES_BADLY = "training looks good, validation does not"
    TAKES_LONG = "steps take too long, or memory runs out"
    LYING_NUMBERS = "the numbers contradict each other or what the model does"
    CRASHES = "the program stops with an error"
