"""The answers of traindx are those that were last agreed on: see tests/golden.py."""

import json

from tests.golden import GOLDEN, answers, line


def test_every_answer_is_as_agreed_on() -> None:
    agreed = GOLDEN.read_text(encoding="utf-8").splitlines()
    current = [line(name, diagnosis) for name, diagnosis in answers()]
    changed = [json.loads(name)["run"] for name in current if name not in set(agreed)]
    assert changed == [], (
        "run: python -m tests.golden, look at the diff, and say in the commit why it changes"
    )
    assert len(current) == len(agreed)
