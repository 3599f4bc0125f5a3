import pytest

from traindx.lint.script import training_at_import

LOOP = "for batch in loader:\n    loss.backward()\n    optimizer.step()\n"


def inside(head: str) -> str:
    return head + "\n" + "".join(f"    {line}\n" for line in LOOP.splitlines())


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (LOOP, 2),
        ("import torch\nmodel.fit(x, y)\n", 2),
        (inside("with torch.enable_grad():"), 3),
        (inside("def main():") + "\nmain()\n", 6),
        (inside("if True:"), 3),
    ],
)
def test_a_script_that_trains_when_imported_is_known_by_its_line(source: str, line: int) -> None:
    assert training_at_import(source) == line


@pytest.mark.parametrize(
    "source",
    [
        inside("def main():"),
        inside("if __name__ == '__main__':"),
        inside("def main():") + "\nif __name__ == '__main__':\n    main()\n",
        "class Net:\n    def fit(self):\n        self.loss.backward()\n",
        "model.train()\n",
        "this is no Python",
    ],
)
def test_other_sources_may_be_imported(source: str) -> None:
    assert training_at_import(source) is None
