"""TorchRL's PPO tutorial in small: GAE and ClipPPOLoss; a point in the plane learns to reach a goal."""

import argparse

import torch
from tensordict import TensorDict
from tensordict.nn import InteractionType, TensorDictModule
from torch import nn
from torchrl.modules import NormalParamExtractor, ProbabilisticActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200, help="optimizer steps, 16 a batch of rollouts")
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--clip-epsilon", type=float, default=0.2)
parser.add_argument("--entropy-eps", type=float, default=1e-3)
parser.add_argument("--max-grad-norm", type=float, default=1.0)
args = parser.parse_args()

torch.manual_seed(0)
WORLDS, HORIZON = 32, 20


def network(outputs):
    return nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, outputs))


actor = ProbabilisticActor(
    TensorDictModule(
        nn.Sequential(network(4), NormalParamExtractor()), in_keys=["observation"], out_keys=["loc", "scale"]
    ),
    in_keys=["loc", "scale"],
    distribution_class=TanhNormal,
    default_interaction_type=InteractionType.RANDOM,
    return_log_prob=True,
)
critic = ValueOperator(network(1), in_keys=["observation"])
advantage = GAE(gamma=0.95, lmbda=0.95, value_network=critic, average_gae=True)
loss_module = ClipPPOLoss(
    actor, critic, clip_epsilon=args.clip_epsilon, entropy_coeff=args.entropy_eps, critic_coeff=1.0
)
optimizer = torch.optim.Adam(loss_module.parameters(), lr=args.lr)


def rollout():
    """A point in the plane moves by the action; it is rewarded for being near the goal."""
    place, goal = torch.randn(2, WORLDS, 2)
    frames = []
    for time in range(HORIZON):
        frame = TensorDict({"observation": torch.cat([place, goal], 1)}, batch_size=[WORLDS])
        with torch.no_grad():
            actor(frame)
        place = place + 0.3 * frame["action"]
        reward = -(place - goal).norm(dim=1, keepdim=True)
        done = torch.full((WORLDS, 1), time == HORIZON - 1)
        frame["next"] = TensorDict(
            {
                "observation": torch.cat([place, goal], 1),
                "reward": reward,
                "done": done,
                "terminated": torch.zeros_like(done),
            },
            batch_size=[WORLDS],
        )
        frames.append(frame)
    return torch.stack(frames, 1)


step = 0
while step < args.steps:
    data = rollout()
    with torch.no_grad():
        advantage(data)
    flat = data.reshape(-1)
    for _ in range(4):
        for picked in torch.randperm(len(flat)).chunk(4):
            losses = loss_module(flat[picked])
            loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            loss.backward()
            nn.utils.clip_grad_norm_(loss_module.parameters(), args.max_grad_norm)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
    if step % 80 == 0:
        print(f"step {step} reward {data['next', 'reward'].mean().item():.4f}")
with torch.no_grad():
    place, goal = torch.stack([rollout()["observation"] for _ in range(5)]).chunk(2, dim=-1)
print(f"mean distance to the goal {(place - goal).norm(dim=-1).mean().item():.4f}")
