"""REINFORCE on CartPole, after Gymnasium's tutorial on training with policy gradients."""

import argparse

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200, help="policy updates, one an episode")
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--gamma", type=float, default=0.99)
args = parser.parse_args()

torch.manual_seed(2)
env = gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1", max_episode_steps=150))


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))

    def forward(self, observation):
        return Categorical(logits=self.net(observation))


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=args.lr)
lengths = []
for episode in range(args.steps):
    observation, _ = env.reset(seed=episode)
    log_probs, rewards, done = [], [], False
    while not done:
        distribution = policy(torch.as_tensor(observation, dtype=torch.float32))
        action = distribution.sample()
        observation, reward, terminated, truncated, _ = env.step(action.item())
        log_probs.append(distribution.log_prob(action))
        rewards.append(float(reward))
        done = terminated or truncated
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + args.gamma * running
        returns.insert(0, running)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = -(torch.stack(log_probs) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    lengths.append(len(rewards))
    if episode % 20 == 19:
        print(f"episode {episode + 1} mean return {np.mean(lengths[-20:]):.1f}")
print(f"mean return {np.mean(lengths[-30:]):.1f}")
