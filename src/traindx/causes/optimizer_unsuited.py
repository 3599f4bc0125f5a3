"""Optimizer unsuited.

The optimizer is made for another kind of problem: full-batch, sparse, or evenly scaled gradients.

## What happens
This is rare: mostly the learning rate or the gradients are the problem, and a new optimizer helps by
accident, because it brings another default learning rate. The real cases:

Full-batch methods on minibatches. L-BFGS estimates curvature from differences of gradients and may search
along a line; Rprop adapts each weight's step by whether the sign of its gradient has changed. Both assume
that the loss is the same function at every step. From batch to batch signs flip and differences are mostly
noise: Rprop shrinks or grows its steps by chance, and L-BFGS computes a wrong direction and may jump.
Example: Rprop with all data reached a loss below 0.001 in 200 steps; with batches of 64 it stayed at 0.3
for 1,500 steps, where Adam reached 0.06.

Methods whose steps vanish. Adagrad divides by the root of the sum of all squared gradients, which only
grows, so its effective learning rate falls like `1 / sqrt(t)`; it suits sparse features and short runs.
Adadelta scales its own steps and needs `lr` of about 1, PyTorch's default: at 0.001, Keras's default or
copied from Adam, it hardly moves.

Plain SGD where layers or tokens differ in gradient scale by orders of magnitude: transformers, embeddings
of rare words, heavy-tailed gradients. One learning rate is then too high for some and too low for others.
Convolutional networks with normalization are the opposite case: SGD with momentum works well there.

## What you see
Adadelta or Adagrad at Adam's learning rate: a nearly flat line. Rprop and L-BFGS on minibatches: a fast
fall in the first epoch, then a plateau or jumps at every learning rate. SGD on a transformer: every
learning rate that does not diverge is slow, and the loss stays for long at the level of token frequencies.

## Often confused with
- `lr-too-low`: the same optimizer trains at lr x 10.
- `lr-too-high`: the same optimizer trains at lr/10.
- `unnormalized-inputs`: the inputs differ in scale; standardized, SGD trains.
- `vanishing-gradients`: the first layers get almost no gradient with every optimizer.
- `weight-decay-coupled`: AdamW with the same values fixes it.
- `missing-warmup`: the same optimizer trains with a warm-up.

## What not to do
- Try all optimizers in a row: each brings its own default lr, so an accidental improvement explains
  nothing.
- Compare two optimizers at one learning rate: 0.1 is typical for SGD and diverges with Adam.
- Switch the optimizer but keep the schedule's learning rates: they belong to the old optimizer.
- Use Adam for everything: on normalized convolutional networks SGD with momentum often generalizes better.
- Use L-BFGS without a closure: it evaluates the loss several times per step, on the same batch.

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
from traindx.curves.facts import stated_word
from traindx.facts import OPTIMIZER
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_plateaus
from traindx.signs.optimizer import optimizer_ill_fitting
from traindx.signs.weights import updates_tiny

_FULL_BATCH = ("lbfgs", "rprop")


def _uses_adam(run: Run) -> bool:
    return stated_word(run, OPTIMIZER) in ("adam", "adamw")


def _works_on_batches(run: Run) -> bool:
    optimizer = stated_word(run, OPTIMIZER)
    return bool(optimizer) and optimizer not in _FULL_BATCH


def _lr_is_not_the_point(run: Run) -> bool:
    return stated_word(run, OPTIMIZER) in ("adam", "adamw", "sgd", *_FULL_BATCH)


CAUSE = Cause(
    slug="optimizer-unsuited",
    area=Area.CURVE,
    title="Optimizer does not fit this model or data",
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
            title="Use AdamW at lr=1e-3",
            expect="the loss falls below the old best in the same number of steps",
            safety=Safety.ASK,
            not_when="it is Adam already, lr x 10 and lr/10 were not tried, or you fine-tune (use 2e-5)",
            before="""\
optimizer = torch.optim.Rprop(model.parameters(), lr=0.01)  # a new batch each step""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)""",
            change="optimizer.use adamw",
            unless=(_uses_adam,),
        ),
        Prescription(
            title="Use PyTorch's default learning rate for this optimizer",
            expect="the loss starts to fall within 100 steps",
            safety=Safety.ASK,
            not_when="lr is that already, or the optimizer is Adam, SGD, Rprop or L-BFGS",
            before="""\
optimizer = torch.optim.Adadelta(model.parameters(), lr=1e-3)""",
            code="""\
optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)""",
            unless=(_lr_is_not_the_point,),
        ),
        Prescription(
            title="Give a full-batch optimizer all data at every step",
            expect="the loss never rises from one step to the next",
            safety=Safety.MANUAL,
            not_when="the optimizer is made for minibatches, dropout is on, or the data does not fit",
            before="""\
optimizer = torch.optim.LBFGS(model.parameters(), line_search_fn="strong_wolfe")
for x, y in train_loader:
    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        return loss
    optimizer.step(closure)""",
            code="""\
optimizer = torch.optim.LBFGS(model.parameters(), line_search_fn="strong_wolfe")
for _ in range(100):
    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = loss_fn(model(all_x), all_y)
        loss.backward()
        return loss
    optimizer.step(closure)""",
            unless=(_works_on_batches,),
        ),
    ),
    experiment=Experiment(
        does="Run 200 steps each at lr/10, lr and lr x 10, then 200 steps of AdamW at 1e-3",
        if_true="no learning rate of the old optimizer comes near AdamW",
        if_false="one of them does as well: the learning rate was the cause",
        steps=800,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.SLOW, Symptom.PLATEAU, Symptom.UNSTABLE),
    places=(facts.OPTIMIZER_PLACE,),
)
