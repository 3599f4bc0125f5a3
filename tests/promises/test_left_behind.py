"""After the recorder is taken off, torch and the model are as they were."""

from pathlib import Path

from tests.promises.trainings import changed, everything, hooks_on, surface
from traindx.recorder.hooks import attachment


def test_no_patch_and_no_hook_is_left(tmp_path: Path) -> None:
    everything(epochs=1)  # torch imports and caches much on first use
    before = surface()
    watching = attachment.attach(tmp_path, budget=1.0)
    try:
        patched = changed(before, surface())
        model, _ = everything()
    finally:
        watching.detach()
    assert len(patched) > 10, "the recorder watches something"
    assert changed(before, surface()) == []
    assert hooks_on(model) == []


def test_nothing_is_put_on_the_model_while_it_is_watched(tmp_path: Path) -> None:
    watching = attachment.attach(tmp_path, budget=1.0)
    try:
        model, _ = everything()
        assert hooks_on(model) == []
    finally:
        watching.detach()


def test_a_recorder_can_be_attached_again(tmp_path: Path) -> None:
    _, plain = everything()
    for number in range(3):
        watching = attachment.attach(tmp_path / str(number))
        try:
            assert everything()[1] == plain
        finally:
            watching.detach()
        assert len(list((tmp_path / str(number)).glob("*.traindx"))) == 1
    assert attachment.attached() is None
