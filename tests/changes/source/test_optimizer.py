"""Edits of the optimizer: its rate, momentum, decay, class and parameters."""

import pytest

from tests.changes.source.sources import HF, LIT, LIT_PLACES, PLAIN, TRAINER, Bench
from traindx.facts import LEARNING_RATE, OPTIMIZERS_IN_TURN, PROGRAM_ARGUMENTS


def test_the_rate_of_a_constant(bench: Bench) -> None:
    patch = bench.patch(PLAIN, "optimizer.lr x 0.1")
    assert "LR = 0.01  # found by hand\n" in patch.after
    assert patch.says == "LR = 0.1 -> LR = 0.01 at train.py:5"


def test_the_rate_of_an_option(bench: Bench) -> None:
    patch = bench.patch(TRAINER, "optimizer.lr 3e-5")
    assert '\tparser.add_argument("--lr", type=float, default=3e-05)  # seconds matter\n' in patch.after
    assert patch.says == "--lr default=0.02 -> --lr default=3e-05 at train.py:41"


def test_the_rate_that_a_module_is_made_with(bench: Bench) -> None:
    changed = bench.changed(LIT, "optimizer.lr x 0.01", facts=LIT_PLACES)
    assert "+trainer.fit(Model(lr=0.005), DataLoader" in changed
    assert changed.count("+") == 1


def test_the_rate_of_training_arguments(bench: Bench) -> None:
    assert bench.changed(HF, "optimizer.lr x 0.1") == "-learning_rate=2e-3,\n+learning_rate=0.0002,"


RATES = {
    "literal": (
        "opt = SGD(m.parameters(), lr=2.0)",
        "opt = SGD(m.parameters(), lr=0.02)",
    ),
    "position": (
        "opt = SGD(m.parameters(), 0.3, 0.9)",
        "opt = SGD(m.parameters(), 0.003, 0.9)",
    ),
    "missing": ("opt = SGD(m.parameters())", "opt = SGD(m.parameters(), lr=1e-05)"),
    "default of RMSprop": (
        "opt = RMSprop(m.parameters())",
        "opt = RMSprop(m.parameters(), lr=0.0001)",
    ),
    "dictionary": (
        'cfg = {"lr": 0.2, "wd": 0}\nopt = SGD(m.parameters(), lr=cfg["lr"])',
        'cfg = {"lr": 0.002, "wd": 0}\nopt = SGD(m.parameters(), lr=cfg["lr"])',
    ),
    "dictionary with a fallback": (
        'cfg = dict(lr=0.2)\nopt = SGD(m.parameters(), lr=cfg.get("lr", 1))',
        'cfg = dict(lr=0.002)\nopt = SGD(m.parameters(), lr=cfg.get("lr", 1))',
    ),
    "dictionary that is spread": (
        'settings = {"lr": 0.2}\nopt = SGD(m.parameters(), **settings)',
        'settings = {"lr": 0.002}\nopt = SGD(m.parameters(), **settings)',
    ),
    "second dictionary that is spread": (
        'a, b = {"momentum": 0.9}, {"lr": 0.2}\nopt = SGD(m.parameters(), **a, **b)',
        'a, b = {"momentum": 0.9}, {"lr": 0.002}\nopt = SGD(m.parameters(), **a, **b)',
    ),
    "dictionary that is written where it is spread": (
        'log = {"lr": 7}\nopt = SGD(m.parameters(), **{"lr": 0.2})',
        'log = {"lr": 7}\nopt = SGD(m.parameters(), **{"lr": 0.002})',
    ),
    "namespace": (
        "cfg = SimpleNamespace(lr=0.2)\nopt = SGD(m.parameters(), lr=cfg.lr)",
        "cfg = SimpleNamespace(lr=0.002)\nopt = SGD(m.parameters(), lr=cfg.lr)",
    ),
    "class of settings": (
        "class Config:\n    lr: float = 0.2\n\ncfg = Config()\nopt = SGD(m.parameters(), lr=cfg.lr)",
        "class Config:\n    lr: float = 0.002\n\ncfg = Config()\nopt = SGD(m.parameters(), lr=cfg.lr)",
    ),
    "class of settings made with another rate": (
        "class Config:\n    lr: float = 0.2\n\ncfg = Config(lr=4)\nopt = SGD(m.parameters(), lr=cfg.lr)",
        "class Config:\n    lr: float = 0.2\n\ncfg = Config(lr=0.04)\nopt = SGD(m.parameters(), lr=cfg.lr)",
    ),
    "parameter of a function": (
        "def fit(m, lr=0.2):\n    opt = SGD(m.parameters(), lr=lr)\n\nfit(model)",
        "def fit(m, lr=0.002):\n    opt = SGD(m.parameters(), lr=lr)\n\nfit(model)",
    ),
    "argument of a function": (
        "def fit(m, lr=0.2):\n    opt = SGD(m.parameters(), lr=lr)\n\nfit(model, 0.5)",
        "def fit(m, lr=0.2):\n    opt = SGD(m.parameters(), lr=lr)\n\nfit(model, 0.005)",
    ),
    "two names at once": (
        "lr, epochs = 0.2, 3\nopt = SGD(m.parameters(), lr=float(lr))",
        "lr, epochs = 0.002, 3\nopt = SGD(m.parameters(), lr=float(lr))",
    ),
    "several lines": (
        "opt = SGD(\n    m.parameters(),\n    lr=0.2,  # tuned\n)",
        "opt = SGD(\n    m.parameters(),\n    lr=0.002,  # tuned\n)",
    ),
    "groups": (
        'opt = SGD([{"params": a, "lr": 0.2}, {"params": b}], lr=1.0)',
        'opt = SGD([{"params": a, "lr": 0.002}, {"params": b}], lr=0.01)',
    ),
    "one cycle": (
        "opt = SGD(m.parameters(), lr=1)\nsched = OneCycleLR(opt, max_lr=0.2, total_steps=9)",
        "opt = SGD(m.parameters(), lr=1)\nsched = OneCycleLR(opt, max_lr=0.002, total_steps=9)",
    ),
    "groups that follow the name": (
        'LR = 0.2\nopt = SGD(m.parameters(), lr=LR)\nfor g in opt.param_groups:\n    g["lr"] = LR * 0.5',
        'LR = 0.002\nopt = SGD(m.parameters(), lr=LR)\nfor g in opt.param_groups:\n    g["lr"] = LR * 0.5',
    ),
    "keras": (
        "model.compile(optimizer=keras.optimizers.Adam(0.5))",
        "model.compile(optimizer=keras.optimizers.Adam(0.005))",
    ),
    "function named like a method": (
        "def train(n, lr):\n    n.train()\n    opt = SGD(n.parameters(), lr=lr)\n\ntrain(net, lr=0.5)",
        "def train(n, lr):\n    n.train()\n    opt = SGD(n.parameters(), lr=lr)\n\ntrain(net, lr=0.005)",
    ),
    "click": (
        '@click.option("--lr", default=0.2)\ndef main(lr):\n    opt = SGD(m.parameters(), lr=lr)',
        '@click.option("--lr", default=0.002)\ndef main(lr):\n    opt = SGD(m.parameters(), lr=lr)',
    ),
}


@pytest.mark.parametrize("style", RATES)
def test_the_rate_is_found_wherever_it_is_written(bench: Bench, style: str) -> None:
    before, after = RATES[style]
    assert bench.patch(f"{before}\n", "optimizer.lr x 0.01").after == f"{after}\n"


ADDED = {
    "opt = SGD(p)": "opt = SGD(p, weight_decay=0.1)",
    "opt = SGD(\n    p,\n)": "opt = SGD(\n    p,\n    weight_decay=0.1,\n)",
    "opt = SGD(\n    p, lr=1\n)": "opt = SGD(\n    p, lr=1, weight_decay=0.1\n)",
    "opt = SGD(\n    p,\n    lr=1  # ok\n)": "opt = SGD(\n    p,\n    lr=1,  # ok\n    weight_decay=0.1\n)",
    "opt = SGD(\n    p, # all\n    lr=1, # tuned\n)": (
        "opt = SGD(\n    p, # all\n    lr=1, # tuned\n    weight_decay=0.1,\n)"
    ),
    "opt = SGD(p,\n          lr=1)": "opt = SGD(p,\n          lr=1,\n          weight_decay=0.1)",
    "opt = SGD( p )": "opt = SGD( p, weight_decay=0.1 )",
}


@pytest.mark.parametrize("before", ADDED)
def test_an_argument_is_added_as_the_others_are_laid_out(bench: Bench, before: str) -> None:
    assert bench.patch(f"{before}\n", "regularize.weight_decay 0.1").after == f"{ADDED[before]}\n"


REFUSED_RATES = {
    "the learning rate is computed (rate * scale) at train.py:1": (
        "opt = SGD(m.parameters(), lr=rate * scale)"
    ),
    "the learning rate is lr, set in 2 places (train.py:1 and train.py:2)": (
        "lr = 0.1\nlr = 0.2\nopt = SGD(m.parameters(), lr=lr)"
    ),
    "the learning rate is lr, set in 2 places (train.py:4 and train.py:5)": (
        "def fit(lr):\n    opt = SGD(m.parameters(), lr=lr)\n\nfit(0.1)\nfit(0.2)"
    ),
    "the learning rate is LR, not set in train.py, at train.py:2": (
        "from config import LR\nopt = SGD(m.parameters(), lr=LR)"
    ),
    'the learning rate is set again (g["lr"] = 0.01) at train.py:3': (
        'opt = SGD(m.parameters(), lr=0.1)\nfor g in opt.param_groups:\n    g["lr"] = 0.01'
    ),
    'the learning rate is cfg["lr"], not set in train.py, at train.py:3': (
        'cfg = yaml.safe_load(text)\nlog = {"lr": 0.1}\nopt = SGD(p, lr=cfg["lr"])'
    ),
    "the learning rate is args.lr, set in 2 places (train.py:1 and train.py:2)": (
        'parser.add_argument("--lr", default=0.1)\nparser.set_defaults(lr=0.2)\nopt = SGD(p, lr=args.lr)'
    ),
    "the learning rate comes from **cfg at train.py:3, set in 2 places (train.py:1 and train.py:2)": (
        'cfg = {"lr": 0.1}\ncfg["lr"] = 0.2\nopt = SGD(p, **cfg)'
    ),
    "the learning rate comes from **get() at train.py:2, set in 2 places (train.py:1 and train.py:1)": (
        'a, b = {"lr": 0.1}, {"lr": 0.2}\nopt = SGD(p, **get())'
    ),
    "the learning rate comes from **a, **b at train.py:2": (
        'a, b = {"momentum": 0.9}, {"nesterov": True}\nopt = SGD(p, **a, **b)'
    ),
    "optimizers are created at train.py:1 and train.py:2, ambiguous": (
        "a = SGD(e.parameters(), lr=0.1)\nb = SGD(d.parameters(), lr=0.1)"
    ),
}


@pytest.mark.parametrize("says", REFUSED_RATES)
def test_a_rate_that_is_not_clear_is_left_alone(bench: Bench, says: str) -> None:
    assert bench.refusal(f"{REFUSED_RATES[says]}\n", "optimizer.lr x 0.1") == says


def test_a_rate_from_the_command_line_is_left_alone(bench: Bench) -> None:
    facts = {PROGRAM_ARGUMENTS: "--epochs 3 --lr=0.5"}
    assert bench.refusal(TRAINER, "optimizer.lr x 0.1", facts) == (
        "the learning rate is set on the command line; change --lr there"
    )


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ("--epochs 3 --lr=0.5", ["--epochs", "3", "--lr=0.05"]),
        ("--lr 0.5 --epochs 3", ["--lr", "0.05", "--epochs", "3"]),
        ("--lr many", None),
        ("--epochs 3", None),
    ],
)
def test_a_rate_from_the_command_line_is_changed_there(
    bench: Bench, given: str, becomes: list[str] | None
) -> None:
    assert bench.arguments(TRAINER, "optimizer.lr x 0.1", {PROGRAM_ARGUMENTS: given}) == becomes


def test_a_number_the_run_did_not_learn_with_is_left_alone(bench: Bench) -> None:
    says = bench.refusal(PLAIN, "optimizer.lr x 0.1", {LEARNING_RATE: 0.7})
    assert says == "the source sets learning rate 0.1, but the run used 0.7"


def test_optimizers_in_turn_are_left_alone(bench: Bench) -> None:
    says = bench.refusal(PLAIN, "optimizer.lr x 0.1", {OPTIMIZERS_IN_TURN: 2})
    assert says == "train.py alternates several optimizers, ambiguous"


def test_one_rate_for_groups_with_several_is_refused(bench: Bench) -> None:
    program = 'opt = SGD([{"params": a, "lr": 0.2}, {"params": b}], lr=1.0)\n'
    assert bench.refusal(program, "optimizer.lr 0.1") == (
        "parameter groups have their own learning rates at train.py:1; use a factor such as x 0.1"
    )


OTHERS = {
    "optimizer.momentum 0.5": {
        "opt = optim.SGD(p, lr=1, momentum=0.998)": "opt = optim.SGD(p, lr=1, momentum=0.5)",
        "opt = optim.SGD(p, lr=1)": "opt = optim.SGD(p, lr=1, momentum=0.5)",
        "opt = Adam(m.parameters(), betas=(0.99, 0.9))": "opt = Adam(m.parameters(), betas=(0.5, 0.9))",
        "opt = Adam(m.parameters())": "opt = Adam(m.parameters(), betas=(0.5, 0.999))",
    },
    "regularize.weight_decay x 0.1": {
        "opt = optim.Adam(p, weight_decay=0.5)": "opt = optim.Adam(p, weight_decay=0.05)",
        "opt = optim.AdamW(p)": "opt = optim.AdamW(p, weight_decay=0.001)",
        'opt = optim.SGD([{"params": a, "weight_decay": 0.5}, {"params": b, "weight_decay": 0.0}])': (
            'opt = optim.SGD([{"params": a, "weight_decay": 0.05}, {"params": b, "weight_decay": 0.0}])'
        ),
        "WD = 1\nopt = optim.SGD(p, weight_decay=WD)": ("WD = 0.1\nopt = optim.SGD(p, weight_decay=WD)"),
    },
    "regularize.weight_decay 0.05": {
        "opt = optim.Adam(p, lr=1)": "opt = optim.Adam(p, lr=1, weight_decay=0.05)",
        "opt = optim.SGD(\n    m.parameters(),\n    lr=1,\n)": (
            "opt = optim.SGD(\n    m.parameters(),\n    lr=1,\n    weight_decay=0.05,\n)"
        ),
    },
    "optimizer.decoupled_weight_decay": {
        "opt = torch.optim.Adam(p, lr=1)": "opt = torch.optim.AdamW(p, lr=1)",
        "from a import Adam, AdamW\nopt = Adam(p)": "from a import Adam, AdamW\nopt = AdamW(p)",
    },
    "optimizer.use adamw": {
        "opt = optim.SGD(p, lr=1, momentum=0.9, nesterov=True)": "opt = optim.AdamW(p, lr=0.001)",
        "opt = optim.Rprop(\n    m.parameters(), lr=1, etas=(0.5, 1.2)\n)": (
            "opt = optim.AdamW(\n    m.parameters(), lr=0.001\n)"
        ),
    },
    "optimizer.use adam": {
        "opt = optim.SGD(p, lr=1, weight_decay=5e-4)": "opt = optim.Adam(p, lr=0.001, weight_decay=5e-4)",
        "opt = optim.AdamW(p, lr=1, weight_decay=0.1)": "opt = optim.Adam(p, lr=0.001)",
        "import torch\nfrom torch.optim import SGD\nopt = SGD(p, lr=1)": (
            "import torch\nfrom torch.optim import SGD\nopt = torch.optim.Adam(p, lr=0.001)"
        ),
    },
    "optimizer.use sgd 0.1": {
        "opt = optim.Adam(p, betas=(0.9, 0.9))": "opt = optim.SGD(p, lr=0.1, momentum=0.9)",
        "opt = optim.Adam(p, 1e-3)": "opt = optim.SGD(p, 0.1, momentum=0.9)",
    },
    "optimizer.add_missing_parameters": {
        "opt = SGD(model.head.parameters(), lr=1)": "opt = SGD(model.parameters(), lr=1)",
        "opt = SGD(filter(lambda p: p.requires_grad, net.parameters()))": "opt = SGD(net.parameters())",
        "part = [p for p in net.parameters() if p.requires_grad]\nopt = SGD(part)": (
            "part = [p for p in net.parameters() if p.requires_grad]\nopt = SGD(net.parameters())"
        ),
        "opt = SGD(model.parameters())  # all\nmodel.widen(8)\nfor x in data:\n    opt.step()": (
            "model.widen(8)\nopt = SGD(model.parameters())  # all\nfor x in data:\n    opt.step()"
        ),
        "a = nn.Linear(1, 2)\nb = nn.Linear(2, 1)\nopt = SGD(a.parameters())\nb(a(x))": (
            "a = nn.Linear(1, 2)\nb = nn.Linear(2, 1)\nopt = SGD([*a.parameters(), *b.parameters()])\nb(a(x))"
        ),
    },
}


@pytest.mark.parametrize(
    ("change", "before"), [(change, before) for change in OTHERS for before in OTHERS[change]]
)
def test_other_settings_of_the_optimizer(bench: Bench, change: str, before: str) -> None:
    assert bench.patch(f"{before}\n", change).after == f"{OTHERS[change][before]}\n"


REFUSED = {
    "optimizer.momentum 0.9": (
        "opt = optim.Adagrad(m.parameters())",
        "no optimizer constructor found at train.py:?",
    ),
    "optimizer.decoupled_weight_decay": (
        "from torch.optim import Adam\nopt = Adam(m.parameters())",
        "train.py imports Adam by name but not AdamW",
    ),
    "optimizer.use adamw": (
        "opt = optim.SGD(p, 0.1, 0.9, 0)",
        "train.py:1 uses positional arguments; write them as keywords",
    ),
    "optimizer.use lion": (
        "opt = optim.SGD(p)",
        '"optimizer.use lion": expected one of adamw, adam, sgd, for example: optimizer.use adamw',
    ),
    "optimizer.add_missing_parameters": (
        "opt = SGD(model.parameters())\nmodel.head = nn.Linear(2, 2)",
        "the optimizer at train.py:1 already gets all of model; other parameters are created later",
    ),
    "regularize.weight_decay 0.1": (
        "opt = optim.SGD(p, weight_decay=0.01 * scale)",
        "the weight decay is computed (0.01 * scale) at train.py:1",
    ),
}


@pytest.mark.parametrize("change", REFUSED)
def test_what_is_not_clear_is_refused(bench: Bench, change: str) -> None:
    program, says = REFUSED[change]
    assert bench.refusal(f"{program}\n", change) == says
