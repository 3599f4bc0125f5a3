"""Edits of the schedule: a warm-up, a cosine, or none."""

from tests.changes.source.sources import HF, LIT, LIT_PLACES, PLAIN, TRAINER, Bench
from traindx.facts import PLANNED_STEPS, SCHEDULE

STEPPED = """\
    opt = SGD(m.parameters(), lr=1)
    sched = StepLR(opt, 30)
    for epoch in range(9):
        opt.step()
        # decay
        sched.step()
"""


def test_the_steps_of_the_schedule_are_taken_out(bench: Bench) -> None:
    assert bench.changed(STEPPED, "schedule.constant") == "-# decay\n-sched.step()"
    one_line = STEPPED.replace("        # decay\n        sched.step()", "        if epoch: sched.step()")
    assert bench.patch(one_line, "schedule.constant").after.endswith("    if epoch: pass\n")
    assert '+lr_scheduler_type="constant",' in bench.changed(HF, "schedule.constant")


PER_BATCH = """\
    opt = SGD(m.parameters(), lr=1)
    sched = StepLR(opt, 30)
    for epoch in range(9):
        for x in loader:
            opt.step()
            sched.step()
        print(epoch)
"""


def test_the_step_of_the_schedule_moves_behind_the_loop_over_the_batches(bench: Bench) -> None:
    patch = bench.patch(PER_BATCH, "schedule.per_epoch 40")
    assert patch.after.endswith("        opt.step()\n    sched.step()\n    print(epoch)\n")
    conditional = PER_BATCH.replace("sched.step()", "if epoch: sched.step()")
    assert "is conditional" in bench.refusal(conditional, "schedule.per_epoch 40")
    assert "loop within a loop" in bench.refusal(STEPPED, "schedule.per_epoch 40")
    elsewhere = PER_BATCH.replace("        print(epoch)", "        for y in val:\n            sched.step()")
    elsewhere = elsewhere.replace("opt.step()\n            sched.step()", "opt.step()")
    assert "same loop" in bench.refusal(elsewhere, "schedule.per_epoch 40")
    with_value = PER_BATCH.replace("sched.step()", "sched.step(loss)")
    assert "needs a value" in bench.refusal(with_value, "schedule.per_epoch 40")


IN_LIGHTNING = """\
    def configure_optimizers(self):
        opt = SGD(self.parameters(), lr=1)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": StepLR(opt, 8), "interval": "step"}}
"""


def test_a_schedule_that_lightning_steps_is_told_its_interval(bench: Bench) -> None:
    assert bench.patch(IN_LIGHTNING, "schedule.per_epoch 40").after.endswith('"interval": "epoch"}}\n')


IN_FUNCTION = """\
    def train_epoch(self):
        for x in self.loader:
            self.opt.step()
            self.sched.step()
        return x

    def fit(self):
        self.opt = SGD(m.parameters(), lr=1)
        self.sched = StepLR(self.opt, 30)
        for epoch in range(9):
            self.train_epoch()
"""


def test_an_epoch_may_be_a_function_of_its_own(bench: Bench) -> None:
    moved = "        self.opt.step()\n    self.sched.step()\n    return x\n"
    assert moved in bench.patch(IN_FUNCTION, "schedule.per_epoch 40").after
    called_from_elsewhere = IN_FUNCTION.replace("self.train_epoch()", "print(epoch)")
    assert moved in bench.patch(called_from_elsewhere, "schedule.per_epoch 40").after
    once = IN_FUNCTION.replace("for epoch in range(9):\n            self", "if True:\n            self")
    assert "loop within a loop" in bench.refusal(once, "schedule.per_epoch 40")
    counted = called_from_elsewhere.replace("x in self.loader", "x in range(400)")
    assert "loop within a loop" in bench.refusal(counted, "schedule.per_epoch 40")


def test_a_warm_up_is_put_beside_the_optimizer(bench: Bench) -> None:
    assert bench.changed(PLAIN, "schedule.warmup 500") == (
        "+warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 500))\n"
        "+warmup.step()"
    )
    assert bench.changed(TRAINER, "schedule.warmup 100", facts={PLANNED_STEPS: 200}) == (
        "+self.warmup = optim.lr_scheduler.LambdaLR(self.opt, lambda step: min(1.0, (step + 1) / 60))\n"
        "+self.warmup.step()"
    )
    assert "+warmup_steps=500," in bench.changed(HF, "schedule.warmup 500")


def test_a_cosine_ends_with_the_run(bench: Bench) -> None:
    planned = {PLANNED_STEPS: 1200}
    assert bench.changed(PLAIN, "schedule.cosine", facts=planned) == (
        "+scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=1200)\n+scheduler.step()"
    )
    assert '+lr_scheduler_type="cosine",' in bench.changed(HF, "schedule.cosine")


def test_a_schedule_that_cannot_be_put_there_is_refused(bench: Bench) -> None:
    assert bench.refusal(STEPPED, "schedule.warmup 9", {SCHEDULE: "StepLR"}) == (
        "the run already has StepLR; two schedules would multiply"
    )
    assert bench.refusal(PLAIN, "schedule.cosine") == "the number of steps of the run is unknown"
    assert bench.refusal(PLAIN, "schedule.constant") == "no single scheduler found in train.py"
    assert bench.refusal(LIT, "schedule.warmup 9", LIT_PLACES) == (
        "no optimizer.step() found in train.py; a framework calls it"
    )
    apart = "def make(m):\n    opt = SGD(m.parameters())\n    return opt\n\ndef go(opt):\n    opt.step()\n"
    assert bench.refusal(apart, "schedule.warmup 9") == (
        "the optimizer of train.py:2 steps in another function"
    )
