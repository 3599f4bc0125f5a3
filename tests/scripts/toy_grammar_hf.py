# GPT-2 architecture, random weights, a Markov language with known entropy, no evaluation set
import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

set_seed(99)
V, T, N = 40, 32, 4800
P = torch.softmax(2.0 * torch.randn(V, V), dim=1)


def stationary_entropy(P):
    pi = torch.full((V,), 1 / V)
    for _ in range(200):
        pi = pi @ P
    return -(pi[:, None] * P * P.log()).sum().item()


seqs = torch.zeros(N, T, dtype=torch.long)
seqs[:, 0] = torch.randint(V, (N,))
for t in range(1, T):
    seqs[:, t] = torch.multinomial(P[seqs[:, t - 1]], 1).squeeze(1)
dataset = [{"input_ids": s, "labels": s} for s in seqs]

cfg = GPT2Config(vocab_size=V, n_positions=T, n_embd=48, n_layer=2, n_head=4, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                 bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(cfg)

with tempfile.TemporaryDirectory() as tmp:
    trainer = Trainer(
        model=model,
        args=TrainingArguments(tmp, per_device_train_batch_size=32, num_train_epochs=2, learning_rate=4e-3,
                               lr_scheduler_type="linear", warmup_steps=30, logging_steps=20, save_strategy="no",
                               report_to=[], use_cpu=True, disable_tqdm=True, seed=99),
        train_dataset=dataset,
    )
    trainer.train()
print("entropy of the language:", round(stationary_entropy(P), 4), "nats per token")
