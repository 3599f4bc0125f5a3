"""Names that mean something only as a whole: keys of trainers for policies, preferences, rewards and GANs.

actor/ppo_kl         KL_DIVERGENCE "previous", not of the reference
train/entropy_loss   ENTROPY "loss": Stable-Baselines3 logs minus the entropy, OpenRLHF the entropy
completions/clipped_ratio    TRUNCATED_SHARE, nothing about gradients

A table's line holds a part and the names for it; `train/` or `eval_` may stand before each.
"""

import re
from collections.abc import Iterable, Iterator

from traindx import quantities as q
from traindx.run import Quantity, Split

_TABLES: dict[Quantity, str] = {
    q.REWARD: """: critic/score/mean; objective/scores
        max: critic/score/max
        min: critic/score/min
        penalized: critic/rewards/mean; objective/rlhf_reward
        penalized_max: critic/rewards/max
        penalized_min: critic/rewards/min
        penalty: objective/non_score_reward""",
    q.ENTROPY: """: actor/entropy; actor/entropy_loss; entropy/mean
        loss: train/entropy_loss; losses/entropy_loss""",
    q.KL_DIVERGENCE: """previous: approx_kl; approxkl; losses/approx_kl; policy/approxkl_avg; actor/ppo_kl
        previous: ppo_kl; learners/default_policy/mean_kl_loss
        previous_k1: losses/old_approx_kl; old_approx_kl
        reference: objective/kl; actor/kl_loss; actor/ref_kl; ref_kl; actor/reward_kl_penalty
        sampler: vllm_kl; rollout_corr/kl
        sampler_k3: rollout_corr/k3_kl""",
    q.ZERO_ADVANTAGE_SHARE: ": frac_reward_zero_std; reward_zero_std_ratio",
    q.KEPT_GROUPS_SHARE: ": dynamic_filtering_pass_rate; rollout/dynamic_filtering_pass_rate",
    q.RATIO_CLIPPED_SHARE: """: clip_ratio/region_mean; clip_ratio; policy/clipfrac_avg; actor/pg_clipfrac
        : clipfrac; losses/clipfrac; train/clip_fraction; ppo_clip_ratio; rollout/clip_ratio; ppo/clip_frac
        low: clip_ratio/low_mean
        low_min: clip_ratio/low_min
        high: clip_ratio/high_mean
        high_max: clip_ratio/high_max
        lower: actor/pg_clipfrac_lower
        value: val/clipfrac_avg; critic/vf_clipfrac""",
    q.TRUNCATED_SHARE: """: completions/clipped_ratio; completions/truncated_fraction; response_clip_ratio
        : response_length/clip_ratio; truncated_rate; rollout/truncated_rate
        prompt: prompt_length/clip_ratio""",
    q.RESPONSE_LENGTH: """: completions/mean_length; completion_length; response_length/mean; response_length
        : rollout/response_length
        min: completions/min_length; response_length/min
        max: completions/max_length; response_length/max
        terminated: completions/mean_terminated_length; response_length_non_aborted/mean
        terminated_min: completions/min_terminated_length; response_length_non_aborted/min
        terminated_max: completions/max_terminated_length; response_length_non_aborted/max""",
    q.LOGP_GAP: """: sampling/sampling_logp_difference/mean; logprobs_diff
        max: sampling/sampling_logp_difference/max
        probability: training/rollout_probs_diff_mean
        probability_max: training/rollout_probs_diff_max
        probability_std: training/rollout_probs_diff_std""",
    q.IMPORTANCE_RATIO: """: sampling/importance_sampling_ratio/mean; rollout_corr/rollout_is_mean; val/ratio
        min: sampling/importance_sampling_ratio/min; rollout_corr/rollout_is_min
        max: sampling/importance_sampling_ratio/max; rollout_corr/rollout_is_max
        var: val/ratio_var""",
    q.EFFECTIVE_SAMPLE_SHARE: ": rollout_corr/rollout_is_eff_sample_size",
    q.SAMPLER_AGREEMENT: ": training/rollout_actor_probs_pearson_corr",
    q.ADVANTAGE: """: critic/advantages/mean
        max: critic/advantages/max
        min: critic/advantages/min""",
    q.VALUE_TARGET: """: critic/returns/mean
        max: critic/returns/max
        min: critic/returns/min""",
    q.VALUE_PREDICTION: """: critic/values/mean; average-v-values; losses/q_values; averagevvals
        max: critic/values/max; max-v-values
        min: critic/values/min; min-v-values
        std: std-v-values
        q1: losses/qf1_values
        q2: losses/qf2_values""",
    q.TRAIN_SCORE: """explained_variance: critic/vf_explained_var; vf_explained_var
        explained_variance: learners/default_policy/vf_explained_var
        explained_variance: info/learner/default_policy/learner_stats/vf_explained_var""",
    q.POLICY_STD: ": train/std",
    q.ENTROPY_COEFFICIENT: ": train/ent_coef; losses/alpha",
    q.LOG_PROBABILITY: "chosen: logps/chosen\nrejected: logps/rejected",
    q.MEAN_LOGIT: "chosen: logits/chosen\nrejected: logits/rejected",
    q.PREFERENCE_MARGIN: ": margin\nlog_odds: log_odds_ratio\nlog_odds_chosen: log_odds_chosen",
    q.LOGIT_SCALE: ": logit_scale",
    q.DISCRIMINATOR_OUTPUT: "real: d(x)\nfake: d(g(z)); d(g(z))1\nfake_2: d(g(z))2",
    q.TRAIN_LOSS: """kld: kld
        d_a: d_a
        d_b: d_b
        g_a: g_a
        g_b: g_b
        cycle_a: cycle_a
        cycle_b: cycle_b
        idt_a: idt_a
        idt_b: idt_b""",
}

_OF_REWARD_MODELS = {
    "mean_reward": q.PREDICTION_MEAN,
    "min_reward": q.PREDICTION_MIN,
    "max_reward": q.PREDICTION_MAX,
}
"""Scores that a reward model gives: its predictions, not what an agent earned."""


def _names() -> Iterator[tuple[str, tuple[Quantity, str]]]:
    for quantity, table in _TABLES.items():
        for line in table.splitlines():
            part, _, names = line.partition(":")
            yield from ((name.strip(), (quantity, part.strip())) for name in names.split(";"))


WHOLE_NAMES = dict(_names())
"""The quantity and part of each name."""

_PASSED = re.compile(r"eval/(?P<tasks>.+)_pass(?P<tries>\d+)")
"""The share of held-out tasks that one of so many tries solves, as OpenRLHF names it."""
_PLACE = re.compile(r"(train|eval)[/_]")
_UNREAD = re.compile(r"(?:timing_s|timing_per_token_ms|rollout_corr)/.+")
"""Places whose other names only look like metrics: `timing_s/reward` is a time, `corr` no correlation."""


def whole_name(name: str, split: Split | None = None) -> tuple[Quantity, str] | None:
    """The quantity and part of a name that has a meaning as a whole.

    The part of an evaluation begins with "val". `split` is what its place in the log tells.
    """
    spelled = name.strip().lower()
    passed = _PASSED.fullmatch(spelled)
    if passed:
        return q.VAL_SCORE, f"{passed['tasks']}_pass{passed['tries']}"
    match = None if spelled in WHOLE_NAMES else _PLACE.match(spelled)
    known = WHOLE_NAMES.get(spelled[match.end() :] if match else spelled)
    if known is None:
        return None
    quantity, part = known
    is_evaluated = match is not None and match[1] == "eval"
    if quantity.split is not None:
        return on_split(quantity, Split.VALIDATION if is_evaluated else split or quantity.split), part
    return quantity, "_".join(filter(None, (Split.VALIDATION.value if is_evaluated else "", part)))


def on_split(quantity: Quantity, split: Split) -> Quantity:
    """The same measure on another part of the data."""
    assert quantity.split is not None
    return q.QUANTITIES[split.value + quantity.slug.removeprefix(quantity.split.value)]


def is_no_metric(name: str) -> bool:
    """Whether a name is of a place that holds other things under the names of metrics."""
    return _UNREAD.fullmatch(name.strip().lower()) is not None


def scores_of_a_reward_model(names: Iterable[str]) -> dict[str, Quantity]:
    """Of the names of a log those that are scores of a reward model, because it logs a `margin` as well."""
    spelled = {name.strip().lower(): name for name in names}
    if not spelled.keys() & {"margin", "train/margin", "eval_margin", "eval/margin"}:
        return {}
    return {
        name: _OF_REWARD_MODELS[bare]
        for lower, name in spelled.items()
        if (bare := _PLACE.sub("", lower, count=1)) in _OF_REWARD_MODELS
    }
