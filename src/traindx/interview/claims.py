"""Hunches about the cause, declared once; the causes' own misdiagnoses use the same words."""

from dataclasses import replace

from traindx.causes import (
    batch_too_small,
    capacity_too_small,
    exploding_gradients,
    input_outliers,
    lr_decay_needed,
    lr_decayed_too_early,
    lr_too_high,
    lr_too_low,
    memory_leak,
    missing_warmup,
    momentum_too_high,
    non_finite_inputs,
    optimizer_unsuited,
    overfitting,
    too_few_epochs,
    underfitting,
    weight_decay_coupled,
)
from traindx.errors import TraindxError
from traindx.interview.complaints import words
from traindx.interview.types import Claim

ANOTHER_OPTIMIZER = Claim(
    "another-optimizer",
    "I need another optimizer",
    words(r"optimi[sz]er", r"\b(switch|change|use|try|better)\b.{0,15}\b(adamw?|sgd|lion|rmsprop)\b"),
    (optimizer_unsuited.CAUSE, weight_decay_coupled.CAUSE, momentum_too_high.CAUSE),
    "The optimizer is rarely the cause: a run that fails with one usually fails with the next.",
)
MORE_EPOCHS = Claim(
    "more-epochs",
    "I need more epochs",
    words(r"more (epochs?|steps|iterations|training)", r"train\w* (it )?(for )?longer", r"keep training"),
    (too_few_epochs.CAUSE,),
    "More epochs help only while training and validation loss still fall.",
)
MODEL_TOO_SMALL = Claim(
    "model-too-small",
    "My model is too small",
    words(
        r"(model|network|net|capacity)\b.{0,20}\b(too )?(small|weak|simple|low)",
        r"(bigger|larger|deeper|wider) (model|network|net)|more (layers|parameters|capacity)",
    ),
    (capacity_too_small.CAUSE, underfitting.CAUSE),
    "A model is too small if the training loss stays high and nothing else is wrong.",
)
MODEL_TOO_LARGE = Claim(
    "model-too-large",
    "My model is too large",
    words(
        r"(model|network|net)\b.{0,20}\btoo (large|big|deep|complex)|(smaller|simpler) (model|network|net)"
    ),
    (overfitting.CAUSE,),
    "Size alone is not a bug: it hurts if validation loss rises while training loss falls.",
)
TUNE_RATE = Claim(
    "tune-rate",
    "My learning rate is wrong",
    words(
        r"(tune|try|sweep|search|find|adjust|change|play).{0,25}(\blr\b|learning.?rate)",
        r"(\blr\b|learning.?rate).{0,15}(wrong|tun|sweep|search|bad)",
    ),
    (
        lr_too_high.CAUSE,
        lr_too_low.CAUSE,
        lr_decay_needed.CAUSE,
        lr_decayed_too_early.CAUSE,
        missing_warmup.CAUSE,
    ),
    "Trying learning rates at random hides other bugs: a broken program trains at none.",
)
RATE_TOO_HIGH = Claim(
    "rate-too-high",
    "My learning rate is too high",
    words(
        r"(\blr\b|learning.?rate|\brate\b).{0,15}too (high|large|big)",
        r"(lower|smaller|reduce).{0,15}(\blr\b|rate)",
    ),
    (lr_too_high.CAUSE, missing_warmup.CAUSE, lr_decay_needed.CAUSE),
    "A lower learning rate masks nearly every bug, so it seems to help even if something else is wrong.",
)
RATE_TOO_LOW = Claim(
    "rate-too-low",
    "My learning rate is too low",
    words(
        r"(\blr\b|learning.?rate|\brate\b).{0,15}too (low|small)",
        r"(higher|larger|raise|increase).{0,15}(\blr\b|rate)",
    ),
    (lr_too_low.CAUSE, lr_decayed_too_early.CAUSE),
    "A higher learning rate helps only if updates are too small compared with the weights.",
)
TUNE_HYPERPARAMETERS = Claim(
    "tune-hyperparameters",
    "I need to tune the hyperparameters",
    words(r"hyper.?param|grid search|random search|optuna|\bsweep\b|tune (everything|settings|it)"),
    (),
    "A search finds settings, not bugs: it compares broken runs with each other, one run per setting.",
)
BATCH_TOO_SMALL = Claim(
    "batch-too-small",
    "My batch is too small",
    words(r"batch.{0,15}(too )?small|(larger|bigger|increase).{0,10}batch"),
    (batch_too_small.CAUSE,),
    "The learning rate must change with the batch size; a larger batch may only lower it per sample.",
)
LARGE_BATCH = Claim(
    "batch-does-not-fit",
    "My batch does not fit into memory",
    words(r"batch.{0,20}(fit|memory)"),
    (),
    "If memory grows from step to step, a smaller batch only fails later; if not, use a smaller one.",
)
BAD_BATCH = Claim(
    "bad-batch",
    "There is a bad batch in my data",
    words(r"(bad|corrupt\w*|broken|poison\w*) (batch|sample|data|row|example|image|file)"),
    (input_outliers.CAUSE, non_finite_inputs.CAUSE),
    "A bad batch fails at the same place in the data every time, at any learning rate.",
)
GRADIENTS_EXPLODE = Claim(
    "gradients-explode",
    "My gradients explode",
    words(r"gradients? (explod|blow)|explod\w+ gradient|need.{0,15}clip|gradient clipping"),
    (exploding_gradients.CAUSE,),
    "Exploding gradients usually have another cause, and clipping hides it.",
)
OVERFITS = Claim(
    "overfits",
    "My model overfits",
    words(r"over-?fit|need.{0,20}(regulari|dropout|weight decay|augment|more data)"),
    (overfitting.CAUSE,),
    "Validation can be worse than training for other reasons: a missing eval(), different data, a leak.",
)
LOCAL_MINIMUM = Claim(
    "local-minimum",
    "I am stuck in a local minimum",
    words(r"local minim|saddle"),
    (lr_decay_needed.CAUSE,),
    "Large networks rarely get stuck in a bad minimum; a flat loss usually has a cause that can be found.",
)
GPU_TOO_SLOW = Claim(
    "gpu-too-slow",
    "My GPU is too slow",
    words(
        r"(gpu|hardware|machine).{0,20}(too slow|faster|better|another|upgrade)|faster (gpu|hardware|machine)"
    ),
    (),
    "A faster GPU does not help if it waits for data or for GPU syncs.",
)
GPU_BROKEN = Claim(
    "gpu-broken",
    "CUDA or my GPU is broken",
    words(r"(cuda|gpu|driver).{0,20}(broken|faulty|defect)"),
    (),
    "A device-side assert is nearly always an index out of range, such as a label without an output.",
)
EXCELLENT = Claim(
    "excellent",
    "My model is excellent",
    words(r"(model|result|accuracy|score).{0,20}(excellent|perfect|great|amazing|state of the art|sota)"),
    (),
    "A score that is good from the start is good news only if leaks and constant labels are ruled out.",
    or_healthy=True,
)
OUT_OF_MEMORY_LEAK = Claim(
    "memory-leak",
    "My memory leaks",
    words(r"memory leak|leak\w* memory|memory (keeps )?grow"),
    (memory_leak.CAUSE,),
    "Memory that grows every step is usually a sum of losses without item(), which keeps every graph.",
)
HURRY = Claim(
    "hurry",
    "I have no time for a diagnosis",
    words(
        r"demo (is )?tomorrow|deadline|no time|quick fix|asap|hurry|just tell me|just fix|right now|urgent"
    ),
    (),
    "A wrong guess costs a whole run; the questions take two minutes, and a log or a script saves most.",
    is_pressure=True,
)

CLAIMS: dict[str, Claim] = {
    claim.slug: claim for claim in list(globals().values()) if isinstance(claim, Claim)
}
"""Every claim above by its slug."""


def claims_in(text: str) -> tuple[Claim, ...]:
    """The claims that words make, each with these words."""
    exact = [claim for claim in CLAIMS.values() if text.strip().lower().rstrip(".!") == claim.means.lower()]
    claims = exact or [claim for claim in CLAIMS.values() if claim.words.search(text)]
    return tuple(replace(claim, quoted=text.strip()) for claim in claims)


def claims_named(text: str) -> tuple[Claim, ...]:
    """The claims of a slug or of words; if there are none, an error lists those that can be checked."""
    claims = (CLAIMS[text],) if text in CLAIMS else claims_in(text)
    if not claims:
        known = "; ".join(f'"{claim.means}"' for claim in CLAIMS.values())
        raise TraindxError(f'no known claim in "{text}"; traindx can check {known}')
    return claims
