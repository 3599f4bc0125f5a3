import random

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments, set_seed

WORDS = "the cat dog bird sees hears likes a red blue small big house tree and then it runs away".split()
SUBJ, VERB, ADJ, OBJ = ["cat", "dog", "bird"], ["sees", "hears", "likes"], ["red", "blue", "small", "big"], ["house", "tree"]
TEXT_LEN = 24


def sentence(rng):
    return ["the", rng.choice(SUBJ), rng.choice(VERB), "a", rng.choice(ADJ), rng.choice(OBJ), "and", "then", "it", "runs", "away"]


def corpus(n, seed):
    rng, vocab = random.Random(seed), {w: i for i, w in enumerate(WORDS)}
    rows = []
    for _ in range(n):
        toks = []
        while len(toks) < TEXT_LEN:
            toks += [vocab[w] for w in sentence(rng)]
        ids = torch.tensor(toks[:TEXT_LEN])
        rows.append({"input_ids": ids, "labels": ids.clone()})
    return rows


if __name__ == "__main__":
    torch.set_num_threads(1)
    set_seed(1)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(WORDS), n_positions=TEXT_LEN, n_embd=48, n_layer=2, n_head=4,
                                       bos_token_id=0, eos_token_id=0))
    args = TrainingArguments("out_gpt", per_device_train_batch_size=32, num_train_epochs=5, learning_rate=2e-3,
                             warmup_steps=20, lr_scheduler_type="cosine", logging_steps=10, eval_strategy="steps",
                             eval_steps=40, save_strategy="no", report_to=[], disable_tqdm=True, use_cpu=True)
    trainer = Trainer(model=model, args=args, train_dataset=corpus(2000, 0), eval_dataset=corpus(300, 1))
    trainer.train()
    print(trainer.evaluate())
