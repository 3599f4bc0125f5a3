"""The nine complaints that an interview begins with, declared once."""

import re

from traindx.cause import Symptom
from traindx.errors import UnknownNameError
from traindx.interview.questions.types import Complaint
from traindx.signs.gradients import gradient_norm_grows, gradient_norm_vanishes
from traindx.signs.loss import loss_falls, loss_falls_slowly
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.validation import validation_gap_wide


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


LOSS_STUCK = Complaint(
    "loss-stuck",
    "loss is stuck (never fell, or stopped falling)",
    _words(
        r"\b(not|n't|never|no longer|stops?|stopped)\b.{0,20}\b(learn|decreas|fall|go(ing)? down|improv)",
        r"\b(not|n't|never|no longer|stops?|stopped)\b.{0,20}\b(converg|mov)",
        r"plateau|\bstuck\b|\bflat\b|stagnat|isn'?t learning|does ?n'?t learn|stands? still|constant loss",
    ),
    (Symptom.NOT_LEARNING, Symptom.PLATEAU),
)
LOSS_SLOW = Complaint(
    "loss-slow",
    "loss falls very slowly",
    _words(
        r"(loss|learn\w*|converg\w*|decreas\w*|improv\w*).{0,25}(slow|for ?ever|takes? long)",
        r"slow(ly)?.{0,15}(converg|learn|decreas)",
    ),
    (Symptom.SLOW,),
    seen=(loss_falls_slowly,),
)
LOSS_UNSTABLE = Complaint(
    "loss-unstable",
    "loss is unstable (oscillates, spikes or rises)",
    _words(
        r"oscillat|unstable|instab|spik|swing|jump|nois(y|e)|bounc|diverg|zig|fluctuat|erratic",
        r"loss.{0,20}(goes|going|went|shoots?|climbs?|increas\w*|ris(es|ing)|explod\w*|blow\w*)( up)?",
    ),
    (Symptom.UNSTABLE,),
)
LOSS_NAN = Complaint(
    "loss-nan",
    "loss becomes NaN or infinite",
    _words(r"\bnans?\b|\binf(inity|inite)?\b|not a number|non-?finite"),
    (Symptom.NOT_FINITE,),
    seen=(loss_not_finite,),
)
GRADIENTS_EXPLODE = Complaint(
    "gradients-explode",
    "gradients explode",
    _words(
        r"(gradient|grad)s?(.norms?)?.{0,25}(explo|huge|very large|too large|blow|grow|big)|explod\w+ grad"
    ),
    (Symptom.GRADIENTS_EXPLODE,),
    seen=(gradient_norm_grows,),
    unseen=(gradient_norm_vanishes,),
)
GRADIENTS_VANISH = Complaint(
    "gradients-vanish",
    "gradients vanish",
    _words(
        r"(gradient|grad)s?(.norms?)?.{0,25}(vanish|tiny|zero|near 0|very small|too small)|vanish\w+ grad"
    ),
    (Symptom.GRADIENTS_VANISH,),
    seen=(gradient_norm_vanishes,),
    unseen=(gradient_norm_grows,),
)
OVERFITTING = Complaint(
    "overfitting",
    "training is good, validation is bad",
    _words(
        r"over-?fit|generali[sz]",
        r"\b(val|validation|test|dev)\b.{0,40}\b(bad|worse|poor|low|drops?|higher|rises?|up|stuck|terrible|gap)\b",
        r"train\w*.{0,30}(good|fine|great|low|perfect).{0,30}(val|test)",
    ),
    (Symptom.GENERALIZES_BADLY,),
    seen=(validation_gap_wide, loss_falls),
)
TRAINING_SLOW = Complaint(
    "training-slow",
    "training is slow (time per step)",
    _words(
        r"(step|epoch|iteration|throughput|training)s?.{0,25}(slow|takes? (too )?(long|hours|days|forever))",
        r"(gpu|device).{0,25}(idle|util|low|wait|slow)|slow (training|epoch|step|data|loader)",
        r"samples per second|data ?load\w*.{0,15}slow",
    ),
    (Symptom.TAKES_LONG,),
)
OTHER = Complaint(
    "other",
    "something else, such as a suspicious metric or a crash",
    _words(
        r"too good|suspicious|perfect|99(\.\d+)? ?%|100 ?%|\bacc(uracy)?\b|predict|contradict|metric",
        r"same (class|answer|prediction|output|value)|negative loss|below zero|wrong number",
        r"crash|stops? with|assert|index.{0,10}out of",
    ),
    (Symptom.LYING_NUMBERS, Symptom.CRASHES),
)

COMPLAINTS: dict[str, Complaint] = {
    one.slug: one for one in list(globals().values()) if isinstance(one, Complaint)
}
"""Every complaint above by its slug, in the order in which they are offered."""


def complaint_named(slug: str) -> Complaint:
    """The complaint of a slug; one that does not exist gives the accepted ones."""
    if slug.strip().lower() in COMPLAINTS:
        return COMPLAINTS[slug.strip().lower()]
    raise UnknownNameError("symptom", slug, COMPLAINTS, todo=f"use {', '.join(COMPLAINTS)}")


def complaints_in(text: str) -> tuple[Complaint, ...]:
    """What words complain of; `other` only where they fit nothing else."""
    found = tuple(one for one in COMPLAINTS.values() if one is not OTHER and one.words.search(text))
    if found:
        return found
    return (OTHER,) if OTHER.words.search(text) else ()
