"""Edits of gradients: clipped, cleared, divided."""

import pytest

from tests.changes.source.sources import HF, LIT, LIT_PLACES, PLAIN, TRAINER, Bench
from traindx.facts import BACKWARD_PLACE, STEP_PLACE


def test_clipping_is_put_before_the_step(bench: Bench) -> None:
    patch = bench.patch(PLAIN, "gradients.clip 1.0")
    assert (
        "        loss.backward()\n"
        "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
        "        optimizer.step()\n"
    ) in patch.after
    assert patch.says == (
        "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0) before optimizer.step() at train.py:24"
    )


def test_clipping_in_the_middle_of_a_line(bench: Bench) -> None:
    changed = bench.changed(TRAINER, "gradients.clip 0.5")
    assert changed == (
        "-loss.backward(); self.opt.step()\n"
        "+loss.backward(); torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5); self.opt.step()"
    )


def test_clipping_behind_a_colon(bench: Bench) -> None:
    program = "from torch import nn\nopt = SGD(m.parameters())\nif ready: opt.step()\n"
    assert bench.changed(program, "gradients.clip 1") == (
        "-if ready: opt.step()\n+if ready: nn.utils.clip_grad_norm_(m.parameters(), 1.0); opt.step()"
    )


def test_clipping_with_a_scaler_unscales_first(bench: Bench) -> None:
    program = """\
        import torch
        opt = torch.optim.SGD(m.parameters(), lr=1)
        for x in data:
            scaler.scale(loss(x)).backward()
            scaler.step(opt)
            scaler.update()
    """
    assert bench.changed(program, "gradients.clip 1.0") == (
        "+scaler.unscale_(opt)\n+torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)"
    )


def test_clipping_where_the_model_has_no_name(bench: Bench) -> None:
    program = """\
        import torch

        def make(net):
            return torch.optim.SGD(net.parameters(), lr=1)

        def step(opt):
            opt.step()
    """
    assert bench.changed(program, "gradients.clip 1.0") == (
        '+torch.nn.utils.clip_grad_norm_([p for group in opt.param_groups for p in group["params"]], 1.0)'
    )


def test_frameworks_are_told_to_clip(bench: Bench) -> None:
    lightning = bench.changed(LIT, "gradients.clip 1.0", facts=LIT_PLACES)
    assert lightning.endswith('+trainer = L.Trainer(max_epochs=3, accelerator="cpu", gradient_clip_val=1.0)')
    assert bench.changed(HF, "gradients.clip x 10") == "-max_grad_norm=0.01,\n+max_grad_norm=0.1,"
    assert bench.changed(HF, "gradients.clip none") == "-max_grad_norm=0.01,\n+max_grad_norm=0,"


CLIPPED = """\
    import torch
    CLIP = 0.01
    opt = torch.optim.SGD(m.parameters(), lr=1)
    loss.backward()
    # keep it tame
    torch.nn.utils.clip_grad_norm_(m.parameters(), max_norm=CLIP)
    opt.step()
"""


def test_the_limit_that_is_there_is_changed(bench: Bench) -> None:
    assert bench.changed(CLIPPED, "gradients.clip x 10") == "-CLIP = 0.01\n+CLIP = 0.1"
    direct = CLIPPED.replace("max_norm=CLIP", "0.01")
    assert "clip_grad_norm_(m.parameters(), 2.0)" in bench.changed(direct, "gradients.clip 2")


def test_clipping_is_taken_out(bench: Bench) -> None:
    assert bench.changed(CLIPPED, "gradients.clip none") == (
        "-# keep it tame\n-torch.nn.utils.clip_grad_norm_(m.parameters(), max_norm=CLIP)"
    )


def test_clipping_that_cannot_be_changed_is_refused(bench: Bench) -> None:
    assert bench.refusal(PLAIN, "gradients.clip x 10") == "no clip_grad_norm_ call found in train.py"
    used = CLIPPED.replace("torch.nn.utils.clip", "norm = torch.nn.utils.clip")
    assert (
        bench.refusal(used, "gradients.clip none")
        == "the return value of clip_grad_norm_ is used at train.py:6"
    )
    twice = CLIPPED + "    torch.nn.utils.clip_grad_norm_(m.parameters(), 1)\n"
    assert bench.refusal(twice, "gradients.clip 1") == (
        "gradients are clipped in 2 places (train.py:6 and train.py:8)"
    )
    unknown = "opt = SGD(m.parameters())\nopt.step()\n"
    assert bench.refusal(unknown, "gradients.clip 1") == (
        "train.py does not import torch.nn.utils.clip_grad_norm_"
    )


SPREAD = """\
    import lightning as L
    config = {"trainer": {"max_epochs": 15, "gradient_clip_val": 0.005}}
    class Model(L.LightningModule):
        pass
    trainer = L.Trainer(accelerator="cpu", **config["trainer"])
    trainer.fit(Model())
"""


def test_a_limit_in_the_settings_of_a_trainer(bench: Bench) -> None:
    for change, after in {"gradients.clip none": "None", "gradients.clip x 1000": "5.0"}.items():
        assert bench.changed(SPREAD, change).endswith(f'"gradient_clip_val": {after}}}}}')


def test_gradients_are_cleared_before_the_backward_pass(bench: Bench) -> None:
    program = PLAIN.replace("            optimizer.zero_grad()\n", "").replace("    \n", "")
    assert bench.changed(program, "gradients.clear_each_step") == "+optimizer.zero_grad()"
    patch = bench.patch(program, "gradients.clear_each_step")
    assert "        # the update\n        optimizer.zero_grad()\n        loss.backward()\n" in patch.after
    assert bench.changed(TRAINER, "gradients.clear_each_step") == ("+self.opt.zero_grad()")


def test_gradients_that_are_added_up_are_cleared_behind_the_step(bench: Bench) -> None:
    program = """\
        opt = SGD(m.parameters())
        for i, x in enumerate(data):
            loss = f(x)
            loss.backward()
            if i % 4 == 0:
                opt.step()
    """
    patch = bench.patch(program, "gradients.clear_each_step")
    assert "        opt.step()\n        opt.zero_grad()\n" in patch.after


def test_clearing_is_refused(bench: Bench) -> None:
    assert bench.refusal(PLAIN, "gradients.clear_each_step") == "gradients are already cleared at train.py:19"
    assert bench.refusal(LIT, "gradients.clear_each_step", LIT_PLACES) == (
        "no optimizer.step() found in train.py; a framework calls it"
    )


ADDED_UP = """\
    ACCUM = 8
    opt = SGD(m.parameters())
    for i, x in enumerate(data):
        loss = f(x)
        loss.backward()  # adds up
        if (i + 1) % ACCUM == 0:
            opt.step()
"""


def test_the_loss_is_divided_by_what_the_step_waits_for(bench: Bench) -> None:
    assert bench.changed(ADDED_UP, "loss.divide_accumulated") == (
        "-loss.backward()  # adds up\n+(loss / ACCUM).backward()  # adds up"
    )
    scaled = ADDED_UP.replace("loss.backward()", "scaler.scale(loss).backward()").replace("% ACCUM", "% 4")
    assert "+scaler.scale(loss / 4).backward()  # adds up" in bench.changed(scaled, "loss.divide_accumulated")
    sum_of_two = ADDED_UP.replace("loss.backward()", "(loss + aux).backward()")
    assert "+((loss + aux) / ACCUM).backward()" in bench.changed(sum_of_two, "loss.divide_accumulated")


BY_A_FUNCTION = {
    "torch.autograd.backward(loss)": "torch.autograd.backward(loss / ACCUM)",
    "backward(loss)": "backward(loss / ACCUM)",
    "autograd.backward(tensors=[loss + aux])": "autograd.backward(tensors=[(loss + aux) / ACCUM])",
    "autograd.backward(scaler.scale(loss))": "autograd.backward(scaler.scale(loss / ACCUM))",
    "self.accelerator.backward(loss)": "self.accelerator.backward(loss / ACCUM)",
}


def by_a_function(backward: str) -> str:
    imports = "from torch import autograd\n    from torch.autograd import backward\n    ACCUM"
    return ADDED_UP.replace("loss.backward()", backward).replace("ACCUM", imports, 1)


@pytest.mark.parametrize("backward", BY_A_FUNCTION)
def test_a_loss_that_a_function_is_given_is_divided_there(bench: Bench, backward: str) -> None:
    changed = bench.changed(by_a_function(backward), "loss.divide_accumulated")
    assert changed.splitlines()[-1] == f"+{BY_A_FUNCTION[backward]}  # adds up"


@pytest.mark.parametrize(
    "backward",
    [
        "torch.autograd.backward([loss, aux])",
        "torch.autograd.backward(data)",
        "engine.backward(loss)",
        "loss.backward(weights)",
        "own.backward(*losses)",
    ],
)
def test_a_backward_pass_of_who_knows_what_is_refused(bench: Bench, backward: str) -> None:
    program = by_a_function(backward).replace("for i,", "data = [a, b]\n    for i,")
    says = f"it is unclear what {backward} differentiates at train.py:8"
    assert bench.refusal(program, "loss.divide_accumulated") == says
    assert bench.refusal(program, "loss.negate") == says


def test_a_function_of_that_name_that_is_not_of_torch_is_refused(bench: Bench) -> None:
    program = ADDED_UP.replace("loss.backward()", "backward(loss)")
    says = "it is unclear what backward(loss) differentiates at train.py:5"
    assert bench.refusal(program, "loss.divide_accumulated") == says


def test_a_loss_without_a_number_to_divide_by_is_refused(bench: Bench) -> None:
    assert bench.refusal(PLAIN, "loss.divide_accumulated") == (
        "no condition such as step % 4 == 0 around optimizer.step() in train.py"
    )
    divided = ADDED_UP.replace("loss.backward()", "(loss / ACCUM).backward()")
    assert bench.refusal(divided, "loss.divide_accumulated") == "the loss is already divided at train.py:5"


def test_places_in_another_file_do_not_count(bench: Bench) -> None:
    elsewhere = {STEP_PLACE: "loops.py:3", BACKWARD_PLACE: "loops.py:2"}
    assert bench.refusal(PLAIN, "gradients.clip 1.0", elsewhere) == "no Python file loops.py here"
