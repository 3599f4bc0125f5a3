from traindx.readers.text.annotations import settings_of


def test_a_name_and_a_value_per_line() -> None:
    lines = [
        "batch_size: 4096",
        "  lr .............................................. 0.00015",
        ' - max_epochs: "15"',
        "wandb_project = 'owt'",
        "2022-09-19 20:11:26,780 - INFO - allennlp.common.params - random_seed = 2019",
        "2022-09-19 20:11:26,780 - INFO - allennlp.common.params - trainer.shuffle = True",
        "Learning rate: 0.1",
    ]
    assert settings_of(lines) == {
        "batch_size": 4096,
        "lr": 0.00015,
        "max_epochs": 15,
        "wandb_project": "owt",
        "random_seed": 2019,
        "trainer.shuffle": True,
        "Learning rate": 0.1,
    }


def test_printed_objects() -> None:
    assert settings_of(
        ["Namespace(lr=0.1, arch='resnet50', betas=(0.9, 0.99), resume=None, decay=-1e-4)"]
    ) == {
        "lr": 0.1,
        "arch": "resnet50",
        "decay": -1e-4,
    }
    assert settings_of(["config: {'model': {'depth': 50, 'name': 'vit'}, 'amp': False}"]) == {
        "model.depth": 50,
        "model.name": "vit",
        "amp": False,
    }
    assert settings_of(["TrainConfig(seed=6198, model=ModelConfig(d_model=768), kind=<Kind.a: 'a'>)"]) == {
        "seed": 6198,
        "d_model": 768,
    }


def test_commands_and_pairs() -> None:
    assert settings_of(["+ torchrun --nproc_per_node=8 train.py --lr 0.1 --model vit -u"]) == {
        "nproc_per_node": 8,
        "lr": 0.1,
        "model": "vit",
    }
    assert settings_of(["train_seq_len:1024 iterations:20000 warmup_steps:20"]) == {
        "train_seq_len": 1024,
        "iterations": 20000,
        "warmup_steps": 20,
    }


def test_the_first_value_counts() -> None:
    assert settings_of(["lr: 0.1", "lr: 0.2"]) == {"lr": 0.1}


def test_what_is_no_setting() -> None:
    lines = [
        "https://example.org: 5",
        "(dropout): Dropout(p=0.1, inplace=False)",
        "PATH=$HOME/bin",
        "the answer is: 42 or so",
        "val_loss: 0.5",
        "",
        "....." * 4000,
        "{'a': " * 5000,
    ]
    assert settings_of(lines) == {}
