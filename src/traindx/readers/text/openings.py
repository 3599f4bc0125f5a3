"""Lines that say by their first marks alone what their first numbers are.

[1,  2000] loss: 2.173                               epoch and batch, in PyTorch's first tutorial
[0/25][50/1583] Loss_D: 0.74                         epoch and batch, in the DCGAN example
Train Epoch: 1 [640/60000 (1%)] Loss: 2.2            epoch and samples, in the MNIST example
938/938 [=====] - 2s 2ms/step - loss: 0.45           the batches of an epoch, in Keras
1epoch:train:1-100batch: loss=50.2                   epoch and batch, in ESPnet
[100] training's l2: 0.3                             a round of LightGBM
0m 7s (- 6m 1s) (25 2%) 2.3189                       step and loss, in PyTorch's tutorials on sequences
"""

import re

from traindx.readers.names.vocabulary import split_of
from traindx.readers.text.pattern import Pair, Place, Position
from traindx.readers.text.shape import HOLE

_HELD_OUT = r"(?:Test|Val|Valid|Validation|Eval|Evaluation|Evaluating)"
_SPELLED: tuple[tuple[str, tuple[Place | None, ...]], ...] = (
    (r"_epoch:\w+:_-_batch:", (Place.EPOCH, None, Place.BATCH)),
    (r"_epoch results:|_/_ \* Epoch|\w+ \(_/_\) ", (Place.EPOCH,)),
    (r"\[_, ?_\]", (Place.EPOCH, Place.BATCH)),
    (r"\[_(?:/_)?\]\s?\[_(?:/_)?\]", (Place.EPOCH, Place.BATCH)),
    (rf"(?:Train|Training|{_HELD_OUT}):? _ \[_/_", (Place.EPOCH, Place.BATCH)),
    (r"Train Epoch: _ \[_/_ \(_%\)\]", (Place.EPOCH, Place.SAMPLES)),
    (rf"{_HELD_OUT}\w*:? \[_/_\]", (Place.BAR,)),
    (r"s:_ (?:tel|trl|eval):|_:\slearn: ", (Place.STEP,)),
    (r"_/_ (?:\[\]|- _s|_(?:s|ms|us)\b)", (Place.PASS,)),
    (r"_/_", (Place.BAR,)),
    (r"\[_(?:/_)?\]|_:\s", (Place.LEAD,)),
)
_OPENINGS = tuple((re.compile(spelled.replace("_", HOLE)), places) for spelled, places in _SPELLED)

_TUTORIAL = re.compile(
    rf"(?P<name>(?:\w+ )?(?:[Aa]ccuracy|[Ll]oss)) of the \w+ on the {HOLE} (?P<split>\w+) images: {HOLE}"
)


_DURATION = "(?:_h )?_m _s"
_TIMED = re.compile(
    rf"(?:{_DURATION} (?:\(- ?{_DURATION}\) )?\(_ _%\)|_ _% \({_DURATION}\)) _(?!\S)".replace("_", HOLE)
)


def timed_loss(message: str, first: int) -> tuple[Position, Pair] | None:
    """The step and the loss of a line that names neither, but how long it took and how much is done."""
    found = _TIMED.match(message)
    if found is None:
        return None
    done = found[0].index("%")
    step = first + found[0].count(HOLE, 0, done) - 2
    loss = first + found[0].count(HOLE) - 1
    return Position(Place.STEP, "", step), Pair("loss", loss, known=True)


def opening_of(message: str) -> list[Place | None]:
    """What the first numbers of a message are; None for one that is nothing."""
    return next((list(places) for opening, places in _OPENINGS if opening.match(message)), [])


def tutorial_pair(message: str, first: int) -> Pair | None:
    """The result in "Accuracy of the network on the 10000 test images: 55 %", a line of many tutorials."""
    found = _TUTORIAL.match(message)
    if found is None:
        return None
    return Pair(found["name"], first + 1, known=True, split=split_of(found["split"]))
