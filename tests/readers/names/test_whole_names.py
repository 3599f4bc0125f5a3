"""Keys that mean something only as a whole, and scores of a reward model that are no reward."""

import json
from pathlib import Path

import pytest

from traindx import quantities as q
from traindx.curves.objective import is_reinforcement
from traindx.readers.loading.runs import load
from traindx.readers.names.vocabulary import Meaning, meaning
from traindx.readers.names.whole_names import WHOLE_NAMES, scores_of_a_reward_model
from traindx.run import Split


@pytest.mark.parametrize("name", WHOLE_NAMES)
def test_every_key_has_the_meaning_of_its_table_whatever_its_case(name: str) -> None:
    quantity, part = WHOLE_NAMES[name]
    for spelled in (name, name.upper(), f" {name} "):
        parsed = meaning(spelled)
        assert parsed is not None
        assert (parsed.quantity, parsed.part) == (quantity, part)


@pytest.mark.parametrize(
    ("name", "place", "expected"),
    [
        ("kld", Split.VALIDATION, Meaning(q.VAL_LOSS, "kld")),
        ("eval_completions/clipped_ratio", None, Meaning(q.TRUNCATED_SHARE, "val")),
        ("eval/toy_math_pass1", None, Meaning(q.VAL_SCORE, "toy_math_pass1")),
        ("train/clipfrac", None, Meaning(q.RATIO_CLIPPED_SHARE)),
        ("timing_s/reward", None, None),
        ("rollout_corr/chi2_seq", None, None),
    ],
)
def test_place_and_neighbors_of_a_key(name: str, place: Split | None, expected: Meaning | None) -> None:
    assert meaning(name, place) == expected


def test_three_divergences_have_three_parts() -> None:
    names = ["train/approx_kl", "actor/ppo_kl", "objective/kl", "actor/kl_loss", "train/vllm_kl"]
    parsed = [meaning(name) for name in names]
    assert [each.part if each else "-" for each in parsed] == [
        "previous",
        "previous",
        "reference",
        "reference",
        "sampler",
    ]


def test_scores_beside_a_margin_are_of_a_reward_model() -> None:
    assert scores_of_a_reward_model(["mean_reward", "loss"]) == {}
    parsed = scores_of_a_reward_model(["mean_reward", "eval_max_reward", "margin", "loss"])
    assert parsed == {"mean_reward": q.PREDICTION_MEAN, "eval_max_reward": q.PREDICTION_MAX}


def test_the_log_of_a_reward_trainer_holds_no_reward(tmp_path: Path) -> None:
    rows = [
        {
            "step": n,
            "loss": 0.7 - n / 100,
            "accuracy": 0.5 + n / 100,
            "margin": n / 10,
            "mean_reward": -n / 50,
        }
        for n in range(1, 30)
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (run,) = load(log)
    assert q.REWARD not in run
    assert q.PREDICTION_MEAN in run
    assert not is_reinforcement(run)
