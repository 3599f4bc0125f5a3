"""Optimizer unsuited.

## What happens
The optimizer was made for another kind of training. That is rare: mostly the rate or the gradients are at
fault, and a new optimizer cures by accident, because it brings another default rate. The true cases:

Whole-data methods on batches. L-BFGS builds a picture of the curvature from differences of gradients and
searches along a line, and Rprop adapts each weight's step by whether the sign of its gradient has changed.
Both take it that the loss is the same function at every step. From batch to batch signs flip and
differences are mostly noise: Rprop shrinks or grows its steps by chance, and L-BFGS computes a wrong
direction and may leap. One example: Rprop with all data reached a loss below 0.001 in 200 steps; with
batches of 64 it hung at 0.3 for 1,500, where Adam reached 0.06.

Methods whose steps die. Adagrad divides by the root of the sum of all squared gradients, which only grows,
so its rate falls like `1 / sqrt(t)` of itself; it suits sparse features and short runs. Adadelta scales its
steps by itself and wants a rate of about 1: at 0.001, taken over from Adam, it does nothing at all.

Plain SGD where layers or words differ in scale by orders of magnitude: transformers, embeddings of rare
words, models with heavy-tailed gradients. One rate is then too high for the one and too low for the other.
Convolutional networks with normalisation are the opposite case: there SGD with momentum is at home.

## What you see
Adadelta or Adagrad at Adam's rate: a nearly flat line. Rprop and L-BFGS on batches: a fast fall in the
first epoch, then a level or leaps that no rate cures. SGD on a transformer: rates that do not diverge
crawl, and the ones that do not crawl diverge; the loss hangs for long at the level of word frequencies.

## Often confused with
- `lr-too-low`: the same optimizer at a ten times higher rate trains.
- `lr-too-high`: the same optimizer at a ten times lower rate trains.
- `unnormalized-inputs`: scales differ in the inputs; standardised, SGD trains.
- `vanishing-gradients`: the first layers get next to nothing with every optimizer.
- `weight-decay-coupled`: AdamW with the same values repairs it.
- `missing-warmup`: the same optimizer trains with a warm-up.

## What not to do
- Trying all optimizers in a row: each brings its own default rate, and the one that works by accident
  teaches nothing.
- Comparing two optimizers at one rate: 0.1 is ordinary for SGD and ruinous for Adam.
- Changing the optimizer in the middle and keeping the schedule: its rates belong to the old one.
- Taking Adam everywhere: with convolution and normalisation SGD with momentum often generalises better.
- Using L-BFGS without a closure on a fixed batch: it evaluates the loss several times per step.

## References
- Riedmiller, Braun: A Direct Adaptive Method for Faster Backpropagation Learning: The RPROP Algorithm,
  1993.
- Duchi, Hazan, Singer: Adaptive Subgradient Methods for Online Learning and Stochastic Optimization, 2011.
- Zeiler: ADADELTA: An Adaptive Learning Rate Method, 2012.
- Wilson, Roelofs, Stern, Srebro, Recht: The Marginal Value of Adaptive Gradient Methods in Machine
  Learning, 2017.
- Zhang and others: Why Are Adaptive Methods Good for Attention Models?, 2020.
- Kunstner, Yadav, Milligan, Schmidt, Bietti: Heavy-Tailed Class Imbalance and Why Adam Outperforms Gradient
  Descent on Language Models, 2024.
- Choi and others: On Empirical Comparisons of Optimizers for Deep Learning, 2019, tune before you compare.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_plateaus
from traindx.signs.optimizer import optimizer_ill_fitting
from traindx.signs.weights import updates_tiny

CAUSE = Cause(
    slug="optimizer-unsuited",
    title="The optimizer does not suit the training",
    prior=-4.33,
    clues=(
        Clue(little_learned, seen=+1.30),
        Clue(updates_tiny, seen=+1.51),
        Clue(optimizer_ill_fitting, seen=+6.00, unseen=-2.20),
        Clue(loss_falls_slowly, seen=+0.78),
        Clue(loss_plateaus, seen=+0.90),
        Clue(loss_diverges, seen=+0.56),
    ),
    fixes=(
        Prescription(
            title="Use AdamW at a rate of its own for batches and for attention",
            expect="the loss falls below the old run's best within the same number of steps",
            safety=Safety.ASK,
            not_when="a ten times higher or lower rate of the old optimizer was not tried yet",
            before="""\
optimizer = torch.optim.Rprop(model.parameters(), lr=0.01)  # gets another batch each step""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)""",
            change="optimizer.use adamw",
        ),
        Prescription(
            title="Give the optimizer the rate its steps are scaled for",
            expect="the loss leaves its level within 100 steps",
            safety=Safety.ASK,
            not_when="the rate is at the optimizer's own default already",
            before="""\
optimizer = torch.optim.Adadelta(model.parameters(), lr=1e-3)""",
            code="""\
optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)""",
        ),
        Prescription(
            title="Give a whole-data method the whole data, or one fixed batch, in a closure",
            expect="the loss falls at every step",
            safety=Safety.MANUAL,
            not_when="the data does not fit into one batch",
            before="""\
optimizer = torch.optim.LBFGS(model.parameters())
for x, y in train_loader:
    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        return loss
    optimizer.step(closure)""",
            code="""\
optimizer = torch.optim.LBFGS(model.parameters(), line_search_fn="strong_wolfe")

def closure() -> torch.Tensor:
    optimizer.zero_grad()
    loss = loss_fn(model(all_x), all_y)
    loss.backward()
    return loss

for _ in range(100):
    optimizer.step(closure)""",
        ),
    ),
    experiment=Experiment(
        does="Run 200 steps each at a tenth, the same and ten times the rate, then AdamW at 1e-3",
        if_true="no rate of the old optimizer comes near AdamW",
        if_false="one of the rates does as well: the rate was the cause",
        minutes=10,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.SLOW, Symptom.PLATEAU, Symptom.UNSTABLE),
    places=(facts.OPTIMIZER_PLACE,),
)
