"""PPO on CartPole with Stable-Baselines3's documented defaults, shortened."""

import argparse

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200, help="optimizer steps; 20 per rollout of 256 steps")
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--gamma", type=float, default=0.98)
parser.add_argument("--ent-coef", type=float, default=0.0)
parser.add_argument("--clip-range", type=float, default=0.2)
parser.add_argument("--max-grad-norm", type=float, default=0.5)
args = parser.parse_args()

env = gym.make("CartPole-v1")
model = PPO(
    "MlpPolicy",
    env,
    n_steps=256,
    batch_size=64,
    n_epochs=5,
    learning_rate=args.learning_rate,
    gamma=args.gamma,
    ent_coef=args.ent_coef,
    clip_range=args.clip_range,
    max_grad_norm=args.max_grad_norm,
    seed=0,
    device="cpu",
    verbose=0,
)
model.learn(total_timesteps=max(1, args.steps // 20) * 256)
episodes = [episode["r"] for episode in model.ep_info_buffer]
print(f"mean training reward of the last {len(episodes)} episodes {sum(episodes) / len(episodes):.1f}")
test_env = gym.make("CartPole-v1")
test_env.reset(seed=1)
mean_reward, _ = evaluate_policy(model, test_env, n_eval_episodes=10, warn=False)
print(f"mean reward {mean_reward:.1f}")
