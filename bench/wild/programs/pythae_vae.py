"""A beta-VAE with Pythae's training pipeline on handwritten digits."""

import argparse
import contextlib
import os

import torch
from pythae.models import BetaVAE, BetaVAEConfig
from pythae.pipelines import TrainingPipeline
from pythae.trainers import BaseTrainerConfig
from sklearn.datasets import load_digits

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=2e-3)
parser.add_argument("--beta", type=float, default=1.0)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

torch.manual_seed(0)
images = load_digits().images[:, None].astype("float32") / 16.0
train, valid = images[:1472], images[1472:]
model = BetaVAE(
    BetaVAEConfig(input_dim=(1, 8, 8), latent_dim=8, beta=args.beta, reconstruction_loss="bce")
)
config = BaseTrainerConfig(
    output_dir="out",
    num_epochs=max(1, round(args.steps / (len(train) / args.batch_size))),
    learning_rate=args.learning_rate,
    per_device_train_batch_size=args.batch_size,
    per_device_eval_batch_size=128,
    optimizer_cls="Adam",
    no_cuda=True,
    seed=0,
)
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    TrainingPipeline(model=model, training_config=config)(train_data=train, eval_data=valid)
model.eval()
with torch.no_grad():
    inputs = torch.tensor(valid)
    reconstruction = model.decoder(model.encoder(inputs).embedding).reconstruction
print(f"mean reconstruction mse {(reconstruction.view_as(inputs) - inputs).pow(2).mean().item():.4f}")
