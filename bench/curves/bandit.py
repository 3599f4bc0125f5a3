"""Learning from rewards: a policy names the digit it sees and is told only whether that was right."""

import torch
from torch.distributions import Categorical

from curves.recipe import Recipe, Row


def train_by_reward(recipe: Recipe) -> list[Row]:
    """Policy gradients with a running baseline; rows of mean reward, policy loss and entropy."""
    torch.manual_seed(recipe.seed)
    data = recipe.data()
    model = recipe.model()
    optimizer = torch.optim.Adam(model.parameters(), recipe.lr)
    baseline = 0.1
    rows: list[Row] = []
    window: list[Row] = []
    for step in range(recipe.epochs * len(data.x) // recipe.batch_size):
        chosen = torch.randint(len(data.x), (recipe.batch_size,))
        policy = Categorical(logits=model(data.x[chosen]))
        action = policy.sample()
        reward = (action == data.y[chosen]).float()
        loss = -((reward - baseline) * policy.log_prob(action)).mean()
        baseline = 0.95 * baseline + 0.05 * reward.mean().item()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        entropy = policy.entropy().mean().item()
        window.append({"reward": reward.mean().item(), "policy_loss": loss.item(), "entropy": entropy})
        if (step + 1) % recipe.every == 0:
            means = {name: sum(row[name] for row in window) / len(window) for name in window[0]}
            rows.append({"step": step + 1, **means})
            window = []
    return rows
