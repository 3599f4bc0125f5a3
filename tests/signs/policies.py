"""Small trainings of a policy by reward, in numpy: healthy ones, and ones that go wrong as policies do.

The policy writes up to 12 of 8 tokens, the last of which ends the answer; each place has logits of its own.
It earns the share of tokens that are right. It is trained as GRPO does: several answers to a prompt, of which
the mean is the baseline, and clipped probability ratios.
"""

from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from traindx import quantities as q
from traindx.curves.recognition import given
from traindx.objective import RL_POST_TRAINING
from traindx.run import Floats, Quantity, Run, Series

Integers = npt.NDArray[np.int64]

TOKENS, END, PLACES = 8, 7, 12
RIGHT = np.array([3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 0, 6])


@dataclass(frozen=True)
class Training:
    """A training of the policy; what differs from the default is its fault."""

    steps: int = 120
    rate: float = 0.6
    growth: float = 0.0
    """Of the rate, with every step."""
    entropy: float = 0.0
    """Weight of the entropy in the objective."""
    passes: int = 2
    clip: float = 0.2
    noise: float = 0.0
    """Of the reward, which is then nothing else."""
    learns: bool = True
    """Whether right tokens earn anything."""
    per_token: float = 0.0
    """Reward of length alone."""
    least: float = 0.0
    """Share of right tokens below which an answer earns nothing."""
    ends: float = -2.0
    """Logit of the end at first."""
    whole: bool = False
    """Whether an answer that does not end earns nothing."""
    sureness: float = 1.0
    """Of the first policy, which knows a part of the answer."""
    temperature: float = 1.0
    """Of the sampler alone."""
    penalty: float = 0.0
    """Weight of the divergence in the reward."""
    critic: float = 0.2
    """Rate of the value function."""
    guess: float = 0.0
    """What the value function says at first."""
    seed: int = 0


def softmax(logits: Floats) -> Floats:
    raised = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


@dataclass
class Learner:
    """A policy with its reference and its value function."""

    how: Training
    logged: dict[tuple[Quantity, str], list[float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.dice = np.random.default_rng(self.how.seed)
        self.logits = self.dice.normal(size=(PLACES, TOKENS)) * 0.3
        self.logits[np.arange(PLACES), RIGHT] += self.how.sureness
        self.logits[:, END] = self.how.ends
        self.reference = softmax(self.logits)
        self.values = np.full(PLACES, self.how.guess)

    def log(self, quantity: Quantity, value: float, part: str = "") -> None:
        self.logged.setdefault((quantity, part), []).append(float(value))

    def sample(self, answers: int, temperature: float = 1.0) -> tuple[Integers, npt.NDArray[np.bool_]]:
        """Answers, and which of their places were written."""
        chances = softmax(self.logits / temperature).cumsum(-1)
        tokens = (self.dice.random((answers, PLACES, 1)) > chances).sum(-1).clip(max=TOKENS - 1)
        before = np.cumsum(tokens == END, axis=1) - (tokens == END)
        return tokens, before == 0

    def solved(self, tokens: Integers, written: npt.NDArray[np.bool_]) -> Floats:
        """The share of right tokens of each answer."""
        right = ((tokens == RIGHT) & written).mean(1)
        right = np.where(right >= self.how.least, right, 0.0)
        return np.asarray(right * (tokens == END).any(1) if self.how.whole else right)

    def earned(self, tokens: Integers, written: npt.NDArray[np.bool_]) -> Floats:
        solved = self.solved(tokens, written) * self.how.learns
        return np.asarray(solved + self.how.per_token * written.sum(1))

    def step(self, number: int) -> None:
        how, groups, size = self.how, 8, 8
        tokens, written = self.sample(groups * size, how.temperature)
        reward = self.earned(tokens, written)
        if how.noise:
            reward = self.dice.normal(size=len(reward)) * how.noise
        at = (np.arange(PLACES), tokens)
        before = softmax(self.logits)
        shift = np.log(before[at] / self.reference[at]) * written
        divergence = shift.sum(1)
        paid = -how.penalty * divergence
        self._log_rollout(tokens, written, reward, before, divergence, paid)
        total = (reward + paid).reshape(groups, size)
        spread = total.std(1, keepdims=True)
        advantage = np.where(spread > 1e-9, (total - total.mean(1, keepdims=True)) / (spread + 1e-4), 0.0)
        self._learn(number, tokens, written, advantage.reshape(-1), before)

    def _log_rollout(
        self,
        tokens: Integers,
        written: npt.NDArray[np.bool_],
        reward: Floats,
        before: Floats,
        divergence: Floats,
        paid: Floats,
    ) -> None:
        entropy = -(before * np.log(before + 1e-12)).sum(-1)
        groups = reward.reshape(8, 8)
        self.log(q.REWARD, reward.mean())
        self.log(q.REWARD, paid.mean(), "penalty")
        self.log(q.ENTROPY, (entropy * written).sum() / written.sum())
        self.log(q.KL_DIVERGENCE, max(divergence.sum() / written.sum(), 0.0), "reference")
        self.log(q.ZERO_ADVANTAGE_SHARE, float((groups.std(1) < 1e-9).mean()))
        self.log(q.TRUNCATED_SHARE, 1 - (tokens == END).any(1).mean())
        self.log(q.RESPONSE_LENGTH, written.sum(1).mean())
        sampler = softmax(self.logits / self.how.temperature)
        self.log(q.KL_DIVERGENCE, (sampler * np.log(sampler / before)).sum(-1).mean(), "sampler")
        returns = np.repeat(reward[:, None], PLACES, 1)
        left = np.var((returns - self.values)[written]) + np.mean((returns - self.values)[written]) ** 2
        self.log(q.TRAIN_SCORE, 1 - left / (np.mean(returns[written] ** 2) + 1e-9), "explained_variance")
        self.values += self.how.critic * (reward.mean() - self.values)
        self.log(q.REWARD, self.solved(*self.sample(64)).mean(), "val")

    def _learn(
        self,
        number: int,
        tokens: Integers,
        written: npt.NDArray[np.bool_],
        advantage: Floats,
        before: Floats,
    ) -> None:
        how, at = self.how, (np.arange(PLACES), tokens)
        rate = how.rate * (1 + how.growth * number)
        clipped = 0.0
        for _ in range(how.passes):
            now = softmax(self.logits)
            ratio = now[at] / before[at]
            out = np.abs(ratio - 1) > how.clip
            useless = out & ((ratio > 1) == (advantage[:, None] > 0))
            weight = np.where(useless, 0.0, ratio.clip(max=10.0)) * advantage[:, None] * written / len(tokens)
            gradient = np.zeros_like(self.logits)
            for index in range(PLACES):
                gradient[index] = np.bincount(tokens[:, index], weight[:, index], TOKENS)
            gradient -= now * weight.sum(0)[:, None]
            entropy = -(now * np.log(now + 1e-12)).sum(-1, keepdims=True)
            gradient += how.entropy * -now * (np.log(now + 1e-12) + entropy)
            self.logits = (self.logits + rate * gradient).clip(-30, 30)
            clipped = float((out & written).sum() / written.sum())
        after = softmax(self.logits)
        moved = (before * np.log((before + 1e-12) / (after + 1e-12))).sum(-1).mean()
        self.log(q.RATIO_CLIPPED_SHARE, clipped)
        self.log(q.KL_DIVERGENCE, moved, "previous")


@cache
def trained(how: Training) -> Run:
    """The log of a training."""
    learner = Learner(how)
    for number in range(how.steps):
        learner.step(number)
    steps = np.arange(1, how.steps + 1, dtype=np.float64)
    series = tuple(
        Series(quantity, steps.copy(), np.array(values), part=part, name=f"{quantity.slug} {part}".strip())
        for (quantity, part), values in learner.logged.items()
    )
    return given(Run("policy", series), RL_POST_TRAINING)


HEALTHY = Training()
CASES: dict[str, tuple[Training, Training]] = {
    "policy_entropy_collapses": (Training(entropy=-2.0, rate=2.0, sureness=0.0), HEALTHY),
    "policy_entropy_explodes": (Training(sureness=4.0, entropy=0.5, rate=0.3), Training(sureness=4.0)),
    "policy_updates_too_large": (Training(noise=1.0, rate=20.0, passes=1, entropy=0.3), HEALTHY),
    "policy_drifts_without_gain": (Training(noise=1.0, rate=6.0), HEALTHY),
    "divergence_is_rewarded": (Training(penalty=-0.5, rate=2.0), Training(penalty=0.05)),
    "ratios_mostly_clipped": (Training(noise=1.0, rate=10.0, passes=4, entropy=0.05), HEALTHY),
    "ratio_clipping_grows": (
        Training(noise=1.0, rate=0.3, growth=0.3, passes=4, entropy=0.1, steps=80),
        HEALTHY,
    ),
    "sampler_disagrees": (Training(temperature=0.4), HEALTHY),
    "answers_truncated": (Training(ends=-9.0, whole=True), Training(ends=0.0, whole=True)),
    "truncation_rises": (Training(ends=1.0, per_token=0.3), Training(ends=0.0, whole=True)),
    "groups_without_advantage": (Training(least=0.9, sureness=0.0), HEALTHY),
    "reward_given_back": (Training(entropy=0.3, growth=0.05), HEALTHY),
    "value_function_useless": (Training(noise=1.0, critic=0.0, guess=2.0), HEALTHY),
    "reward_grows_with_length_only": (
        Training(ends=1.0, per_token=0.3, rate=2.0, learns=False, whole=True),
        Training(ends=0.0),
    ),
}
"""For each sign a training that shows it, and one that does not."""
