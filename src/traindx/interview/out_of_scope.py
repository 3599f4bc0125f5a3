"""Matters that people bring and that belong to another field, each with where to look."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Outside:
    """A matter of another field."""

    slug: str
    called: str
    """What it is, in a few words."""
    words: re.Pattern[str]
    look: str
    """Where to look, in a sentence or two."""
    inside: str = ""
    """Which part of it is ours, where one is."""


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


OUT_OF_MEMORY = Outside(
    "out-of-memory",
    "memory that does not suffice",
    _words(r"out.?of.?memory|\boom\b|cuda memory|cannot allocate|killed by the kernel"),
    "A smaller batch with gradients added up over several, activation checkpointing, bfloat16, a smaller"
    " optimizer state; torch.cuda.memory_summary() and the notes on CUDA semantics in PyTorch's manual tell"
    " what takes it.",
    "Memory that grows from step to step is the cause memory-leak; traindx preflight measures a run's need.",
)
ENVIRONMENT = Outside(
    "environment",
    "an installation that does not work",
    _words(
        r"import ?error|no module named|modulenotfound|pip install|\bconda\b|dependency",
        r"version (conflict|mismatch)",
        r"no kernel image|cuda (driver|version)|cudnn|undefined symbol|dll load|libcu\w+|not compiled with",
    ),
    "The versions of driver, CUDA and library have to fit each other: python -m torch.utils.collect_env shows"
    " them, and the installation pages of the library say which do.",
)
LOADER_CRASH = Outside(
    "loader-crash",
    "worker processes of a data loader that die",
    _words(
        r"dataloader worker|worker.{0,20}(exited|killed|died)|bus error",
        r"\bshm\b|shared memory|can'?t pickle|broken pipe",
    ),
    "num_workers=0 shows the true error; shared memory (--ipc=host, --shm-size) and what a Dataset keeps open"
    " are the usual reasons; see the notes on multiprocessing in PyTorch's manual.",
    "A loader that is only slow is the cause data-loading-bottleneck.",
)
DISTRIBUTED = Outside(
    "distributed",
    "processes that do not find or wait for each other",
    _words(r"\bnccl\b|\bgloo\b|rendezvous|all_?reduce.{0,20}time|\bhang(s|ing)?\b"),
    "TORCH_DISTRIBUTED_DEBUG=DETAIL and NCCL_DEBUG=INFO say who waits for whom; every rank has to take the"
    " same steps.",
)
REINFORCEMENT = Outside(
    "reinforcement-learning",
    "the design of rewards and environments",
    _words(
        r"\breward|\brl\b|reinforcement|\bppo\b|\bdqn\b|\bpolicy\b|\bagent\b.{0,20}(learn|train)|\bgym(nasium)?\b"
    ),
    "Check the environment and the reward first: random actions, a trivial task, returns by episode; Spinning"
    " Up in Deep RL and the guides of your library go through it.",
    "Losses, gradients and NaN inside such a training are ours; that a loss rises there is normal.",
)
ARCHITECTURE = Outside(
    "architecture",
    "the choice of an architecture",
    _words(
        r"(which|what|best) (model|architecture|network|backbone)",
        r"should i (use|choose|pick).{0,30}(transformer|cnn|lstm|resnet|architecture|model)",
        r"\b(cnn|lstm|transformer) or\b",
    ),
    "Begin with what others published for the same kind of data and size, small first; a training that fails"
    " says little about the architecture until its faults are found.",
    "traindx examine model tells what is wrong with the one you have.",
)
DEPLOYMENT = Outside(
    "deployment",
    "the use of a model after its training",
    _words(r"\binference\b.{0,30}(slow|serv|latenc)|deploy|\bonnx\b|tensorrt|quanti[sz]|\bserving\b"),
    "The guides of the runtime that serves it; compare its outputs with those of the trained model first.",
)

OUTSIDE: dict[str, Outside] = {one.slug: one for one in list(globals().values()) if isinstance(one, Outside)}
"""Every matter above by its slug."""


def outside_in(text: str) -> tuple[Outside, ...]:
    """The matters of other fields that words speak of."""
    return tuple(one for one in OUTSIDE.values() if one.words.search(text))
