"""Which kind of training a run is, and what shows it.

The surest source decides: what the user states, the libraries a recorded program imported, names and settings
that only one kind of training has, and at last general ones.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from traindx import facts as f
from traindx.curves.facts import is_recording, stated_number, stated_word
from traindx.curves.traits import (
    ADVERSARIES,
    HF_TRAINER,
    LIBRARIES,
    LIBRARY_LOOPS,
    LOSSES,
    MODELS,
    NAMES,
    POLICY_TERMS,
    SETTINGS,
    Trait,
)
from traindx.format import listed, number
from traindx.objective import (
    CLASSIC_RL,
    CLASSIFICATION,
    FINE_TUNING,
    GAN,
    LANGUAGE_MODELING,
    NOT_A_NETWORK,
    OBJECTIVES,
    OTHER,
    REGRESSION,
    Objective,
)
from traindx.quantities import (
    LEARNING_RATE,
    REWARD,
    TRAIN_ACCURACY,
    TRAIN_ERROR,
    TRAIN_LOSS,
    TRAIN_PERPLEXITY,
    VAL_ACCURACY,
    VAL_ERROR,
    VAL_PERPLEXITY,
)
from traindx.run import Run

_BOOSTED_TREES = frozenset("lightgbm xgboost catboost".split())
_NUMBER_METRICS = frozenset("mae mse rmse mape r2 smape msle".split())
_FINE_TUNING_RATE = 1.5e-4
"""Learning rate up to which a run of the HF Trainer fine-tunes; bench/thresholds.md#objective."""
_PRETRAINED_LOSS = 5.0
"""First loss up to which weights were trained before, far below ln V; bench/thresholds.md#objective."""
_NEAR = 0.02
"""Distance of a first loss from ln V, over it; bench/thresholds.md#objective."""
_VOCABULARIES = (32_000, 50_257, 65_536, 128_256, 151_936)
"""Sizes of common tokenizers: a language model starts at their ln; bench/thresholds.md#objective."""


@dataclass(frozen=True)
class Recognized:
    """What a run trains, and what shows it."""

    objective: Objective
    evidence: str = ""
    """"logs frac_reward_zero_std"; empty where nothing shows it."""


UNRECOGNIZED = Recognized(OTHER)


@lru_cache(maxsize=256)
def recognized(run: Run) -> Recognized:
    """What a run trains: the surest source that tells it decides."""
    sources: tuple[Callable[[Run], Recognized | None], ...] = (
        _given,
        _by_libraries,
        _by_framework,
        _by_names,
        _by_adversaries,
        _by_settings,
        _by_reward,
        _by_trainer,
        _by_model,
        _by_loss_function,
        _by_tokens,
        _by_metrics,
    )
    return next((match for source in sources if (match := source(run))), UNRECOGNIZED)


def objective_of(run: Run) -> Objective:
    """What a run trains."""
    return recognized(run).objective


def library_loop(run: Run) -> str:
    """The library whose training loop ran, as far as its names tell; empty where none does."""
    stated = {"transformers": HF_TRAINER, "keras": "Keras", "lightning": "Lightning"}
    if any("Hugging Face" in title for title in run.formats):
        return HF_TRAINER
    # A recording has names of its own, and says which library it saw.
    names = set() if is_recording(run) else _names(run)
    by_names = (library for library, trait in LIBRARY_LOOPS if _matching([trait], names, ""))
    return stated.get(stated_word(run, f.FRAMEWORK)) or next(by_names, "")


def given(run: Run, objective: Objective) -> Run:
    """A run of which the user states what it trains."""
    return replace(run, facts={**run.facts, f.OBJECTIVE: objective.slug})


def _given(run: Run) -> Recognized | None:
    slug = run.facts.get(f.OBJECTIVE)
    return Recognized(OBJECTIVES[slug], "as given") if isinstance(slug, str) and slug in OBJECTIVES else None


def _by_libraries(run: Run) -> Recognized | None:
    loaded = str(run.facts.get(f.LIBRARIES, "")).split(", ")
    for objective, names in LIBRARIES:
        loaded_names = [name for name in names.split() if name in loaded]
        if loaded_names:
            return Recognized(objective, f"imports {listed(loaded_names, 2)}")
    return None


def _by_framework(run: Run) -> Recognized | None:
    """A library that grows trees, as the format or the wording of a log tells."""
    library = stated_word(run, f.FRAMEWORK)
    return Recognized(NOT_A_NETWORK, f"trained by {library}") if library in _BOOSTED_TREES else None


def _by_names(run: Run) -> Recognized | None:
    return _matching(NAMES, _names(run), "logs")


def _names(run: Run) -> set[str]:
    """What the log calls its numbers, those that were not understood included."""
    return {series.name.strip() for series in run.series} | {skipped.name.strip() for skipped in run.unread}


def _by_settings(run: Run) -> Recognized | None:
    return _matching(SETTINGS, {name.lower() for name in run.settings}, "is set up with")


def _matching(traits: Iterable[Trait], words: set[str], verb: str) -> Recognized | None:
    for trait in traits:
        matching = sorted(word for word in words if trait.pattern.fullmatch(word))
        if len(matching) >= trait.least:
            return Recognized(trait.objective, f"{verb} {listed(matching, 2)}")
    return None


def _by_adversaries(run: Run) -> Recognized | None:
    """Two networks that train against each other."""
    if f.OPTIMIZERS_IN_TURN in run.facts:
        return Recognized(GAN, "two optimizers alternate, each with its own loss")
    names = [f"{series.part} {series.name}" for series in run.all(TRAIN_LOSS)]
    is_both = all(any(pattern.search(name) for name in names) for pattern in ADVERSARIES)
    return (
        Recognized(GAN, "logs a discriminator and a generator loss") if len(names) > 1 and is_both else None
    )


def _by_reward(run: Run) -> Recognized | None:
    """A reward of its own, not only terms of a preference loss; or no loss but terms of a policy gradient."""
    if any(not series.part for series in run.all(REWARD)):
        return Recognized(CLASSIC_RL, "logs a reward")
    losses = run.all(TRAIN_LOSS)
    if losses and all(POLICY_TERMS.search(series.part) for series in losses):
        return Recognized(CLASSIC_RL, "logs policy and value losses only")
    return None


def _by_trainer(run: Run) -> Recognized | None:
    """The HF Trainer, which trains pretrained weights unless the first loss is that of a vocabulary."""
    if library_loop(run) != HF_TRAINER or LEARNING_RATE not in run:
        return None
    peak = max(run[LEARNING_RATE].finite.values, default=0.0)
    if 0 < peak <= _FINE_TUNING_RATE:
        return Recognized(FINE_TUNING, f"HF Trainer with a learning rate of at most {number(peak)}")
    counted = TRAIN_ACCURACY in run or VAL_ACCURACY in run
    if counted or TRAIN_LOSS not in run:
        return None
    losses = run[TRAIN_LOSS].finite.values
    # A recorded program may be a small one that starts anywhere; logs that people keep are of real models.
    is_small = is_recording(run) and len(losses) > 0 and not 1 <= losses[0] <= _PRETRAINED_LOSS
    if not len(losses) or is_small or _vocabulary_of(float(losses[0])):
        return None
    return Recognized(FINE_TUNING, f"HF Trainer with a first loss of {number(float(losses[0]))}")


def _by_model(run: Run) -> Recognized | None:
    model = str(run.facts.get(f.MODEL, ""))
    return _matching(MODELS, {model}, "trains a") if model and is_recording(run) else None


def _by_loss_function(run: Run) -> Recognized | None:
    function = stated_word(run, f.LOSS_FUNCTION)
    return _matching(LOSSES, {function}, "loss function") if function else None


def _by_tokens(run: Run) -> Recognized | None:
    """A perplexity, or a first loss at the chance level of a common vocabulary."""
    if TRAIN_PERPLEXITY in run or VAL_PERPLEXITY in run:
        return Recognized(LANGUAGE_MODELING, "logs a perplexity")
    losses = run[TRAIN_LOSS].finite.values if TRAIN_LOSS in run else None
    if losses is None or not len(losses) or stated_number(run, f.CLASSES) is not None:
        return None
    chance = _vocabulary_of(float(losses[0]))
    if chance is None:
        return None
    return Recognized(LANGUAGE_MODELING, f"starts at chance level of a vocabulary ({number(chance)})")


def _vocabulary_of(first: float) -> float | None:
    """The loss of guessing among the tokens of a common vocabulary, if a first loss is near it."""
    return next((math.log(n) for n in _VOCABULARIES if abs(first / math.log(n) - 1) <= _NEAR), None)


def _by_metrics(run: Run) -> Recognized | None:
    if TRAIN_ACCURACY in run or VAL_ACCURACY in run:
        return Recognized(CLASSIFICATION, "logs an accuracy")
    errors = [series.part for error in (TRAIN_ERROR, VAL_ERROR) for series in run.all(error)]
    if not _NUMBER_METRICS.isdisjoint(errors):
        return Recognized(REGRESSION, f"logs {listed(sorted(_NUMBER_METRICS.intersection(errors)), 2)}")
    return None
