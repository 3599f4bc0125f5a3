"""Problems that are out of scope, each with where to look instead."""

import re
from dataclasses import dataclass


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


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


OUT_OF_MEMORY = Outside(
    "out-of-memory",
    "out of memory",
    _words(r"out.?of.?memory|\boom\b|cuda memory|cannot allocate|killed by the kernel"),
    "Try a smaller batch with gradient accumulation, activation checkpointing, bfloat16 or an optimizer with"
    " less state. torch.cuda.memory_summary() shows what uses the memory.",
    "Memory that grows from step to step is the cause memory-leak; traindx preflight measures peak memory.",
)
ENVIRONMENT = Outside(
    "environment",
    "broken installation",
    _words(
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
    _words(
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
    _words(r"\bnccl\b|\bgloo\b|rendezvous|all_?reduce.{0,20}time|\bhang(s|ing)?\b"),
    "TORCH_DISTRIBUTED_DEBUG=DETAIL and NCCL_DEBUG=INFO show which rank waits for which; every rank must run"
    " the same steps.",
)
REINFORCEMENT = Outside(
    "reinforcement-learning",
    "reward and environment design",
    _words(
        r"\breward|\brl\b|reinforcement|\bppo\b|\bdqn\b|\bpolicy\b|\bagent\b.{0,20}(learn|train)|\bgym(nasium)?\b"
    ),
    "Check the environment and the reward first: random actions, a trivial task, returns per episode. See"
    " Spinning Up in Deep RL and the docs of your library.",
    "traindx covers gradients and NaN in such runs; a rising loss is normal there.",
)
ARCHITECTURE = Outside(
    "architecture",
    "choosing an architecture",
    _words(
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
    _words(r"\binference\b.{0,30}(slow|serv|latenc)|deploy|\bonnx\b|tensorrt|quanti[sz]|\bserving\b"),
    "See the docs of the runtime that serves it; first compare its outputs with those of the trained model.",
)

OUTSIDE: dict[str, Outside] = {one.slug: one for one in list(globals().values()) if isinstance(one, Outside)}
"""Every matter above by its slug."""


def outside_in(text: str) -> tuple[Outside, ...]:
    """The matters of other fields that words speak of."""
    return tuple(one for one in OUTSIDE.values() if one.words.search(text))
