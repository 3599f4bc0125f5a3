"""What a run trains is recognized by what only that kind of training has."""

from dataclasses import replace

import numpy as np
import pytest

from traindx import facts as f
from traindx import quantities as q
from traindx.curves.objective import learning_curve
from traindx.curves.recognition import given, recognized
from traindx.objective import (
    CLASSIC_RL,
    CLASSIFICATION,
    CONTRASTIVE,
    CTC,
    DETECTION,
    DIFFUSION,
    FINE_TUNING,
    GAN,
    LANGUAGE_MODELING,
    NOT_A_NETWORK,
    OTHER,
    PREFERENCE,
    REGRESSION,
    REWARD_MODEL,
    RL_POST_TRAINING,
    VAE,
    Objective,
)
from traindx.run import Fact, Quantity, Run, Scalar, Series, Skipped

AT = np.arange(20, dtype=np.float64)


def run_of(
    *names: str, facts: dict[Fact, Scalar] | None = None, settings: dict[str, Scalar] | None = None
) -> Run:
    """A run with a loss, and names that the vocabulary may not know."""
    loss = Series(q.TRAIN_LOSS, AT.copy(), np.linspace(2.0, 1.0, len(AT)), name="loss")
    return Run(
        "run",
        (loss,),
        facts=facts or {},
        settings=settings or {},
        unread=tuple(Skipped(name, 20, "unknown") for name in names),
    )


@pytest.mark.parametrize(
    ("names", "objective"),
    [
        (["frac_reward_zero_std", "completions/mean_length"], RL_POST_TRAINING),
        (["actor/pg_loss", "actor/entropy", "critic/score/mean"], RL_POST_TRAINING),
        (["train/vllm_kl", "train/policy_loss"], RL_POST_TRAINING),
        (["objective/kl", "policy/clipfrac_avg", "val/ratio"], RL_POST_TRAINING),
        (["rewards/chosen", "rewards/margins", "logps/chosen"], PREFERENCE),
        (["eval_rewards/accuracies", "eval_logps/rejected"], PREFERENCE),
        (["mean_reward", "min_reward", "accuracy"], REWARD_MODEL),
        (["rollout/ep_rew_mean", "train/approx_kl"], CLASSIC_RL),
        (["charts/episodic_return"], CLASSIC_RL),
        (["mean 100 episode reward"], CLASSIC_RL),
        (["D(x)", "D(G(z))"], GAN),
        (["loss_simple", "loss_vlb"], DIFFUSION),
        (["kld", "recon_loss"], VAE),
        (["train/contrastive_loss", "train/logit_scale"], CONTRASTIVE),
        (["loss_ctc", "wer"], CTC),
        (["train/box_loss", "metrics/mAP50(B)"], DETECTION),
        (["mean_token_accuracy", "num_tokens"], FINE_TUNING),
        (["training's binary_logloss", "valid_0's auc"], NOT_A_NETWORK),
        (["anything", "else"], OTHER),
        # Names that share a word with another kind.
        (["kl_weight_decay", "reconnects"], OTHER),
        (["factor", "director"], OTHER),
    ],
)
def test_names_of_a_log_tell_what_is_trained(names: list[str], objective: Objective) -> None:
    kind = recognized(run_of(*names))
    assert kind.objective is objective
    assert (objective is OTHER) == (not kind.evidence)


@pytest.mark.parametrize(
    ("facts", "objective"),
    [
        ({f.LIBRARIES: "datasets, diffusers"}, DIFFUSION),
        ({f.LIBRARIES: "trl.trainer.dpo_trainer"}, PREFERENCE),
        ({f.FRAMEWORK: "catboost"}, NOT_A_NETWORK),
        ({f.OPTIMIZERS_IN_TURN: 2}, GAN),
        ({f.LOSS_FUNCTION: "ctc_loss"}, CTC),
        ({f.LOSS_FUNCTION: "mse_loss"}, REGRESSION),
        ({f.LOSS_FUNCTION: "binary_cross_entropy_with_logits"}, CLASSIFICATION),
        ({f.LOSS_FUNCTION: "moe_cross_entropy"}, CLASSIFICATION),
        ({f.LOSS_FUNCTION: "my_own_thing"}, OTHER),
    ],
)
def test_facts_tell_what_is_trained(facts: dict[Fact, Scalar], objective: Objective) -> None:
    assert recognized(run_of(facts=facts)).objective is objective


def test_settings_tell_what_is_trained() -> None:
    assert recognized(run_of(settings={"lora_r": 8})).objective is FINE_TUNING
    assert recognized(run_of(settings={"model.block_size": 64, "n_head": 4})).objective is LANGUAGE_MODELING
    assert recognized(run_of(settings={"num_leaves": 31, "bagging_freq": 1})).objective is NOT_A_NETWORK
    assert recognized(run_of(settings={"num_leaves": 31})).objective is OTHER


def with_first_loss(value: float) -> Run:
    values = np.linspace(value, value / 2, len(AT))
    return Run("run", (Series(q.TRAIN_LOSS, AT.copy(), values, name="loss"),))


def test_a_first_loss_at_the_chance_level_of_a_vocabulary_is_a_language_model() -> None:
    assert recognized(with_first_loss(10.85)).objective is LANGUAGE_MODELING
    assert recognized(with_first_loss(9.5)).objective is OTHER


@pytest.mark.parametrize(
    ("rate", "first", "objective"),
    [
        (2e-5, 10.85, FINE_TUNING),
        (2e-4, 2.0, FINE_TUNING),
        (1e-3, 25.0, FINE_TUNING),
        (1e-3, 10.85, LANGUAGE_MODELING),
    ],
)
def test_the_hf_trainer_fine_tunes_unless_it_starts_at_the_loss_of_a_vocabulary(
    rate: float, first: float, objective: Objective
) -> None:
    run = replace(with_first_loss(first), unread=(Skipped("eval_samples_per_second", 20, "unknown"),))
    rates = Series(q.LEARNING_RATE, AT.copy(), np.linspace(rate, 0, len(AT)), name="learning_rate")
    assert recognized(replace(run, series=(*run.series, rates))).objective is objective


@pytest.mark.parametrize(
    ("names", "objective"), [(["frac_reward_zero_std"], VAE), ([], DIFFUSION)], ids=["wrong", "unknown"]
)
def test_what_the_user_states_decides(names: list[str], objective: Objective) -> None:
    assert recognized(given(run_of(*names), objective)).objective is objective


def rewarded(quantity: Quantity, name: str) -> Run:
    loss = Series(q.TRAIN_LOSS, AT.copy(), np.linspace(2.0, 1.0, len(AT)), name="loss")
    return Run("run", (loss, Series(quantity, AT.copy(), np.linspace(0.0, 1.0, len(AT)), name=name)))


def test_the_objective_decides_which_curve_tells_whether_the_run_learns() -> None:
    curve = learning_curve(rewarded(q.REWARD, "episode_reward"))
    assert curve is not None
    assert curve.quantity is q.REWARD
    assert learning_curve(run_of("D(x)", "D(G(z))")) is None
    preference = learning_curve(given(rewarded(q.VAL_ACCURACY, "eval_rewards/accuracies"), PREFERENCE))
    assert preference is not None
    assert preference.quantity is q.VAL_ACCURACY
