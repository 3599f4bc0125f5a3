"""What people call the numbers of a run that belong to no split: rates, norms, times, memory, rewards.

A table's line holds a part and the phrases for it; lines without a colon go on with the part before.
"""

from collections.abc import Iterator

from traindx import quantities as q
from traindx.readers.names.metric_names import WEAK, Head, Phrase, phrases_in
from traindx.run import Quantity

# Other words beside these tell which one: `lr/pg0`, `actor_grad_norm`, `rewards/chosen`.
_QUALIFIED: dict[Quantity, str] = {
    q.REWARD: ": reward; rewards; rew; return; returns; ep ret; ep rew; eprew; eprewmean; epret",
    q.EPISODE_LENGTH: """: episode length; episode len; episode lengths; ep len; ep length; eplen; eplenmean
        episodic length; length episode""",
    q.LEARNING_RATE: ": lr; lrs; learning rate; lrate; learningrate; learning rates",
    q.MOMENTUM: ": momentum",
    q.WEIGHT_DECAY: ": weight decay; wd",
    q.GRADIENT_NORM: """: grad norm; gnorm; gradient norm; gradnorm; grad norms; gradients norm; grads norm
        norm grad; norm gradient; grad l2 norm; gradient l2 norm; grad norm l2; l2 norm grad; l2 grad norm
        grad 2.0 norm; grad 2 norm; grad l2; grad global norm; gradient global norm; grad total norm
        grad gnorm;         gradients default optimizer global norm
        inf: grad inf norm; grad norm inf""",
    q.WEIGHT_NORM: """: weight norm; weights norm; param norm; params norm; parameter norm; parameters norm
        l2 norm param; l2 norm params; weight l2 norm; param l2 norm""",
    q.CLIPPED_SHARE: """: clipping rate; grad clip fraction; grad clip rate; grad clipped
        gradient clipping rate""",
}

# These words often stand for something else, so they count only where no other telling word is beside them.
_ALONE: dict[Quantity, str] = {
    q.CLIPPED_SHARE: ": clip",
    q.LOSS_SCALE: """: loss scale; loss scaler; amp scale; grad scale; lossscale; loss scaling
        grad scaler scale""",
    q.SKIPPED_STEPS: """: number of skipped iterations; skipped iterations; skipped steps; skipped iters
        num skipped; num skipped steps; skipped iter; step skipped; skipped step""",
    q.NONFINITE_STEPS: """: number of nan iterations; nan iterations; nan iters; nan steps
        non finite steps; nonfinite steps""",
    q.STEP_TIME: """: time; dt; iter time; step time; batch time; iteration time; time per step; time per iter
        time per iteration; time per batch; elapsed time per iteration; sec per step; sec per iter
        sec per iteration; seconds per step; seconds per iteration; ms per step; ms per iter; s it; s iter
        sec it; sec iter; ms step; ms it; ms iter; step ms; update time; time per update; sec step; s step
        batch cost; s batch; ms batch; sec batch""",
    q.WALL_TIME: """: runtime; wall; wall time; walltime; wall clock; wallclock; wall clock time
        wall clock total; elapsed; elapsed time; time elapsed; time total s; total time; time since start
        relative time; elapsed seconds""",
    q.DATA_TIME: """: data; data time; data loading time; data load time; dataloader time; data loading
        time data; data wait; data wait time; time data loading; dataloading time; loader time; load time
        reader cost
        rank: rank data time""",
    q.BATCH_SIZE: ": batch size; global batch size; bsz; effective batch size; bs",
}

_UTILISATION = """mfu: mfu; mfu percent; model flops utilization
    hfu: hfu; hfu percent
    tflops: tflops; tflop per sec; tflop per sec gpu; tflops per gpu; throughput per gpu
    flops: flops per sec; flops per second
    gpu: gpu util; gpu utilization; gpu utilisation; gpu usage; gpu util percent; gpu utilization percent"""
_MEMORY = """: memory; mem; gpumem; vram
    allocated: cuda gb allocated
    reserved: cuda gb reserved
    rss: rss"""
_MEMORY_WORDS = """gpu gpus cuda cpu host ram device system worker max maximum peak min current active
    allocated alloc reserved cached used usage process virtual percent 0 1 2 3 4 5 6 7"""
_ENTROPY_WORDS = "policy objective action actions token tokens output prediction predictions"
_DIVERGENCE_WORDS = "approx old policy objective ref reference"

_UNITS = {
    "samples": "samples sample examples example instances sequences seqs seq",
    "images": "images image imgs img",
    "tokens": "tokens token tok toks",
    "words": "words",
    "frames": "frames frame",
    "steps": "steps step iters iter iterations it its itr batches batch",
    "updates": "updates",
}
_SHORT_RATES = "tokens: tps; tgs\nwords: wps\nupdates: ups\nframes: fps; sps\nsamples: ips"


def _rates() -> Iterator[tuple[str, Phrase]]:
    for unit, words in _UNITS.items():
        for word in words.split():
            for second in ("second", "sec", "s"):
                yield unit, (word, "per", second)
            if unit != "steps":
                yield unit, (word, "sec")
    yield from phrases_in(_SHORT_RATES)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _heads() -> dict[Phrase, Head]:
    heads = {phrase: Head(q.THROUGHPUT, unit) for unit, phrase in _rates()}
    for quantity, table in _QUALIFIED.items():
        heads.update({phrase: Head(quantity, part) for part, phrase in phrases_in(table)})
    limited = (
        *((quantity, table, frozenset[str]()) for quantity, table in _ALONE.items()),
        (q.UTILISATION, _UTILISATION, _words("gpu")),
        (q.MEMORY, _MEMORY, _words(_MEMORY_WORDS)),
        (q.THROUGHPUT, ": throughput", _words("gpu device")),
        (q.ENTROPY, ": entropy", _words(_ENTROPY_WORDS)),
        (q.KL_DIVERGENCE, ": kl; approxkl; kl divergence", _words(_DIVERGENCE_WORDS)),
    )
    for quantity, table, company in limited:
        heads.update(
            {phrase: Head(quantity, part, WEAK, company) for part, phrase in phrases_in(table)},
        )
    return heads


RUN_HEADS = _heads()
"""What each phrase for a number of the run stands for."""
