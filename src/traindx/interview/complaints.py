"""What people complain of, declared once: the nine complaints of an interview, and problems out of scope."""

import re
from dataclasses import dataclass

from traindx.cause import Symptom
from traindx.errors import UnknownNameError
from traindx.interview.questions.types import Complaint
from traindx.signs.generalization_gap import validation_gap_wide
from traindx.signs.gradients import gradient_norm_grows, gradient_norm_vanishes
from traindx.signs.loss import loss_falls, loss_falls_slowly
from traindx.signs.nonfinite import loss_not_finite


@dataclass(frozen=True, eq=False)
class Outside:
    """A problem that is out of scope."""

    slug: str
    called: str
    """What it is, in a few words."""
    words: re.Pattern[str]
    look: str
    """Where to look, in a sentence or two."""
    inside: str = ""
    """Which part of it is ours, where one is."""


def words(*alternatives: str) -> re.Pattern[str]:
    """What finds any of some expressions in a text, whatever its case."""
    return re.compile("|".join(alternatives), re.IGNORECASE)


LOSS_STUCK = Complaint(
    "loss-stuck",
    "loss is stuck (never fell, or stopped falling)",
    words(
        r"\b(not|n't|never|no longer|stops?|stopped)\b.{0,20}\b(learn|decreas|fall|go(ing)? down|improv)",
        r"\b(not|n't|never|no longer|stops?|stopped)\b.{0,20}\b(converg|mov)",
        r"plateau|\bstuck\b|\bflat\b|stagnat|isn'?t learning|does ?n'?t learn|stands? still|constant loss",
    ),
    (Symptom.NOT_LEARNING, Symptom.PLATEAU),
)
LOSS_SLOW = Complaint(
    "loss-slow",
    "loss falls very slowly",
    words(
        r"(loss|learn\w*|converg\w*|decreas\w*|improv\w*).{0,25}(slow|for ?ever|takes? long)",
        r"slow(ly)?.{0,15}(converg|learn|decreas)",
    ),
    (Symptom.SLOW,),
    seen=(loss_falls_slowly,),
)
LOSS_UNSTABLE = Complaint(
    "loss-unstable",
    "loss is unstable (oscillates, spikes or rises)",
    words(
        r"oscillat|unstable|instab|spik|swing|jump|nois(y|e)|bounc|diverg|zig|fluctuat|erratic",
        r"loss.{0,20}(goes|going|went|shoots?|climbs?|increas\w*|ris(es|ing)|explod\w*|blow\w*)( up)?",
    ),
    (Symptom.UNSTABLE,),
)
LOSS_NAN = Complaint(
    "loss-nan",
    "loss becomes NaN or infinite",
    words(r"\bnans?\b|\binf(inity|inite)?\b|not a number|non-?finite"),
    (Symptom.NOT_FINITE,),
    seen=(loss_not_finite,),
)
GRADIENTS_EXPLODE = Complaint(
    "gradients-explode",
    "gradients explode",
    words(
        r"(gradient|grad)s?(.norms?)?.{0,25}(explo|huge|very large|too large|blow|grow|big)|explod\w+ grad"
    ),
    (Symptom.GRADIENTS_EXPLODE,),
    seen=(gradient_norm_grows,),
    unseen=(gradient_norm_vanishes,),
)
GRADIENTS_VANISH = Complaint(
    "gradients-vanish",
    "gradients vanish",
    words(r"(gradient|grad)s?(.norms?)?.{0,25}(vanish|tiny|zero|near 0|very small|too small)|vanish\w+ grad"),
    (Symptom.GRADIENTS_VANISH,),
    seen=(gradient_norm_vanishes,),
    unseen=(gradient_norm_grows,),
)
OVERFITTING = Complaint(
    "overfitting",
    "training is good, validation is bad",
    words(
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
    words(
        r"(step|epoch|iteration|throughput|training)s?.{0,25}(slow|takes? (too )?(long|hours|days|forever))",
        r"(gpu|device).{0,25}(idle|util|low|wait|slow)|slow (training|epoch|step|data|loader)",
        r"samples per second|data ?load\w*.{0,15}slow",
    ),
    (Symptom.TAKES_LONG,),
)
OTHER = Complaint(
    "other",
    "something else, such as a suspicious metric or a crash",
    words(
        r"too good|suspicious|perfect|99(\.\d+)? ?%|100 ?%|\bacc(uracy)?\b|predict|contradict|metric",
        r"same (class|answer|prediction|output|value)|negative loss|below zero|wrong number",
        r"crash|stops? with|assert|index.{0,10}out of",
    ),
    (Symptom.LYING_NUMBERS, Symptom.CRASHES),
)

COMPLAINTS: dict[str, Complaint] = {
    complaint.slug: complaint for complaint in list(globals().values()) if isinstance(complaint, Complaint)
}
"""Every complaint above by its slug, in the order in which they are offered."""

NOT_TRAINING = (LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH)
"""Complaints of the loss and its gradients."""


def complaint_named(slug: str) -> Complaint:
    """The complaint of a slug; one that does not exist gives the accepted ones."""
    if slug.strip().lower() in COMPLAINTS:
        return COMPLAINTS[slug.strip().lower()]
    raise UnknownNameError("symptom", slug, COMPLAINTS, todo=f"use {', '.join(COMPLAINTS)}")


def complaints_in(text: str) -> tuple[Complaint, ...]:
    """What words complain of; `other` only where they fit nothing else."""
    complaints = tuple(
        complaint
        for complaint in COMPLAINTS.values()
        if complaint is not OTHER and complaint.words.search(text)
    )
    if complaints:
        return complaints
    return (OTHER,) if OTHER.words.search(text) else ()


OUT_OF_MEMORY = Outside(
    "out-of-memory",
    "out of memory",
    words(r"out.?of.?memory|\boom\b|cuda memory|cannot allocate|killed by the kernel"),
    "Try a smaller batch with gradient accumulation, activation checkpointing, bfloat16 or an optimizer with"
    " less state. torch.cuda.memory_summary() shows what uses the memory.",
    "Memory that grows from step to step is the cause memory-leak; traindx preflight measures peak memory.",
)
ENVIRONMENT = Outside(
    "environment",
    "broken installation",
    words(
        r"import ?error|no module named|modulenotfound|pip install|\bconda\b|dependency",
        r"version (conflict|mismatch)",
        r"no kernel image|cuda (driver|version)|cudnn|undefined symbol|dll load|libcu\w+|not compiled with",
    ),
    "Driver, CUDA and library versions must match: python -m torch.utils.collect_env shows them, and the"
    " installation page of the library says which ones work together.",
)
LOADER_CRASH = Outside(
    "loader-crash",
    "crashing DataLoader workers",
    words(
        r"dataloader worker|worker.{0,20}(exited|killed|died)|bus error",
        r"\bshm\b|shared memory|can'?t pickle|broken pipe",
    ),
    "Set num_workers=0 to see the real error. Typical reasons are too little shared memory (--ipc=host,"
    " --shm-size) and files that the Dataset keeps open; see the multiprocessing notes in the PyTorch docs.",
    "A loader that is only slow is the cause data-loading-bottleneck.",
)
DISTRIBUTED = Outside(
    "distributed",
    "distributed training that hangs",
    words(r"\bnccl\b|\bgloo\b|rendezvous|all_?reduce.{0,20}time|\bhang(s|ing)?\b"),
    "TORCH_DISTRIBUTED_DEBUG=DETAIL and NCCL_DEBUG=INFO show which rank waits for which; every rank must run"
    " the same steps.",
)
REINFORCEMENT = Outside(
    "reinforcement-learning",
    "reward and environment design",
    words(
        r"\breward|\brl\b|reinforcement|\bppo\b|\bdqn\b|\bpolicy\b|\bagent\b.{0,20}(learn|train)|\bgym(nasium)?\b"
    ),
    "Check the environment and the reward first: random actions, a trivial task, returns per episode. See"
    " Spinning Up in Deep RL and the docs of your library.",
    "traindx covers gradients and NaN in such runs; a rising loss is normal there.",
)
ARCHITECTURE = Outside(
    "architecture",
    "choosing an architecture",
    words(
        r"(which|what|best) (model|architecture|network|backbone)",
        r"should i (use|choose|pick).{0,30}(transformer|cnn|lstm|resnet|architecture|model)",
        r"\b(cnn|lstm|transformer) or\b",
    ),
    "Start with a published model for the same kind and amount of data, small first. A failing run says"
    " little about the architecture until its bugs are found.",
    "traindx examine model checks the one you have.",
)
DEPLOYMENT = Outside(
    "deployment",
    "deployment",
    words(r"\binference\b.{0,30}(slow|serv|latenc)|deploy|\bonnx\b|tensorrt|quanti[sz]|\bserving\b"),
    "See the docs of the runtime that serves it; first compare its outputs with those of the trained model.",
)

OUTSIDE: dict[str, Outside] = {
    field.slug: field for field in list(globals().values()) if isinstance(field, Outside)
}
"""Every matter above by its slug."""


def outside_in(text: str) -> tuple[Outside, ...]:
    """The matters of other fields that words speak of."""
    return tuple(field for field in OUTSIDE.values() if field.words.search(text))
